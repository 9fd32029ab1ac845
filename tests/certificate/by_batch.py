"""Candidates of known scores that are asked by batches, whose every batch is at once at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from vivavoce.interview.candidate import Prompt, RepeatReason, Reply
from vivavoce.interview.progress import BatchState
from vivavoce.interview.schedule import Clock
from vivavoce.interview.vendor_batches import VendorBatch


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
