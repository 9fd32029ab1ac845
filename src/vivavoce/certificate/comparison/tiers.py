"""Candidates in tiers, by who is certainly better than whom."""

from __future__ import annotations

from collections.abc import Collection

from vivavoce.certificate.comparison.evidence import Pair


def tiers(candidates: int, above: Collection[Pair]) -> tuple[tuple[int, ...], ...]:
    """Each candidate in the tier below the lowest of those that are certainly better than it; the best tier first.

    Nobody in a tier is certainly better than another one of it. That two stand in different tiers does not say that they are
    told apart: somebody between them is.

    above: (better, worse), by place; what leads round in a circle, which wrong statements alone can, stands in one tier.

    >>> tiers(4, {(0, 2), (1, 2), (2, 3), (0, 3)})
    ((0, 1), (2,), (3,))
    """
    left, found = set(range(candidates)), []
    while left:
        first = {one for one in left if not any(worse == one and better in left for better, worse in above)} or left
        found.append(tuple(sorted(first)))
        left = left - first
    return tuple(found)


def unplaced(candidates: int, above: Collection[Pair]) -> tuple[int, ...]:
    """Those who are told apart from nobody, where others are: they stand in the first tier for want of evidence.

    >>> unplaced(3, {(0, 2)}), unplaced(3, set())
    ((1,), ())
    """
    placed = {one for pair in above for one in pair}
    return tuple(one for one in range(candidates) if placed and one not in placed)


def places(candidates: int, above: Collection[Pair]) -> tuple[tuple[int, int], ...]:
    """For each candidate the best and the worst place that it may have among all.

    >>> places(3, {(0, 2)})
    ((1, 2), (1, 3), (2, 3))
    """
    better = [sum(worse == one for _, worse in above) for one in range(candidates)]
    worse_than = [sum(better_one == one for better_one, _ in above) for one in range(candidates)]
    return tuple((1 + up, candidates - down) for up, down in zip(better, worse_than, strict=True))
