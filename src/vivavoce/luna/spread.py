"""How far guesses about one person lie apart, by how many there are (Figure 6.6 of `silver2016`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from vivavoce.formats.interval import Estimate


@dataclass(frozen=True, slots=True)
class SpreadAt:
    """How far guesses lie apart, of persons who received this many."""

    games: int
    deviation: Estimate
    """Mean standard deviation of the guesses of a person; n persons."""
    between: float | None
    """Standard deviation of these over persons, the bars of the thesis' Figure 6.6; None for a single person."""
    error: float
    """The mean standard deviation over the root of the number of guesses: how uncertain such a rating is."""


@dataclass(frozen=True, slots=True)
class SpreadFigure:
    """Standard deviation of guesses against their number."""

    plot: ClassVar[str] = "vivavoce.luna.plots:spread_drawing"
    spread: tuple[SpreadAt, ...]
