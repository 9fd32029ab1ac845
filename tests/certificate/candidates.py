"""Candidates whose true score is known, and scopes to examine them on."""

import asyncio
import hashlib
from dataclasses import dataclass
from functools import lru_cache

from tests.interview_settings import interview_settings
from vivavoce.interview.candidate import Candidate, Prompt, RepeatReason, Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question


@dataclass
class Expert:
    """Answers "Answer: A", the right one, to the share `score` of all questions, "B" to the others; by the question's id."""

    score: float
    name: str = "test:knows"
    salt: str = ""
    seconds_when_right: float = 0.0
    seconds_when_wrong: float = 0.0
    asked_again: RepeatReason = "same"

    def right(self, prompt: Prompt) -> bool:
        return int(hashlib.sha256((self.salt + prompt.id).encode()).hexdigest()[:12], 16) / 16**12 < self.score

    async def answer(self, prompt: Prompt, /) -> Reply:
        right = self.right(prompt)
        if seconds := self.seconds_when_right if right else self.seconds_when_wrong:
            await asyncio.sleep(seconds)
        return Reply("Answer: A" if right else "Answer: B")


class TalksFirst(Expert):
    """Says what it knows only when it is asked once more, on every second question."""

    ways = ("text", "turn")

    async def answer(self, prompt: Prompt, /) -> Reply:
        asked_before = bool(prompt.shown)
        return await super().answer(prompt) if asked_before or int(prompt.id) % 2 else Reply("Let me think about this.")


def interview(candidate: Candidate[Prompt, Reply], **settings: object) -> Interview[Prompt, Reply]:
    return Interview(candidate, answers=Reply, **interview_settings(**settings))


@lru_cache
def scope(size: int, *, unacceptable: bool = False, copies: int = 1, **kwargs: float) -> ListedScope:
    """Questions to which A is right and B is wrong; in clusters of `copies`."""
    return ListedScope(
        name="letters",
        questions=tuple(
            Question(
                f"{i}.{copy}" if copies > 1 else f"{i}",
                f"Question {i}, version {copy}?",
                options=("first", "second"),
                accepted=("A",),
                cluster=f"{i}" if copies > 1 else "",
                unacceptable=("B",) if unacceptable else (),
                **kwargs,  # type: ignore[arg-type]
            )
            for i in range(size)
            for copy in range(copies)
        ),
    )
