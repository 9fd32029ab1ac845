"""`viva consistency teach`: test whether a dialogue with a teacher improves a candidate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.cli import options
from vivavoce.cli.asking import asking_of, close_all, examined_side_by_side, examining_options, on_record
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, all_of, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE, SCOPE
from vivavoce.cli.options import config_options
from vivavoce.cli.output import show
from vivavoce.errors import BadInput
from vivavoce.examination.teaching_config import TeachingConfig
from vivavoce.formats.wording import clipped, count

if TYPE_CHECKING:
    from vivavoce.certificate.comparison.finding import Comparison
    from vivavoce.examination.teaching import Dialogue
    from vivavoce.interview.candidate import Prompt, Reply, Usage
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript


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
    from vivavoce.cli.compare import expected_of
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
