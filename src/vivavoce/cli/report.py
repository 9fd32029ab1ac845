"""`viva report`: run all suitable tests of a candidate, and write one report."""

from __future__ import annotations

import shlex
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.certificate.config import PopulationConfig
from vivavoce.cli import options, output
from vivavoce.cli.asking import AskOptions, asking_of, asking_options
from vivavoce.cli.clustering import clustered
from vivavoce.cli.endings import CANNOT_CONTINUE, OF_VERDICT, ask_in_loop, exit_codes, records_at
from vivavoce.cli.help import command
from vivavoce.cli.inspect_runs import opened_task, say_logs, unopened_task
from vivavoce.cli.names import CANDIDATE, SCOPE
from vivavoce.cli.options import config_options
from vivavoce.cli.progress import RecordSummary, first_answers_on, head_of, kept_of, run_in_words
from vivavoce.cli.tracing import traced
from vivavoce.errors import BadInput, VivavoceError
from vivavoce.formats.lines import write_whole
from vivavoce.plugins.inspect_plugin.task_scope.config import TaskConfig
from vivavoce.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from vivavoce.candidates.uci.pool import EnginePool
    from vivavoce.examination.dossier import Dossier
    from vivavoce.examination.part import ExaminationConfig, ExaminationContext, OpenedTask
    from vivavoce.examination.parts.certificate import CertificatePlan
    from vivavoce.examination.plan import Plan
    from vivavoce.examination.rooms import Size
    from vivavoce.examination.run import Examination, ExaminationOutlook
    from vivavoce.interview.candidate import Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.results import Front, ResultRows
    from vivavoce.interview.transcript import Transcript


@dataclass(frozen=True, slots=True)
class ExamineRequest:
    """The parsed command line."""

    candidate: str
    asking: AskOptions
    plan: Path | None
    name: str | None
    scopes: tuple[str, ...]
    titles: tuple[str, ...]
    judge: str | None
    only: tuple[str, ...]
    questions: int | None
    size: Size
    seed: int | None
    out: Path
    dry_run: bool
    again: bool
    trust_local: bool
    log_dir: Path | None

    @property
    def place(self) -> str:
        """Place of the transcript."""
        return self.asking.transcript or str(self.out / "transcript.sqlite")


def _room(name: str) -> str:
    """One of the examinations, whose table is not read for the help alone."""
    from vivavoce.examination.rooms import QUESTIONS

    return options.Choice(tuple(QUESTIONS)).convert(name, None, None)


@command(
    epilog=exit_codes(
        "0 done (where there are certificates: all scopes pass)",
        "3 a scope fails, or too many answers change in a study with a limit",
        "4 a certificate is undecided",
        "5 a test could not be run now",
        "130 interrupted (the report has all results so far)",
    )
)
@click.argument("candidate", required=False, type=CANDIDATE)
@click.option("--plan", type=options.KNOWN_FILE, help="Run these tests. [default: all that need no file of yours]")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=SCOPE,
    metavar="SCOPE",
    help="Certify this scope instead of the plan's. Repeatable.",
)
@click.option("--judge", type=CANDIDATE, metavar="CANDIDATE", help="Let this model grade questions of --scope with a rubric.")
@options.NAME
@options.TITLE
@click.option("--init", is_flag=True, help="Print a commented plan to start from.")
@click.option(
    "--only",
    multiple=True,
    type=_room,
    metavar="EXAMINATION",
    help="Run only this test, such as luna. Repeatable.",
)
@click.option("--out", type=options.FOLDER, metavar="FOLDER", help="[default: after the candidate's name]")
@click.option(
    "--quick", "size", flag_value="quick", default="usual", help="Ask a language model at most 300 questions. [default: 1,500]"
)
@click.option("--full", "size", flag_value="full", help="Ask a language model as many as all the tests need.")
@click.option("--questions", type=options.count, metavar="N", help="Stop after this many questions in all.")
@config_options(PopulationConfig, only=("seed",))
@click.option("--dry-run", is_flag=True, help="Print the plan and its cost; ask nothing.")
@config_options(
    TaskConfig, only=("trust_local", "log_dir"), log_dir={"help": "Where Inspect keeps logs of tasks. [default: --out]"}
)
@options.AGAIN
@options.HEAD
@output.RESULTS
@asking_options
@options.JSON
@output.JUNIT
def report(*, candidate: str | None, init: bool, out: Path | None, **given: Any) -> int:
    """Run every suitable test on CANDIDATE within one budget, and write one report.

    \b
    viva report bot:calculator --out calculator
    viva report function:support_bot:answer --scope file:support.csv
    viva report chat:llama3.2@http://localhost:11434/v1 --money 2
    viva report --init > plan.toml
    viva report chat:llama3.2@http://localhost:11434/v1 --plan plan.toml --dry-run
    viva report uci:stockfish --out stockfish

    The folder (--out) gets report.html, report.json, plan.toml and transcript.sqlite (unless --transcript names another
    place). To resume, run the same command again; no question is asked twice.
    """
    if init:
        from vivavoce.examination.plan_file import INIT

        click.echo(INIT, nl=False)
        return 0
    if candidate is None:
        raise click.UsageError("Missing argument 'CANDIDATE'.")
    folder = out or output.folder_for(candidate)
    return _examine(ExamineRequest(candidate=candidate, asking=asking_of(given), out=folder, **given))


def _examine(order: ExamineRequest) -> int:
    """Look ahead, examine, write; the exit code."""
    from rich.console import Console

    from vivavoce.examination.presentation import RoomLines, print_outlook
    from vivavoce.examination.run import Examination, look_ahead

    config = _config(order)
    output.check_files(asdict(config.plan))
    output.check_not_used("--results", order.asking.results, asdict(config.plan))
    candidate, name = _opened(config)
    outlook = look_ahead(config, candidate)
    console = Console(stderr=True, quiet=order.asking.quiet and not order.dry_run)
    print_outlook(outlook, config, console, concurrency=order.asking.at_once([candidate]))
    if order.dry_run:
        return 0
    _prepare(order, config, name)
    with (
        output.rows_into(order.asking.results, *_front(outlook, config.plan)) as results,
        records_at(order.place, head=order.asking.head) as [transcript],
        RoomLines(console) as lines,
        first_answers_on(console, candidate, transcript),
        traced(),
    ):
        examination = Examination(_table(order, config, candidate, transcript, lines, results), outlook, lines.room)
        try:
            tasks = [task.candidate for task in config.tasks.values()]
            ask_in_loop(_run(examination, candidate, *config.judges.values(), *tasks))
        except KeyboardInterrupt:
            _write(order, examination.dossier(), kept_of(transcript), console)
            raise
        kept = kept_of(transcript)
    _write(order, examination.dossier(), kept, console)
    for task in tasks:
        say_logs([task], quiet=order.asking.quiet)
    if not order.asking.quiet:
        scopes = output.scope_words(plan.scope for plan in _certified(config.plan))
        words = ["viva", "recheck", str(order.out), "--transcript", kept.name, *scopes]
        click.echo(f"Recheck: {shlex.join(words)}", err=options.wants_json())
    return CANNOT_CONTINUE if examination.unreachable else OF_VERDICT[examination.dossier().verdict or "pass"]


async def _run(examination: Examination, *candidates: Any) -> None:
    from vivavoce.candidates import close_candidate

    try:
        await examination.run()
    finally:
        for candidate in candidates:
            await close_candidate(candidate)


def _config(order: ExamineRequest) -> ExaminationConfig:
    """The candidate and the plan; refuses candidates that no test is for."""
    from vivavoce.candidates import open_candidate
    from vivavoce.candidates.names import kind_of, runs_code
    from vivavoce.examination.part import NATURES, ExaminationConfig
    from vivavoce.examination.plan import BudgetPlan, Plan
    from vivavoce.examination.plan_file import read_plan
    from vivavoce.examination.rooms import QUESTIONS, default_plan

    kind = kind_of(order.candidate)
    if kind in ("hf", "trained"):
        raise BadInput(f"'{order.candidate[:80]}' is a classifier of legal cases: use 'viva consistency cases check'")
    by_default = order.plan is None and NATURES[kind] == "model"
    if order.size != "usual" and not by_default:
        raise click.UsageError(f"--{order.size} sizes the built-in plan for language models: leave it out.")
    plan = Plan() if order.plan is None else read_plan(order.plan)
    if by_default:
        plan = default_plan(order.size, order.scopes, order.only or None)
    budget = BudgetPlan(
        order.questions or plan.budget.questions,
        order.asking.tokens or plan.budget.tokens,
        order.asking.money or plan.budget.money,
    )
    rooms = tuple(room for room in QUESTIONS if room in order.only) or plan.examinations or None
    if order.scopes:
        plan = plan.saying(*_certificates(order))
    elif order.titles or order.judge:
        which = "'--set title' is that" if order.titles else "'--judge' is for the questions"
        raise click.UsageError(f"{which} of a '--scope': name the scope, or put the judge into the plan.")
    plan = replace(
        plan,
        name=order.name or plan.name,
        budget=budget,
        examinations=rooms,
        reply_format=order.asking.reply_format or plan.reply_format,
    )
    plan = plan if order.seed is None else replace(plan, seed=order.seed)
    judges = {name: open_candidate(name) for name in plan.judges if not (order.dry_run and runs_code(name))}
    return ExaminationConfig(order.candidate.strip(), NATURES[kind], plan, judges, _tasks(order, plan))


def _tasks(order: ExamineRequest, plan: Plan) -> dict[str, OpenedTask]:
    """The Inspect tasks that the plan names as scopes; a dry run runs none of their code. Only the command line can trust a
    local sandbox, not a plan.
    """
    from vivavoce.examination.part import OpenedTask

    result: dict[str, OpenedTask] = {}
    for certificate_plan in _certified(plan):
        if certificate_plan.by_task and certificate_plan.scope in result:
            raise BadInput(f"the plan certifies '{certificate_plan.scope[:200]}' twice: leave one out")
        if certificate_plan.by_task and order.dry_run:
            result[certificate_plan.scope] = OpenedTask(unopened_task(certificate_plan.scope, order.candidate))
        elif certificate_plan.by_task:
            logs = order.log_dir or order.out / "logs"
            config = TaskConfig(certificate_plan.scorer, certificate_plan.model_role or (), order.trust_local, logs)
            scope, [runs] = opened_task(certificate_plan.scope, [order.candidate], config, order.place)
            result[certificate_plan.scope] = OpenedTask(scope, runs)
    return result


def _certified(plan: Plan) -> tuple[CertificatePlan, ...]:
    from vivavoce.examination.parts.certificate import CertificatePlan

    return plan.sections_of(CertificatePlan)


def _certificates(order: ExamineRequest) -> tuple[CertificatePlan, ...]:
    """The scopes of the command line with their titles, and the judge for those with a rubric."""
    from vivavoce.certificate.claims.claim import brief
    from vivavoce.examination.parts.certificate import CertificatePlan
    from vivavoce.scopes import open_scope

    titles = options.titled(order.scopes, order.titles)
    plans = [CertificatePlan(scope, title=titles.get(brief(scope))) for scope in order.scopes]
    if order.judge is None:
        return tuple(plans)
    judged = [
        not plan.by_task and any(question.rubric for question in getattr(open_scope(plan.scope), "questions", ()))
        for plan in plans
    ]
    if not any(judged):
        raise click.UsageError("'--judge' grades questions with a rubric, and no '--scope' has any: leave it out.")
    return tuple(replace(plan, judge=order.judge) if by_rubric else plan for plan, by_rubric in zip(plans, judged, strict=True))


def _opened(config: ExaminationConfig) -> tuple[Any, str]:
    """The candidate (None for an engine, which its test opens), and its recorded name."""
    if config.nature == "engine":
        from vivavoce.candidates.uci.options import find_engine
        from vivavoce.cli.consistency.chess import require_chess

        require_chess()
        return None, find_engine(config.candidate).name
    from vivavoce.candidates import open_candidate

    candidate = open_candidate(config.candidate)
    return candidate, candidate.name


def _prepare(order: ExamineRequest, config: ExaminationConfig, name: str) -> None:
    """Create the folder with the plan; refuses a folder with another candidate's report."""
    from vivavoce.examination.dossier import read_dossier
    from vivavoce.examination.plan_file import write_plan

    there = order.out / "report.json"
    if there.exists():
        with suppress(VivavoceError):  # a file that is not a report may be overwritten under its own name
            whose = read_dossier(there).dossier
            if whose.cards and whose.candidate != name:
                raise click.UsageError(
                    f"--out {order.out}: it holds the report of {whose.candidate[:80]}; choose another folder."
                )
    try:
        order.out.mkdir(parents=True, exist_ok=True)
        write_plan(order.out / "plan.toml", config.plan)
    except OSError as error:
        raise click.UsageError(f"--out {order.out}: {error.strerror or error}; choose another folder.") from None


def _table(
    order: ExamineRequest,
    config: ExaminationConfig,
    candidate: Any,
    transcript: Transcript,
    on_progress: Callable[[Progress], None],
    results: ResultRows | None,
) -> ExaminationContext:
    from vivavoce.examination.part import ExaminationContext
    from vivavoce.interview.budget import SharedBudget

    def engines(name: str, /, *, workers: int) -> EnginePool:
        from vivavoce.candidates.uci.pool import open_engine

        cluster = clustered()
        return open_engine(name, workers=workers, cluster=None if cluster is None else cluster.address)

    asking = replace(order.asking, reply_format=config.plan.reply_format)
    shared_budget = SharedBudget(config.plan.budget.budget)

    def judged_by(name: str, _: str) -> Interview[Prompt, Reply]:
        judge: Any = config.judges[name]
        return asking.interview(judge, transcript, expected=None, on_progress=None, shared_budget=shared_budget)

    def asked_by(*, instead: Any = None, **given: Any) -> Interview[Prompt, Reply]:
        return asking.interview(candidate if instead is None else instead, transcript, results=results, **given)

    table = ExaminationContext(
        config, candidate, transcript, shared_budget, asked_by, engines, on_progress, order.again, judged_by
    )
    return table if results is None else replace(table, results=results)


def _front(outlook: ExaminationOutlook, plan: Plan) -> tuple[Front, ...]:
    """The columns that say which test a row comes from."""
    from vivavoce.examination.parts.certificate import BUILT_IN, CertificatePart, CertificatePlan

    certified = any(planned.part.room == CertificatePart.room for planned in outlook.rooms)
    return (
        ("examination", "scope") if certified and len(plan.sections_of(CertificatePlan) or BUILT_IN) > 1 else ("examination",)
    )


def _write(order: ExamineRequest, dossier: Dossier, kept: RecordSummary, console: Console) -> None:
    """Write page and JSON, and print the result.

    kept: of the transcript, with all that was asked.
    """
    from rich.console import Console

    from vivavoce.examination.dossier import cases_of_dossier, write_dossier
    from vivavoce.examination.presentation import dossier_page, print_answer

    made = datetime.now(UTC)
    file = order.out / "report.json"
    written = write_dossier(file, dossier, made=made, version=__version__, of_run=head_of(kept))
    page = dossier_page(dossier, made=made, version=__version__, answers=run_in_words(kept))
    write_whole(order.out / "report.html", page)
    if options.wants_json():
        output.print_json(written)
    else:
        print_answer(dossier, Console())
    click.echo(f"Report: {order.out / 'report.html'} · {kept.answers}", err=options.wants_json())
    properties = {"candidate": dossier.candidate, "plan": dossier.plan_digest, "transcript head": kept.head}
    output.write_cases(f"Examination: {dossier.called}", cases_of_dossier(dossier), properties)
