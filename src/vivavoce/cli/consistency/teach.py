"""`viva consistency teach`: test whether a dialogue with a teacher improves a candidate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.cli import options
from vivavoce.cli.asking import AskOptions, asking_of, asking_options, examined_side_by_side, on_record
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, all_of, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE, SCOPE
from vivavoce.cli.options import config_options
from vivavoce.cli.output import RESULTS, check_page, show, verdict_options
from vivavoce.cli.record_summary import RecordSummary
from vivavoce.errors import BadInput
from vivavoce.examination.teaching_config import TeachingConfig

if TYPE_CHECKING:
    from vivavoce.certificate.comparison.finding import Comparison
    from vivavoce.examination.teaching import Dialogue, TeachingFinding
    from vivavoce.interview.candidate import Candidate, Prompt, Reply, Usage
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript


_COMPARISON = ("margin", "delta", "questions", "unreadable", "seed")


@command(epilog=exit_codes("4 undecided", GOES_ON))
@click.argument("candidate", type=CANDIDATE)
@click.option("--teacher", required=True, type=CANDIDATE, metavar="CANDIDATE", help="Let this model teach CANDIDATE.")
@click.option(
    "--scope", "scope_name", required=True, type=SCOPE, metavar="S", help="Scope with the questions; see 'viva list scopes'."
)
@config_options(TeachingConfig)
@config_options(ComparisonConfig, only=_COMPARISON, margin={"type": options.portion})
@click.option("--dry-run", is_flag=True, help="Print the teacher's prompt; ask nothing.")
@options.AGAIN
@RESULTS
@asking_options
@verdict_options
@click.pass_context
def teach(
    context: click.Context,
    /,
    *,
    candidate: str,
    teacher: str,
    scope_name: str,
    dry_run: bool,
    again: bool,
    as_json: bool,
    html: Path | None,
    **given: Any,
) -> None:
    """Test whether a dialogue with a teacher improves CANDIDATE on a scope.

    \b
    viva consistency teach chat:SMALL@http://localhost:11434/v1 --teacher chat:LARGE@http://localhost:11434/v1 \\
        --scope intervals --dialogue-turns 3 --transcript run.sqlite --html page.html

    The teacher sees some questions of the scope, and leads a dialogue with questions of its own. Then other questions of
    the scope are asked with and without this dialogue, until the verdict is clear: better, worse, equivalent within the
    margin, not worse by more than the margin, or undecided.
    """
    teaching, config = options.taken_out(given, TeachingConfig), options.taken_out(given, ComparisonConfig)
    asking = asking_of(given)

    check_page(html)
    finding, kept = examine(
        TeachRequest(candidate, teacher, scope_name, teaching, config, asking), again=again, dry_run=dry_run
    )
    if finding is None:
        return
    show(finding, as_json=as_json, html=html, kept=kept)
    if finding.comparison.verdict == "undecided":
        context.exit(OF_VERDICT["undecided"])


@dataclass(frozen=True, slots=True)
class TeachRequest:
    """The parsed command line."""

    candidate: str
    teacher: str
    scope: str
    teaching: TeachingConfig
    config: ComparisonConfig
    asking: AskOptions


def examine(request: TeachRequest, *, again: bool, dry_run: bool) -> tuple[TeachingFinding | None, RecordSummary | None]:
    """Run the examination; returns the finding (None for a dry run) and the record's summary. Raises `BadInput` for a candidate
    that sees only the question, and for a scope that is too small.
    """
    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.comparison.compare import compare
    from vivavoce.cli.compare import expected_of
    from vivavoce.examination.teaching import CandidateAfterDialogue, TeachingFinding, first_prompt, split_scope
    from vivavoce.formats.wording import clipped, count
    from vivavoce.interview.requests import holds_conversation
    from vivavoce.scopes import open_scope

    asking = request.asking
    opened, candidate, teacher = all_of(
        partial(open_scope, request.scope), partial(open_candidate, request.candidate), partial(open_candidate, request.teacher)
    )
    shown, scope = split_scope(opened, request.teaching)
    prompts = [scope.prompt(question) for question in shown]
    if not holds_conversation(candidate):
        raise BadInput(
            f"{clipped(candidate.name, 120)} can't hold a conversation, so a teacher can't talk with it: use a "
            "model ('chat:', 'inspect:')"
        )
    if dry_run:
        calls = count(2 * request.teaching.dialogue_turns)
        click.echo(
            f"viva: {calls} calls for the dialogue; then questions until the verdict is clear, each asked twice", err=True
        )
        click.echo(first_prompt(prompts))
        return None, None
    dialogue, spent = _dialogue(request, teacher, [question.id for question in shown], prompts)

    async def compared(interviews: Sequence[Interview[Prompt, Reply]], _: Interview[Prompt, Reply] | None) -> Comparison:
        return await compare(interviews, scope, request.config, again=again)

    taught = CandidateAfterDialogue(candidate, dialogue)
    comparison, kept = examined_side_by_side(
        [taught, open_candidate(request.candidate)], compared, asking.after(spent), expected=expected_of(scope, request.config)
    )
    return TeachingFinding(comparison, candidate.name, dialogue), kept


def _dialogue(
    request: TeachRequest, teacher: Candidate[Prompt, Reply], shown: Sequence[str], prompts: Sequence[Prompt]
) -> tuple[Dialogue, Usage]:
    """The dialogue, from the record if it is there, and its cost."""
    from vivavoce.candidates import close_candidate, open_candidate
    from vivavoce.examination.teaching import hold_dialogue

    asking, config = request.asking, request.teaching
    student = open_candidate(request.candidate)

    async def held(transcript: Transcript, on_progress: Callable[[Progress], None]) -> tuple[Dialogue, Usage]:
        try:
            asks, answers = (
                asking.interview(who, transcript, expected=config.dialogue_turns, on_progress=on_progress)
                for who in (teacher, student)
            )
            dialogue = await hold_dialogue(asks, answers, shown, prompts, config)
            return dialogue, asks.spending + answers.spending
        finally:
            for who in (teacher, student):
                await close_candidate(who)

    return on_record(asking.transcript, held, quiet=asking.quiet, head=asking.head)[0]
