"""Which observations share something: the same base question, the same defendant, the same concept.

What needs `scipy.sparse` imports it itself: that takes a fifth of a second, and every page imports this.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.statistics.betting import Floats

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
