"""What the server says of a batch that is under way, and what came of all of a run."""

from __future__ import annotations

from dataclasses import dataclass, field

from vivavoce.interview.candidate import Usage


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
    """What was asked by batch in one run, and what of it mattered. Answers from the record count as those that are new."""

    batches: int = 0
    """Handed in, or found and followed."""
    asked: int = 0
    """Questions with an outcome."""
    used: int = 0
    """Those whose outcome somebody was given: the others had been drawn when the examination ended."""
    paid: Usage = field(default_factory=Usage)
    """What all outcomes cost."""
    paid_for_used: Usage = field(default_factory=Usage)
    left: int = 0
    """Questions of batches that were under way when the run was left."""

    @property
    def unused(self) -> int:
        """Questions that were asked in vain."""
        return self.asked - self.used
