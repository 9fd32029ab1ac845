"""How much sums over positions would vary with other games: the Poisson bootstrap (`chamandy2012`), in constant memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import shake_256

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtr

REPLICATES = 1_000
_LEVELS = 2**16
"""Weights are read off two bytes each."""


class GameBootstrap:
    """Sums of columns of whole numbers, and the same sums in 1,000 worlds in which each game occurs Poisson(1) times.

    Positions of one game are not independent, so games are drawn, not positions: all positions of a game share its weights.
    These depend on the seed and the game's name alone, so sums do not depend on the order in which positions come, to the
    last digit. Cheapest where the positions of a game come one after another.

    >>> sums = GameBootstrap(2, seed=0)
    >>> sums.add("a", (1, 10)); sums.add("a", (1, 20)); sums.add("b", (1, 5))
    >>> sums.totals.tolist(), sums.replicates().shape, sums.games
    ([3, 35], (1000, 2), 2)
    """

    def __init__(self, columns: int, *, seed: int) -> None:
        self._seed = seed
        self._totals = np.zeros(columns, dtype=np.int64)
        self._replicates = np.zeros((REPLICATES, columns), dtype=np.int64)
        self._game: str | None = None
        self._current = [0] * columns
        self.games = 0
        """Runs of positions from one game; a game that comes again after another counts again, its weights stay the same."""

    def add(self, game: str, values: Sequence[int]) -> None:
        """Count one position of a game."""
        if game != self._game:
            self._settle()
            self._game = game
            self.games += 1
        self._current = [total + value for total, value in zip(self._current, values, strict=True)]

    @property
    def totals(self) -> NDArray[np.int64]:
        """The plain sums."""
        self._settle()
        return self._totals.copy()

    def replicates(self) -> NDArray[np.int64]:
        """The sums in each of the worlds, one row a world."""
        self._settle()
        return self._replicates.copy()

    def _settle(self) -> None:
        """Carry what was counted of the current game into all sums."""
        if self._game is None or not any(self._current):
            return
        sums = np.array(self._current, dtype=np.int64)
        self._totals += sums
        self._replicates += np.multiply.outer(weights(self._seed, self._game), sums)
        self._current = [0] * len(self._current)


def weights(seed: int, game: str) -> NDArray[np.int64]:
    """How often the game occurs in each of the worlds: independent Poisson(1) numbers, from a hash of seed and name.

    Two bytes a number: probabilities are right to 1/65,536, and no weight is above 8.

    >>> bool((weights(0, "Kasparov - Topalov") == weights(0, "Kasparov - Topalov")).all())
    True
    """
    digest = shake_256(f"{seed}/{game}".encode("utf-8", "surrogatepass")).digest(2 * REPLICATES)
    return _poisson().take(np.frombuffer(digest, dtype="<u2"))


@cache
def _poisson() -> NDArray[np.int64]:
    """The Poisson(1) quantile at the middle of each of the levels."""
    middles = (np.arange(_LEVELS) + 0.5) / _LEVELS
    return np.asarray(pdtr(np.arange(20), 1.0)).searchsorted(middles).astype(np.int64)
