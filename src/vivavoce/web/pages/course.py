"""A player's rating over the games, drawn so that a page can show it without any style of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.web.store.ratings import Point

WIDTH: Final = 600
HEIGHT: Final = 220
LEFT: Final = 44
"""Room for the numbers of the axis, in the drawing's own units."""
EDGE: Final = 12
FEWEST: Final = 2
"""Ratings that make a course."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One guess about the player."""

    x: float
    y: float
    human: bool


@dataclass(frozen=True, slots=True)
class Course:
    """What is drawn."""

    line: str
    """Points of the rating, as SVG writes them."""
    marks: Sequence[Mark]
    ticks: Sequence[tuple[float, int]]
    """Height and number of each line of the grid."""
    alt: str


def course(history: Sequence[Point]) -> Course | None:
    """The rating after each game as a line, and each guess as a mark; None for too few games to show."""
    rated = [(place, point.rating_after) for place, point in enumerate(history) if point.rating_after is not None]
    if len(rated) < FEWEST:
        return None
    step = (WIDTH - LEFT - 2 * EDGE) / (len(history) - 1)
    line = " ".join(f"{LEFT + EDGE + place * step:.1f},{_height(rating):.1f}" for place, rating in rated)
    marks = [Mark(round(LEFT + EDGE + place * step, 1), round(_height(point.guess), 1), point.by_human and not point.voided)
             for place, point in enumerate(history)]  # fmt: skip
    alt = f"Your rating after each of {len(history)} games: first {rated[0][1]:.1f}, now {rated[-1][1]:.1f}."
    return Course(line, marks, [(_height(tick), tick) for tick in (0, 25, 50, 75, 100)], alt)


def _height(rating: float) -> float:
    return EDGE + (HEIGHT - 2 * EDGE) * (1 - rating / 100)
