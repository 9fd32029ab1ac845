"""What a player's guesses amount to: the mean, which is the published rating, and two that withstand dishonest guessers.

The mean is silver2016's, section 2.4. The other two are of our own making: see `rating_fit`. All take whatever guesses they are
given: leave machines' guesses out first (`vivavoce.luna.games_file.LunaGames.counted`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vivavoce.errors import BadInput
from vivavoce.luna.rating_fit import Indices, Stack, means, medians, robust, stacked
from vivavoce.statistics.betting import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Guesses:
    """Who guessed what of whom, oldest first.

    Parameters
    ----------
    guesser, target: numbers of players, from 0 to `players` - 1.
    value: finite, one a guess.
    game: number of the game of each guess.

    Raises `BadInput` for lists of different lengths, numbers of players out of range, or a guess that is no finite number.

    >>> guesses = Guesses([0, 1], [1, 0], [60.0, 80.0], [0, 0], players=2)
    >>> len(guesses), rated(guesses, "mean").tolist()
    (2, [80.0, 60.0])
    """

    guesser: Indices
    target: Indices
    value: Floats
    game: Indices
    players: int

    def __init__(self, guesser: ArrayLike, target: ArrayLike, value: ArrayLike, game: ArrayLike, *, players: int) -> None:
        whole = [np.asarray(array, dtype=np.int64) for array in (guesser, target, game)]
        numbers = np.asarray(value, dtype=np.float64)
        if any(array.shape != (numbers.size,) for array in (*whole, numbers)):
            raise BadInput(
                f"{[array.size for array in whole]} guessers, targets, games for {numbers.size} guesses: give one each"
            )
        if numbers.size and (min(array.min() for array in whole) < 0 or max(array.max() for array in whole[:2]) >= players):
            raise BadInput(f"a player's or a game's number is out of range; players are numbered from 0 to {players - 1}")
        if not np.isfinite(numbers).all():
            raise BadInput("a guess is not a finite number; leave out who has not guessed")
        for name, array in zip(("guesser", "target", "game", "value", "players"), (*whole, numbers, players), strict=True):
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return int(self.value.size)

    def taken(self, which: ArrayLike) -> Guesses:
        """Only these guesses, by truth values or places; players and games keep their numbers."""
        chosen = np.asarray(which)
        return Guesses(self.guesser[chosen], self.target[chosen], self.value[chosen], self.game[chosen], players=self.players)

    def weighted(self, weight: Floats) -> Stack:
        """A stack in which each guess counts so often, shape (rows, guesses)."""
        return stacked(self.guesser, self.target, self.value, weight, players=self.players)


@dataclass(frozen=True, slots=True)
class Method:
    """A way of rating."""

    words: str
    """What it does, for tables and pages."""
    fit: Callable[[Stack], Floats]
    """Ratings of each row from nothing but its guesses."""
    refit: Callable[[Stack, Floats], Floats]
    """The same, beginning at ratings of all guesses: what a bootstrap's rounds take."""


def rated(guesses: Guesses, method: str) -> Floats:
    """Ratings by a method of `METHODS`, one a player; NaN where nobody guessed.

    `mean` is the published rating. `robust` mistrusts guessers who are far from everybody else's guesses. It needs guessers who
    have met players whom others have met too: without these it is nearly the mean. A bloc that agrees with itself and makes up
    half of the guesses is believed, as nothing in guesses alone says which half is honest.

    >>> honest = [(g, t, 20.0 * t) for g in range(5) for t in range(5) if g != t]
    >>> spoiled = honest + [(5, t, 0.0) for t in range(5)]
    >>> guesses = Guesses(*zip(*spoiled), range(len(spoiled)), players=6)
    >>> rated(guesses, "mean").round(1).tolist()[:5], rated(guesses, "robust").round(1).tolist()[:5]
    ([0.0, 16.0, 32.0, 48.0, 64.0], [0.0, 20.0, 40.0, 60.0, 80.0])
    """
    if not len(guesses):
        return np.full(guesses.players, np.nan)
    return np.asarray(METHODS[method].fit(guesses.weighted(np.ones((1, len(guesses)))))[0])


def _mean_again(stack: Stack, start: Floats) -> Floats:
    return means(stack)


def _robust(stack: Stack) -> Floats:
    return robust(stack, start=medians(stack), severity=False)


def _robust_again(stack: Stack, start: Floats) -> Floats:
    return robust(stack, start=start, severity=False, rounds=AGAIN)


def _severity(stack: Stack) -> Floats:
    return robust(stack, start=_robust(stack), severity=True)


def _severity_again(stack: Stack, start: Floats) -> Floats:
    return robust(stack, start=start, severity=True, rounds=AGAIN)


AGAIN: Final = 12
"""Rounds from ratings that are nearly right."""
METHODS: Final[Mapping[str, Method]] = {
    "mean": Method("the mean of people's guesses", means, _mean_again),
    "robust": Method("a mean that trusts guessers as far as they agree with others", _robust, _robust_again),
    "severity": Method("the same, and without each guesser's severity", _severity, _severity_again),
}
"""By name; the first is the published rating."""
