"""Ways of guessing in simulated games (silver2016, section 3.2), and who of the players follows which.

Those that look at nothing but the two players are computed for all games at once. Mean and quantile guessing look at the
ratings of the moment: for them all trials go through the games in step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import fsum
from typing import Final

import numpy as np

from vivavoce.errors import BadInput
from vivavoce.luna.rating_fit import Indices
from vivavoce.luna.worlds import Worlds
from vivavoce.statistics.betting import Floats


class Strategy(IntEnum):
    """How a player guesses."""

    HONEST = 0
    RANDOM = 1
    """Uniformly from 0 to 100, the same again for a player who is met again."""
    MINIMUM = 2
    """Always 0."""
    MEAN = 3
    """The mean of all ratings of the moment; the actual guess while nobody has one."""
    QUANTILE = 4
    """The rating at the place that the actual guess has among the player's earlier ones."""
    CONSTANT = 5
    """Always 50."""
    BLOC = 6
    """100 for those who follow this strategy too, 0 for everybody else."""
    DETRACTOR = 7
    """0 for one player, the last; honest towards all others."""
    BOOSTER = 8
    """100 for one player, the last; honest towards all others."""
    THROWAWAY = 9
    """Always 0, each guess from an account of its own."""


LOOKING: Final = (Strategy.MEAN, Strategy.QUANTILE)
"""At the ratings of the moment."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """Who guesses how, and when the errors are looked at."""

    shares: tuple[tuple[Strategy, float], ...] = ()
    """Of players; all others are honest."""
    delay: int = 0
    """Games in which everybody is honest, before."""
    times: tuple[int, ...] = (1_000,)
    """After how many games."""
    together: float | None = None
    """Divide this share of players evenly among the strategies, in place of their shares."""

    def __post_init__(self) -> None:
        total = fsum(share for _, share in self.shares) if self.together is None else self.together
        if any(share < 0 for _, share in self.shares) or not 0 <= total <= 1 + 1e-9:
            raise BadInput(f"the shares of strategies add up to {total:g}; each is 0 or more, and all are 1 at most")
        if not self.times or min(self.times) < 1 or self.delay < 0:
            raise BadInput("errors are looked at after 1 game at the earliest, and a delay is 0 or more games")

    def strategies(self, players: int) -> Indices:
        """Of each player, by number; the honest ones come last.

        >>> Mixture(((Strategy.MINIMUM, 0.5),)).strategies(4).tolist()
        [2, 2, 0, 0]
        >>> Mixture(((Strategy.MINIMUM, 0), (Strategy.MEAN, 0)), together=0.75).strategies(4).tolist()
        [2, 3, 2, 0]
        """
        found = np.zeros(players, dtype=np.int64)
        if self.together is not None:
            number = round(self.together * players)
            kinds = [int(kind) for kind, _ in self.shares]
            found[:number] = np.resize(kinds, number)
            return found
        place = 0
        for kind, share in self.shares:
            end = min(players, place + round(share * players))
            found[place:end] = kind
            place = end
        return found

    @property
    def looks(self) -> bool:
        """Whether anybody looks at ratings."""
        return any(kind in LOOKING for kind, _ in self.shares)


def unlooking(worlds: Worlds, mixture: Mixture) -> Floats:
    """What everybody reports who does not look at ratings, shape (trials, steps, 2); the actual guess of the others."""
    kinds = mixture.strategies(worlds.players)
    kind, other = kinds[worlds.meeting], worlds.meeting[:, :, ::-1]
    kind[:, : mixture.delay] = Strategy.HONEST
    last = other == worlds.players - 1
    found = np.where(kind == Strategy.RANDOM, worlds.at_random(), worlds.guessed())
    found[np.isin(kind, (Strategy.MINIMUM, Strategy.THROWAWAY))] = 0.0
    found[kind == Strategy.CONSTANT] = 50.0
    members = kind == Strategy.BLOC
    found[members] = np.where(kinds[other] == Strategy.BLOC, 100.0, 0.0)[members]
    found[(kind == Strategy.DETRACTOR) & last] = 0.0
    found[(kind == Strategy.BOOSTER) & last] = 100.0
    return found


def places(worlds: Worlds, *, among_all: bool) -> Floats:
    """Where each actual guess lies among the guesser's own, as the share that is not above it; shape (trials, steps, 2).

    Parameters
    ----------
    among_all: of what the player finds of everybody, met or not; else of those met before, NaN in the first game.
    """
    actual = worlds.guessed()
    found = np.empty(actual.shape)
    for trial in range(worlds.trials):
        guessers, values = worlds.meeting[trial].ravel(), actual[trial].ravel()
        if among_all:
            rows = np.sort(worlds.actual[trial], axis=1)[guessers]
            found[trial] = ((rows <= values[:, None]).sum(axis=1) / worlds.players).reshape(-1, 2)
        else:
            found[trial] = _among_earlier(guessers, values, worlds.players).reshape(-1, 2)
    return found


def at_place(ordered: Floats, number: Indices, place: Floats) -> Floats:
    """The quantile of each row at `place`, with straight lines between values, as `numpy.percentile` has it.

    Parameters
    ----------
    ordered: shape (rows, players), ascending; only the first `number` of a row count.

    >>> at_place(np.array([[10.0, 20.0, 40.0, np.inf]]), np.array([3]), np.array([0.75])).tolist()
    [30.0]
    """
    position = place * (number - 1)
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
    found = np.empty(order.size)
    found[order] = np.where(column > 0, earlier / np.maximum(column, 1), np.nan)
    return found


def all_kinds(mixtures: Sequence[Mixture], players: int) -> Indices:
    """Strategies of each mixture's players, a row each."""
    return np.stack([mixture.strategies(players) for mixture in mixtures])
