"""How far it is to a verdict, judged by what has been seen."""

from __future__ import annotations

from itertools import islice
from math import ceil, log

import numpy as np

from vivavoce.certificate.verdict import Criterion
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.mean import mean_above, mean_below
from vivavoce.statistics.planning import growth_rate, rate_boundary

_MOST_EVENTS = 30
"""With more ridiculous answers than this the estimate is not worth working out."""
_LEAST_GROWTH = 1e-16
"""Per unit; a sum of logarithms of bets has no smaller one."""


def still_needed(
    scores: Floats, upper: Floats, ridiculous: Floats, criterion: Criterion, *, population: int | None
) -> int | None:
    """Further units until a verdict if all goes on as it has, and no further answer is ridiculous; None: cannot be told.

    upper: the most that each score may be. Where the means of the two lie on either side of the grade, nothing can be told.
    An estimate, and for the ridiculous limit an optimistic one. A finite scope is through when all has been asked.
    """
    if scores.size < 2:
        return None
    if scores.mean() > criterion.passing_grade:
        needed = _for_passing(scores, ridiculous, criterion)
    else:
        needed = _for_failing(upper, criterion) if upper.mean() <= criterion.passing_grade else None
    left = None if population is None else population - scores.size
    return left if needed is None or (left is not None and needed > left) else max(1, needed)


def _for_passing(scores: Floats, ridiculous: Floats, criterion: Criterion) -> int | None:
    threshold = -log(criterion.delta)
    distinct, counts = np.unique(scores, return_counts=True)
    growth = growth_rate(distinct, counts / scores.size, criterion.passing_grade)
    reached = float(mean_above(criterion.passing_grade).after(distinct, counts))
    needed = _units(threshold - reached, growth)
    limit, events = criterion.ridiculous_limit, ceil(float(ridiculous.sum()) - 1e-9)
    if limit is None or needed is None:
        return needed
    if events > _MOST_EVENTS or events / scores.size > limit * 10:
        return None
    return max(needed, next(islice(rate_boundary(limit, criterion.delta), events, None)) - scores.size)


def _for_failing(scores: Floats, criterion: Criterion) -> int | None:
    distinct, counts = np.unique(scores, return_counts=True)
    growth = growth_rate(1 - distinct, counts / scores.size, 1 - criterion.passing_grade)
    reached = float(mean_below(criterion.passing_grade).after(distinct, counts))
    halved = 0.0 if criterion.ridiculous_limit is None else log(2)
    return _units(halved - log(criterion.delta) - reached, growth)


def _units(missing: float, growth: float) -> int | None:
    """How many units of this growth; None where rounding leaves none, as where the mean is all but the grade itself."""
    return ceil(max(0.0, missing) / growth) if growth > _LEAST_GROWTH else None
