"""Two forecasters on the same tuples: is one of them more consistent, or may it be chance?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from vivavoce.consistency.forecasts.each import Scored, largest_metric
from vivavoce.consistency.forecasts.summary import Paired
from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.statistics.bounded import bounded_mean
from vivavoce.statistics.paired import mcnemar, paired_test

ByLaw = Mapping[tuple[str, str], Sequence[Scored]]
"""Tuples by forecaster and law."""


def compared(groups: ByLaw, pairs: Sequence[tuple[str, str]], *, rng: np.random.Generator) -> tuple[bool, list[Paired]]:
    """All comparisons of these pairs, law by law; and whether tuples had to be paired by their place, as they have no ids.

    Tuples are the same if they have the same id. Where a forecaster's tuples of a law have none, they are taken in their order,
    if both forecasters have equally many; else there is no comparison.
    """
    by_place, found = False, []
    for first, second in pairs:
        for law in dict.fromkeys(law for forecaster, law in groups if forecaster == first):
            if (second, law) not in groups:
                continue
            one, other = groups[first, law], groups[second, law]
            both = matched(one, other)
            if both is not None:
                by_place = by_place or not (_named(one) and _named(other))
                found.append(_paired(law, first, second, both, rng))
    return by_place, found


def matched(one: Sequence[Scored], other: Sequence[Scored]) -> list[tuple[Scored, Scored]] | None:
    """The same tuples of two forecasters: by their ids, else by their places; None where neither can be."""
    if not (_named(one) and _named(other)):
        return list(zip(one, other, strict=True)) if len(one) == len(other) else None
    there = {scored.row.id: scored for scored in other}
    return [(scored, there[scored.row.id]) for scored in one if scored.row.id in there]


def holm(comparisons: Sequence[Paired]) -> tuple[Paired, ...]:
    """The comparisons with p-values adjusted for their number (`holm1979`): the chance that any is wrong stays bounded.

    Of p = .01 and .04 the smaller is doubled and the other stays, but never below the one before it.
    """
    tested = sorted((one.p, place) for place, one in enumerate(comparisons) if one.p is not None)
    adjusted, least = dict.fromkeys(range(len(comparisons)), math.nan), 0.0
    for rank, (p, place) in enumerate(tested):
        least = min(1.0, max(least, p * (len(tested) - rank)))
        adjusted[place] = least
    return tuple(
        one if one.p is None else replace(one, p_adjusted=adjusted[place]) for place, one in enumerate(comparisons)
    )  # fmt: skip


def _named(scored: Sequence[Scored]) -> bool:
    """Whether every tuple has an id of its own."""
    ids = Counter(one.row.id for one in scored)
    return "" not in ids and max(ids.values()) == 1


def _paired(law: str, first: str, second: str, both: Sequence[tuple[Scored, Scored]], rng: np.random.Generator) -> Paired:
    read = [(one, other) for one, other in both if one.metric is not None and other.metric is not None]
    differences = np.array([(one.metric or 0.0) - (other.metric or 0.0) for one, other in read])
    groups = [one.row.base or other.row.base for one, other in read]
    strong = np.array([(one.strong, other.strong) for one, other in read], dtype=bool).reshape(-1, 2)
    apart = strong[:, 0].astype(float) - strong[:, 1]
    largest = max((largest_metric(one.row) for pair in read for one in pair), default=1.0)
    try:
        lower, upper = bounded_mean(differences, groups, smallest=-largest, largest=largest)
        p = paired_test(differences, groups, largest=largest, rng=rng).p
        # McNemar's test takes tuples for independent.
        p_strong = paired_test(apart, groups, largest=1.0, rng=rng).p if any(groups) else mcnemar(strong[:, 0], strong[:, 1])
    except NotEnoughEvidence:
        lower, upper, p, p_strong = -largest, largest, None, None
    value = float(differences.mean()) if len(read) else None
    return Paired(
        law=law,
        first=first,
        second=second,
        n=len(read),
        difference=Estimate(value, Interval(lower, upper), len(read)),
        p=p,
        first_only=int((strong[:, 0] & ~strong[:, 1]).sum()),
        second_only=int((strong[:, 1] & ~strong[:, 0]).sum()),
        p_strong=p_strong,
        p_adjusted=None,
    )
