"""A person as a candidate: one question at a time, in the terminal, in the person's own time.

A person who stops at a question is put the same one again later, and so is one whose program was killed. A program that ends
itself instead of being wrong is not asked again (`candidate.RepeatableCandidate`); a person gains nothing by that, who may
think or look something up as long as a question is there. Whether anybody supervised the sitting is not on record.
"""

from __future__ import annotations

import re
from typing import Final, TypeGuard

from vivavoce.candidates.human.item import item_of
from vivavoce.candidates.human.terminal import StopRequest, Terminal, TermsRefusal
from vivavoce.candidates.options import NoOptions, read_options
from vivavoce.errors import BadInput, CandidateMisconfigured, CandidateUnreachable
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply
from vivavoce.interview.progress import Progress

TERMS: Final = 1
"""Version of the terms that a person accepts before the first question; every reply records it."""
_ALIAS: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


def terms(alias: str) -> tuple[str, ...]:
    """What a person agrees to, one sentence a paragraph; version `TERMS`.

    >>> terms("p07")[0]
    "You will be asked questions. Your answers, and the seconds that each took, are kept under the name 'p07'."
    """
    return (
        f"You will be asked questions. Your answers, and the seconds that each took, are kept under the name '{alias}'.",
        "The people who ask you read them. Write nothing that tells who you are, or who others are.",
        "You may stop at any time. What you have answered by then is kept.",
    )


class Person:
    """The candidate `human:ALIAS`.

    alias: what the person is called on record, so that it identifies nobody.
    """

    concurrency = 1
    asked_again: RepeatReason = "elsewhere"
    time_out: float | None = None
    """A person may think."""
    at_terminal = True

    def __init__(self, alias: str) -> None:
        self.name = f"human:{alias}"
        self._alias = alias
        self._terminal = Terminal()
        self._progress: Progress | None = None

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def notice(self, progress: Progress) -> None:
        """How far the interview has come, to be shown."""
        self._progress = progress

    async def answer(self, question: Prompt, /) -> Reply:
        """What the person answers. Raises `CandidateUnreachable` if that is to stop, `CandidateMisconfigured` if it is no."""
        try:
            await self._terminal.agree(self._alias, terms(self._alias))
            text = await self._terminal.ask(self._alias, item_of(question), self._progress)
        except StopRequest:
            raise CandidateUnreachable(f"{self.name} stopped here", hearing="unheard") from None
        except TermsRefusal:
            raise CandidateMisconfigured(f"{self.name} does not agree to be asked", hearing="unheard") from None
        return Reply(text, model=f"a person, terms {TERMS}")

    async def close(self) -> None:
        """Let the person go, who is asked to agree again at the next question."""
        self._terminal = Terminal()


def is_person(candidate: object) -> TypeGuard[Person]:
    """Whether it is one."""
    return isinstance(candidate, Person)


def open_person(target: str, query: str) -> Person:
    """The candidate of that alias. Raises `BadInput` for one that may say who it is."""
    read_options(query, NoOptions, of="human")
    if not _ALIAS.fullmatch(target):
        raise BadInput(
            f"human:{target[:40]} is no alias: give up to 40 letters, digits, '-' and '_' that identify nobody, such as p07"
        )
    return Person(target)
