"""What the server says of a batch that is under way, and what came of all of a run."""

from __future__ import annotations

from dataclasses import dataclass, field

from vivavoce.interview.candidate import Usage
from vivavoce.interview.record import Key


@dataclass(frozen=True, slots=True)
class BatchState:
    """A batch at one moment.

    >>> BatchState("in_progress", total=60, completed=19, failed=1, seconds=30.0).seconds_left
    60.0
    """

    status: str
    total: int
    """Questions."""
    completed: int
    failed: int
    seconds: float
    """Since this program handed it in, or found it."""
    number: int = 0
    """Which batch of this run it is, from 1."""

    @property
    def seconds_left(self) -> float | None:
        """At the rate so far; None where nothing is complete yet."""
        over = self.completed + self.failed
        return None if not over else self.seconds * (self.total - over) / over


@dataclass(slots=True)
class BatchAccount:
    """What was asked by batch in one run, and what of it mattered.

    Answers from the record count as those that are new, and each once, however many parts of an examination look at it.
    """

    batches: int = 0
    """Handed in, or found and followed."""
    asked: int = 0
    """Questions with an outcome."""
    used: int = 0
    """Those whose outcome somebody was given: the others had been drawn when the examination ended."""
    paid: Usage = field(default_factory=Usage)
    """What all outcomes cost."""
    paid_for_used: Usage = field(default_factory=Usage)
    left: set[Key] = field(default_factory=set)
    """Questions of batches that were under way when the run was left."""
    beyond: dict[tuple[str, str], tuple[int, float]] = field(default_factory=dict)
    """Of those that somebody was given, how many counted for nothing, and what they cost: of each candidate on each scope."""
    _had: set[int] = field(default_factory=set)
    _given: set[int] = field(default_factory=set)

    def has(self, record: int, usage: Usage, *, questions: int) -> None:
        """There is an outcome with this number on record; `questions`: 1, or 0 where it belongs to a question before it."""
        if record not in self._had:
            self._had.add(record)
            self.asked += questions
            self.paid += usage

    def gave(self, record: int, usage: Usage) -> None:
        """Somebody was given that outcome, which cost this with all that belongs to it."""
        if record not in self._given:
            self._given.add(record)
            self.used += 1
            self.paid_for_used += usage

    @property
    def unused(self) -> int:
        """Questions that were asked in vain."""
        return self.asked - self.used + sum(questions for questions, _ in self.beyond.values())

    @property
    def paid_in_vain(self) -> float:
        """The money that these cost."""
        return self.paid.money - self.paid_for_used.money + sum(money for _, money in self.beyond.values())
