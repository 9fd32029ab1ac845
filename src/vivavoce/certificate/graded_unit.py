"""What is kept of a graded unit until the end: its grades, without a word of what was asked or said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Unit


@dataclass(frozen=True, slots=True)
class GradedUnit:
    """The grades of a unit, and what a reader needs to count them. Most units of a scope are equal."""

    grades: tuple[Grade, ...]
    """Of its first questions, in their order; all have one once the unit is finished."""
    weights: tuple[float, ...]
    """Of all its questions."""
    category: str
    """Of its first question, which strata go by."""

    @classmethod
    def of(cls, unit: Unit, grades: Sequence[Grade]) -> GradedUnit:
        """Without the texts of the grades."""
        return cls(
            tuple(replace(grade, read_as="", why="") for grade in grades),
            tuple(float(question.weight) for question in unit),
            unit[0].category,
        )
