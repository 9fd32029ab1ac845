"""What became of the questions that were put to each model: read, unreadable, or never answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vivavoce.generalization.answers import Grade
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import Grade as Scored


@dataclass(frozen=True, slots=True)
class ModelReplies:
    """The replies of one model."""

    model: str
    questions: int
    """That were to be asked."""
    outcomes: Mapping[str, int]
    """How often a reply was read in which way."""
    exhausted: str = ""
    """Which limit of the budget ended the questions; empty while none has."""

    @property
    def asked(self) -> int:
        """Questions with an outcome."""
        return sum(self.outcomes.values())

    @property
    def unread(self) -> int:
        """Replies that came, and whose answer nobody knows."""
        return sum(number for outcome, number in self.outcomes.items() if Outcome(outcome).unread)

    @property
    def absent(self) -> int:
        """Questions without a reply that counts, among those asked."""
        return sum(number for outcome, number in self.outcomes.items() if not _counts(Outcome(outcome)))

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        told = {"questions": self.questions, "asked": self.asked, "unreadable": self.unread, "absent": self.absent}
        return told | {"outcomes": dict(self.outcomes), "budget": self.exhausted}


def grade_of(scored: Scored | None) -> Grade:
    """Whether an answer is right; None where there is none, or nobody can know.

    A reply that cannot be read is not right: whoever asked has nothing of it. Replies without a full score are not, either.

    >>> grade_of(Scored(1.0, False)), grade_of(Scored(0.0, False, Outcome.UNREADABLE)), grade_of(None)
    (True, False, None)
    """
    if scored is None or not _counts(scored.outcome):
        return None
    return scored.score == 1


def _counts(outcome: Outcome) -> bool:
    return outcome is not Outcome.NO_ANSWER and not outcome.unknowable
