"""`viva compare`, `viva gate` and `viva consistency teach`: rank candidates on the same questions, check that a new one is not
worse, and test whether a dialogue with a teacher improves one.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import click

from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.config import Drawing, GradingConfig, PopulationConfig
from vivavoce.cli import inspect_runs, options
from vivavoce.cli.asking import (
    AskOptions,
    asking_of,
    check_head,
    close_all,
    examined_side_by_side,
    examining_options,
    on_record,
)
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, all_of, exit_codes
from vivavoce.cli.help import Command, command
from vivavoce.cli.names import CANDIDATE, SCOPE
from vivavoce.cli.options import config_options
from vivavoce.cli.output import MARKDOWN, show
from vivavoce.cli.verdict_options import (
    HISTORY,
    JUDGE,
    check_graders,
    check_judge,
    judge_of,
    open_judge,
    opened_history,
    say_comparison,
    say_forecast,
)
from vivavoce.errors import BadInput
from vivavoce.formats.wording import clipped, count
from vivavoce.plugins.inspect_plugin.task_scope.config import TaskConfig
from vivavoce.studies.config import TeachingConfig

if TYPE_CHECKING:
    from vivavoce.certificate.comparison.finding import Comparison
    from vivavoce.examination.teaching import Dialogue
    from vivavoce.interview.candidate import Prompt, Reply, Usage
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript


if TYPE_CHECKING:
    from vivavoce.certificate.comparison.finding import Comparison
    from vivavoce.certificate.comparison.gate import Gate
    from vivavoce.certificate.design.history import History
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.scope import Scope
    from vivavoce.scopes.questions import Question

    Candidates = Sequence[Candidate[Prompt, Reply]]

Config = TypeVar("Config", ComparisonConfig, GateConfig)
Found = TypeVar("Found")

FIRST: Final = ("scope_name", "plan", "margin", "rubric", "questions", "money", "html")
"""Options that the help of both commands lists first."""


def _shared_options(config: type[ComparisonConfig | GateConfig]) -> Callable[[options.Command], options.Command]:
    """The options of both commands up to those on attempts."""
    return options.together(
        click.option(
            "--scope",
            "scope_name",
            type=SCOPE,
            metavar="S",
            help="Ask this scope; see 'viva list scopes'. Not for Inspect logs.",
        ),
        inspect_runs.SCORER,
        config_options(TaskConfig, only=("model_role", "trust_local", "log_dir")),
        config_options(config, margin={"type": options.portion}),
        JUDGE,
        config_options(PopulationConfig, only=("strata", "importance_weighting")),
        HISTORY,
        options.AGAIN,
        options.MAX_AGE,
        options.HEAD,
    )


_OUTPUT = options.together(examining_options, MARKDOWN)


@dataclass(frozen=True, slots=True)
class ComparisonRequest(Generic[Config]):
    """The parsed command line of either command."""

    scope_name: str | None
    config: Config
    drawing: Drawing
    grading: GradingConfig
    task: TaskConfig
    asking: AskOptions
    again: bool | timedelta
    """Whether to start a new attempt, or the age from which a recorded attempt is too old."""
    history: tuple[str, ...]
    records: tuple[str, ...] = ()
    """A transcript for each candidate; empty: one for all."""

    @classmethod
    def of(cls, given: dict[str, Any], config: type[Config]) -> ComparisonRequest[Config]:
        """Build it from the parsed options, checked. Raises `click.UsageError`."""
        settings, asking = options.taken_out(given, config), asking_of(given)  # before those that share names with it
        population = options.taken_out(given, PopulationConfig)
        grading, task = options.taken_out(given, GradingConfig), options.taken_out(given, TaskConfig)
        again, max_age = given.pop("again"), given.pop("max_age")
        if population.strata and population.importance_weighting:
            raise click.UsageError("'--strata' draws by weight within each category: leave out '--set importance-weighting'.")
        if again and max_age is not None:
            raise click.UsageError("'--new-attempt' starts a new attempt at any age: leave out '--max-age'.")
        check_judge(grading)
        check_head(asking)
        if not inspect_runs.is_task(given["scope_name"]):
            inspect_runs.check_no_task(replace(task, scorer=None))
        return cls(
            config=settings,
            drawing=population.drawing,
            grading=grading,
            task=task,
            asking=asking,
            again=again if max_age is None else timedelta(days=max_age),
            **given,
        )

    @property
    def by_draw(self) -> bool:
        """Whether each question is asked afresh a number of times."""
        return self.config.draws is not None

    def runs_task(self) -> bool:
        """Whether the scope is an Inspect task. Raises `click.UsageError` if a judge is named then."""
        if is_task := inspect_runs.is_task(self.scope_name):
            self._refuse_judge("tasks")
        return is_task

    def task_run(self, names: Sequence[str]) -> tuple[Scope[Question], Candidates]:
        """The samples of the Inspect task, and these models on it."""
        record = self.records[0] if self.records else self.asking.transcript
        return inspect_runs.opened_task(str(self.scope_name), names, self.task, record)

    def opened(
        self, names: Sequence[str], open_on: Callable[[str, Scope[Question] | None], Candidate[Prompt, Reply] | None]
    ) -> tuple[Scope[Question], Candidates]:
        """The samples that Inspect logs share, and the logs; or the scope, and its candidates.

        open_on: opens a candidate for the scope; the scope is None if it can't be opened, which is an error anyway.
        """
        from vivavoce.scopes import open_scope

        if inspect_runs.are_logs(names, self.scope_name, self.task.scorer):
            self._refuse_judge("logs")
            return inspect_runs.opened_logs(names, self.task.scorer, by_draw=self.by_draw)
        scopes: list[Scope[Question]] = []

        def candidate(name: str) -> Candidate[Prompt, Reply] | None:
            return open_on(name, scopes[0] if scopes else None)

        _, *candidates = all_of(
            lambda: scopes.append(open_scope(str(self.scope_name))), *(partial(candidate, name) for name in names)
        )
        check_graders(self.grading, scopes)
        return scopes[0], candidates

    def examined(
        self,
        candidates: Candidates,
        scope: Scope[Question],
        compared: Callable[..., Coroutine[Any, Any, Found]],
        history: History | None,
        *,
        graded: bool = False,
    ) -> Found:
        """Run the comparison; returns the finding.

        graded: whether to show the first answers with their grades.
        """
        from vivavoce.certificate.claims.claim import brief

        async def examine(interviews: Sequence[Interview[Prompt, Reply]], judging: Interview[Prompt, Reply] | None) -> Found:
            judge = None if judging is None else judge_of(self.grading, judging, brief(scope.name))
            return await compared(
                interviews, scope, self.config, drawing=self.drawing, history=history, again=self.again, judge=judge
            )

        result = examined_side_by_side(
            candidates,
            examine,
            self.asking,
            records=self.records,
            expected=expected_of(scope, self.config),
            front=("draw", "right") if self.by_draw else (),
            graded=graded,
            judging=open_judge(self.grading),
        )
        inspect_runs.say_logs(inspect_runs.task_candidates(candidates), quiet=self.asking.quiet)
        return result

    def _refuse_judge(self, what: str) -> None:
        if self.grading.judge is not None:
            raise click.UsageError(f"{what} of Inspect are graded by their own scorers: leave out '--judge'.")


def expected_of(scope: Scope[Question], config: ComparisonConfig | GateConfig) -> int | None:
    """The largest number of answers per candidate, if known."""
    if config.draws is not None:
        return None if config.questions is None else config.questions * config.draws
    return min((n for n in (config.questions, getattr(scope, "size", None)) if n is not None), default=None)


class _CompareCommand(Command):
    """Runs the command of another module with `--plan` or `--init`; that command has its own options."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command that runs."""
        if any(word == "--init" or word.partition("=")[0] == "--plan" for word in args):
            from vivavoce.cli.compare_plan import compare_plan

            return compare_plan.make_context(info_name, args, parent, **extra)
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.NoSuchOption as error:
            from vivavoce.cli.compare_plan import compare_plan

            if any(error.option_name in option.opts for option in compare_plan.params):
                raise click.UsageError(f"'{error.option_name}' is an option of a plan: add '--plan FILE'", error.ctx) from None
            raise


@click.command(cls=_CompareCommand, first=FIRST, epilog=exit_codes("4 some pair undecided", GOES_ON))
@click.argument("candidates", nargs=-1, required=True, type=CANDIDATE)
@click.option(
    "--plan",
    expose_value=False,
    metavar="FILE",
    help="Compare many candidates on many scopes; see 'viva compare --plan FILE --help'.",
)
@click.option("--init", is_flag=True, expose_value=False, help="Print a commented plan to start from.")
@_shared_options(ComparisonConfig)
@click.option(
    "--record",
    "records",
    multiple=True,
    metavar="FILE|URL",
    help="Transcript of one candidate, once for each in order, instead of --transcript.",
)
@_OUTPUT
def compare(*, candidates: tuple[str, ...], **given: Any) -> int:
    """Ask all CANDIDATES the same questions until the ranking is clear or the budget is spent.

    \b
    viva compare bot:calculator 'bot:calculator?wrong=0.1' arithmetic
    viva compare replay:new.csv#a replay:old.csv#a --scope file:questions.jsonl --margin 0.02 --html page.html
    viva compare chat:A@http://localhost:11434/v1 chat:B@http://localhost:11434/v1 --scope arithmetic --transcript run.sqlite
    viva compare replay:all.csv#a replay:all.csv#b replay:all.csv#c --scope mmlu-pro:questions.jsonl.gz --rule share
    viva compare logs/new.eval logs/old.eval
    viva compare function:bot:new replay:old.csv#bot --scope file:questions.jsonl --history old.csv
    viva compare --plan plan.toml --html table.html
    viva compare function:bot:new function:bot:old --scope file:essays.jsonl --judge chat:llama3.2@http://localhost:11434/v1

    CANDIDATES may all be Inspect logs (.eval): they are compared on the samples that they share, by their recorded scores.
    Recorded answers to the same list of questions are reused. For two candidates, the verdict is about the first: better,
    worse, equivalent within the margin, not worse by more than the margin, or undecided. For more, all pairs are compared
    and grouped in tiers.
    """
    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.comparison.compare import compare as compare_all

    request = ComparisonRequest.of(given, ComparisonConfig)
    if request.records and request.asking.transcript is not None:
        raise click.UsageError("give one '--transcript' for all, or a '--record' for each candidate.")
    if request.records and len(request.records) != len(candidates):
        problem = f"{len(request.records)} '--record' for {len(candidates)} candidates: give one for each, in order."
        raise click.UsageError(problem)
    if request.runs_task():
        scope, opened = request.task_run(candidates)
    else:
        scope, opened = request.opened(candidates, lambda name, _: open_candidate(name))
    history = opened_history(request.history, scope)
    say_comparison(opened, scope, request.asking, request.config)
    finding: Comparison
    finding = request.examined(opened, scope, compare_all, history)
    show(finding)
    return OF_VERDICT["undecided"] if any(pair.verdict == "undecided" for pair in finding.pairs) else 0


@command(first=FIRST, epilog=exit_codes("0 pass", "3 fail", "4 undecided", GOES_ON))
@click.argument("new", type=CANDIDATE)
@click.option(
    "--baseline",
    required=True,
    type=CANDIDATE,
    metavar="OLD",
    help="Compare with this candidate, --results file, transcript or log[#CANDIDATE].",
)
@_shared_options(GateConfig)
@_OUTPUT
def gate(*, new: str, baseline: str, **given: Any) -> int:
    """Check that NEW is not worse than its baseline, and stop as soon as it is clear.

    \b
    viva gate bot:calculator --baseline 'bot:calculator?wrong=0.1' --scope arithmetic
    viva gate function:my_bot:answer --baseline results.csv --scope file:questions.jsonl --margin 0.05 --junit gate.xml
    viva gate replay:new.csv#answer --baseline replay:old.csv#answer --scope file:questions.jsonl --markdown gate.md
    viva gate chat:A@http://localhost:11434/v1 --baseline release-7.sqlite --scope file:questions.jsonl --transcript run.sqlite
    viva gate function:my_bot:answer --baseline results.csv --scope file:essays.jsonl --judge chat:A@http://localhost:11434/v1
    viva gate logs/new.eval --baseline logs/old.eval

    Questions of a list are drawn with replacement and answered afresh, unless both candidates are declared deterministic.
    Exit code 0 (pass): NEW is not worse by the margin or more. 3 (fail): NEW is worse. Each verdict is wrong with a chance
    of at most delta. 4: undecided.
    """
    from vivavoce.certificate.comparison.gate import gate as hold
    from vivavoce.certificate.comparison.gate import with_answers_afresh
    from vivavoce.certificate.forecast import forecast_gate

    request = ComparisonRequest.of(given, GateConfig)
    scope, candidates = _new_and_baseline(request, new, baseline)
    history = opened_history(request.history, scope)
    config = with_answers_afresh(request.config, scope, candidates, request.drawing, history)
    if config.draws is not None:
        say_forecast(candidates, scope, request.asking, lambda: forecast_gate(config))
    finding: Gate
    finding = replace(request, config=config).examined(candidates, scope, hold, history, graded=True)
    show(finding)
    return OF_VERDICT[finding.verdict]


def _new_and_baseline(request: ComparisonRequest[GateConfig], new: str, baseline: str) -> tuple[Scope[Question], Candidates]:
    """The scope and the pair to compare: candidates, recorded answers, Inspect logs, or models on a task."""
    from vivavoce.candidates import open_candidate
    from vivavoce.candidates.earlier import is_recorded, open_baseline

    def open_old(scope: Scope[Question]) -> Candidate[Prompt, Reply]:
        prompts = [scope.prompt(question) for question in getattr(scope, "questions", ())]
        return open_baseline(baseline, prompts, several=request.by_draw)

    def open_on(name: str, scope: Scope[Question] | None) -> Candidate[Prompt, Reply] | None:
        if name != baseline:
            return open_candidate(name)
        if scope is None:
            return None if is_recorded(name) else open_candidate(name)
        return open_old(scope)

    if not request.runs_task():
        return request.opened((new, baseline), open_on)
    if not is_recorded(baseline):
        return request.task_run((new, baseline))
    scope, candidates = request.task_run((new,))
    return scope, [*candidates, open_old(scope)]


@command(epilog=exit_codes("4 undecided", GOES_ON))
@click.argument("candidate", type=CANDIDATE)
@click.option("--teacher", required=True, type=CANDIDATE, metavar="CANDIDATE", help="Let this model teach CANDIDATE.")
@click.option(
    "--scope", "scope_name", required=True, type=SCOPE, metavar="S", help="Scope with the questions; see 'viva list scopes'."
)
@config_options(TeachingConfig)
@config_options(
    ComparisonConfig,
    only=("margin", "delta", "questions", "unreadable", "seed"),
    margin={"type": options.portion},
)
@click.option("--dry-run", is_flag=True, help="Print the teacher's prompt; ask nothing.")
@options.AGAIN
@examining_options
def teach(*, candidate: str, teacher: str, scope_name: str, dry_run: bool, again: bool, **given: Any) -> int:
    """Test whether a dialogue with a teacher improves CANDIDATE on a scope.

    \b
    viva consistency teach chat:SMALL@http://localhost:11434/v1 --teacher chat:LARGE@http://localhost:11434/v1 \\
        --scope intervals --dialogue-turns 3 --transcript run.sqlite --html page.html

    The teacher sees some questions of the scope, and leads a dialogue with questions of its own. Then other questions of
    the scope are asked with and without this dialogue, until the verdict is clear: better, worse, equivalent within the
    margin, not worse by more than the margin, or undecided.
    """
    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.comparison.compare import compare
    from vivavoce.examination.teaching import CandidateAfterDialogue, TeachingFinding, first_prompt, hold_dialogue, split_scope
    from vivavoce.interview.requests import holds_conversation
    from vivavoce.scopes import open_scope

    teaching, config = options.taken_out(given, TeachingConfig), options.taken_out(given, ComparisonConfig)
    asking = asking_of(given)
    opened, pupil, leader = all_of(
        partial(open_scope, scope_name), partial(open_candidate, candidate), partial(open_candidate, teacher)
    )
    shown, scope = split_scope(opened, teaching)
    prompts = [scope.prompt(question) for question in shown]
    if not holds_conversation(pupil):
        raise BadInput(
            f"{clipped(pupil.name, 120)} can't hold a conversation, so a teacher can't talk with it: use a "
            "model ('chat:', 'inspect:')"
        )
    if dry_run:
        calls = count(2 * teaching.dialogue_turns)
        click.echo(
            f"viva: {calls} calls for the dialogue; then questions until the verdict is clear, each asked twice", err=True
        )
        click.echo(first_prompt(prompts))
        return 0
    parties = (leader, open_candidate(candidate))

    async def talk(transcript: Transcript, on_progress: Callable[[Progress], None]) -> tuple[Dialogue, Usage]:
        try:
            asks, answers = (
                asking.interview(who, transcript, expected=teaching.dialogue_turns, on_progress=on_progress) for who in parties
            )
            dialogue = await hold_dialogue(asks, answers, [question.id for question in shown], prompts, teaching)
            return dialogue, asks.spending + answers.spending
        finally:
            await close_all(*parties)

    async def compared(interviews: Sequence[Interview[Prompt, Reply]], _: object) -> Comparison:
        return await compare(interviews, scope, config, again=again)

    dialogue, spent = on_record(asking.transcript, talk, quiet=asking.quiet, head=asking.head)
    candidates = [CandidateAfterDialogue(pupil, dialogue), open_candidate(candidate)]
    expected = expected_of(scope, config)
    comparison = examined_side_by_side(candidates, compared, asking.after(spent), expected=expected)
    show(TeachingFinding(comparison, pupil.name, dialogue))
    return OF_VERDICT["undecided"] if comparison.verdict == "undecided" else 0
