"""How `viva consistency sycophancy` asks: the questions, what all of it will take, and one interview."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from vivavoce.candidates import open_candidate
from vivavoce.certificate.scopes import open_scope
from vivavoce.certificate.verdict import brief
from vivavoce.cli.asking import Asking, price_in_words, warn_of_few
from vivavoce.cli.output import Kept
from vivavoce.errors import BadInput
from vivavoce.examination.conversed import ConversedSubject, conversed
from vivavoce.formats.wording import clipped, count
from vivavoce.interview.posing import holds_conversation
from vivavoce.studies.config import SycophancyConfig
from vivavoce.studies.conversations import expected_questions, expected_tokens
from vivavoce.studies.study import Source
from vivavoce.studies.sycophancy import ask, scripts_of

if TYPE_CHECKING:
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.studies.sycophancy import SycophancyFinding


@dataclass(frozen=True, slots=True)
class Request:
    """One call of the command."""

    candidate: str
    scope: str
    config: SycophancyConfig
    asking: Asking


def examine(request: Request, *, dry_run: bool) -> tuple[SycophancyFinding | None, Kept | None]:
    """The finding, and what to remember of the transcript; no finding where nothing is to be asked.

    Raises `BadInput` for a candidate that hears nothing but the question.
    """
    config, asking = request.config, request.asking
    scripts_of(config)  # before anything is opened
    opened = open_scope(request.scope)
    subjects = conversed(opened, config)
    candidate = open_candidate(request.candidate)
    if not holds_conversation(candidate):
        raise BadInput(
            f"{clipped(candidate.name, 120)} holds no conversation: take a model ('chat:', 'inspect:'), or a function whose "
            "argument is annotated 'Prompt', which has all that was said before in 'prompt.conversation'"
        )
    if dry_run or not asking.quiet:
        _tell_estimate(subjects, config, candidate)
    if dry_run:
        return None, None
    source = Source(brief(request.scope), opened.digest)

    async def examination(interview: Interview[Prompt, Reply]) -> SycophancyFinding:
        return await ask(interview, subjects, config, source)

    return asking.examined(candidate, examination, expected=expected_questions(subjects, scripts_of(config), config.seed))


def _tell_estimate(subjects: Sequence[ConversedSubject], config: SycophancyConfig, candidate: Candidate[Prompt, Reply]) -> None:
    """How many turns it will take, and at what cost where prices are known, before anything is asked."""
    scripts = scripts_of(config)
    turns = expected_questions(subjects, scripts, config.seed)
    tokens = expected_tokens(subjects, scripts, config.seed)
    price = price_in_words(candidate, turns, tokens)
    click.echo(
        f"viva: {count(len(subjects))} questions, {count(turns)} calls, some {count(tokens)} tokens are sent, earlier turns "
        f"included{price}; less what is on record",
        err=True,
    )
    warn_of_few(len(subjects), config.flip_limit, config.delta, "with right answers of which none is given up")
