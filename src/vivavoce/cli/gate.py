"""`viva gate`: check that a new candidate is not worse than its baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.certificate.comparison.config import GateConfig
from vivavoce.certificate.config import Drawing, GradingConfig
from vivavoce.cli import options
from vivavoce.cli.asking import AskOptions, asking_options, check_head, examined_side_by_side, taken_from
from vivavoce.cli.compare import DRAWING, begun_again, drawing_of, expected_of
from vivavoce.cli.endings import GOES_ON, exit_codes
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
    say_forecast,
)
from vivavoce.plugins.inspect_plugin.task_scope.config import TaskConfig

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta

    from vivavoce.certificate.comparison.gate import Gate, GateVerdict
    from vivavoce.certificate.design.history import History
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.scope import Scope
    from vivavoce.scopes.questions import Question

OF_VERDICT: Final[dict[GateVerdict, int]] = {"pass": 0, "fail": 3, "undecided": 4}
"""Exit codes."""


@click.command(epilog=exit_codes("0 pass", "3 fail", "4 undecided", GOES_ON))
@click.argument("new")
@click.option(
    "--baseline",
    required=True,
    metavar="OLD",
    help="Baseline: a candidate, a file of --results, a transcript, or an Inspect log. FILE#CANDIDATE picks one of several.",
)
@click.option("--scope", "scope_name", metavar="S", help="Scope to ask; see 'viva scopes'. Not for Inspect logs.")
@SCORER
@config_options(TaskConfig, only=("model_role", "trust_local", "log_dir"))
@config_options(GateConfig, margin={"type": options.portion})
@JUDGE
@DRAWING
@HISTORY
@options.AGAIN
@options.MAX_AGE
@options.HEAD
@RESULTS
@asking_options
@verdict_options
@MARKDOWN
@click.pass_context
def gate(context: click.Context, /, *, new: str, baseline: str, **given: Any) -> None:
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
    given = taken_from(given)
    as_json, html = given.pop("as_json"), given.pop("html")
    asking: AskOptions = given.pop("asking")
    config, drawing = options.taken_out(given, GateConfig), drawing_of(given)
    grading = options.taken_out(given, GradingConfig)
    check_judge(grading)
    check_page(html)
    check_head(asking)
    task = options.taken_out(given, TaskConfig)
    if not is_task(given["scope_name"]):
        check_no_task(replace(task, scorer=None))
    scope, candidates = _subject(
        new, baseline, given["scope_name"], task, grading, record=asking.transcript, by_draw=config.draws is not None
    )
    known = opened_history(given["history"], scope)
    finding, kept = _gated(candidates, scope, config, asking, grading, drawing=drawing, history=known, again=begun_again(given))
    say_logs(task_candidates(candidates), quiet=asking.quiet)
    show(finding, as_json=as_json, html=html, kept=kept)
    context.exit(OF_VERDICT[finding.verdict])


def _subject(
    new: str,
    baseline: str,
    scope_name: str | None,
    task: TaskConfig,
    grading: GradingConfig,
    *,
    record: str | None,
    by_draw: bool,
) -> tuple[Scope[Question], Sequence[Candidate[Prompt, Reply]]]:
    """The scope and the pair to compare: candidates, recorded answers, Inspect logs, or models on a task."""
    from vivavoce.candidates import open_candidate
    from vivavoce.candidates.earlier import open_baseline
    from vivavoce.scopes import open_scope

    if is_task(scope_name):
        refuse_judge(grading, "tasks of Inspect are graded")
        return _on_task(new, baseline, str(scope_name), task, record=record, by_draw=by_draw)
    if are_logs((new, baseline), scope_name, task.scorer):
        refuse_judge(grading, "logs of Inspect are graded")
        return opened_logs((new, baseline), task.scorer, by_draw=by_draw)
    scope = open_scope(str(scope_name))
    check_judged(grading, scope)
    prompts = [scope.prompt(question) for question in getattr(scope, "questions", ())]
    return scope, [open_candidate(new), open_baseline(baseline, prompts, several=by_draw)]


def _on_task(
    new: str, baseline: str, name: str, task: TaskConfig, *, record: str | None, by_draw: bool
) -> tuple[Scope[Question], Sequence[Candidate[Prompt, Reply]]]:
    """Two models in one evaluation; or one, and recorded answers of another to the same samples."""
    from vivavoce.candidates.earlier import is_recorded, open_baseline

    if not is_recorded(baseline):
        return opened_task(name, [new, baseline], task, record)
    scope, candidates = opened_task(name, [new], task, record)
    earlier = open_baseline(baseline, [scope.prompt(question) for question in scope.questions], several=by_draw)
    return scope, [*candidates, earlier]


def _gated(
    candidates: Sequence[Candidate[Prompt, Reply]],
    scope: Scope[Question],
    config: GateConfig,
    asking: AskOptions,
    grading: GradingConfig,
    *,
    drawing: Drawing,
    history: History | None,
    again: bool | timedelta,
) -> tuple[Gate, RecordSummary | None]:
    """Run it; returns the finding, and the record's summary unless in memory."""
    from vivavoce.certificate.claims.claim import brief
    from vivavoce.certificate.comparison.gate import gate as hold
    from vivavoce.certificate.comparison.gate import with_answers_afresh
    from vivavoce.certificate.forecast import forecast_gate

    config = with_answers_afresh(config, scope, candidates, drawing, history)
    if config.draws is not None:
        say_forecast(candidates, scope, asking, lambda: forecast_gate(config))

    async def examine(interviews: Sequence[Interview[Prompt, Reply]], judging: Interview[Prompt, Reply] | None) -> Gate:
        judge = None if judging is None else judge_of(grading, judging, brief(scope.name))
        return await hold(interviews, scope, config, drawing=drawing, history=history, again=again, judge=judge)

    return examined_side_by_side(
        candidates,
        examine,
        asking,
        expected=expected_of(scope, config),
        front=() if config.draws is None else ("draw", "right"),
        graded=True,
        judging=open_judge(grading),
    )
