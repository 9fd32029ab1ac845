"""How replies were read, form by form: what `viva` reports about a model that is met for the first time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from vivavoce.interview.forms.form import Form, Outcome, Reading


@dataclass(frozen=True, slots=True)
class Readings:
    """How the answers in one form were read."""

    form: str
    asked: int = 0
    at_once: int = 0
    """Read without a further turn, "I don't know" included."""
    after_turn: int = 0
    copied: int = 0
    cut_off: int = 0
    unreadable: int = 0
    no_answer: int = 0
    calls: int = 0
    """Questions and further turns."""


class ReadingsTally:
    """Counts readings by the names of their forms."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {}

    def add(self, form: Form[Any], reading: Reading[Any], *, calls: int) -> None:
        """One more answer."""
        counts = self._counts.setdefault(type(form).__name__, Counter())
        counts["asked"] += 1
        counts["calls"] += calls
        counts[_column(reading)] += 1

    @property
    def found(self) -> tuple[Readings, ...]:
        """One row a form, in the order of their names."""
        return tuple(Readings(name, **counts) for name, counts in sorted(self._counts.items()))


def _column(reading: Reading[Any]) -> str:
    if reading.outcome in (Outcome.ANSWER, Outcome.DONT_KNOW):
        return "after_turn" if reading.after_turn else "at_once"
    return reading.outcome.name.lower()
