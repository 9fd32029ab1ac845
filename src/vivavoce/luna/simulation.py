"""Plays simulated games and measures how far ratings end up from intelligence (silver2016, section 3.3).

Two readings. The section as it is written; and as its figures seem to have been made (`as_published`), with four slips of an
early program: the percentile function was given a share where it wants percents, so that quantile guessers guess about the
lowest rating; a player's first guess is overwritten by the second; 5 is the standard deviation of guesses where the text has it
as their variance; and a player's place is taken among actual guesses of everybody, met or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Final

import numpy as np

from vivavoce.errors import BadInput, UnknownName
from vivavoce.luna import rating_fit
from vivavoce.luna.config import SimulationConfig
from vivavoce.luna.rating_fit import Indices
from vivavoce.luna.ratings import METHODS
from vivavoce.luna.strategies import Mixture, Strategy, all_kinds, at_place, places, unlooking
from vivavoce.luna.worlds import Worlds, draw
from vivavoce.statistics.betting import Floats

PUBLISHED_DEVIATION: Final = 5.0
TRIALS_AT_ONCE: Final = 50
"""What fits into a processor's cache, and what one worker gets."""


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """How far ratings are from intelligence, for one mixture and one way of rating; a row for each of the mixture's times."""

    mean: Floats
    """Over players with a rating, shape (times, trials); NaN where nobody has one."""
    largest: Floats
    """The largest, likewise."""
    of_last: Floats
    """Rating less intelligence of the last player, whom detractors and boosters are after; likewise."""


def simulate(
    config: SimulationConfig,
    mixtures: Sequence[Mixture],
    *,
    methods: Sequence[str] = ("mean",),
    as_published: bool = False,
    executor: Executor | None = None,
) -> list[Mapping[str, Errors]]:
    """The errors of each mixture by way of rating, in order. The same numbers with any executor, and with none.

    Parameters
    ----------
    methods: names of `METHODS`.
    as_published: with the slips behind the thesis' figures; its rating is the mean alone.

    Raises `BadInput` for a time after the last step, `UnknownName` for an unknown way of rating.

    >>> (found,) = simulate(SimulationConfig(trials=10), [Mixture()])
    >>> bool(0.4 < found["mean"].mean.mean() < 0.5)
    True
    """
    for method in methods:
        if method not in METHODS:
            raise UnknownName("rating", method, METHODS)
    latest = max((max(mixture.times) for mixture in mixtures), default=0)
    if latest > config.steps:
        raise BadInput(f"errors after {latest} games, and {config.steps} are played: play at least as many")
    if as_published and tuple(methods) != ("mean",):
        raise BadInput("the published figures rest on the mean: ask for no other rating with them")
    tasks = [
        (config, tuple(mixtures), tuple(methods), as_published, range(first, min(first + TRIALS_AT_ONCE, config.trials)))
        for first in range(0, config.trials, TRIALS_AT_ONCE)
    ]
    parts = list(map(_part, tasks) if executor is None else executor.map(_part, tasks))
    return [{name: _joined([part[place][name] for part in parts]) for name in methods} for place in range(len(mixtures))]


def reported(worlds: Worlds, mixtures: Sequence[Mixture], *, as_published: bool = False) -> list[Floats]:
    """What players report in each mixture, shape (trials, steps, 2)."""
    found = [unlooking(worlds, mixture) for mixture in mixtures]
    looking = [place for place, mixture in enumerate(mixtures) if mixture.looks]
    if looking:
        made = _looking(worlds, [mixtures[place] for place in looking], [found[place] for place in looking], as_published)
        for place, values in zip(looking, made, strict=True):
            found[place] = values
    return found


def errors(worlds: Worlds, values: Floats, mixture: Mixture, *, method: str = "mean", as_published: bool = False) -> Errors:
    """How far the ratings that come from these guesses are from intelligence."""
    rows = []
    for time in mixture.times:
        if method == "mean":
            ratings = _means(worlds, values, time, as_published)
        else:
            ratings = _fitted(worlds, values, time, mixture, method)
        rows.append(_distances(ratings, worlds.intelligence))
    mean, largest, of_last = (np.stack(row) for row in zip(*rows, strict=True))
    return Errors(mean, largest, of_last)


def _part(task: tuple[SimulationConfig, tuple[Mixture, ...], tuple[str, ...], bool, range]) -> list[dict[str, Errors]]:
    config, mixtures, methods, as_published, trials = task
    worlds = draw(config, trials, deviation=PUBLISHED_DEVIATION if as_published else None)
    made = reported(worlds, mixtures, as_published=as_published)
    return [
        {name: errors(worlds, values, mixture, method=name, as_published=as_published) for name in methods}
        for mixture, values in zip(mixtures, made, strict=True)
    ]


def _joined(parts: Sequence[Errors]) -> Errors:
    return Errors(*(np.concatenate([getattr(part, name) for part in parts], axis=1) for name in ("mean", "largest", "of_last")))


def _looking(worlds: Worlds, mixtures: Sequence[Mixture], given: Sequence[Floats], as_published: bool) -> list[Floats]:
    """Game after game, all mixtures and trials in step: a row for each."""
    n, trials = worlds.players, worlds.trials
    steps = max(max(mixture.times) for mixture in mixtures)
    trial = np.tile(np.arange(trials), len(mixtures))
    kinds = np.repeat(all_kinds(mixtures, n), trials, axis=0)
    delay = np.repeat([mixture.delay for mixture in mixtures], trials)
    made = np.concatenate(given)
    place = places(worlds, among_all=as_published)[trial] / (100 if as_published else 1)
    rows, table = np.arange(len(trial)), _Table(len(trial), n, as_published)
    # kinds of who guesses in each game, by step first: what is read together lies together
    meeting = np.ascontiguousarray(worlds.meeting.transpose(1, 2, 0)[:, :, trial])
    for step in range(steps):
        for side in (0, 1):
            kind = kinds[rows, meeting[step, side]]
            kind[(delay > step) | (table.rated == 0)] = Strategy.HONEST
            averaging = np.flatnonzero(kind == Strategy.MEAN)
            if averaging.size:
                made[averaging, step, side] = table.mean()[averaging]
            ranking = np.flatnonzero((kind == Strategy.QUANTILE) & ~np.isnan(place[:, step, side]))
            if ranking.size:
                made[ranking, step, side] = table.quantile(ranking, place[ranking, step, side])
        for side in (0, 1):
            table.receive(meeting[step, 1 - side], made[:, step, side])
    return np.split(made, len(mixtures))


class _Table:
    """Ratings of the moment, a row for each game that is played in step."""

    def __init__(self, rows: int, players: int, as_published: bool) -> None:
        self._rows = np.arange(rows)
        self._ordered = np.full((rows, players), np.inf)  # infinite without a rating: sorts last
        self._by_player = np.zeros((players, max(2, rows)))  # of a single row numpy would add up pairs
        self._sums, self._counts = np.zeros((rows, players)), np.zeros((rows, players), dtype=np.int64)
        self._as_published = as_published
        self.rated = np.zeros(rows, dtype=np.int64)
        """Players with a rating."""

    def mean(self) -> Floats:
        """Added up player after player, which a plain loop does too."""
        return np.asarray(np.add.reduce(self._by_player, axis=0)[: self._rows.size] / np.maximum(self.rated, 1))

    def quantile(self, rows: Indices, place: Floats) -> Floats:
        return at_place(np.sort(self._ordered[rows], axis=1), self.rated[rows], place)

    def receive(self, player: Indices, guess: Floats) -> None:
        at = (self._rows, player)
        counts, sums = self._counts[at], self._sums[at] + guess
        self.rated += counts == 0
        number = counts + 1
        if self._as_published:
            sums, number = np.where(counts == 1, guess, sums), np.maximum(counts, 1)
        self._sums[at], self._counts[at] = sums, counts + 1
        self._ordered[at] = self._by_player[player, self._rows] = sums / number


def _means(worlds: Worlds, values: Floats, time: int, as_published: bool) -> Floats:
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


def _fitted(worlds: Worlds, values: Floats, time: int, mixture: Mixture, method: str) -> Floats:
    """Ratings by any other way, of the players themselves; throwaway accounts are players of one guess."""
    n, guesser = worlds.players, worlds.meeting[:, :time].reshape(worlds.trials, -1)
    target = worlds.meeting[:, :time, ::-1].reshape(worlds.trials, -1)
    players = n
    if any(kind == Strategy.THROWAWAY for kind, _ in mixture.shares):
        own = n + np.arange(guesser.shape[1])
        guesser = np.where(mixture.strategies(n)[guesser] == Strategy.THROWAWAY, own, guesser)
        players += guesser.shape[1]
    guess = values[:, :time].reshape(worlds.trials, -1)
    stack = rating_fit.stacked(guesser, target, guess, np.ones(guess.shape), players=players)
    return METHODS[method].fit(stack)[:, :n]


def _distances(ratings: Floats, intelligence: Floats) -> tuple[Floats, Floats, Floats]:
    rated = ~np.isnan(ratings)
    distance = np.where(rated, np.abs(ratings - intelligence), 0.0)
    number = rated.sum(axis=1)
    total = np.cumsum(distance, axis=1)[:, -1]  # one after the other: a sum may go in pairs where there is a single trial
    mean = np.where(number > 0, total / np.maximum(number, 1), np.nan)
    return mean, np.where(number > 0, distance.max(axis=1), np.nan), ratings[:, -1] - intelligence[:, -1]
