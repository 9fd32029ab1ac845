"""Ratings from guesses: the mean (the published rating), two robust ratings, and bootstrap intervals for all three.

The mean is silver2016's, section 2.4. The robust ratings are our own; they give less weight to guessers far from others.
All methods use every guess they get: remove machines' guesses first (`vivavoce.luna.games_file.LunaGames.counted`).

The robust model: a guess is the player's rating, plus optionally the guesser's severity, plus an error with the guesser's own
variance. Each round computes residuals from the other guesses, each guesser's spread, weights, and new ratings as weighted
means. The weight is 1 for a guesser within `TOLERANCE` times the spread of the most consistent quarter, and less above it. The
first round starts from each player's median guess. Everything is one `bincount` over all rows, so a bootstrap of a thousand
rounds, or a hundred simulated worlds, costs no more than its sums.

The bootstrap resamples guessers and refits the rating.

A guesser is drawn with all games: repeated guesses of one person about another are alike, so they carry less information than
guesses of different people. In a game only one person guesses about a player, so the games of a rating are drawn with its
guessers.

The ends are percentiles of the rounds, at levels widened for few guessers as in `hesterberg2015`, section 4.2. For the mean of
n values, the level is of Student's t with n - 1 degrees of freedom times the root of n / (n - 1). So the interval is Student's
t for normal guesses, and keeps the skew of the rounds for others. Here n is the number of guessers with equally
many meetings who would carry as much information.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, stdtrit

from vivavoce.errors import BadInput
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.luna.rules import HIGHEST, LOWEST
from vivavoce.statistics.betting import Floats

Indices = NDArray[np.int64]

ROUNDS: Final = 40
TOLERANCE: Final = 1.5
"""Multiple of the consistent quarter's variance with full weight; above it, weight falls as one over the variance."""
FAR: Final = 5.0
"""Multiple from which weight falls with the square: such guessers follow no rating at all."""
QUARTER: Final = 0.25
"""Share of guesses, by the most consistent guessers, that sets the scale."""
PRIOR: Final = 8.0
"""Average guesses added to each guesser's variance, so that a guesser with few guesses gets no extreme weight. These four
numbers were chosen on simulated worlds that no test uses. A larger `TOLERANCE` suits honest players but resists fewer dishonest
ones: at 2, the rating with severity fails if half of the players are dishonest."""
SMALLEST: Final = 0.25
"""Smallest variance that matters when comparing guessers: half a point of the scale."""
CLOSE: Final = 1e-6


@dataclass(frozen=True, slots=True)
class GuessStack:
    """Sets of guesses, a row each; players are numbered across rows: row times `players` plus the player's number."""

    guesser: Indices
    target: Indices
    value: Floats
    weight: Floats
    """How often each guess counts; 0 if it is not in its row."""
    rows: int
    players: int

    def by_guesser(self, values: Floats) -> Floats:
        """Sums over the guesses that each player of each row made."""
        return np.asarray(np.bincount(self.guesser, values, self.rows * self.players), dtype=np.float64)

    def by_target(self, values: Floats) -> Floats:
        """Sums over the guesses that each player of each row received."""
        return np.asarray(np.bincount(self.target, values, self.rows * self.players), dtype=np.float64)


def stacked(guesser: Indices, target: Indices, value: Floats, weight: Floats, *, players: int) -> GuessStack:
    """A stack with the rows of `weight`; the other arrays may share one row.

    Parameters
    ----------
    guesser, target, value: shape (rows, guesses) or (guesses,).
    weight: shape (rows, guesses).
    """
    rows = weight.shape[0]
    first = np.arange(rows, dtype=np.int64)[:, None] * players
    flat = [np.broadcast_to(array + first, weight.shape).ravel() for array in (guesser, target)]
    return GuessStack(flat[0], flat[1], np.broadcast_to(value, weight.shape).ravel(), weight.ravel(), rows, players)


def means(stack: GuessStack, _: Floats | None = None) -> Floats:
    """The mean guess about each player, shape (rows, players); NaN without guesses."""
    return _ratio(stack.by_target(stack.weight * stack.value), stack.by_target(stack.weight)).reshape(stack.rows, -1)


def medians(stack: GuessStack) -> Floats:
    """The median guess about each player, without weights; NaN without guesses."""
    order = np.lexsort((stack.value, stack.target))
    ordered = stack.value[order]
    counts = np.bincount(stack.target, minlength=stack.rows * stack.players)
    first = np.cumsum(counts) - counts
    middle = [np.minimum(first + places, ordered.size - 1) for places in ((counts - 1) // 2, counts // 2)]
    middle_values = (ordered[middle[0]] + ordered[middle[1]]) / 2 if ordered.size else np.zeros(counts.size)
    return np.where(counts > 0, middle_values, np.nan).reshape(stack.rows, -1)


def robust(stack: GuessStack, *, start: Floats, severity: bool, rounds: int = ROUNDS) -> Floats:
    """Robust weighted means (see the module's docstring), shape (rows, players); NaN without guesses.

    Parameters
    ----------
    start: initial ratings, shape (rows, players) or (players,); NaN counts as unknown.
    severity: whether to remove each guesser's own level.
    """
    counted, received = stack.by_guesser(stack.weight), stack.by_target(stack.weight)
    ratings = np.broadcast_to(np.nan_to_num(start), (stack.rows, stack.players)).ravel()
    level, pulled, trust = np.zeros(ratings.size), np.zeros(ratings.size), np.ones(ratings.size)
    moving = np.ones(stack.rows, dtype=bool)
    for turn in range(rounds):
        if severity:
            level, pulled = _levels(stack, ratings, counted, trust)
        residual = stack.value - ratings[stack.target] - level[stack.guesser]
        values = stack.weight
        if turn:  # exclude each guesser's own guess from the rating; the initial medians need no such correction
            residual, values = _from_others(stack, residual, stack.weight * trust[stack.guesser])
        residual = residual / (1 - pulled[stack.guesser])
        trust = _trust(stack, residual, values)
        weight = stack.weight * trust[stack.guesser]
        new = np.nan_to_num(_ratio(stack.by_target(weight * (stack.value - level[stack.guesser])), stack.by_target(weight)))
        still = np.abs(new - ratings).reshape(stack.rows, -1).max(axis=1, initial=0.0) >= CLOSE
        ratings = np.where(np.repeat(moving, stack.players), new, ratings)
        moving &= still  # each row stops independently of the others
        if not moving.any():
            break
    return np.where(received > 0, ratings, np.nan).reshape(stack.rows, -1)


def _from_others(stack: GuessStack, residual: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Distances to the rating by all other guessers, and their weights: 0 if there is no other guesser."""
    shared = weight / np.maximum(stack.by_target(weight)[stack.target], 1e-300)
    alone = shared > 1 - 1e-9
    return np.where(alone, 0.0, residual / np.where(alone, 1.0, 1 - shared)), np.where(alone, 0.0, stack.weight)


def _trust(stack: GuessStack, residual: Floats, weight: Floats) -> Floats:
    """The weight of each guesser."""
    shape = (stack.rows, stack.players)
    number, squares = stack.by_guesser(weight).reshape(shape), stack.by_guesser(weight * residual**2).reshape(shape)
    scale = np.maximum(_quarter(_ratio(squares, number), number), SMALLEST)[:, None]
    share = TOLERANCE * scale * (number + PRIOR) / (squares + PRIOR * scale)
    return np.asarray(np.minimum(1.0, share) * np.minimum(1.0, FAR * share)).ravel()


def _levels(stack: GuessStack, ratings: Floats, counted: Floats, trust: Floats) -> tuple[Floats, Floats]:
    """How far above the ratings each guesser is, shrunk towards the trusted guessers as far as chance explains it.

    Also the share of one guess in its guesser's level.
    """
    excess = stack.value - ratings[stack.target]
    shape = (stack.rows, stack.players)
    raw = np.nan_to_num(_ratio(stack.by_guesser(stack.weight * excess), counted))
    within = stack.by_guesser(stack.weight * (excess - raw[stack.guesser]) ** 2).reshape(shape)
    raw, number = raw.reshape(shape), counted.reshape(shape)
    noise = np.maximum(_quarter(_ratio(within, number - 1), number - 1), SMALLEST)[:, None]
    trusted = trust.reshape(shape) * number
    total = np.maximum(trusted.sum(axis=1), 1e-300)[:, None]
    centre = (trusted * raw).sum(axis=1)[:, None] / total
    chance = (trusted * noise / np.maximum(number, 1)).sum(axis=1)[:, None] / total
    between = (trusted * (raw - centre) ** 2).sum(axis=1)[:, None] / total - chance
    pull = noise / np.maximum(between, noise / 100)
    return np.asarray((raw - centre) * number / (number + pull)).ravel(), np.asarray(1 / (np.maximum(number, 1) + pull)).ravel()


def _ratio(above: Floats, below: Floats) -> Floats:
    """NaN where the denominator is 0."""
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan)


def _quarter(values: Floats, weight: Floats) -> Floats:
    """For each row, the value at or below which a quarter of the weight lies; 0 for a row without weight."""
    order = np.argsort(values, axis=1)  # NaN sorts last
    ordered = np.take_along_axis(values, order, axis=1)
    up_to = np.cumsum(np.where(np.isnan(ordered), 0.0, np.take_along_axis(weight, order, axis=1)), axis=1)
    position = (up_to < QUARTER * up_to[:, -1:]).sum(axis=1)
    return np.asarray(np.nan_to_num(ordered[np.arange(len(ordered)), position]))


@dataclass(frozen=True, slots=True, eq=False)
class Guesses:
    """Guesses of players about players, oldest first.

    Parameters
    ----------
    guesser, target: numbers of players, from 0 to `players` - 1.
    value: one finite number for each guess.
    game: the number of each guess's game.

    Raises `BadInput` for lists of different lengths, player numbers out of range, or a guess that is not finite.

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
            raise BadInput(f"a player or game number is out of range; players are numbered from 0 to {players - 1}")
        if not np.isfinite(numbers).all():
            raise BadInput("a guess is not a finite number: leave out players who did not guess")
        for name, array in zip(("guesser", "target", "game", "value", "players"), (*whole, numbers, players), strict=True):
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return int(self.value.size)

    def taken(self, which: ArrayLike) -> Guesses:
        """The guesses selected by truth values or indices; players and games keep their numbers."""
        chosen = np.asarray(which)
        return Guesses(self.guesser[chosen], self.target[chosen], self.value[chosen], self.game[chosen], players=self.players)

    def weighted(self, weight: Floats) -> GuessStack:
        """A stack with these weights of the guesses, shape (rows, guesses)."""
        return stacked(self.guesser, self.target, self.value, weight, players=self.players)


@dataclass(frozen=True, slots=True)
class RatingMethod:
    """A method of rating."""

    words: str
    """A description for tables and pages."""
    fit: Callable[[GuessStack, Floats | None], Floats]
    """Ratings of each row from its guesses alone; in a bootstrap, starting from ratings of all guesses."""


def rated(guesses: Guesses, method: str) -> Floats:
    """Ratings by a method of `METHODS`, one for each player; NaN without guesses.

    `mean` is the published rating. `robust` distrusts guessers who are far from all others. It needs guessers who share
    targets; otherwise it is nearly the mean. It believes a bloc that agrees with itself and makes half of the guesses, since
    guesses alone do not show which half is honest.

    >>> honest = [(g, t, 20.0 * t) for g in range(5) for t in range(5) if g != t]
    >>> spoiled = honest + [(5, t, 0.0) for t in range(5)]
    >>> guesses = Guesses(*zip(*spoiled), range(len(spoiled)), players=6)
    >>> rated(guesses, "mean").round(1).tolist()[:5], rated(guesses, "robust").round(1).tolist()[:5]
    ([0.0, 16.0, 32.0, 48.0, 64.0], [0.0, 20.0, 40.0, 60.0, 80.0])
    """
    if not len(guesses):
        return np.full(guesses.players, np.nan)
    return np.asarray(METHODS[method].fit(guesses.weighted(np.ones((1, len(guesses)))), None)[0])


def _robust(stack: GuessStack, start: Floats | None = None) -> Floats:
    if start is None:
        return robust(stack, start=medians(stack), severity=False)
    return robust(stack, start=start, severity=False, rounds=AGAIN)


def _severity(stack: GuessStack, start: Floats | None = None) -> Floats:
    if start is None:
        return robust(stack, start=_robust(stack), severity=True)
    return robust(stack, start=start, severity=True, rounds=AGAIN)


AGAIN: Final = 12
"""Rounds from ratings that are nearly right."""
METHODS: Final[Mapping[str, RatingMethod]] = {
    "mean": RatingMethod("the mean of people's guesses", means),
    "robust": RatingMethod("a mean that trusts guessers who agree with others", _robust),
    "severity": RatingMethod("the same, without each guesser's severity", _severity),
}
"""Methods by name; the first is the published rating."""
SCALE: Final = Interval(LOWEST, HIGHEST)
_AT_ONCE: Final = 1 << 19
"""Guesses weighted at one time, over all rounds."""


def intervals(
    guesses: Guesses, method: str = "mean", *, rng: np.random.Generator, rounds: int, confidence: float = CONFIDENCE
) -> list[Estimate]:
    """Each player's rating with an interval; n guesses received.

    The interval covers the rating by other people of the same kind. It does not say that the rating is right: guessers who
    share an error share it in all rounds.

    A player without guesses has no value; a player with a single guesser has the interval of the whole scale.

    >>> guesses = Guesses([1, 2, 3, 1, 2], [0, 0, 0, 2, 1], [60.0, 70.0, 80.0, 50.0, 40.0], range(5), players=4)
    >>> first, second, _, nobody = intervals(guesses, rng=np.random.default_rng(0), rounds=1_000)
    >>> first.value, 40 < first.interval.lower < 60 < 80 < first.interval.upper < 100
    (70.0, True)
    >>> second.interval, nobody.value
    (Interval(lower=0.0, upper=100.0), None)
    """
    if rounds < 100 or not 0 < confidence < 1:
        raise BadInput(
            f"{rounds} rounds at confidence {confidence}: give at least 100 rounds, and a confidence strictly between 0 and 1"
        )
    ratings = rated(guesses, method)
    received = np.bincount(guesses.target, minlength=guesses.players)
    guessers = _guessers(guesses)
    again = _rounds(guesses, ratings, method, rng=rng, rounds=rounds)
    estimates = []
    for player, (value, number) in enumerate(zip(ratings.tolist(), received.tolist(), strict=True)):
        if not number:
            estimates.append(Estimate(None, SCALE, 0))
        elif guessers[player] <= 1:
            estimates.append(Estimate(value, SCALE, number))
        else:
            ends = _ends(again[:, player], value, float(guessers[player]), confidence, SCALE)
            estimates.append(Estimate(value, ends, number))
    return estimates


def difference_of(
    guesses: Guesses,
    first: int,
    second: int,
    method: str = "mean",
    *,
    rng: np.random.Generator,
    rounds: int,
) -> Estimate:
    """The second player's rating minus the first's; n guesses about both.

    A guesser of both is drawn with both guesses, so a guesser who always guesses high or low adds nothing. If different people
    guessed each of the two, `severity` removes how high they guess others.

    No value if one of them has no guesses; the widest interval if one has a single guesser.

    >>> guesses = Guesses([2, 3, 4, 2, 3, 4], [0, 0, 0, 1, 1, 1], [40.0, 50.0, 61.0, 50.0, 61.0, 70.0], range(6), players=5)
    >>> difference = difference_of(guesses, 0, 1, rng=np.random.default_rng(0), rounds=1_000)
    >>> difference.value, 7 < difference.interval.lower < 10 < difference.interval.upper < 13
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
    return Estimate(value, _ends(again[:, second] - again[:, first], value, guessers, CONFIDENCE, widest), number)


def _guessers(guesses: Guesses) -> Floats:
    """For each player, the equivalent number of guessers with equally many meetings; 0 without guesses.

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
    else:  # beyond the outermost round: the same multiple of the rounds' standard deviation
        half = -beyond * float(known.std())
        lower, upper = min(known[0], value - half), max(known[-1], value + half)
    # a rating without severity may lie outside the scale, but its interval must contain it
    return Interval(min(value, max(scale.lower, float(lower))), max(value, min(scale.upper, float(upper))))


def _rounds(guesses: Guesses, ratings: Floats, method: str, *, rng: np.random.Generator, rounds: int) -> Floats:
    """Ratings of each round, shape (rounds, players); NaN for a player without guesses in a round."""
    if not len(guesses):
        return np.full((rounds, guesses.players), np.nan)
    people, guesser = np.unique(guesses.guesser, return_inverse=True)
    at_once = max(1, _AT_ONCE // max(len(guesses), guesses.players))
    ratings_of_rounds = []
    for first in range(0, rounds, at_once):
        number = min(at_once, rounds - first)
        drawn = rng.integers(0, people.size, (number, people.size)) + np.arange(number)[:, None] * people.size
        weight = np.bincount(drawn.ravel(), minlength=number * people.size).reshape(number, -1).astype(np.float64)
        ratings_of_rounds.append(METHODS[method].fit(guesses.weighted(weight[:, guesser]), ratings))
    return np.concatenate(ratings_of_rounds)
