"""How sure a rating is: a bootstrap that resamples guessers, with whatever the rating makes of their guesses.

A guesser is drawn with all games: guesses of one person about another are alike, however often the two met, so that they tell
less than as many guesses of different people. In a game only one person guesses about a player, so that the games of a rating
are drawn with its guessers.

Ends are percentiles of the rounds, at levels widened for few guessers as in `hesterberg2015`, section 4.2: for the mean of n
values, the level of Student's t with n - 1 degrees of freedom times the root of n / (n - 1), so that the interval is that of
Student's t where guesses are normal, and keeps the rounds' own skew where they are not. Here n is the number of guessers who
would tell as much if each had met the player equally often.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.special import ndtr, stdtrit

from vivavoce.errors import BadInput
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.luna.ratings import METHODS, Guesses, rated
from vivavoce.luna.rules import HIGHEST, LOWEST
from vivavoce.statistics.betting import Floats

SCALE: Final = Interval(LOWEST, HIGHEST)
_AT_ONCE: Final = 1 << 19
"""Guesses, over all rounds, that are weighed at one time."""


def intervals(
    guesses: Guesses, method: str = "mean", *, rng: np.random.Generator, rounds: int, confidence: float = CONFIDENCE
) -> list[Estimate]:
    """Each player's rating with an interval; n guesses received.

    The interval says where the rating would lie, had other people of the same kind been met. It does not say that the rating is
    right: guessers who are wrong together are wrong in all rounds.

    Returns an estimate a player: without value where nobody guessed, and from the lowest to the highest rating for a single
    guesser.

    >>> guesses = Guesses([1, 2, 3, 1, 2], [0, 0, 0, 2, 1], [60.0, 70.0, 80.0, 50.0, 40.0], range(5), players=4)
    >>> first, second, _, nobody = intervals(guesses, rng=np.random.default_rng(0), rounds=1_000)
    >>> first.value, 40 < first.interval.lower < 60 < 80 < first.interval.upper < 100
    (70.0, True)
    >>> second.interval, nobody.value
    (Interval(lower=0.0, upper=100.0), None)
    """
    if rounds < 100 or not 0 < confidence < 1:
        raise BadInput(
            f"{rounds} rounds at confidence {confidence}: give at least 100, and a confidence strictly between 0 and 1"
        )
    ratings = rated(guesses, method)
    received = np.bincount(guesses.target, minlength=guesses.players)
    guessers = _guessers(guesses)
    again = _rounds(guesses, ratings, method, rng=rng, rounds=rounds)
    found = []
    for player, (value, number) in enumerate(zip(ratings.tolist(), received.tolist(), strict=True)):
        if not number:
            found.append(Estimate(None, SCALE, 0))
        elif guessers[player] <= 1:
            found.append(Estimate(value, SCALE, number))
        else:
            ends = _ends(again[:, player], value, float(guessers[player]), confidence, SCALE)
            found.append(Estimate(value, ends, number))
    return found


def difference_of(
    guesses: Guesses,
    first: int,
    second: int,
    method: str = "mean",
    *,
    rng: np.random.Generator,
    rounds: int,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """How far the second player's rating lies above the first's; n guesses of both.

    A guesser of both is drawn with both guesses, so that who guesses everybody high or low adds nothing. Where other people
    guessed each of the two, `severity` takes away how high these guess others.

    Returns an estimate without value where nobody guessed one of them, and one with the widest interval where one person did.

    >>> guesses = Guesses([2, 3, 4, 2, 3, 4], [0, 0, 0, 1, 1, 1], [40.0, 50.0, 61.0, 50.0, 61.0, 70.0], range(6), players=5)
    >>> found = difference_of(guesses, 0, 1, rng=np.random.default_rng(0), rounds=1_000)
    >>> found.value, 7 < found.interval.lower < 10 < found.interval.upper < 13
    (10.0, True)
    """
    ratings = rated(guesses, method)
    value = float(ratings[second] - ratings[first])
    number = int(np.isin(guesses.target, (first, second)).sum())
    widest = Interval(SCALE.lower - SCALE.upper, SCALE.upper - SCALE.lower)
    if np.isnan(value):
        return Estimate(None, widest, number)
    guessers = float(_guessers(guesses)[[first, second]].min())
    if guessers <= 1:
        return Estimate(value, widest, number)
    again = _rounds(guesses, ratings, method, rng=rng, rounds=rounds)
    return Estimate(value, _ends(again[:, second] - again[:, first], value, guessers, confidence, widest), number)


def _guessers(guesses: Guesses) -> Floats:
    """For each player how many guessers who all met equally often would tell as much; 0 where nobody guessed.

    One more than the degrees of freedom of the variance of a mean over clusters, as in `statistics.clustered`.
    """
    pairs, meetings = np.unique(guesses.target * guesses.players + guesses.guesser, return_counts=True)
    target = pairs // guesses.players
    n, squares, cubes = (np.bincount(target, meetings**power, guesses.players) for power in (1, 2, 3))
    several = squares < n**2
    n = np.where(several, n, 1)
    trace, of_square = n - squares / n, squares - 2 * cubes / n + (squares / n) ** 2
    return np.where(several, 1 + trace**2 / np.where(several, of_square, 1.0), np.minimum(squares, 1.0))


def _ends(again: Floats, value: float, number: float, confidence: float, scale: Interval) -> Interval:
    known = np.sort(again[~np.isnan(again)])
    beyond = float(stdtrit(number - 1, (1 - confidence) / 2)) * float(np.sqrt(number / (number - 1)))
    level = float(ndtr(beyond))
    if level * known.size >= 1:
        lower, upper = np.quantile(known, (level, 1 - level))
    else:  # beyond the outermost round: as far out as Student's t says, by the rounds' own spread
        half = -beyond * float(known.std())
        lower, upper = min(known[0], value - half), max(known[-1], value + half)
    # a rating without severity may lie beyond an end of the scale: no interval is without its own rating
    return Interval(min(value, max(scale.lower, float(lower))), max(value, min(scale.upper, float(upper))))


def _rounds(guesses: Guesses, ratings: Floats, method: str, *, rng: np.random.Generator, rounds: int) -> Floats:
    """Ratings of each round, shape (rounds, players); NaN for a player whom no guess of a round is about."""
    if not len(guesses):
        return np.full((rounds, guesses.players), np.nan)
    people, guesser = np.unique(guesses.guesser, return_inverse=True)
    at_once = max(1, _AT_ONCE // max(len(guesses), guesses.players))
    found = []
    for first in range(0, rounds, at_once):
        number = min(at_once, rounds - first)
        drawn = rng.integers(0, people.size, (number, people.size)) + np.arange(number)[:, None] * people.size
        weight = np.bincount(drawn.ravel(), minlength=number * people.size).reshape(number, -1).astype(np.float64)
        found.append(METHODS[method].refit(guesses.weighted(weight[:, guesser]), ratings))
    return np.concatenate(found)
