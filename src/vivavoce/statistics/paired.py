"""Two candidates on the same questions: does one do better, beyond chance?"""

from __future__ import annotations

from math import sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, stdtr

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.cluster_dependence import ClusterDependence
from vivavoce.statistics.clustered import Groups, checked, spread_of

FEWEST_FLIPS = 6
"""Coins: with five, even the most extreme outcome has p = 2/32, above .05."""
LARGEST_PIECE = 0.5
"""Share of observations behind one coin: above it, the outcome hangs on that coin alone."""

_CHUNK = 1 << 22
"""Signs drawn at one time."""
_ROUNDING = 1e-12
"""Share of a number below which a difference is none: sums in another order differ in their last digits."""


class PairedTest(NamedTuple):
    """Whether the mean of paired differences is 0."""

    p: float
    """Two-sided: the chance of a mean at least as far from 0, were the two candidates alike."""
    method: Literal["sign flips", "t"]
    pieces: int
    """Coins thrown: sets of observations that share nothing with one another, even through others."""


def sign_flip(differences: ArrayLike, groups: Groups, *, rng: np.random.Generator, rounds: int = 10_000) -> PairedTest:
    """Randomisation test of the mean of paired differences, where some of them share a group.

    Were the two candidates alike, each difference could as well have the other sign. Differences that share a group depend on
    each other and are flipped together, by one coin for each set connected through shared groups. All outcomes of the coins are
    counted if there are at most `rounds`; else `rounds` are drawn, and the outcome at hand counts as one more (`phipson2010`),
    so that p is never 0 and the test is exact at any number of rounds.

    With fewer than six sets, or more than half of the observations in one (pairs of base questions often all depend on one
    another), coins say little. Then it is Student's t test with the variance of `clustered`, which holds for many groups only.
    Where all differences are the same they have no spread, which is no certainty: there the coins are used, however few.

    Parameters
    ----------
    differences: one a question that both answered, the second's value less the first's; finite.
    groups: for each the groups that it belongs to, such as its base questions.

    Raises `NotEnoughEvidence` for fewer than two observations, or where each shares a group with every other.

    >>> sign_flip([1, 2, 3, 4, 5, 6], [()] * 6, rng=np.random.default_rng(0)).p == 2 / 2**6  # all one way
    True
    """
    array = checked(differences, groups)
    if rounds < 1:
        raise BadInput(f"rounds is {rounds}; a randomisation test needs at least 1")
    sharing = ClusterDependence(groups)
    sizes = np.bincount(sharing.components)
    if len(sizes) < FEWEST_FLIPS or sizes.max() > LARGEST_PIECE * array.size:
        spread = spread_of(array, sharing)
        if spread.variance > (_ROUNDING * abs(array).max()) ** 2:
            t = abs(float(array.mean())) / sqrt(spread.variance)
            return PairedTest(2 * float(stdtr(spread.degrees, -t)), "t", len(sizes))
    sums = np.bincount(sharing.components, weights=array)
    return PairedTest(_flipped(sums[sums != 0], rng, rounds), "sign flips", len(sizes))


def mcnemar(first: ArrayLike, second: ArrayLike) -> float:
    """Exact two-sided p-value that two candidates fail equally often on the same questions (`mcnemar1947`).

    Only questions where one fails and the other does not say anything: they must fall either way like a fair coin. It takes
    questions for independent; where they share groups use `sign_flip` on the differences.

    Parameters
    ----------
    first, second: one truth value a question, for each candidate. With no discordant question p is 1.

    >>> mcnemar([True] * 5 + [False] * 5, [False] * 5 + [False] * 5)  # 2 / 2**5
    0.0625
    """
    one, other = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    if one.shape != other.shape or one.ndim != 1:
        raise BadInput(f"{one.size} and {other.size} truth values: give one for each question, for both candidates")
    discordant = int((one != other).sum())
    fewer = min(int((one & ~other).sum()), int((other & ~one).sum()))
    return min(1.0, 2 * float(bdtr(fewer, discordant, 0.5)))


def _flipped(sums: Floats, rng: np.random.Generator, rounds: int) -> float:
    """The p-value over flips of these sums, each by a coin of its own."""
    seen = abs(float(sums.sum())) - _ROUNDING * float(abs(sums).sum())
    coins = sums.size
    if 2**coins <= rounds:
        signs = 1 - 2 * (np.arange(2**coins)[:, None] >> np.arange(coins) & 1)
        return float((abs(signs @ sums) >= seen).mean())
    extreme, left = 0, rounds
    while left:
        drawn = min(left, max(1, _CHUNK // coins))
        bits = np.frombuffer(rng.bytes(drawn * -(-coins // 8)), dtype=np.uint8).reshape(drawn, -1)
        heads = np.unpackbits(bits, axis=1, count=coins)
        # the sum of all with the sums of heads turned
        extreme += int((abs(sums.sum() - 2 * (heads @ sums)) >= seen).sum())
        left -= drawn
    return (1 + extreme) / (1 + rounds)
