"""Tests whether one of two candidates does better on the same questions."""

from __future__ import annotations

from math import inf, sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, stdtr

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.clustered import ClusterDependence, Groups, checked, spread_of
from vivavoce.statistics.differences import DifferenceTests

FEWEST_SETS = 20
"""The fewest independent sets of equal size for the bootstrap: with fewer, it errs too often for skewed differences."""
LARGEST_SET = 0.5
"""The largest share of the differences in one set: above it, resamples mostly say how often that set was drawn."""
MOST_SETS = 4_000
"""With more sets, bootstrap and Student's t agree to three digits, and resampling takes minutes."""
SHRINKAGE = 3.0
"""With n sets, t is multiplied by n / (n + 3). For differences with mean 0 that are lognormal with log-scale deviation 1, a
test at 5% then errs at most 6% of the time, also for sets of different sizes; without the factor up to 8%.
"""

_AT_ONCE = 1 << 20
"""Number of sets that are drawn together."""
_ROUNDING = 1e-12
"""Smaller relative differences count as rounding errors: sums in another order differ in their last digits."""


class PairedTest(NamedTuple):
    """Whether the mean of paired differences is 0."""

    p: float
    """Two-sided: the chance of a mean at least as far from 0 if the true mean is 0."""
    method: Literal["bootstrap", "betting", "t"]
    sets: int
    """Number of sets of differences that share no group, even indirectly."""


def paired_test(
    differences: ArrayLike, groups: Groups, *, largest: float, rng: np.random.Generator, rounds: int = 10_000
) -> PairedTest:
    """Test that paired differences are 0 on average, if some of them share a group.

    Differences that share a group depend on each other. All that are connected through shared groups form one set, and the test
    resamples sets. It bootstraps Student's t over the sums of sets (`hall1992`), centred, so differences may be skewed; a test
    that flips their signs would assume symmetry. p is the larger of two numbers: twice the smaller tail, and the share of
    rounds whose t is as far from 0. The sample itself counts as one more round (`phipson2010`).

    With fewer than twenty sets of equal size (or as many others as carry the same information), or if sets do not differ, p
    comes from bets on bounded differences, half of the capital on each side (`statistics.differences`). It is 1 over the final
    capital, and valid for any number of sets. If more than half of at least twenty differences are in one set (pairs of base
    questions are often all connected), or if there are more than 4,000 sets, p comes from Student's t test with the variance of
    `clustered`.

    Parameters
    ----------
    differences: one for each question that both answered, the second's value minus the first's; finite.
    groups: the groups that each difference belongs to, such as its base questions.
    largest: the largest possible absolute difference; positive and finite.

    Raises `NotEnoughEvidence` for fewer than two differences, or if each shares a group with every other.

    >>> paired_test([0.5, 1.0] * 10, [()] * 20, largest=1.0, rng=np.random.default_rng(0)).p < 0.001
    True
    >>> round(paired_test([1.0] * 6, [()] * 6, largest=1.0, rng=np.random.default_rng(0)).p, 2)  # bets earn 2^7 / 7, about
    0.11
    """
    array = checked(differences, groups)
    if rounds < 1:
        raise BadInput(f"rounds is {rounds}; a bootstrap needs at least 1")
    if not 0 < largest < inf or abs(array).max(initial=0.0) > largest * (1 + _ROUNDING):
        raise BadInput(f"largest is {largest}; it must be finite, and no difference may lie further from 0")
    sharing = ClusterDependence(groups)
    spread = spread_of(array, sharing)
    sets, sizes = spread.degrees + 1, np.bincount(sharing.components)
    sums = np.bincount(sharing.components, weights=array).astype(np.float64)
    is_resampled = sizes.max() <= LARGEST_SET * array.size and sizes.size <= MOST_SETS
    if array.size >= FEWEST_SETS and not is_resampled and spread.variance > _tiny(array):
        t = abs(float(array.mean())) / sqrt(spread.variance) * _shrinkage(sets)
        return PairedTest(2 * float(stdtr(spread.degrees, -t)), "t", sizes.size)
    if sets >= FEWEST_SETS - _ROUNDING and float(sums.var()) > _tiny(sums):
        return PairedTest(_resampled(sums, sets, rng, rounds), "bootstrap", sizes.size)
    return PairedTest(_betted(sums / (largest * float(sizes.max()))), "betting", sizes.size)


def mcnemar(first: ArrayLike, second: ArrayLike) -> float:
    """Exact two-sided p-value that two candidates fail equally often on the same questions (`mcnemar1947`).

    Only questions where exactly one fails matter: under the null they fall either way like a fair coin. It assumes independent
    questions; if they share groups, use `paired_test` on the differences.

    Parameters
    ----------
    first, second: one truth value for each question, for each candidate. Without discordant questions p is 1.

    >>> mcnemar([True] * 5 + [False] * 5, [False] * 5 + [False] * 5)  # 2 / 2**5
    0.0625
    """
    values, other = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    if values.shape != other.shape or values.ndim != 1:
        raise BadInput(f"{values.size} and {other.size} truth values: give one for each question, for both candidates")
    discordant = int((values != other).sum())
    fewer = min(int((values & ~other).sum()), int((other & ~values).sum()))
    return min(1.0, 2 * float(bdtr(fewer, discordant, 0.5)))


def _tiny(values: Floats) -> float:
    """A variance below which these values count as equal."""
    return float(_ROUNDING * abs(values).max()) ** 2


def _shrinkage(sets: float) -> float:
    return sets / (sets + SHRINKAGE)


def _resampled(sums: Floats, sets: float, rng: np.random.Generator, rounds: int) -> float:
    """The p-value of a bootstrap of Student's t, over sets that are not all alike."""
    t = float(_students(sums[None])[0]) * _shrinkage(sets)
    centred, at_once = sums - sums.mean(), max(1, _AT_ONCE // sums.size)
    below, above, beyond = 1, 1, 1
    for begun in range(0, rounds, at_once):
        drawn = rng.integers(0, sums.size, (min(at_once, rounds - begun), sums.size))
        again = _students(centred[drawn])
        below, above = below + int((again <= t).sum()), above + int((again >= t).sum())
        beyond += int((abs(again) >= abs(t)).sum())
    return min(1.0, max(2 * min(below, above), beyond) / (1 + rounds))


def _students(values: Floats) -> Floats:
    """Student's t of each row, up to a constant; infinite for a row of one value that is not 0."""
    means, spread = values.mean(axis=1), values.std(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(abs(means) <= _ROUNDING * abs(values).max(), 0.0, means / spread)


def _betted(shares: Floats) -> float:
    """The p-value of bets on either side, of values in [-1, 1]."""
    log_e = DifferenceTests([0.0, 0.0]).update(np.stack([shares, -shares]))[:, -1]
    return float(min(1.0, 2 / np.exp(log_e).sum()))
