"""Progress of an interview: counts of questions and costs, the state of a batch, and who is notified."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from vivavoce.interview.candidate import NoAnswer, Usage
from vivavoce.interview.record import Key

if TYPE_CHECKING:
    from vivavoce.interview.requests import QuestionOutcome


@dataclass(frozen=True, slots=True)
class Progress:
    """An interview at one moment.

    >>> progress = Progress(60, 50, 10, 1, 0, 10, Usage(money=0.5), seconds=20.0, expected=100)
    >>> progress.rate, progress.seconds_left, progress.money_left
    (2.0, 25.0, 0.5)
    """

    asked: int
    """Questions so far, those in flight and those found on record included."""
    answered: int
    """Questions with an outcome, those found on record and those without an answer included."""
    from_record: int
    """Outcomes that were on record already, at no cost now."""
    no_answers: int
    """Missing answers."""
    retries: int
    """Attempts after a failed first one."""
    in_flight: int
    """Questions that the candidate is being asked at this moment."""
    usage: Usage
    """The cost of all outcomes, including recorded ones."""
    seconds: float
    """Since the first question."""
    expected: int | None
    """Questions in the whole interview; None if unknown."""
    turns: int = 0
    """Follow-ups, which do not count as questions."""
    seconds_to_next: float | None = None
    """Until the scheduled moment of the next question; None without a schedule."""
    batch: BatchState | None = None
    """The server's state of the current batch; None without a batch."""

    @property
    def rate(self) -> float:
        """New outcomes per second; recorded ones do not count."""
        return (self.answered - self.from_record) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Seconds left at the rate so far; None if unknown."""
        if self.expected is None or not self.rate:
            return None
        return max(0, self.expected - self.answered) / self.rate

    @property
    def money_left(self) -> float | None:
        """The cost of the rest at the mean cost so far; None if unknown, e.g. without prices."""
        if self.expected is None or not self.answered or not self.usage.money:
            return None
        return max(0, self.expected - self.answered) * self.usage.money / self.answered


watcher: ContextVar[Callable[[Progress], None] | None] = ContextVar("watcher", default=None)
"""Called for interviews that have no `on_progress` of their own."""


def tell(progress: Callable[[], Progress], on_progress: Callable[[Progress], None] | None) -> None:
    """Call `on_progress`, or the watcher of this context, if there is one."""
    listener = watcher.get() if on_progress is None else on_progress
    if listener is not None:
        listener(progress())


@dataclass(slots=True)
class ProgressTally:
    began: float | None = None
    asked: int = 0
    answered: int = 0
    from_record: int = 0
    no_answers: int = 0
    retries: int = 0
    turns: int = 0
    usage: Usage = field(default_factory=Usage)

    def begin(self, now: float) -> None:
        if self.began is None:
            self.began = now

    def count(self, outcome: QuestionOutcome[Any]) -> None:
        self.answered += 1
        self.no_answers += isinstance(outcome.answer, NoAnswer)
        self.from_record += outcome.on_record
        self.usage += outcome.usage

    def snapshot(self, *, now: float, in_flight: int, expected: int | None, seconds_to_next: float | None = None) -> Progress:
        seconds = 0.0 if self.began is None else now - self.began
        counts = (self.asked, self.answered, self.from_record, self.no_answers, self.retries)
        return Progress(*counts, in_flight, self.usage, seconds, expected, self.turns, seconds_to_next)


class CombinedProgress:
    """Adds up the progress of several interviews, and reports the sum after every step of any of them.

    expected: questions of all of them together, if known.
    """

    def __init__(self, on_progress: Callable[[Progress], None], *, expected: int | None) -> None:
        self._on_progress = on_progress
        self._expected = expected
        self._latest: dict[int, Progress] = {}

    def one(self) -> Callable[[Progress], None]:
        """The `on_progress` of one more interview."""
        number = len(self._latest)
        self._latest[number] = Progress(0, 0, 0, 0, 0, 0, Usage(), 0.0, None)

        def tell(progress: Progress) -> None:
            self._latest[number] = progress
            self._on_progress(self.sum)

        return tell

    @property
    def sum(self) -> Progress:
        """All interviews as one."""
        return _sum(self._latest.values(), self._expected)


def together(interviews: int, on_progress: Callable[[Progress], None], *, every: int = 1) -> list[Callable[[Progress], None]]:
    """One `on_progress` for each of several interviews that run side by side; the given one gets their sum.

    every: it is called at every n-th report.

    >>> reports = []
    >>> first, second = together(2, reports.append)
    >>> first(Progress(4, 3, 0, 0, 0, 1, Usage(), seconds=1.0, expected=10))
    >>> second(Progress(2, 2, 0, 0, 0, 0, Usage(), seconds=2.0, expected=10))
    >>> reports[-1].answered, reports[-1].expected, reports[-1].seconds
    (5, 20, 2.0)
    """
    latest: dict[int, Progress] = {}
    calls = count(1)

    def tell_at(number: int, progress: Progress) -> None:
        latest[number] = progress
        if next(calls) % every == 0:
            expected = [progress.expected for progress in latest.values() if progress.expected is not None]
            on_progress(_sum(latest.values(), interviews * max(expected) if len(expected) == len(latest) else None))

    return [partial(tell_at, number) for number in range(interviews)]


def _sum(parts: Collection[Progress], expected: int | None) -> Progress:
    def total(name: str) -> int:
        return sum(getattr(part, name) for part in parts)

    return Progress(
        asked=total("asked"),
        answered=total("answered"),
        from_record=total("from_record"),
        no_answers=total("no_answers"),
        retries=total("retries"),
        in_flight=total("in_flight"),
        usage=sum((part.usage for part in parts), Usage()),
        seconds=max((part.seconds for part in parts), default=0.0),
        expected=expected,
        turns=total("turns"),
        seconds_to_next=min((part.seconds_to_next for part in parts if part.seconds_to_next is not None), default=None),
        batch=next((part.batch for part in parts if part.batch is not None), None),
    )


@dataclass(frozen=True, slots=True)
class BatchState:
    status: str
    total: int
    """Questions."""
    completed: int
    failed: int
    seconds: float
    """Since this program submitted it, or found it."""
    number: int = 0
    """Which batch of this run it is, from 1."""


@dataclass(slots=True)
class BatchAccount:
    """Questions and costs by batch in one run.

    Recorded answers count like new ones, and each answer counts once, however many parts of an examination use it.
    """

    batches: int = 0
    """Submitted, or found and followed."""
    asked: int = 0
    """Questions with an outcome, needed by a verdict or not."""
    paid: Usage = field(default_factory=Usage)
    """The cost of all outcomes."""
    left: set[Key] = field(default_factory=set)
    """Questions of batches that had not ended when the run stopped."""
    _counted: set[int] = field(default_factory=set)

    def count(self, record: int, usage: Usage, *, questions: int) -> None:
        """Count the outcome with this record number; `questions`: 1, or 0 if it belongs to an earlier question."""
        if record not in self._counted:
            self._counted.add(record)
            self.asked += questions
            self.paid += usage
