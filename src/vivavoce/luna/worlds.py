"""Simulated players of silver2016, section 3.3.1: what each truly finds of each, and who meets whom. Drawn before anything is
played, so that any way of playing, and any rating, meets the same players.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from vivavoce.luna.config import SimulationConfig
from vivavoce.luna.rating_fit import Indices
from vivavoce.statistics.betting import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Worlds:
    """Some trials of a simulation. All arrays begin with the trial."""

    actual: Floats
    """What the second player is worth to the first, shape (trials, players, players)."""
    drift: Floats
    """How far each player's value lies below its last one at the beginning, negated; shape (trials, players)."""
    meeting: Indices
    """Who meets whom, shape (trials, steps, 2)."""
    chance: Floats
    """What the first player would say about the second at random, shape (trials, players, players): one who is met again gets
    the same guess again, as Definition 1 of the thesis has it."""
    intelligence: Floats
    """What ratings should be, at the end; shape (trials, players)."""

    @property
    def players(self) -> int:
        return int(self.actual.shape[1])

    @property
    def trials(self) -> int:
        return int(self.actual.shape[0])

    def guessed(self) -> Floats:
        """The actual guess of each player of each meeting about the other, shape (trials, steps, 2)."""
        found = self._about_the_other(self.actual)
        if not self.drift.any():
            return found
        steps = self.meeting.shape[1]
        left = np.arange(1, steps + 1) / steps - 1
        trial = np.arange(self.trials)[:, None, None]
        return np.asarray(found + self.drift[trial, self.meeting[:, :, ::-1]] * left[:, None])

    def at_random(self) -> Floats:
        """What each player of each meeting would say at random, shape (trials, steps, 2)."""
        return self._about_the_other(self.chance)

    def _about_the_other(self, pairs: Floats) -> Floats:
        return np.asarray(pairs[np.arange(self.trials)[:, None, None], self.meeting, self.meeting[:, :, ::-1]])


def draw(config: SimulationConfig, trials: range, *, deviation: float | None = None) -> Worlds:
    """These trials; each has random numbers of its own, so that it is the same whatever others are drawn with it.

    Parameters
    ----------
    deviation: of actual guesses, in place of the root of the variance of honest guesses.

    >>> worlds = draw(SimulationConfig(players=4, steps=10), range(3))
    >>> worlds.actual.shape, worlds.meeting.shape
    ((3, 4, 4), (3, 10, 2))
    >>> bool((worlds.actual[2] == draw(SimulationConfig(players=4, steps=10), range(2, 3)).actual[0]).all())
    True
    """
    deviation = sqrt(config.variance) if deviation is None else deviation
    made = [_trial(config, np.random.default_rng((config.seed, trial)), deviation) for trial in trials]
    actual, drift, meeting, chance, intelligence = (np.stack(arrays) for arrays in zip(*made, strict=True))
    return Worlds(actual, drift, meeting, chance, intelligence)


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
