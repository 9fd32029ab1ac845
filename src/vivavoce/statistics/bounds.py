"""Bounds on a mean at a number of observations fixed in advance: KL-Chernoff, Hoeffding, Clopper-Pearson.

One-sided bounds throughout: each errs with probability at most `delta`. They hold for one look at a fixed `n`; for a look
after every answer use the confidence sequences of `vivavoce.statistics.mean` and `vivavoce.statistics.rate`.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import NamedTuple

from scipy.special import betaincinv, entr, rel_entr

from vivavoce.errors import BadInput
from vivavoce.statistics.roots import root


class Bounds(NamedTuple):
    """A lower and an upper bound on one number."""

    lower: float
    upper: float


def divergence(x: float, y: float) -> float:
    """Relative entropy d(x, y) in nats between Bernoulli distributions with means `x` and `y`, both in [0, 1].

    Departure from Definition A.1 of `leytonbrown2024`: the printed cases make d(1, 1) both 0 and infinite (and leave d(0, 0)
    to the second line); here d(x, x) = 0 for every x, as the limit demands.

    >>> divergence(0, 0.5) == log(2), divergence(1, 1), divergence(1, 0)
    (True, 0.0, inf)
    """
    return float(rel_entr(x, y) + rel_entr(1 - x, 1 - y))


def kl_upper(mean: float, n: int, delta: float) -> float:
    """U(mean, n, delta) of equation (4.1): the largest y with d(mean, y) <= ln(1/delta)/n.

    The mean of `n` i.i.d. values in [0, 1] lies above it with probability at most `delta` (Chernoff bound).
    Table 2 of `leytonbrown2024` has U(0, 1000, .05) right; its text has it off by one in the last digit.

    >>> round(kl_upper(0, 1_000, 0.05), 7)
    0.0029912
    """
    check_level(mean, n, delta)
    if mean == 1:
        return 1.0
    limit = -log(delta) / n
    # solved for the gap 1 - y, which may be tiny: d(mean, y) >= (1 - mean) ln(1/gap) - entropy bounds it from below
    entropy = float(entr(mean) + entr(1 - mean))
    smallest = exp(-(limit + entropy) / (1 - mean))
    if 1 - mean == 1 or smallest < 1e-300:
        return 1.0 - smallest
    gap = root(lambda z: _divergence_at_gap(mean, z) - limit, smallest * (1 - 1e-9), 1 - mean, xtol=1e-300, rtol=1e-14)
    return 1.0 - gap


def kl_lower(mean: float, n: int, delta: float) -> float:
    """L(mean, n, delta) of equation (4.2), the mirror of `kl_upper`.

    >>> round(kl_lower(0.9, 100, 0.05), 6)
    0.811171
    """
    return 1.0 - kl_upper(1.0 - mean, n, delta)


def hoeffding_upper(mean: float, n: int, delta: float, *, as_published: bool = False) -> float:
    """Upper bound by Hoeffding's inequality (`hoeffding1963`), half-width sqrt(ln(1/delta)/(2n)); not cut off at 1.

    `as_published` drops the 2 under the root, as appendix B and Tables 3 and 4 of `leytonbrown2024` do. The looser form is
    valid too, but it is why the paper needs "over ten million" answers where 5,539,446 suffice.

    >>> round(hoeffding_upper(0, 1_000, 0.05, as_published=True), 6), round(hoeffding_upper(0, 1_000, 0.05), 6)
    (0.054733, 0.038702)
    """
    check_level(mean, n, delta)
    return mean + sqrt(-log(delta) / (n if as_published else 2 * n))


def clopper_pearson_upper(count: int, n: int, delta: float) -> float:
    """Exact upper bound on a probability after `count` events in `n` trials (`clopper1934`).

    >>> clopper_pearson_upper(3, 14_908, 0.05) > 0.00052 > clopper_pearson_upper(3, 14_909, 0.05)
    True
    """
    check_level(count / n if n else 0.0, n, delta)
    return 1.0 if count == n else float(betaincinv(count + 1, n - count, 1 - delta))


def clopper_pearson_lower(count: int, n: int, delta: float) -> float:
    """Exact lower bound on a probability after `count` events in `n` trials."""
    return 1.0 - clopper_pearson_upper(n - count, n, delta)


def check_level(mean: float, n: int, delta: float) -> None:
    """Refuse a mean outside [0, 1], fewer than one observation, or a `delta` outside (0, 1)."""
    if not 0 <= mean <= 1:
        raise BadInput(f"a mean of values in [0, 1] cannot be {mean}")
    if n < 1:
        raise BadInput(f"a bound needs at least 1 observation, not {n}")
    check_delta(delta)


def check_delta(delta: float) -> None:
    """Refuse a `delta` outside (0, 1)."""
    if not 0 < delta < 1:
        raise BadInput(f"delta is {delta}; it must lie strictly between 0 and 1")


def check_confidence(confidence: float) -> None:
    """Refuse a confidence outside (0, 1)."""
    if not 0 < confidence < 1:
        raise BadInput(f"confidence is {confidence}; it must lie strictly between 0 and 1")


def _divergence_at_gap(mean: float, gap: float) -> float:
    """d(mean, 1 - gap) without the rounding of 1 - gap."""
    return float(rel_entr(mean, 1 - gap) + rel_entr(1 - mean, gap))
