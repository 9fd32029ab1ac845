"""Exact tests of counts: a sign test, a binomial tail, and a sum of values of which each is drawn from its own set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadInput


def sign_test(more: int, less: int) -> float:
    """P-value of "more and less are equally likely", if more is suspected.

    more, less: the pairs in which the first value is larger, and smaller; ties don't count.

    >>> sign_test(5, 0), sign_test(3, 1), sign_test(0, 0)
    (0.03125, 0.3125, 1.0)
    """
    return upper_tail(more, more + less, 0.5)


def upper_tail(events: int, n: int, rate: float) -> float:
    """Chance of at least so many events in n independent trials whose mean chance is at most `rate`; 1 where no bound holds.

    If chances differ, the binomial tail is a bound for counts of at least n rate + 1 (`hoeffding1956`); below, 1 is given
    unless no events are a certainty.

    >>> round(upper_tail(9, 10, 0.5), 5)  # 11 / 1024
    0.01074
    >>> upper_tail(5, 10, 0.5)
    1.0
    """
    from scipy.stats import binom

    if not 0 <= rate <= 1 or not 0 <= events <= n:
        raise BadInput(
            f"{events} events in {n} trials at a rate of {rate} can't be: give 0 to n events, and a rate from 0 to 1"
        )
    return float(binom.sf(events - 1, n, rate)) if events >= n * rate + 1 else 1.0


def permuted_sum(sets: Sequence[NDArray[np.int64]], observed: int) -> float:
    """Chance of a sum of at most `observed`, if one value is drawn from each set, each with the same chance.

    sets: counts, of at least 0.

    >>> permuted_sum([np.array([0, 1]), np.array([0, 0, 1])], 0)  # 1/2 times 2/3
    0.3333333333333333
    """
    chances = np.ones(1)
    for values in sets:
        chances = np.convolve(chances, np.bincount(values) / len(values))
    return float(min(1.0, chances[: observed + 1].sum()))
