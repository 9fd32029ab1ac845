"""Candidates whose true score is known, alone, by batch and under laws, and scopes to examine them on."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from tests.interview_settings import interview_settings
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.config import Procedure
from vivavoce.certificate.graders.rule_grading import ByRule, GradingMethod
from vivavoce.interview.candidate import Candidate, Prompt, RepeatReason, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.progress import BatchState
from vivavoce.interview.schedule import Clock
from vivavoce.interview.scope import Scope
from vivavoce.interview.vendor_batches import VendorBatch
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


async def certified(
    candidate: Candidate[Prompt, Reply],
    asked: Scope[Question],
    criterion: Criterion,
    grading: GradingMethod = ByRule(),  # noqa: B008 -- frozen
    *,
    procedure: Procedure = "sequential",
    seed: int | None = None,
    questions: int | None = None,
    again: bool = False,
    **settings: object,
) -> Certificate:
    """Settings are those of the interview."""
    composition = Composition(grading=grading, procedure=procedure)
    asking = interview(candidate, **settings)
    return await certify(asking, asked, criterion, composition, seed=seed, questions=questions, again=again)


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


class PromptAnswerer(Protocol):
    """Whoever answers."""

    name: str

    async def answer(self, prompt: Prompt, /) -> Reply: ...


class ByBatch:
    """One of them, with the sizes of its batches, and how often each line was asked."""

    asked_again: RepeatReason = "same"
    concurrency = 50_000
    block: int | None = None
    never_sent: frozenset[str] = frozenset()
    ways = ("text", "turn")

    def __init__(self, mind: PromptAnswerer) -> None:
        self.name = mind.name
        self.mind = mind
        self.batches: list[int] = []
        self.lines: Counter[str] = Counter()

    async def answer(self, question: Prompt, /) -> Reply:
        return await self.mind.answer(question)

    def fits(self, questions: Sequence[Prompt]) -> int:
        return len(questions)

    async def carry_out(
        self, batch: VendorBatch[Prompt], *, clock: Clock, tell: Callable[[BatchState], None]
    ) -> Mapping[str, Reply]:
        self.batches.append(len(batch.questions))
        self.lines.update(list(batch.questions))
        return {name: await self.answer(question) for name, question in batch.questions.items()}


def pair(number: int, law: str = "same", *, right: tuple[str, ...] = (), **more: object) -> tuple[Question, Question]:
    """Two questions with a law over them."""
    return tuple(  # type: ignore[return-value]
        Question(
            f"{number}.{direction}",
            f"How many in {number}, counted {direction}?",
            (),
            right,
            cluster=f"c{number}",
            law=law,
            **more,  # type: ignore[arg-type]
        )
        for direction in ("up", "down")
    )


def pairs(size: int, **more: object) -> ListedScope:
    return ListedScope("pairs", tuple(question for number in range(size) for question in pair(number, **more)))  # type: ignore[arg-type]


@dataclass
class AnswersById:
    """Answers each question as told by its id."""

    said: Callable[[str], str]
    name: str = "test:says"

    async def answer(self, prompt: Prompt, /) -> Reply:
        return Reply(f"Answer: {self.said(prompt.id)}")


def contradicts(*numbers: int) -> AnswersById:
    """Says 5 to everything, but 6 to the second question of these pairs."""
    return AnswersById(lambda asked: "6" if asked.endswith("down") and int(asked.partition(".")[0]) in numbers else "5")
