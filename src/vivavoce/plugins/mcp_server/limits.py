"""Limits that the operator of the server sets for its clients, for its whole life.

The allowance: one budget for the whole life of a server, used by each call's new questions. Recorded answers cost nothing,
so they don't count again. Questions that were sent and withdrawn count: otherwise a client could ask endlessly by cancelling
its calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel

from vivavoce.errors import BudgetExhausted
from vivavoce.interview.budget import Budget, Limit, Limits, SharedBudget
from vivavoce.interview.candidate import Usage
from vivavoce.interview.progress import Progress
from vivavoce.settings import DELTA, Count, Share, Within, check, setting


@dataclass(frozen=True, slots=True)
class AllowanceConfig:
    """Limits of all calls together, and of each; a client can ask for less, never for more."""

    questions: Count = setting(1000, "Allow this many questions in all calls together.")
    money: Annotated[float, Within(above=0)] | None = setting(
        None, "Allow all calls together to cost this much, at the candidates' prices.", metavar="X"
    )
    tokens: Count | None = setting(None, "Allow this many tokens in all calls together, in both directions.")
    per_call: Count | None = setting(None, "Allow this many questions per call to each candidate. [default: all left]")
    delta: Share = setting(DELTA, "Allow clients at most this bound on the chance of a wrong verdict.")

    def __post_init__(self) -> None:
        check(self)

    @property
    def questions_of_a_call(self) -> int:
        """Most questions of one call to each candidate.

        >>> AllowanceConfig(questions=300).questions_of_a_call, AllowanceConfig(per_call=50).questions_of_a_call
        (300, 50)
        """
        return self.questions if self.per_call is None else min(self.per_call, self.questions)


class Meter:
    """The limits of one interview: the server's and the call's.

    >>> allowance = Allowance(AllowanceConfig(questions=3))
    >>> with allowance.call():
    ...     meter = allowance.meter(Budget(), at_once=8)
    ...     meter.reached(questions=2, usage=Usage()), meter.reached(questions=3, usage=Usage())
    ('', 'questions')
    >>> allowance.left.questions
    0
    """

    def __init__(self, share: Limits, call: Budget, at_once: int, at_least: int) -> None:
        self._share = share
        self._call = call
        self._at_once = at_once
        self._at_least = at_least
        self._last: Progress | None = None
        self._drawn = self._most_drawn = 0
        self._new = Usage()
        self._share.reached(questions=at_least, usage=self._new)

    @property
    def questions(self) -> int:
        """New questions, including withdrawn ones: at most as many as were in flight can have been sent."""
        answered, on_record = (0, 0) if self._last is None else (self._last.answered, self._last.from_record)
        sent = min(self._most_drawn, answered + self._at_once)
        return max(max(self._drawn, sent) - on_record, self._at_least)

    @property
    def usage(self) -> Usage:
        """The cost of answers that were not on record."""
        return self._new

    @property
    def by_answers(self) -> bool:
        """Whether answers decide when it ends: recorded ones do not count."""
        return True

    def told(self, progress: Progress) -> None:
        """Add an outcome; its cost counts unless it was on record."""
        before = self._last
        if progress.from_record == (0 if before is None else before.from_record):
            self._new = self._new + _less(progress.usage, Usage() if before is None else before.usage)
        self._last = progress

    def reached(self, *, questions: int, usage: Usage) -> Limit:
        """The limit that leaves no room for another question; empty if there is room."""
        self._drawn, self._most_drawn = questions, max(questions, self._most_drawn)
        shared = self._share.reached(questions=self.questions, usage=self._new)
        return shared or self._call.reached(questions=0, usage=self._new)


class RemainingBudget(BaseModel):
    """The rest of the server's budget; null: no limit."""

    questions: int
    tokens: int | None
    money: float | None

    @property
    def limits(self) -> dict[str, float]:
        """The limits of the budget."""
        return self.model_dump(exclude_none=True)


class Allowance:
    """The remaining allowance for all calls of a server; one call runs at a time."""

    def __init__(self, config: AllowanceConfig) -> None:
        self.config = config
        self._used, self._asked = Usage(), 0
        self._budget = SharedBudget(Budget())
        self._meters: list[Meter] = []

    @contextmanager
    def call(self) -> Iterator[None]:
        """One call: the state that its interviews share, and their usage at the end. Raises `BudgetExhausted`."""
        left = self.left
        if 0 in (left.questions, left.tokens, left.money):
            rest = ", ".join(f"{value:g} {name}" for name, value in left.limits.items()).replace("money", "of money")
            raise BudgetExhausted(
                f"the budget of this server is used up ({rest} left): only its operator can restart it with more"
            )
        self._budget = SharedBudget(Budget(questions=left.questions, tokens=left.tokens, money=left.money))
        try:
            yield
        finally:
            self._asked, self._used = self._so_far
            self._meters = []

    def meter(self, call: Budget, *, at_once: int, at_least: int = 0) -> Meter:
        """The limits of one more interview of the call that is under way.

        call: the call's own limits. at_once: most questions in flight. at_least: questions that count in any case.
        """
        self._meters.append(Meter(self._budget.share(), call, at_once, at_least))
        return self._meters[-1]

    @property
    def _so_far(self) -> tuple[int, Usage]:
        asked = self._asked + sum(meter.questions for meter in self._meters)
        return asked, sum((meter.usage for meter in self._meters), self._used)

    @property
    def left(self) -> RemainingBudget:
        """The remaining allowance for further calls."""
        (asked, used), config = self._so_far, self.config
        return RemainingBudget(
            questions=max(0, config.questions - asked),
            tokens=None if config.tokens is None else max(0, config.tokens - used.tokens),
            money=None if config.money is None else max(0.0, config.money - used.money),
        )


def _less(usage: Usage, other: Usage) -> Usage:
    return Usage(usage.tokens_in - other.tokens_in, usage.tokens_out - other.tokens_out, max(0.0, usage.money - other.money))
