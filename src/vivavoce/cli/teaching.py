"""How `viva teach` asks: a dialogue, and then the same questions with it and without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.cli.asking import Asking, on_record
from vivavoce.cli.compare import expected_of
from vivavoce.cli.output import Kept
from vivavoce.cli.side_by_side import examined_side_by_side
from vivavoce.errors import BadInput
from vivavoce.examination.teaching import (
    CandidateAfterDialogue,
    Dialogue,
    TeachingFinding,
    first_prompt,
    hold_dialogue,
    split_scope,
)
from vivavoce.examination.teaching_config import TeachingConfig
from vivavoce.formats.wording import clipped, count
from vivavoce.interview.posing import holds_conversation
from vivavoce.scopes import open_scope

if TYPE_CHECKING:
    from vivavoce.certificate.comparison.finding import Comparison
    from vivavoce.interview.candidate import Prompt, Reply, Usage
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Request:
    """One call of the command."""

    candidate: str
    teacher: str
    scope: str
    teaching: TeachingConfig
    config: ComparisonConfig
    asking: Asking


def examine(request: Request, *, again: bool, dry_run: bool) -> tuple[TeachingFinding | None, Kept | None]:
    """The finding, and what to remember of the transcript; no finding where nothing is to be asked.

    Raises `BadInput` for a candidate that hears nothing but the question, and for a scope that is too small.
    """
    asking = request.asking
    shown, scope = split_scope(open_scope(request.scope), request.teaching)
    prompts = [scope.prompt(question) for question in shown]
    candidate = open_candidate(request.candidate)
    if not holds_conversation(candidate):
        raise BadInput(f"{clipped(candidate.name, 120)} holds no conversation: it cannot be taught by one")
    if dry_run:
        calls = count(2 * request.teaching.dialogue_turns)
        click.echo(f"viva: {calls} calls for the dialogue, and as many questions as it takes, each asked twice", err=True)
        click.echo(first_prompt(prompts))
        return None, None
    dialogue, spent = _dialogue(request, [question.id for question in shown], prompts)
    tokens, money = asking.tokens, asking.money
    left = replace(
        asking,
        tokens=None if tokens is None else max(0, tokens - spent.tokens),
        money=None if money is None else max(0.0, money - spent.money),
    )

    async def compared(interviews: Sequence[Interview[Prompt, Reply]], _: Interview[Prompt, Reply] | None) -> Comparison:
        return await compare(interviews, scope, request.config, again=again)

    taught = CandidateAfterDialogue(candidate, dialogue)
    found, kept = examined_side_by_side(
        [taught, open_candidate(request.candidate)], compared, left, expected=expected_of(scope, request.config)
    )
    return TeachingFinding(found, candidate.name, dialogue), kept


def _dialogue(request: Request, shown: Sequence[str], prompts: Sequence[Prompt]) -> tuple[Dialogue, Usage]:
    """What was said, from the record where it stands there, and what it cost."""
    asking, config = request.asking, request.teaching
    teacher, student = open_candidate(request.teacher), open_candidate(request.candidate)

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
