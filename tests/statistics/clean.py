"""The exact chance that a test of the rate of unacceptable answers passes."""

from __future__ import annotations

from itertools import takewhile

import numpy as np
import scipy

from vivavoce.statistics.confidence_sequences import rate_boundary


def chance_of_clean(rate: float, limit: float, delta: float, budget: int) -> float:
    """Probability that `rate_below` reaches 1/delta within `budget` answers, if answers are unacceptable at `rate`.

    Exact: between two points of the boundary the number of events is binomial, and at each point those pass who have had
    at most that many.

    >>> chance_of_clean(0.0, 0.00052, 0.05, 6_282), chance_of_clean(0.0, 0.00052, 0.05, 6_281)
    (1.0, 0.0)
    >>> round(chance_of_clean(0.0001, 0.00052, 0.05, 6_282), 6) == round((1 - 0.0001) ** 6_282, 6)
    True
    """
    points = list(takewhile(lambda n: n <= budget, rate_boundary(limit, delta)))
    most = len(points) - 1  # with more events nobody passes any more
    passed, before, alive = 0.0, 0, np.array([1.0])
    for events, n in enumerate(points):
        alive = np.convolve(alive, np.asarray(scipy.stats.binom.pmf(range(most + 1), n - before, rate)))[: most + 1]
        passed += float(alive[: events + 1].sum())
        alive[: events + 1] = 0.0
        before = n
    return passed
