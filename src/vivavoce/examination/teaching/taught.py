"""A candidate after a dialogue: each question is asked with the dialogue before it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from vivavoce.examination.teaching.dialogue import Dialogue
from vivavoce.interview.candidate import Candidate, KeepsTime, Prompt, Reply

_ALIKE: Final = (
    "ways", "concurrency", "time_out", "asked_again", "declared_deterministic", "never_sent", "prices", "at_terminal",
    "source_digest",
)  # fmt: skip
"""What else an interview asks a candidate about; it is as before."""


class Taught:
    """Says what the candidate says when the dialogue stands before the question, as if it had just been held.

    Its name tells of whom and by whom, and holds the digest of what was said, so that the answers after two dialogues are never
    mixed.
    """

    def __init__(self, candidate: Candidate[Prompt, Reply], dialogue: Dialogue) -> None:
        self.name = taught_name(candidate.name, dialogue)
        self._candidate: Any = candidate
        self._dialogue = dialogue
        self.converses = True
        for name in _ALIKE:
            if hasattr(candidate, name):
                setattr(self, name, getattr(candidate, name))
        if isinstance(candidate, KeepsTime):
            self.answer_within = self._answer_within

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: Prompt, /) -> Reply:
        """The candidate's answer after the dialogue."""
        reply: Reply = await self._candidate.answer(self._told(question))
        return reply

    async def _answer_within(self, question: Prompt, seconds: float | None, /) -> Reply:
        """The same within that time, where the candidate keeps it."""
        reply: Reply = await self._candidate.answer_within(self._told(question), seconds)
        return reply

    def _told(self, question: Prompt) -> Prompt:
        return replace(question, earlier=(*self._dialogue.exchanges, *question.earlier))

    async def close(self) -> None:
        """Let the candidate go."""
        close = getattr(self._candidate, "close", None)
        if close is not None:
            await close()


def taught_name(candidate: str, dialogue: Dialogue) -> str:
    """The name of a candidate after a dialogue."""
    return f"{candidate} taught by {dialogue.teacher} ({dialogue.digest[:12]})"
