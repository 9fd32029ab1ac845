"""Asking within a budget of calls: each question once, however many attempts it serves."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from vivavoce.interview.reply_counts import outcome_of
from vivavoce.consistency.search.genome import Genome, Posed, Said, Space
from vivavoce.errors import BudgetExhausted
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read
from vivavoce.interview.scope import unknowable

T = TypeVar("T")
Sides = tuple[Said | None, ...]
"""What the answers of one attempt say; None for one that cannot be read."""


@dataclass(frozen=True, slots=True)
class Trial:
    """An attempt whose questions are asked; two draws have independent answers."""

    genome: Genome
    draw: int = 0


Steps = Generator[Trial, Sides | None, T]
"""Work that asks for one trial after the other; it is sent None where a trial cannot be paid."""


class Asker:
    """Has trials answered within a budget of calls.

    A call is one question in one draw. What was asked before within this budget costs nothing, what a transcript holds costs
    no time but counts all the same: the same search takes the same course whatever is on record.

    Parameters
    ----------
    calls: the budget.
    topic: names the method in the record.
    """

    def __init__(self, interview: Interview[Prompt, Reply], space: Space, calls: int, *, topic: str) -> None:
        self._interview = interview
        self._space = space
        self._calls = calls
        self._topic = topic
        self._said: dict[tuple[Prompt, int], Said | None] = {}
        self._paid: set[tuple[Prompt, int]] = set()
        self.replies: Counter[str] = Counter()
        """What became of single replies."""
        self.spent = 0
        self.exhausted = False
        """Whether a trial could not be paid, by this budget or by the interview's."""

    async def hear(self, trials: Sequence[Trial]) -> list[Sides | None]:
        """What is said in each trial; None for one that cannot be paid."""
        posed = [self._pay(trial) for trial in trials]
        wanted = {
            (one.prompt, trial.draw): one
            for trial, questions in zip(trials, posed, strict=True)
            for one in questions or ()
            if (one.prompt, trial.draw) not in self._said
        }
        tasks = [asyncio.create_task(self._ask(one, draw)) for (_, draw), one in wanted.items()]
        try:
            self._said |= {key: said for key, (asked, said) in zip(wanted, await asyncio.gather(*tasks), strict=True) if asked}
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return [self._sides(trial, questions) for trial, questions in zip(trials, posed, strict=True)]

    async def together(self, work: Sequence[Steps[T]]) -> list[T]:
        """Do several pieces of work side by side, a trial of each at a time; their order decides who is paid, not speed."""
        done: dict[int, T] = {}
        waiting = {place: next(steps) for place, steps in enumerate(work)}
        while waiting:
            heard = dict(zip(waiting, await self.hear(list(waiting.values())), strict=True))
            waiting = {}
            for place, sides in heard.items():
                try:
                    waiting[place] = work[place].send(sides)
                except StopIteration as ended:
                    done[place] = ended.value
        return [done[place] for place in range(len(work))]

    def _pay(self, trial: Trial) -> tuple[Posed, ...] | None:
        questions = self._space.pose(trial.genome)
        keys = dict.fromkeys((one.prompt, trial.draw) for one in questions)
        new = [key for key in keys if key not in self._paid]
        if self.spent + len(new) > self._calls:
            self.exhausted = True
            return None
        self.spent += len(new)
        self._paid.update(new)
        return questions

    def _sides(self, trial: Trial, questions: tuple[Posed, ...] | None) -> Sides | None:
        keys = [(one.prompt, trial.draw) for one in questions or ()]
        return tuple(self._said[key] for key in keys) if keys and self._said.keys() >= set(keys) else None

    async def _ask(self, one: Posed, draw: int) -> tuple[bool, Said | None]:
        """Whether it was asked at all, and what was said."""
        try:
            answer = await self._interview.ask(one.prompt, draw=draw, topic=self._topic)
        except BudgetExhausted:
            self.exhausted = True
            return False, None
        reading = read(one.prompt, answer)
        self.replies[outcome_of(reading)] += 1
        if reading.value is None or unknowable(answer) is not None:
            return True, None
        return True, one.said(reading.value)
