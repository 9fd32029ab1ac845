"""Charts as SVG data: a player's rating over games, and the player's guesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from vivavoce.web.store.player_list import GivenGuess
from vivavoce.web.store.ratings import RatingPoint

WIDTH: Final = 600
HEIGHT: Final = 220
GUESSES_HEIGHT: Final = 180
LEFT: Final = 44
"""Width of the axis labels, in SVG units."""
EDGE: Final = 12
FEWEST: Final = 2
"""Fewest ratings for a chart."""

Ticks = tuple[tuple[float, int], ...]
"""Height and number of each line of the grid."""


@dataclass(frozen=True, slots=True)
class GuessMark:
    """One guess about the player."""

    x: float
    y: float
    human: bool


@dataclass(frozen=True, slots=True)
class RatingChart:
    """The chart of a rating."""

    line: str
    """Points of the rating, in SVG syntax."""
    marks: Sequence[GuessMark]
    ticks: Ticks
    alt: str


@dataclass(frozen=True, slots=True)
class GivenGuessMark:
    """One guess that the player made."""

    x: float
    y: float
    counts: bool
    truth: float | None
    """Height of the true rating; None for a newcomer's."""


@dataclass(frozen=True, slots=True)
class GuessChart:
    """The chart of guesses."""

    guesses: tuple[GivenGuessMark, ...]
    ticks: Ticks
    alt: str


def rating_chart(history: Sequence[RatingPoint]) -> RatingChart | None:
    """The rating after each game as a line, and each guess as a mark; None for too few games."""
    rated = [(index, point.rating_after) for index, point in enumerate(history) if point.rating_after is not None]
    if len(rated) < FEWEST:
        return None
    step = (WIDTH - LEFT - 2 * EDGE) / (len(history) - 1)
    line = " ".join(f"{LEFT + EDGE + position * step:.1f},{_height(rating):.1f}" for position, rating in rated)
    marks = [GuessMark(round(LEFT + EDGE + position * step, 1), _height(point.guess), point.by_human and not point.voided)
             for position, point in enumerate(history)]  # fmt: skip
    alt = f"Your rating after each of {len(history)} games: first {rated[0][1]:.1f}, now {rated[-1][1]:.1f}."
    return RatingChart(line, marks, tuple((_height(tick), tick) for tick in (0, 25, 50, 75, 100)), alt)


def guess_chart(given: Sequence[GivenGuess]) -> GuessChart | None:
    """The guesses from left to right, oldest first; None without guesses.

    given: oldest first.
    """
    if not given:
        return None
    room = WIDTH - LEFT - 2 * EDGE
    step = min(24.0, room / max(1, len(given) - 1))  # keep few guesses close together
    marks = tuple(
        GivenGuessMark(
            round(LEFT + EDGE + index * step, 1),
            _height(guess.guess, GUESSES_HEIGHT),
            guess.counts,
            None if guess.rating is None else _height(guess.rating, GUESSES_HEIGHT),
        )
        for index, guess in enumerate(given)
    )
    values = [guess.guess for guess in given]
    ends = f"from {min(values):.0f} to {max(values):.0f}, in the middle {median(values):.0f}"
    number = f"{len(values)} guess{'es' if len(values) != 1 else ''}"
    ticks = tuple((_height(tick, GUESSES_HEIGHT), tick) for tick in (0, 50, 100))
    return GuessChart(marks, ticks, f"{number}, {ends}.")


def _height(value: float, height: int = HEIGHT) -> float:
    return round(EDGE + (height - 2 * EDGE) * (1 - value / 100), 1)
