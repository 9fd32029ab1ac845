"""Which observations share something: the same base question, the same defendant, the same concept.

What needs `scipy.sparse` imports it itself: that takes a fifth of a second, and every page imports this.

Intervals for a mean and a share where observations are not independent, because some of them share a group.

Forecasts of one base question, decisions on one defendant, answers about one concept go up and down together: an interval that
takes them for independent is too narrow. An observation may belong to several groups (a conjunction is made from two base
questions); two observations may depend on each other if they share at least one (`cameron2011robust`, `aronow2015cluster`).

With residuals e_i = x_i - mean and S_ij = 1 where i and j share a group or are the same, the variance of the mean is
estimated by sum_ij S_ij e_i e_j / n^2, and then

- divided by 1 - (sum_ij S_ij) / n^2, the bias of the sum where observations are in truth independent. With G groups of equal
  size, one each, this is the usual factor G / (G - 1);
- never below the estimate for independent observations: the sum may be too small by chance, even negative;
- with Satterthwaite's degrees of freedom (`bell2002`), again for independent observations: G - 1 with G groups of equal size,
  n - 1 where nothing is shared, and few where one group or one hub holds much. Counting groups instead, G / (G - 1) with G - 1
  degrees of freedom, is simpler, but a 95% interval then covers 68% of the time where one of 51 groups holds half of all
  observations, and 86% with 5 by 100 crossed groups; this one 90% and 97% (tests/statistics/test_clustered.py).

Means and shares with intervals that reach as far as is possible where there is too little to say more."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from functools import cached_property
from itertools import chain, combinations
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, stdtrit

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds, check_confidence

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Indices = NDArray[np.int64]

_PAIRS_AT_ONCE = 1 << 23
"""Pairs of observations that are written out at one time: about 100 MB."""


class ClusterDependence:
    """The matrix S with S_ij = 1 where observations i and j share at least one group, and on the diagonal; else 0.

    It is never written out, since one large group alone would fill it.

    Parameters
    ----------
    groups: for each observation the groups that it belongs to; none means that it stands alone, a plain text is one group.

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
        """A row an observation, a column a group that several belong to."""
        from scipy.sparse import csr_array

        shape = (self.n, self._in_group.size)
        return csr_array((np.ones(self._indices.size, dtype=np.int32), self._indices, self._starts), shape=shape)

    @cached_property
    def partners(self) -> Floats:
        """How many observations share something with each, itself among them: the row sums of S."""
        return self.sums(np.ones(self.n))

    @cached_property
    def independent(self) -> float:
        """At least this many observations can be picked of which no two share anything: the sum of 1 / `partners`.

        The bound of Caro and Wei on independent sets (`wei1981`). With one group each it is the number of groups.
        """
        return float((1 / self.partners).sum())

    @cached_property
    def components(self) -> Indices:
        """Observations with different numbers share nothing, not even through others."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        entries = coo_array(self._members)
        rows, columns = entries.coords
        size = sum(self._members.shape)
        graph = coo_array((entries.data, (rows, columns + self.n)), shape=(size, size))
        labels = connected_components(graph, directed=False)[1][: self.n]
        return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64)

    def sums(self, values: ArrayLike) -> Floats:
        """S times a vector: for each observation the sum of `values` over all that share a group with it, itself among them.

        The cheaper of two ways: inclusion and exclusion over subsets of groups (many observations of few groups each), or
        writing out the pairs, some at a time.
        """
        vector = np.asarray(values, dtype=np.float64)
        belongs = np.diff(self._starts)
        subsets = float((belongs * np.exp2(np.minimum(belongs, 99))).sum())
        way = self._by_subsets if subsets <= float((self._in_group**2.0).sum()) else self._by_pairs
        return np.where(belongs == 0, vector, way(vector))

    def _by_subsets(self, values: Floats) -> Floats:
        """Add over all that share a group, take away those that share two, and so on."""
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
        """Write out the rows of S, as many at a time as memory allows."""
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
    """The same number for equal rows, and for no others."""
    if rows.shape[1] == 1:
        return rows[:, 0].astype(np.int64)
    number = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T.astype(np.int64):
        number = np.unique(number * (int(column.max()) + 1) + column, return_inverse=True)[1].astype(np.int64)
    return number


Groups = Sequence[Collection[Hashable]]
"""For each observation the groups that it belongs to: none if it stands alone; a plain text is one group."""

_ROUNDING = 1e-9
"""Of a number of observations."""


class MeanUncertainty(NamedTuple):
    """How uncertain a mean is."""

    variance: float
    """Of the mean, robust to shared groups; at least `independent`."""
    independent: float
    """What the variance would be if observations were independent."""
    degrees: float
    """Of freedom, for Student's t."""


def mean_interval(values: ArrayLike, groups: Groups, *, confidence: float = CONFIDENCE) -> Bounds:
    """Student's t interval for the mean of observations of which some share a group.

    Where nothing is shared it is the usual one, at n - 1 degrees of freedom.

    Parameters
    ----------
    values: one number an observation, finite.
    groups: as many; order and names do not matter.

    Raises `NotEnoughEvidence` for fewer than two observations, or where every observation shares a group with every other.

    >>> lower, upper = mean_interval([1, 2, 3, 4], [(), (), (), ()])
    >>> round(lower, 3), round(upper, 3)
    (0.446, 4.554)
    >>> lower, upper = mean_interval([1, 2, 3, 4, 3, 4], ["a", "a", "b", "b", "c", "c"])
    >>> round(lower, 3), round(upper, 3)
    (-0.035, 5.702)
    """
    array = checked(values, groups)
    check_confidence(confidence)
    spread = spread_of(array, ClusterDependence(groups))
    half = float(stdtrit(spread.degrees, (1 + confidence) / 2)) * sqrt(spread.variance)
    mean = float(array.mean())
    return Bounds(mean - half, mean + half)


def share_interval(hits: ArrayLike, groups: Groups, *, confidence: float = CONFIDENCE) -> Bounds:
    """Interval for a share where some observations share a group: Clopper and Pearson's at the effective number (`korn1998`).

    The effective number is n over the design effect (robust variance over that of independent observations, at least 1),
    times (t at n - 1 degrees of freedom / t at those of the variance)^2. Where all observations agree no variance can be
    estimated: then it is the number of observations, at least, that can be picked without any two sharing a group
    (`ClusterDependence.independent`; with one group each, the number of groups). Where nothing is shared it is Clopper and
    Pearson's.
    Where fewer than one observation would tell as much, as with two groups that differ, the interval is [0, 1].
    The variance holds for many groups: where hits are rare and one group holds many, a 95% interval covers 93% of the time.

    Parameters
    ----------
    hits: one truth value an observation.
    groups: as many; order and names do not matter.

    Raises `NotEnoughEvidence` for no observation, or where every observation shares a group with every other and they differ.

    >>> lower, upper = share_interval([True, False, False, False], [(), (), (), ()])
    >>> round(lower, 4), round(upper, 4)
    (0.0063, 0.8059)
    >>> lower, upper = share_interval([False] * 100, ["only"] * 100)  # as good as one observation
    >>> round(lower, 4), round(upper, 4)
    (0.0, 0.975)
    """
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
    """How uncertain the mean of the values is; see the head of this file.

    Raises `NotEnoughEvidence` for fewer than two observations, or where every observation shares a group with every other.
    """
    n, partners = values.size, sharing.partners
    if n < 2:
        raise NotEnoughEvidence(f"{n} observation{'' if n else 's'}; the variance of a mean needs at least 2")
    pairs = float(partners.sum())
    if pairs >= n * n:
        raise NotEnoughEvidence(f"each of {n} observations shares a group with every other; a variance needs at least 2 groups")
    # with M = I - 11'/n: the trace of MS, and that of MSMS
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
        raise BadInput("an observation is not a finite number: leave out what was not observed, and count it apart")
    return array


def _effective(hits: Floats, sharing: ClusterDependence, confidence: float) -> float:
    """This many independent observations would tell as much."""
    if np.ptp(hits) == 0:
        return sharing.independent
    spread = spread_of(hits, sharing)
    level = (1 + confidence) / 2
    shrunk = float(stdtrit(hits.size - 1, level) / stdtrit(spread.degrees, level)) ** 2
    return hits.size * spread.independent / spread.variance * shrunk


_CONSTANT_WITHIN = 1e-12
"""Share of a number below which a difference is none."""


def bounded_mean(values: ArrayLike, groups: Groups, *, smallest: float = 0.0, largest: float = 1.0) -> Bounds:
    """Interval for the mean of values that cannot lie outside of `smallest` and `largest`, of which some share a group.

    `clustered.mean_interval`, kept within what is possible; all that is possible where there is too little for an interval.
    Equal values have no spread, which is no certainty: then values as far off as can be may make up as much as an interval for
    the share of an event allows that was never seen.

    Parameters
    ----------
    values: one number an observation; may be none.
    groups: as many, as for `mean_interval`.
    smallest, largest: what a value can be; may be infinite.

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
    """Interval for a share: `clustered.share_interval`, or [0, 1] where there is too little for one.

    >>> tuple(bounded_share([True, False], ["one", "one"]))
    (0.0, 1.0)
    """
    try:
        return share_interval(hits, groups)
    except NotEnoughEvidence:
        return Bounds(0.0, 1.0)


def share_estimate(hits: ArrayLike, groups: Groups) -> Estimate:
    """A share with the interval of `bounded_share`; without a value where there are no observations.

    >>> share_estimate([True, False], ["one", "one"])
    Estimate(value=0.5, interval=Interval(lower=0.0, upper=1.0), n=2)
    """
    array = np.asarray(hits, dtype=bool)
    return Estimate(float(array.mean()) if array.size else None, Interval(*bounded_share(array, groups)), array.size)


def mean_estimate(values: ArrayLike, groups: Groups, *, smallest: float = 0.0, largest: float = 1.0) -> Estimate:
    """A mean with the interval of `bounded_mean`; without a value where there are no observations.

    >>> mean_estimate([], [], smallest=-1.0)
    Estimate(value=None, interval=Interval(lower=-1.0, upper=1.0), n=0)
    """
    array = np.asarray(values, dtype=np.float64)
    interval = Interval(*bounded_mean(array, groups, smallest=smallest, largest=largest))
    return Estimate(float(array.mean()) if array.size else None, interval, array.size)
