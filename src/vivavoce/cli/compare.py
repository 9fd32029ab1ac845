"""`viva compare`: rank candidates on the same questions."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.config import Drawing, GradingConfig, PopulationConfig
from vivavoce.cli import options
from vivavoce.cli.asking import AskOptions, asking_options, check_head, examined_side_by_side, taken_from
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.inspect_runs import (
    SCORER,
    are_logs,
    check_no_task,
    is_task,
    opened_logs,
    opened_task,
    say_logs,
    task_candidates,
)
from vivavoce.cli.options import config_options
from vivavoce.cli.output import MARKDOWN, RESULTS, RecordSummary, check_page, show, verdict_options
from vivavoce.cli.verdict_options import (
    HISTORY,
    JUDGE,
    check_judge,
    check_judged,
    judge_of,
    open_judge,
    opened_history,
    refuse_judge,
    say_comparison,
)
from vivavoce.plugins.inspect_plugin.task_scope.config import TaskConfig

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vivavoce.certificate.comparison.finding import Comparison
    from vivavoce.certificate.design.history import History
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.scope import Scope
    from vivavoce.scopes.questions import Question

DRAWING = config_options(PopulationConfig, only=("strata", "importance_weighting"))
RECORDS = click.option(
    "--record",
    "records",
    multiple=True,
    metavar="FILE|URL",
    help="Transcript of one candidate, once for each in order, instead of --transcript.",
)


@click.command(epilog=exit_codes("4 some pair undecided", GOES_ON))
@click.argument("candidates", nargs=-1, required=True)
@click.option("--scope", "scope_name", metavar="S", help="Scope to compare on; see 'viva scopes'. Not for Inspect logs.")
@SCORER
@config_options(TaskConfig, only=("model_role", "trust_local", "log_dir"))
@config_options(ComparisonConfig, margin={"type": options.portion})
@JUDGE
@DRAWING
@HISTORY
@options.AGAIN
@options.MAX_AGE
@options.HEAD
@RECORDS
@RESULTS
@asking_options
@verdict_options
@MARKDOWN
@click.pass_context
def compare(context: click.Context, /, *, candidates: tuple[str, ...], **given: Any) -> None:
    """Ask all CANDIDATES the same questions until the ranking is clear or the budget is spent.

    \b
    viva compare bot:calculator 'bot:calculator?wrong=0.1' --scope arithmetic
    viva compare replay:new.csv#a replay:old.csv#a --scope file:questions.jsonl --margin 0.02 --html page.html
    viva compare chat:A@http://localhost:11434/v1 chat:B@http://localhost:11434/v1 --scope arithmetic --transcript run.sqlite
    viva compare replay:all.csv#a replay:all.csv#b replay:all.csv#c --scope mmlu-pro:questions.jsonl.gz --rule share
    viva compare logs/new.eval logs/old.eval
    viva compare function:bot:new replay:old.csv#bot --scope file:questions.jsonl --history old.csv
    viva compare function:bot:new function:bot:old --scope file:essays.jsonl --judge chat:llama3.2@http://localhost:11434/v1

    CANDIDATES may all be Inspect logs (.eval): they are compared on the samples that they share, by their recorded scores.
    Recorded answers to the same list of questions are reused. For two candidates, the verdict is about the first: better,
    worse, equivalent within the margin, not worse by more than the margin, or undecided. For more, all pairs are compared
    and grouped in tiers.
    """
    given = taken_from(given)
    as_json, html = given.pop("as_json"), given.pop("html")
    asking: AskOptions = given.pop("asking")
    config, drawing = options.taken_out(given, ComparisonConfig), drawing_of(given)
    grading = options.taken_out(given, GradingConfig)
    check_judge(grading)
    check_page(html)
    check_head(asking)
    check_records(given["records"], candidates, asking)
    task = options.taken_out(given, TaskConfig)
    if not is_task(given["scope_name"]):
        check_no_task(replace(task, scorer=None))
    record = given["records"][0] if given["records"] else asking.transcript
    scope, opened = subject(candidates, given["scope_name"], task, record, grading, by_draw=config.draws is not None)
    known = opened_history(given["history"], scope)
    finding, kept = compared(
        opened, scope, given["records"], config, asking, grading, drawing=drawing, history=known, again=begun_again(given)
    )
    say_logs(task_candidates(opened), quiet=asking.quiet)
    show(finding, as_json=as_json, html=html, kept=kept)
    if any(pair.verdict == "undecided" for pair in finding.pairs):
        context.exit(OF_VERDICT["undecided"])


def drawing_of(given: dict[str, Any]) -> Drawing:
    """Pop the option that says how questions are drawn."""
    population = options.taken_out(given, PopulationConfig)
    if population.strata and population.importance_weighting:
        raise click.UsageError("'--strata' draws by weight within each category: leave out '--importance-weighting'.")
    return population.drawing


def begun_again(given: Mapping[str, Any]) -> bool | timedelta:
    """Whether to start a new attempt, or after what age of the recorded one."""
    if given["again"] and given["max_age"] is not None:
        raise click.UsageError("'--new-attempt' begins another attempt whatever its age: leave out '--max-age'.")
    return bool(given["again"]) if given["max_age"] is None else timedelta(days=given["max_age"])


def check_records(records: Sequence[str], candidates: Sequence[str], asking: AskOptions) -> None:
    """Refuse records unless there is one per candidate."""
    if records and asking.transcript is not None:
        raise click.UsageError("give one '--transcript' for all, or a '--record' for each candidate.")
    if records and len(records) != len(candidates):
        raise click.UsageError(f"{len(records)} '--record' for {len(candidates)} candidates: give one for each, in order.")


def subject(
    names: Sequence[str],
    scope_name: str | None,
    task: TaskConfig,
    record: str | None,
    grading: GradingConfig,
    *,
    by_draw: bool = False,
) -> tuple[Scope[Question], Sequence[Candidate[Prompt, Reply]]]:
    """The scope and the candidates, Inspect logs, or models on an Inspect task with this record."""
    from vivavoce.candidates import open_candidate
    from vivavoce.scopes import open_scope

    if is_task(scope_name):
        refuse_judge(grading, "tasks of Inspect are graded")
        return opened_task(str(scope_name), names, task, record)
    if are_logs(names, scope_name, task.scorer):
        refuse_judge(grading, "logs of Inspect are graded")
        return opened_logs(names, task.scorer, by_draw=by_draw)
    scope = open_scope(str(scope_name))
    check_judged(grading, scope)
    return scope, [open_candidate(name) for name in names]


def compared(
    candidates: Sequence[Candidate[Prompt, Reply]],
    scope: Scope[Question],
    records: Sequence[str],
    config: ComparisonConfig,
    asking: AskOptions,
    grading: GradingConfig,
    *,
    drawing: Drawing = "scope",
    history: History | None = None,
    again: bool | timedelta = False,
) -> tuple[Comparison, RecordSummary | None]:
    """Run it; returns the finding, and the first record's summary unless in memory."""
    from vivavoce.certificate.claims.claim import brief
    from vivavoce.certificate.comparison.compare import compare as compare_all

    say_comparison(candidates, scope, asking, config)

    async def examine(interviews: Sequence[Interview[Prompt, Reply]], judging: Interview[Prompt, Reply] | None) -> Comparison:
        judge = None if judging is None else judge_of(grading, judging, brief(scope.name))
        return await compare_all(interviews, scope, config, drawing=drawing, history=history, again=again, judge=judge)

    return examined_side_by_side(
        candidates,
        examine,
        asking,
        records=records,
        expected=expected_of(scope, config),
        front=() if config.draws is None else ("draw", "right"),
        judging=open_judge(grading),
    )


def expected_of(scope: Scope[Question], config: ComparisonConfig | GateConfig) -> int | None:
    """The largest number of answers per candidate, if known."""
    if config.draws is not None:
        return None if config.questions is None else config.questions * config.draws
    return min((n for n in (config.questions, getattr(scope, "size", None)) if n is not None), default=None)
