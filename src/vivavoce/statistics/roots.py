"""Where a function of one number crosses zero.

SciPy's `brentq` finds the same, to the last bit; but to import `scipy.optimize` takes a fifth of the time in which an
examination begins.
"""

from __future__ import annotations

from collections.abc import Callable
from math import copysign, inf
from typing import Final, NamedTuple

RTOL: Final = 2.0**-50
"""Four times the distance from 1 to the next larger number."""
STEPS: Final = 100


class _Point(NamedTuple):
    x: float
    y: float


def root(f: Callable[[float], float], a: float, b: float, *, xtol: float = 2e-12, rtol: float = RTOL) -> float:
    """Where `f`, which is negative at one of `a` and `b` and positive at the other, is zero, by Brent's method (`brent1973`).

    The bracket is halved in each step, unless a line through its two last points, or a hyperbola through three, shrinks it
    faster. The root is less than xtol + rtol |root| away from what is returned.

    Raises `ValueError` where the signs at both ends are the same, or no root is found in a hundred steps.

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
    """How far from the best point a line, or a hyperbola where there are three points, is zero."""
    if previous.x == other.x:
        return -best.y * (best.x - previous.x) / (best.y - previous.y)
    to_previous = (previous.y - best.y) / (previous.x - best.x)
    to_other = (other.y - best.y) / (other.x - best.x)
    divisor = to_other * to_previous * (other.y - previous.y)
    return -best.y * (other.y * to_other - previous.y * to_previous) / divisor if divisor else inf
