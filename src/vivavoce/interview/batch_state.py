"""What the server says of a batch that is under way, and what came of all of a run."""

from __future__ import annotations

from dataclasses import dataclass, field

from vivavoce.interview.candidate import Usage
from vivavoce.interview.record import Key


@dataclass(frozen=True, slots=True)
class BatchState:
    """A batch at one moment."""

    status: str
    total: int
    """Questions."""
    completed: int
    failed: int
    seconds: float
    """Since this program handed it in, or found it."""
    number: int = 0
    """Which batch of this run it is, from 1."""


@dataclass(slots=True)
class BatchAccount:
    """What was asked by batch in one run.

    Answers from the record count as those that are new, and each once, however many parts of an examination look at it.
    """

    batches: int = 0
    """Handed in, or found and followed."""
    asked: int = 0
    """Questions with an outcome, those included that no verdict needed."""
    paid: Usage = field(default_factory=Usage)
    """What all outcomes cost."""
    left: set[Key] = field(default_factory=set)
    """Questions of batches that were under way when the run was left."""
    _counted: set[int] = field(default_factory=set)

    def count(self, record: int, usage: Usage, *, questions: int) -> None:
        """There is an outcome with this number on record; `questions`: 1, or 0 where it belongs to a question before it."""
        if record not in self._counted:
            self._counted.add(record)
            self.asked += questions
            self.paid += usage
