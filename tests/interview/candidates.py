"""Candidates of known behaviour, questions for them, and an event loop whose time passes at once."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.interview import Interview

Q = TypeVar("Q")
A = TypeVar("A")


def questions(number: int) -> Iterator[Prompt]:
    """Question 0, question 1 and so on."""
    return (Prompt(f"question {n}", id=str(n)) for n in range(number))


@dataclass
class Actor:
    """Does what `behaviour` does; notes what it was asked and how much at once."""

    behaviour: Callable[[Prompt], Awaitable[str]]
    name: str = "bot:scripted"
    usage: Usage = field(default_factory=Usage)
    asked: list[str] = field(default_factory=list)
    now: int = 0
    most_at_once: int = 0
    cancelled: int = 0

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked.append(question.id)
        self.now += 1
        self.most_at_once = max(self.most_at_once, self.now)
        try:
            return Reply(await self.behaviour(question), self.usage)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.now -= 1

    @property
    def times(self) -> Counter[str]:
        return Counter(self.asked)


def at_once(usage: Usage | None = None) -> Actor:
    """Answers every question with its text in capitals, at once."""

    async def behaviour(question: Prompt) -> str:
        return question.text.upper()

    return Actor(behaviour, usage=usage or Usage())


def after_random_delays(seed: int, longest: float = 0.004) -> Actor:
    """Answers every question, each after another time."""
    rng = random.Random(seed)

    async def behaviour(question: Prompt) -> str:
        await asyncio.sleep(rng.random() * longest)
        return question.text.upper()

    return Actor(behaviour)


def never() -> Actor:
    """Thinks for ever."""

    async def behaviour(_: Prompt) -> str:
        await asyncio.Event().wait()
        raise AssertionError

    return Actor(behaviour)


async def collect(interview: Interview[Q, A], asked: Iterable[Q]) -> list[tuple[Q, A | NoAnswer]]:
    """All questions with their answers, in the order in which they come."""
    return [(question, answer) async for question, answer in interview.ask_in_order(asked)]


async def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for it."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it does not come to pass"
        await asyncio.sleep(0.02)


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next moment at which anything is due, instead of waiting for it."""

    _jumped = 0.0

    def time(self) -> float:
        """Seconds since it began, by its own clock."""
        return self._jumped

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            self._jumped = max(self._jumped, self._scheduled[0].when())  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]
