"""Intervals for means and shares of observations that share groups, and the matrix of shared groups.

Only the functions that need SciPy import it, since that takes up to a fifth of a second and every page imports this module.

Forecasts of one base question, decisions on one defendant, answers about one concept vary together: an interval that assumes
independence is too narrow. An observation may belong to several groups (a conjunction is made from two base questions). Two
observations may depend on each other if they share at least one group (`cameron2011robust`, `aronow2015cluster`).

With residuals e_i = x_i - mean, and S_ij = 1 if i and j share a group or are the same, the estimated variance of the mean is
sum_ij S_ij e_i e_j / n^2. It is then

- divided by 1 - (sum_ij S_ij) / n^2, the bias of the sum for independent observations. With G groups of equal size and one
  group each, this is the usual factor G / (G - 1);
- never below the estimate for independent observations: the sum may be too small by chance, even negative;
- with Satterthwaite's degrees of freedom (`bell2002`), again for independent observations: n - 1 without
  shared groups, G - 1 with G groups of equal size, and few if one group or one hub holds many observations. Counting groups
  instead, G / (G - 1) with G - 1 degrees of freedom, is simpler. But then a 95% interval covers 68% of the time if one of 51
  groups holds half of all observations, and 86% with 5 by 100 crossed groups; this one covers 90% and 97%
  (tests/statistics/test_clustered.py).

The functions `bounded_mean` and `bounded_share` return the whole possible range if there is too little data for an interval.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from functools import cached_property
from itertools import chain, combinations
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds, check_confidence

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Indices = NDArray[np.int64]

_PAIRS_AT_ONCE = 1 << 23
"""Pairs of observations in memory at one time: about 100 MB."""


class ClusterDependence:
    """The matrix S with S_ij = 1 where observations i and j share at least one group, and on the diagonal; else 0.

    It is never stored, since one large group would fill it.

    Parameters
    ----------
    groups: for each observation the groups that it belongs to; an empty one is independent, and a plain text is one group.

    >>> sharing = ClusterDependence([{"ann", "bob"}, {"bob", "cy"}, {"dan"}, ()])
    >>> sharing.partners.tolist(), sharing.components.tolist(), sharing.independent
    ([2.0, 2.0, 1.0, 1.0], [0, 0, 1, 2], 3.0)
    >>> sharing.sums([1, 10, 100, 1000]).tolist()
    [11.0, 11.0, 100.0, 1000.0]
    """

    def __init__(self, groups: Sequence[Collection[Hashable]]) -> None:
        self.n = len(groups)
        """Number of observations."""
        known: dict[Hashable, int] = {}
        members = [
            sorted({known.setdefault(name, len(known)) for name in ((ids,) if isinstance(ids, str) else ids)}) for ids in groups
        ]
        columns = np.fromiter(chain.from_iterable(members), dtype=np.int64)
        is_shared = np.bincount(columns, minlength=len(known)) > 1
        kept = is_shared[columns]
        self._indices = (np.cumsum(is_shared) - 1)[columns[kept]]
        self._starts = np.concatenate(([0], np.cumsum(kept)))[np.cumsum([0, *map(len, members)])]
        self._in_group = np.bincount(self._indices, minlength=int(is_shared.sum()))

    @cached_property
    def _members(self) -> csr_array:
        """A row for each observation, a column for each group with several members."""
        from scipy.sparse import csr_array

        shape = (self.n, self._in_group.size)
        return csr_array((np.ones(self._indices.size, dtype=np.int32), self._indices, self._starts), shape=shape)

    @cached_property
    def partners(self) -> Floats:
        """The number of observations that share a group with each, including itself: the row sums of S."""
        return self.sums(np.ones(self.n))

    @cached_property
    def independent(self) -> float:
        """A lower bound on the number of observations that share no groups with each other: the sum of 1 / `partners`.

        The bound of Caro and Wei on independent sets (`wei1981`). With one group each it is the number of groups.
        """
        return float((1 / self.partners).sum())

    @cached_property
    def components(self) -> Indices:
        """Observations with different numbers share no groups, even indirectly."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        entries = coo_array(self._members)
        rows, columns = entries.coords
        size = sum(self._members.shape)
        graph = coo_array((entries.data, (rows, columns + self.n)), shape=(size, size))
        labels = connected_components(graph, directed=False)[1][: self.n]
        return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64)

    def sums(self, values: ArrayLike) -> Floats:
        """S times a vector: for each observation the sum of `values` over all that share a group with it, including itself.

        The cheaper of two methods: inclusion and exclusion over subsets of groups (for many observations with few groups each),
        or all pairs, in blocks.
        """
        vector = np.asarray(values, dtype=np.float64)
        belongs = np.diff(self._starts)
        subsets = float((belongs * np.exp2(np.minimum(belongs, 99))).sum())
        summed = self._by_subsets if subsets <= float((self._in_group**2.0).sum()) else self._by_pairs
        return np.where(belongs == 0, vector, summed(vector))

    def _by_subsets(self, values: Floats) -> Floats:
        """Add over all that share a group, subtract those that share two, and so on."""
        result = np.zeros(self.n)
        starts, belongs = self._starts, np.diff(self._starts)
        rows_with = {int(k): np.flatnonzero(belongs == k) for k in np.unique(belongs) if k}
        for size in range(1, max(rows_with, default=0) + 1):
            rows, subsets = [], []
            for k, of_k in rows_with.items():
                ids = self._indices[starts[of_k][:, None] + np.arange(k)]
                for chosen in combinations(range(k), size):
                    rows.append(of_k)
                    subsets.append(ids[:, chosen])
            where, number = np.concatenate(rows), _numbered(np.concatenate(subsets))
            totals = np.bincount(number, weights=values[where])
            result -= (-1) ** size * np.bincount(where, weights=totals[number], minlength=self.n)
        return result

    def _by_pairs(self, values: Floats) -> Floats:
        """Compute the rows of S in blocks that fit into memory."""
        from scipy.sparse import csr_array

        work = np.cumsum(self._members @ self._in_group)
        result = np.zeros(self.n)
        across = csr_array(self._members.T)
        start = 0
        while start < self.n:
            before = work[start - 1] if start else 0
            end = max(start + 1, int(np.searchsorted(work, before + _PAIRS_AT_ONCE, side="right")))
            block = csr_array(self._members[start:end] @ across)
            block.data = np.ones(block.data.size)
            result[start:end] = block @ values
            start = end
        return result


def _numbered(rows: NDArray[np.integer]) -> Indices:
    """A number for each row; only equal rows have equal numbers."""
    if rows.shape[1] == 1:
        return rows[:, 0].astype(np.int64)
    number = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T.astype(np.int64):
        number = np.unique(number * (int(column.max()) + 1) + column, return_inverse=True)[1].astype(np.int64)
    return number


Groups = Sequence[Collection[Hashable]]
"""For each observation the groups that it belongs to; an empty one is independent, and a plain text is one group."""

_ROUNDING = 1e-9
"""Tolerance for an effective number of observations below 1."""


class MeanUncertainty(NamedTuple):
    """The uncertainty of a mean."""

    variance: float
    """Variance of the mean, robust to shared groups; at least `independent`."""
    independent: float
    """The variance if observations were independent."""
    degrees: float
    """Degrees of freedom of Student's t."""


def mean_interval(values: ArrayLike, groups: Groups, *, confidence: float = CONFIDENCE) -> Bounds:
    """Student's t interval for the mean of observations that may share groups.

    Without shared groups it is the usual interval with n - 1 degrees of freedom.

    Parameters
    ----------
    values: one finite number for each observation.
    groups: one entry for each value; order and names do not matter.

    Raises `NotEnoughEvidence` for fewer than two observations, or if every observation shares a group with every other.

    >>> lower, upper = mean_interval([1, 2, 3, 4], [(), (), (), ()])
    >>> round(lower, 3), round(upper, 3)
    (0.446, 4.554)
    >>> lower, upper = mean_interval([1, 2, 3, 4, 3, 4], ["a", "a", "b", "b", "c", "c"])
    >>> round(lower, 3), round(upper, 3)
    (-0.035, 5.702)
    """
    from scipy.special import stdtrit

    array = checked(values, groups)
    check_confidence(confidence)
    spread = spread_of(array, ClusterDependence(groups))
    half = float(stdtrit(spread.degrees, (1 + confidence) / 2)) * sqrt(spread.variance)
    mean = float(array.mean())
    return Bounds(mean - half, mean + half)


def share_interval(hits: ArrayLike, groups: Groups, *, confidence: float = CONFIDENCE) -> Bounds:
    """Interval for a share of observations that may share groups: Clopper and Pearson's at the effective number (`korn1998`).

    The effective number is n over the design effect (robust variance over the variance of independent observations, at least
    1), times (t at n - 1 degrees of freedom / t at the robust degrees of freedom)^2. If all observations agree, the variance
    cannot be estimated. Then the effective number is a lower bound on the observations that share no groups with each other
    (`ClusterDependence.independent`; with one group each, the number of groups). Without shared groups, the interval is Clopper
    and Pearson's. If the effective number is below 1, as with two groups that differ, the interval is [0, 1]. The variance
    holds for many groups: for rare hits and one group with many, a 95% interval covers 93% of the time.

    Parameters
    ----------
    hits: one truth value for each observation.
    groups: one entry for each hit; order and names do not matter.

    Raises `NotEnoughEvidence` without observations, or if every observation shares a group with every other and they differ.

    >>> lower, upper = share_interval([True, False, False, False], [(), (), (), ()])
    >>> round(lower, 4), round(upper, 4)
    (0.0063, 0.8059)
    >>> lower, upper = share_interval([False] * 100, ["only"] * 100)  # as good as one observation
    >>> round(lower, 4), round(upper, 4)
    (0.0, 0.975)
    """
    from scipy.special import betaincinv

    array = checked(hits, groups)
    check_confidence(confidence)
    if not np.isin(array, (0.0, 1.0)).all():
        raise BadInput("a share is counted from truth values: give True or False for each observation")
    if array.size == 0:
        raise NotEnoughEvidence("no observations; a share needs at least 1")
    share, tail = float(array.mean()), (1 - confidence) / 2
    size = _effective(array, ClusterDependence(groups), confidence)
    if size < 1 - _ROUNDING:
        return Bounds(0.0, 1.0)
    lower = 0.0 if share == 0 else float(betaincinv(share * size, (1 - share) * size + 1, tail))
    upper = 1.0 if share == 1 else float(betaincinv(share * size + 1, (1 - share) * size, 1 - tail))
    return Bounds(lower, upper)


def spread_of(values: Floats, sharing: ClusterDependence) -> MeanUncertainty:
    """The uncertainty of the mean of the values; see the module's docstring.

    Raises `NotEnoughEvidence` for fewer than two observations, or if every observation shares a group with every other.
    """
    n, partners = values.size, sharing.partners
    if n < 2:
        raise NotEnoughEvidence(f"{n} observation{'' if n else 's'}; the variance of a mean needs at least 2")
    pairs = float(partners.sum())
    if pairs >= n * n:
        raise NotEnoughEvidence(f"each of {n} observations shares a group with every other; a variance needs at least 2 groups")
    # with M = I - 11'/n: the traces of MS and of MSMS
    trace = n - pairs / n
    of_square = pairs - 2 * float(partners @ partners) / n + (pairs / n) ** 2
    residuals = values - values.mean()
    independent = float(residuals @ residuals) / n / (n - 1)
    robust = float(residuals @ sharing.sums(residuals)) / n**2 / (1 - pairs / n**2)
    return MeanUncertainty(max(robust, independent), independent, trace**2 / of_square)


def checked(values: ArrayLike, groups: Groups) -> Floats:
    """The values as an array; raises `BadInput` for one that is not finite, or for too few or too many groups."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (len(groups),):
        raise BadInput(f"{array.size} observations and groups for {len(groups)}: give one collection of groups an observation")
    if not np.isfinite(array).all():
        raise BadInput("an observation is not a finite number: leave out missing ones, and count them separately")
    return array


def _effective(hits: Floats, sharing: ClusterDependence, confidence: float) -> float:
    """The number of independent observations with as much information."""
    if np.ptp(hits) == 0:
        return sharing.independent
    from scipy.special import stdtrit

    spread = spread_of(hits, sharing)
    level = (1 + confidence) / 2
    shrunk = float(stdtrit(hits.size - 1, level) / stdtrit(spread.degrees, level)) ** 2
    return hits.size * spread.independent / spread.variance * shrunk


_CONSTANT_WITHIN = 1e-12
"""Smaller relative differences count as rounding errors."""


def bounded_mean(values: ArrayLike, groups: Groups, *, smallest: float = 0.0, largest: float = 1.0) -> Bounds:
    """Interval for the mean of values from `smallest` to `largest`, which may share groups.

    It is `mean_interval`, cut off at the possible values, or all possible values if there is too little data. Equal values have
    no spread, but they do not prove the mean. Then the interval allows values at the ends as large a share as an event that was
    never seen may have.

    Parameters
    ----------
    values: one number for each observation; may be empty.
    groups: one entry for each value, as for `mean_interval`.
    smallest, largest: the possible values; may be infinite.

    >>> lower, upper = bounded_mean([0.5, 1.0, 0.0, 0.5], [()] * 4)
    >>> round(lower, 3), round(upper, 3)  # 0.5 -+ 3.182 * 0.408 / 2, and no less than 0
    (0.0, 1.0)
    >>> tuple(bounded_mean([], [], smallest=-1.0))
    (-1.0, 1.0)
    >>> lower, upper = bounded_mean([1.0] * 4, [()] * 4)  # an event never seen in 4 may have a share of .6024
    >>> round(lower, 4), upper
    (0.3976, 1.0)
    """
    array = np.asarray(values, dtype=np.float64)
    try:
        if array.size > 1 and np.ptp(array) <= _CONSTANT_WITHIN * abs(array).max():
            value, unseen = float(array.mean()), share_interval(np.zeros(array.size, dtype=bool), groups).upper
            lower, upper = value - (value - smallest) * unseen, value + (largest - value) * unseen
        else:
            lower, upper = mean_interval(array, groups)
    except NotEnoughEvidence:
        return Bounds(smallest, largest)
    return Bounds(max(smallest, lower), min(largest, upper))


def bounded_share(hits: ArrayLike, groups: Groups) -> Bounds:
    """Interval for a share: `share_interval`, or [0, 1] if there is too little data.

    >>> tuple(bounded_share([True, False], ["one", "one"]))
    (0.0, 1.0)
    """
    try:
        return share_interval(hits, groups)
    except NotEnoughEvidence:
        return Bounds(0.0, 1.0)


def share_estimate(hits: ArrayLike, groups: Groups) -> Estimate:
    """A share with the interval of `bounded_share`; no value without observations.

    >>> share_estimate([True, False], ["one", "one"])
    Estimate(value=0.5, interval=Interval(lower=0.0, upper=1.0), n=2)
    """
    array = np.asarray(hits, dtype=bool)
    return Estimate(float(array.mean()) if array.size else None, Interval(*bounded_share(array, groups)), array.size)


def mean_estimate(values: ArrayLike, groups: Groups, *, smallest: float = 0.0, largest: float = 1.0) -> Estimate:
    """A mean with the interval of `bounded_mean`; no value without observations.

    >>> mean_estimate([], [], smallest=-1.0)
    Estimate(value=None, interval=Interval(lower=-1.0, upper=1.0), n=0)
    """
    array = np.asarray(values, dtype=np.float64)
    interval = Interval(*bounded_mean(array, groups, smallest=smallest, largest=largest))
    return Estimate(float(array.mean()) if array.size else None, interval, array.size)
