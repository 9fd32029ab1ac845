"""How many questions a test needs, before any is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from math import ceil, expm1, floor, log, log1p

import numpy as np
from numpy.typing import ArrayLike

from vivavoce.errors import BadInput
from vivavoce.statistics.bounds import check_delta
from vivavoce.statistics.confidence_sequences import rate_below


def limit_from_test_length(questions: int, delta: float) -> float:
    """The limit RID on unacceptable answers that leaves a test of this many questions clean with probability 1 - delta (section
    3).

    RID = 1 - (1 - delta)^(1/questions). `leytonbrown2024` prints .00052 for 100 questions and delta = .05, and .000052 for
    1,000; the formula gives .00051280 and .00005129.

    >>> f"{limit_from_test_length(100, 0.05):.8f} {limit_from_test_length(1_000, 0.05):.8f}"
    '0.00051280 0.00005129'
    """
    check_delta(delta)
    if questions < 1:
        raise BadInput(f"a test of {questions} questions: it must have at least 1")
    return -expm1(log1p(-delta) / questions)


def clean_answers(limit: float, delta: float) -> int:
    """The number of answers, all acceptable, that shows a rate below `limit` when checked once, at a number fixed in advance.

    "10,000 questions are often appropriate" (section 4 of `leytonbrown2024`) results from looking at powers of ten only.

    >>> clean_answers(0.00052, 0.05)
    5760
    """
    check_delta(delta)
    return ceil(log(delta) / log1p(-limit))


def clean_answers_of_finite(limit: float, delta: float, population: int) -> int:
    """The same for draws without replacement: the least n with C(N-D, n)/C(N, n) <= delta, D = floor(limit N) + 1.

    >>> [clean_answers_of_finite(0.00052, 0.05, n) for n in (1_000, 5_000, 10_000)]
    [950, 3158, 3930]
    """
    check_delta(delta)
    events = floor(limit * population + 1e-9) + 1
    drawn = np.arange(population - events + 1)
    # the chance to miss all D events: the product over draws i of (N - D - i) / (N - i)
    missed = np.cumsum(np.log((population - events - drawn[:-1]) / (population - drawn[:-1])))
    enough = np.flatnonzero(missed <= log(delta) + 1e-12)
    return int(enough[0]) + 1 if enough.size else population


def rate_boundary(limit: float, delta: float) -> Iterator[int]:
    """Numbers of answers at which `rate_below` reaches 1/delta with 0, 1, 2, ... unacceptable ones; an endless iterator.

    >>> from itertools import islice
    >>> list(islice(rate_boundary(0.00052, 0.05), 5))
    [6282, 13640, 18141, 22238, 26034]
    """
    check_delta(delta)
    test = rate_below(limit)
    n = 0
    for events in count():
        n = _first(lambda trials: bool(test.after([0.0, 1.0], [trials - events, events]) >= -log(delta)), above=n)  # noqa: B023
        yield n


def growth_rate(values: ArrayLike, probabilities: ArrayLike, null: float) -> float:
    """K_inf: the best expected growth of ln E per value against "the mean is at most `null`"; 0 if no bet grows.

    No valid test at level delta needs fewer than about ln(1/delta)/K_inf values; `mean_above` needs 1.2 to 1.6 times that.
    Source: `honda2010`.

    >>> round(log(20) / growth_rate([0, 1], [0.2, 0.8], 0.7))
    116
    """
    x, p = np.asarray(values, float), np.asarray(probabilities, float)
    if p @ x <= null:
        return 0.0
    from scipy.optimize import minimize_scalar  # its import takes a fifth of a second, and few examinations are planned

    best = minimize_scalar(lambda bet: -float(p @ np.log1p(bet * (x - null))), bounds=(0, (1 - 1e-9) / null), method="bounded")
    return max(0.0, -float(best.fun))


def _first(holds: Callable[[int], bool], *, above: int) -> int:
    """The least n above a number for which a monotone condition holds."""
    top = 2 * above + 16
    while not holds(top):
        top *= 2
    low = above
    while top - low > 1:
        middle = (low + top) // 2
        low, top = (low, middle) if holds(middle) else (middle, top)
    return top
