"""The guesses that a player made, as a small picture beside what was to be guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from vivavoce.web.store.roster import GivenGuess

WIDTH: Final = 600
HEIGHT: Final = 180
LEFT: Final = 44
"""Room for the numbers of the axis, in the drawing's own units."""
EDGE: Final = 12
DASH: Final = 5.0
"""Half the length of the line at what was to be guessed."""


@dataclass(frozen=True, slots=True)
class Guess:
    """One guess."""

    x: float
    y: float
    counts: bool
    truth: float | None
    """Height of the rating that was to be guessed; None for a newcomer's."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn."""

    guesses: tuple[Guess, ...]
    ticks: tuple[tuple[float, int], ...]
    """Height and number of each line of the grid."""
    alt: str


def picture(given: Sequence[GivenGuess]) -> Picture | None:
    """Guesses from left to right, oldest first; None where there are none.

    given: oldest first.
    """
    if not given:
        return None
    room = WIDTH - LEFT - 2 * EDGE
    step = min(24.0, room / max(1, len(given) - 1))  # few guesses stand side by side, not far apart
    marks = tuple(
        Guess(round(LEFT + EDGE + place * step, 1), _height(one.guess), one.counts, _truth(one.rating))
        for place, one in enumerate(given)
    )
    values = [one.guess for one in given]
    ends = f"from {min(values):.0f} to {max(values):.0f}, in the middle {median(values):.0f}"
    number = f"{len(values)} guess{'es' if len(values) != 1 else ''}"
    return Picture(marks, tuple((_height(tick), tick) for tick in (0, 50, 100)), f"{number}, {ends}.")


def _truth(rating: float | None) -> float | None:
    return None if rating is None else _height(rating)


def _height(value: float) -> float:
    return round(EDGE + (HEIGHT - 2 * EDGE) * (1 - value / 100), 1)
