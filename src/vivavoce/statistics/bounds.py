"""Bounds on a mean at a fixed number of observations (KL-Chernoff, Hoeffding, Clopper-Pearson), exact tests, and a root finder.

SciPy's `brentq` finds the same roots to the last bit, but importing `scipy.optimize` would add a fifth to the start-up time;
`scipy.special`, which most certificates do without, a seventh.

All bounds are one-sided and err with probability at most `delta`. They are valid at one fixed `n`. To check after every answer,
use `vivavoce.statistics.confidence_sequences`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import copysign, exp, inf, lgamma, log, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput

RTOL: Final = 2.0**-50
"""Four times the distance from 1 to the next larger number."""
STEPS: Final = 100


class _Point(NamedTuple):
    x: float
    y: float


def root(f: Callable[[float], float], a: float, b: float, *, xtol: float = 2e-12, rtol: float = RTOL) -> float:
    """The zero of `f`, which is negative at one of `a` and `b` and positive at the other, by Brent's method (`brent1973`).

    Each step halves the bracket, unless a line through the last two points, or a hyperbola through three, shrinks it faster.
    The returned value is less than xtol + rtol |root| from the root.

    Raises `ValueError` if the signs at both ends are equal, or a hundred steps find no root.

    >>> round(root(lambda x: x * x - 2, 0, 2), 12)
    1.414213562373
    """
    previous, best = _at(f, float(a)), _at(f, float(b))
    for end in (previous, best):
        if end.y == 0:
            return end.x
    if not min(previous.y, best.y) < 0 < max(previous.y, best.y):
        raise ValueError(f"the function is {previous.y} at {a} and {best.y} at {b}: one must be below zero, the other above")
    other, step, step_before = previous, inf, inf
    for _ in range(STEPS):
        if (previous.y < 0) != (best.y < 0):  # the root lies between these two
            other = previous
            step = step_before = best.x - previous.x
        if abs(other.y) < abs(best.y):
            previous, best, other = best, other, best
        tolerance, half = (xtol + rtol * abs(best.x)) / 2, (other.x - best.x) / 2
        if best.y == 0 or abs(half) < tolerance:
            return best.x
        converging = abs(step_before) > tolerance and abs(best.y) < abs(previous.y)
        jump = _interpolated(previous, best, other) if converging else inf
        if 2 * abs(jump) < min(abs(step_before), 3 * abs(half) - tolerance):
            step_before, step = step, jump
        else:
            step_before = step = half
        previous, best = best, _at(f, best.x + (step if abs(step) > tolerance else copysign(tolerance, half)))
    raise ValueError(f"no root between {a} and {b} was found in {STEPS} steps")


def _at(f: Callable[[float], float], x: float) -> _Point:
    return _Point(x, float(f(x)))


def _interpolated(previous: _Point, best: _Point, other: _Point) -> float:
    """Distance from the best point to the zero of a line, or of a hyperbola if there are three points."""
    if previous.x == other.x:
        return -best.y * (best.x - previous.x) / (best.y - previous.y)
    to_previous = (previous.y - best.y) / (previous.x - best.x)
    to_other = (other.y - best.y) / (other.x - best.x)
    divisor = to_other * to_previous * (other.y - previous.y)
    return -best.y * (other.y * to_other - previous.y * to_previous) / divisor if divisor else inf


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
    return _divergence(x, y, 1 - y)


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
    entropy = -_divergence(mean, 1, 1)
    smallest = exp(-(limit + entropy) / (1 - mean))
    if 1 - mean == 1 or smallest < 1e-300:
        return 1.0 - smallest
    gap = root(lambda z: _divergence(mean, 1 - z, z) - limit, smallest * (1 - 1e-9), 1 - mean, xtol=1e-300, rtol=1e-14)
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
    if count == n:
        return 1.0
    from scipy.special import betaincinv

    return float(betaincinv(count + 1, n - count, 1 - delta))


def clopper_pearson_lower(count: int, n: int, delta: float) -> float:
    """Exact lower bound on a probability after `count` events in `n` trials."""
    return 1.0 - clopper_pearson_upper(n - count, n, delta)


def check_level(mean: float, n: int, delta: float) -> None:
    """Reject a mean outside [0, 1], fewer than one observation, or a `delta` outside (0, 1)."""
    if not 0 <= mean <= 1:
        raise BadInput(f"a mean of values in [0, 1] cannot be {mean}")
    if n < 1:
        raise BadInput(f"a bound needs at least 1 observation, not {n}")
    check_delta(delta)


def check_delta(delta: float) -> None:
    """Reject a `delta` outside (0, 1)."""
    if not 0 < delta < 1:
        raise BadInput(f"delta is {delta}; it must lie strictly between 0 and 1")


def check_confidence(confidence: float) -> None:
    """Reject a confidence outside (0, 1)."""
    if not 0 < confidence < 1:
        raise BadInput(f"confidence is {confidence}; it must lie strictly between 0 and 1")


def _divergence(x: float, y: float, gap: float) -> float:
    """d(x, y), given 1 - y as `gap`, which may be too small to be the difference of 1 and y."""
    return sum(p * log(p / q) if q else inf for p, q in ((x, y), (1 - x, gap)) if p)


def log_gamma(x: ArrayLike) -> NDArray[np.float64]:
    """ln Γ(x) of each element, for x > 0.

    >>> np.exp(log_gamma([1, 5])).round(9).tolist()
    [1.0, 24.0]
    """
    return np.asarray(_LOG_GAMMA(x), dtype=np.float64)


def log_beta(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """ln B(a, b) of each pair of elements, for a, b > 0.

    >>> np.exp(-log_beta(2, 3)).round(9).tolist()
    12.0
    """
    return log_gamma(a) + log_gamma(b) - log_gamma(np.add(a, b))


_LOG_GAMMA: Final = np.frompyfunc(lgamma, 1, 1)


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
