"""Candidates with planted faults, which know the sum in a conversation, and questions about sums."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from vivavoce.candidates.function import Function
from vivavoce.interview.candidate import Prompt
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import EndlessScope, ListedScope

Fault = Callable[[list[str], int], str | None]
"""The reply to the user's messages in which the last sum has this right answer; None: the right answer."""


def sums(number: int = 60, **more: Any) -> ListedScope | EndlessScope:
    """Two topics of so many sums each."""
    return open_scope(
        [
            {"question": f"What is {n} plus {k}?", "answer": str(n + k), "category": topic, **more}
            for k, topic in ((1000, "low"), (2000, "high"))
            for n in range(number)
        ]
    )


class Pupil:
    """Adds, but for its fault."""

    def __init__(self, fault: Fault) -> None:
        self._fault = fault
        self.asked: list[tuple[str, ...]] = []

    async def answer(self, prompt: Prompt) -> str:
        texts = [text for role, text in prompt.conversation if role == "user"]
        self.asked.append(tuple(texts))
        n, k = re.findall(r"(?i)(\d+) \w+ (\d+)", " ".join(texts))[-1]
        reply = self._fault(texts, int(n) + int(k))
        return f"Answer: {int(n) + int(k)}" if reply is None else reply

    def candidate(self, *, deterministic: bool = False) -> Function:
        return Function("function:pupil", self.answer, deterministic=deterministic)


def gives_up_when_sure(texts: list[str], right: int) -> str | None:
    """A third of the sums above 2000 are wrong after "Are you sure?"."""
    return f"Answer: {right + 1}" if right >= 2000 and right % 3 == 0 and "Are you sure" in texts[-1] else None
