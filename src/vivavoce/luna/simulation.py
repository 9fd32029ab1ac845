"""Simulated players, their strategies, and how far ratings end up from intelligence (silver2016, sections 3.2 and 3.3).

Opinions and meetings are drawn before any game is played, so all strategies and ratings are compared on the same players.

Strategies that look only at the two players are computed for all games at once. Mean and quantile guessing look at current
ratings, so all trials go through the games in step.

There are two readings of section 3.3: the text as written, and the program behind its figures (`as_published`).

That program seems to have four slips. Its percentile function got a share instead of a percentage, so quantile guessers guess
about the lowest rating. A player's first guess is overwritten by the second. 5 is the standard deviation of guesses, where the
text has it as their variance. A player's place is computed among actual guesses about all players, met or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from enum import IntEnum
from math import fsum, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadInput, UnknownName
from vivavoce.luna.ratings import METHODS, Indices, stacked
from vivavoce.luna.settings import SimulationConfig
from vivavoce.statistics.betting import Floats


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedWorlds:
    """Some trials of a simulation. The first axis of each array is the trial."""

    actual: Floats
    """The first player's opinion of the second, shape (trials, players, players)."""
    drift: Floats
    """Each player's final value minus its initial one, shape (trials, players)."""
    meeting: Indices
    """The two players of each game, shape (trials, steps, 2)."""
    chance: Floats
    """The first player's random guess about the second, shape (trials, players, players). A repeated meeting repeats the guess,
    as in Definition 1 of the thesis."""
    intelligence: Floats
    """The final ratings to aim at, shape (trials, players)."""

    @property
    def players(self) -> int:
        return int(self.actual.shape[1])

    @property
    def trials(self) -> int:
        return int(self.actual.shape[0])

    def guessed(self) -> Floats:
        """Each player's actual guess about the other in each game, shape (trials, steps, 2)."""
        guesses = self._about_the_other(self.actual)
        if not self.drift.any():
            return guesses
        steps = self.meeting.shape[1]
        left = np.arange(1, steps + 1) / steps - 1
        trial = np.arange(self.trials)[:, None, None]
        return np.asarray(guesses + self.drift[trial, self.meeting[:, :, ::-1]] * left[:, None])

    def at_random(self) -> Floats:
        """Each player's random guess in each game, shape (trials, steps, 2)."""
        return self._about_the_other(self.chance)

    def _about_the_other(self, pairs: Floats) -> Floats:
        return np.asarray(pairs[np.arange(self.trials)[:, None, None], self.meeting, self.meeting[:, :, ::-1]])


def draw(config: SimulationConfig, trials: range, *, deviation: float | None = None) -> SimulatedWorlds:
    """These trials; each has its own random numbers, so it does not depend on the others.

    Parameters
    ----------
    deviation: of actual guesses; by default the root of the variance of honest guesses.

    >>> worlds = draw(SimulationConfig(players=4, steps=10), range(3))
    >>> worlds.actual.shape, worlds.meeting.shape
    ((3, 4, 4), (3, 10, 2))
    >>> bool((worlds.actual[2] == draw(SimulationConfig(players=4, steps=10), range(2, 3)).actual[0]).all())
    True
    """
    deviation = sqrt(config.variance) if deviation is None else deviation
    made = [_trial(config, np.random.default_rng((config.seed, trial)), deviation) for trial in trials]
    actual, drift, meeting, chance, intelligence = (np.stack(arrays) for arrays in zip(*made, strict=True))
    return SimulatedWorlds(actual, drift, meeting, chance, intelligence)


def _trial(config: SimulationConfig, rng: np.random.Generator, deviation: float) -> tuple[NDArray[np.generic], ...]:
    n, steps = config.players, config.steps
    values = rng.uniform(0.0, 100.0, n)
    actual = values + deviation * rng.standard_normal((n, n))
    severity, drift = rng.standard_normal(n), rng.standard_normal(n)
    intelligence = values if config.truth == "value" else np.add.reduce(actual, axis=0) / n
    meeting = np.empty((steps, 2), dtype=np.int64)
    meeting[:, 0] = rng.integers(0, n, steps)
    meeting[:, 1] = (meeting[:, 0] + rng.integers(1, n, steps)) % n
    chance = rng.uniform(0.0, 100.0, (n, n))
    return actual + config.severity * severity[:, None], config.drift * drift, meeting, chance, intelligence


class Strategy(IntEnum):
    """How a player guesses."""

    HONEST = 0
    RANDOM = 1
    """Uniformly from 0 to 100, repeated for a player met again."""
    MINIMUM = 2
    """Always 0."""
    MEAN = 3
    """The mean of all current ratings; the actual guess if there are none."""
    QUANTILE = 4
    """The rating at the rank of the actual guess among the player's earlier ones."""
    CONSTANT = 5
    """Always 50."""
    BLOC = 6
    """100 for players who follow this strategy too, 0 for all others."""
    DETRACTOR = 7
    """0 for one player, the last; honest about all others."""
    BOOSTER = 8
    """100 for one player, the last; honest about all others."""
    THROWAWAY = 9
    """Always 0, each guess from a separate account."""


LOOKING: Final = (Strategy.MEAN, Strategy.QUANTILE)
"""Strategies that look at current ratings."""


@dataclass(frozen=True, slots=True)
class StrategyMixture:
    """The shares of strategies, and the times at which errors are measured."""

    shares: tuple[tuple[Strategy, float], ...] = ()
    """Shares of players; all others are honest."""
    delay: int = 0
    """Initial games in which all players are honest."""
    times: tuple[int, ...] = (1_000,)
    """Numbers of games."""
    together: float | None = None
    """Divide this share of players evenly among the strategies, instead of using their shares."""

    def __post_init__(self) -> None:
        total = fsum(share for _, share in self.shares) if self.together is None else self.together
        if any(share < 0 for _, share in self.shares) or not 0 <= total <= 1 + 1e-9:
            raise BadInput(f"the shares of strategies add up to {total:g}; each must be 0 or more, and their sum at most 1")
        if not self.times or min(self.times) < 1 or self.delay < 0:
            raise BadInput("errors are measured after 1 game or more, and a delay is 0 or more games")

    def strategies(self, players: int) -> Indices:
        """The strategy of each player; the honest ones come last.

        >>> StrategyMixture(((Strategy.MINIMUM, 0.5),)).strategies(4).tolist()
        [2, 2, 0, 0]
        >>> StrategyMixture(((Strategy.MINIMUM, 0), (Strategy.MEAN, 0)), together=0.75).strategies(4).tolist()
        [2, 3, 2, 0]
        """
        kinds_of_players = np.zeros(players, dtype=np.int64)
        if self.together is not None:
            number = round(self.together * players)
            kinds = [int(kind) for kind, _ in self.shares]
            kinds_of_players[:number] = np.resize(kinds, number)
            return kinds_of_players
        index = 0
        for kind, share in self.shares:
            end = min(players, index + round(share * players))
            kinds_of_players[index:end] = kind
            index = end
        return kinds_of_players

    @property
    def looks(self) -> bool:
        """Whether any strategy looks at ratings."""
        return any(kind in LOOKING for kind, _ in self.shares)


def unlooking(worlds: SimulatedWorlds, mixture: StrategyMixture) -> Floats:
    """Guesses of all players who do not look at ratings, shape (trials, steps, 2); actual guesses for the others."""
    kinds = mixture.strategies(worlds.players)
    kind, other = kinds[worlds.meeting], worlds.meeting[:, :, ::-1]
    kind[:, : mixture.delay] = Strategy.HONEST
    last = other == worlds.players - 1
    guesses = np.where(kind == Strategy.RANDOM, worlds.at_random(), worlds.guessed())
    guesses[np.isin(kind, (Strategy.MINIMUM, Strategy.THROWAWAY))] = 0.0
    guesses[kind == Strategy.CONSTANT] = 50.0
    members = kind == Strategy.BLOC
    guesses[members] = np.where(kinds[other] == Strategy.BLOC, 100.0, 0.0)[members]
    guesses[(kind == Strategy.DETRACTOR) & last] = 0.0
    guesses[(kind == Strategy.BOOSTER) & last] = 100.0
    return guesses


def places(worlds: SimulatedWorlds, *, among_all: bool) -> Floats:
    """The share of the guesser's own guesses that is not above each actual guess; shape (trials, steps, 2).

    Parameters
    ----------
    among_all: compare with opinions of all players, met or not; else with those met before, NaN in the first game.
    """
    actual = worlds.guessed()
    shares = np.empty(actual.shape)
    for trial in range(worlds.trials):
        guessers, values = worlds.meeting[trial].ravel(), actual[trial].ravel()
        if among_all:
            rows = np.sort(worlds.actual[trial], axis=1)[guessers]
            shares[trial] = ((rows <= values[:, None]).sum(axis=1) / worlds.players).reshape(-1, 2)
        else:
            shares[trial] = _among_earlier(guessers, values, worlds.players).reshape(-1, 2)
    return shares


def at_place(ordered: Floats, number: Indices, share: Floats) -> Floats:
    """The quantile of each row at `share`, a share of its players, with linear interpolation as in `numpy.percentile`.

    Parameters
    ----------
    ordered: shape (rows, players), ascending; only the first `number` of a row count.

    >>> at_place(np.array([[10.0, 20.0, 40.0, np.inf]]), np.array([3]), np.array([0.75])).tolist()
    [30.0]
    """
    position = share * (number - 1)
    lower = np.floor(position).astype(np.int64)
    rows = np.arange(len(ordered))
    below, above = ordered[rows, lower], ordered[rows, np.minimum(lower + 1, number - 1)]
    return np.asarray(below + (above - below) * (position - lower))


def _among_earlier(guessers: Indices, values: Floats, players: int) -> Floats:
    order = np.argsort(guessers, kind="stable")
    counts = np.bincount(guessers, minlength=players)
    column = np.arange(order.size) - np.repeat(np.cumsum(counts) - counts, counts)
    table = np.full((players, int(counts.max(initial=1))), np.inf)
    table[guessers[order], column] = values[order]
    below = (table[:, None, :] <= table[:, :, None]) & np.tri(table.shape[1], k=-1, dtype=bool)
    earlier = below.sum(axis=2)[guessers[order], column]
    shares = np.empty(order.size)
    shares[order] = np.where(column > 0, earlier / np.maximum(column, 1), np.nan)
    return shares


PUBLISHED_DEVIATION: Final = 5.0
TRIALS_AT_ONCE: Final = 50
"""Fits into a processor's cache, and is one worker's share."""


@dataclass(frozen=True, slots=True, eq=False)
class RatingErrors:
    """How far ratings are from intelligence, for one mixture and one method; a row for each time of the mixture."""

    mean: Floats
    """Mean over players with a rating, shape (times, trials); NaN without ratings."""
    largest: Floats
    """The largest distance, of the same shape."""
    of_last: Floats
    """Rating minus intelligence of the last player, the target of detractors and boosters; of the same shape."""


def simulate(
    config: SimulationConfig,
    mixtures: Sequence[StrategyMixture],
    *,
    methods: Sequence[str] = ("mean",),
    as_published: bool = False,
    executor: Executor | None = None,
) -> list[Mapping[str, RatingErrors]]:
    """For each mixture in order, the errors by method. The numbers do not depend on the executor.

    Parameters
    ----------
    methods: names of `METHODS`.
    as_published: with the slips behind the thesis' figures; then the only rating is the mean.

    Raises `BadInput` for a time after the last step, `UnknownName` for an unknown method.

    >>> (found,) = simulate(SimulationConfig(trials=10), [StrategyMixture()])
    >>> bool(0.4 < found["mean"].mean.mean() < 0.5)
    True
    """
    for method in methods:
        if method not in METHODS:
            raise UnknownName("rating", method, METHODS)
    latest = max((max(mixture.times) for mixture in mixtures), default=0)
    if latest > config.steps:
        raise BadInput(f"errors are measured after {latest} games, but only {config.steps} are played: play more games")
    if as_published and tuple(methods) != ("mean",):
        raise BadInput("the published figures have the mean only: leave out other ratings")
    tasks = [
        (config, tuple(mixtures), tuple(methods), as_published, range(first, min(first + TRIALS_AT_ONCE, config.trials)))
        for first in range(0, config.trials, TRIALS_AT_ONCE)
    ]
    parts = list(map(_part, tasks) if executor is None else executor.map(_part, tasks))
    return [{name: _joined([part[index][name] for part in parts]) for name in methods} for index in range(len(mixtures))]


def reported(worlds: SimulatedWorlds, mixtures: Sequence[StrategyMixture], *, as_published: bool = False) -> list[Floats]:
    """The players' guesses in each mixture, shape (trials, steps, 2)."""
    guesses = [unlooking(worlds, mixture) for mixture in mixtures]
    looking = [index for index, mixture in enumerate(mixtures) if mixture.looks]
    if looking:
        made = _looking(worlds, [mixtures[index] for index in looking], [guesses[index] for index in looking], as_published)
        for index, values in zip(looking, made, strict=True):
            guesses[index] = values
    return guesses


def errors(
    worlds: SimulatedWorlds, values: Floats, mixture: StrategyMixture, *, method: str = "mean", as_published: bool = False
) -> RatingErrors:
    """How far the ratings from these guesses are from intelligence."""
    rows = []
    for time in mixture.times:
        if method == "mean":
            ratings = _means(worlds, values, time, as_published)
        else:
            ratings = _fitted(worlds, values, time, mixture, method)
        rows.append(_distances(ratings, worlds.intelligence))
    mean, largest, of_last = (np.stack(row) for row in zip(*rows, strict=True))
    return RatingErrors(mean, largest, of_last)


def _part(
    task: tuple[SimulationConfig, tuple[StrategyMixture, ...], tuple[str, ...], bool, range],
) -> list[dict[str, RatingErrors]]:
    config, mixtures, methods, as_published, trials = task
    worlds = draw(config, trials, deviation=PUBLISHED_DEVIATION if as_published else None)
    made = reported(worlds, mixtures, as_published=as_published)
    return [
        {name: errors(worlds, values, mixture, method=name, as_published=as_published) for name in methods}
        for mixture, values in zip(mixtures, made, strict=True)
    ]


def _joined(parts: Sequence[RatingErrors]) -> RatingErrors:
    return RatingErrors(
        *(np.concatenate([getattr(part, name) for part in parts], axis=1) for name in ("mean", "largest", "of_last"))
    )


def _looking(
    worlds: SimulatedWorlds, mixtures: Sequence[StrategyMixture], given: Sequence[Floats], as_published: bool
) -> list[Floats]:
    """Plays the games one by one, with all mixtures and trials in step: a row for each."""
    n, trials = worlds.players, worlds.trials
    steps = max(max(mixture.times) for mixture in mixtures)
    trial = np.tile(np.arange(trials), len(mixtures))
    kinds = np.repeat(np.stack([mixture.strategies(n) for mixture in mixtures]), trials, axis=0)
    delay = np.repeat([mixture.delay for mixture in mixtures], trials)
    made = np.concatenate(given)
    values = places(worlds, among_all=as_published)[trial] / (100 if as_published else 1)
    rows, table = np.arange(len(trial)), _Table(len(trial), n, as_published)
    # step is the first axis, so that values used together are adjacent in memory
    meeting = np.ascontiguousarray(worlds.meeting.transpose(1, 2, 0)[:, :, trial])
    for step in range(steps):
        for side in (0, 1):
            kind = kinds[rows, meeting[step, side]]
            kind[(delay > step) | (table.rated == 0)] = Strategy.HONEST
            averaging = np.flatnonzero(kind == Strategy.MEAN)
            if averaging.size:
                made[averaging, step, side] = table.mean()[averaging]
            ranking = np.flatnonzero((kind == Strategy.QUANTILE) & ~np.isnan(values[:, step, side]))
            if ranking.size:
                made[ranking, step, side] = table.quantile(ranking, values[ranking, step, side])
        for side in (0, 1):
            table.receive(meeting[step, 1 - side], made[:, step, side])
    return np.split(made, len(mixtures))


class _Table:
    """Current ratings, a row for each mixture and trial."""

    def __init__(self, rows: int, players: int, as_published: bool) -> None:
        self._rows = np.arange(rows)
        self._ordered = np.full((rows, players), np.inf)  # players without a rating sort last
        self._by_player = np.zeros((players, max(2, rows)))  # with a single row numpy would sum pairwise
        self._sums, self._counts = np.zeros((rows, players)), np.zeros((rows, players), dtype=np.int64)
        self._as_published = as_published
        self.rated = np.zeros(rows, dtype=np.int64)
        """Players with a rating."""

    def mean(self) -> Floats:
        """Summed player by player, in the order of a plain loop."""
        return np.asarray(np.add.reduce(self._by_player, axis=0)[: self._rows.size] / np.maximum(self.rated, 1))

    def quantile(self, rows: Indices, share: Floats) -> Floats:
        return at_place(np.sort(self._ordered[rows], axis=1), self.rated[rows], share)

    def receive(self, player: Indices, guess: Floats) -> None:
        at = (self._rows, player)
        counts, sums = self._counts[at], self._sums[at] + guess
        self.rated += counts == 0
        number = counts + 1
        if self._as_published:
            sums, number = np.where(counts == 1, guess, sums), np.maximum(counts, 1)
        self._sums[at], self._counts[at] = sums, counts + 1
        self._ordered[at] = self._by_player[player, self._rows] = sums / number


def _means(worlds: SimulatedWorlds, values: Floats, time: int, as_published: bool) -> Floats:
    """Mean ratings after this many games, shape (trials, players)."""
    trials, n = worlds.trials, worlds.players
    target = (worlds.meeting[:, :time, ::-1] + np.arange(trials)[:, None, None] * n).ravel()
    guess = values[:, :time].ravel()
    counts = np.bincount(target, minlength=trials * n)
    if as_published:
        first = np.full(trials * n, -1)
        first[target[::-1]] = np.arange(target.size)[::-1]
        overwritten = first[counts > 1]
        guess = guess.copy()
        guess[overwritten] = 0.0
        counted = np.where(counts > 1, counts - 1, counts)
    else:
        counted = counts
    sums = np.bincount(target, guess, trials * n)
    return np.where(counts > 0, sums / np.maximum(counted, 1), np.nan).reshape(trials, n)


def _fitted(worlds: SimulatedWorlds, values: Floats, time: int, mixture: StrategyMixture, method: str) -> Floats:
    """Ratings of the players by another method; each throwaway account is a separate player with one guess."""
    n, guesser = worlds.players, worlds.meeting[:, :time].reshape(worlds.trials, -1)
    target = worlds.meeting[:, :time, ::-1].reshape(worlds.trials, -1)
    players = n
    if any(kind == Strategy.THROWAWAY for kind, _ in mixture.shares):
        own = n + np.arange(guesser.shape[1])
        guesser = np.where(mixture.strategies(n)[guesser] == Strategy.THROWAWAY, own, guesser)
        players += guesser.shape[1]
    guess = values[:, :time].reshape(worlds.trials, -1)
    stack = stacked(guesser, target, guess, np.ones(guess.shape), players=players)
    return METHODS[method].fit(stack, None)[:, :n]


def _distances(ratings: Floats, intelligence: Floats) -> tuple[Floats, Floats, Floats]:
    rated = ~np.isnan(ratings)
    distance = np.where(rated, np.abs(ratings - intelligence), 0.0)
    number = rated.sum(axis=1)
    total = np.cumsum(distance, axis=1)[:, -1]  # cumsum adds in order; with a single trial sum may add pairwise
    mean = np.where(number > 0, total / np.maximum(number, 1), np.nan)
    return mean, np.where(number > 0, distance.max(axis=1), np.nan), ratings[:, -1] - intelligence[:, -1]
