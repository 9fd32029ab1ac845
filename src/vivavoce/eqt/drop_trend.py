"""Tests whether better models drop more from a benchmark to EQT, beyond regression to the mean.

Section 4.2 of `asgari2025` finds that "models with higher initial accuracy tend to exhibit larger performance drops". This
happens regardless of comprehension. Let B and Q be the true accuracies in benchmark and EQT, b and q the measured ones, and d =
b - q.

*Why the plain slope misleads.* The slope of d on b is (var b - cov(b, q)) / var b = 1 - r s(q) / s(b). With equal spreads it is
1 - r: .64 with the paper's r = .361, though neither test is harder for better models. Luck in b is not luck in q, so a lucky
model drops. A regression on q finds, for the same reason, that *worse* models gain more.

*The method.* Ability is the mean of both, M = (B + Q) / 2, and D = B - Q. Then cov(D, M) = (var B - var Q) / 2, which is 0 with
equal spreads (Oldham's comparison, `oldham1962`). With errors e of b and f of q, d and m = (b + q) / 2 share these errors, and
cov(d, m) = (var B - var Q + var e - var f) / 2: the test with fewer questions pulls the slope. So questions are split in halves
with independent errors, and m of the first half is the instrument for m of the second:

    slope = cov(m1, d2) / cov(m1, m2), where cov(m1, d2) = cov(M, D) and cov(m1, m2) = var M.

*The interval* holds every slope s that a test does not reject (`anderson1949`). If D = a + s M + h with h independent of M,
then d2 - s m2 = a + h + (errors of half 2), which is independent of m1 = M + (errors of half 1). Their correlation is 0, and
Student's t on it is exact for normal values, however weak the instrument. If the first half says too little about the second,
the interval is unbounded and nothing is claimed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from vivavoce.errors import BadInput
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval

FEWEST: Final = 4
"""Minimum number of models; with three, Student's t has one degree of freedom."""
ROUNDING: Final = 1e-9
NOTHING: Final = Interval(-math.inf, math.inf)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Halves:
    """One model's accuracy in both halves of both tests."""

    model: str
    benchmark: tuple[float, float]
    eqt: tuple[float, float]


@dataclass(frozen=True, slots=True)
class DropTrend:
    """The slope of the drop from benchmark to EQT on ability, over models."""

    plain: Estimate
    """Slope on the benchmark's accuracy, as in the paper; it includes regression to the mean."""
    slope: Estimate
    """Slope on the mean of both accuracies, by split halves; its interval is unbounded with too little evidence."""
    p: float | None
    """Two-sided p-value for slope 0."""
    problem: str = ""
    """Why there is no slope; empty if there is one."""


def drop_trend(models: Sequence[Halves]) -> DropTrend:
    """Test whether better models drop more.

    Raises `BadInput` for an accuracy outside 0 to 1. With too little evidence, `problem` says what is missing.

    >>> trend = drop_trend([Halves("a", (0.5, 0.5), (0.4, 0.4)), Halves("b", (0.7, 0.7), (0.6, 0.6))])
    >>> trend.slope.value, trend.problem
    (None, '2 models: a slope needs at least 4')
    """
    table = np.array([[*model.benchmark, *model.eqt] for model in models], dtype=np.float64).reshape(-1, 4)
    if not np.all((table >= 0) & (table <= 1)):
        raise BadInput("an accuracy must be from 0 to 1")
    if len(models) < FEWEST:
        return _unknown(len(models), f"{len(models)} model{'s' * (len(models) != 1)}: a slope needs at least {FEWEST}")
    bench, eqt = table[:, :2], table[:, 2:]
    mean, drop = (bench + eqt) / 2, bench - eqt
    ability = bench.mean(axis=1)
    plain, _ = instrumented(ability, ability, drop.mean(axis=1))  # least squares, as if measured without error
    slope, p = instrumented(mean[:, 0], mean[:, 1], drop[:, 1])
    if slope.value is None:
        return DropTrend(plain, slope, p, "all models are alike in one of the halves")
    bounded = math.isfinite(slope.interval.lower) and math.isfinite(slope.interval.upper)
    problem = "" if bounded else "the halves say too little of each other for an interval with two ends"
    return DropTrend(plain, slope, p, problem)


def instrumented(instrument: ArrayLike, cause: ArrayLike, effect: ArrayLike) -> tuple[Estimate, float | None]:
    """The slope of an effect on a cause measured with error, by an instrument, and the p-value for slope 0.

    The interval inverts the test of Anderson and Rubin: its ends are the roots of a quadratic. If the quadratic has none or
    opens downwards, the interval is unbounded.

    >>> slope, p = instrumented([0, 1, 2, 3, 4], [0.1, 0.9, 2.1, 2.9, 4.0], [0.0, 2.1, 3.9, 6.0, 8.1])
    >>> round(slope.value, 3), round(slope.interval.lower, 2), round(slope.interval.upper, 2), p < 0.001
    (2.051, 1.78, 2.39, True)
    """
    arrays: list[Floats] = [np.asarray(values, dtype=np.float64) for values in (instrument, cause, effect)]
    z, x, y = (array - float(array.mean()) for array in arrays)
    n = z.size
    zz, xx, yy, zx, zy, xy = (float(a @ b) for a, b in ((z, z), (x, x), (y, y), (z, x), (z, y), (x, y)))
    if min(zz, xx) <= 1e-18 or n < FEWEST:
        return Estimate(None, NOTHING, n), None
    t = float(stdtrit(n - 2, (1 + CONFIDENCE) / 2))
    c = t * t / (t * t + n - 2)
    square, line, rest = zx * zx - c * zz * xx, zx * zy - c * zz * xy, zy * zy - c * zz * yy
    inside = line * line - square * rest
    bounds = NOTHING
    if square > 0 and inside >= -ROUNDING * line * line:  # 0 up to rounding if effect and cause are on a line
        half = math.sqrt(max(0.0, inside))
        bounds = Interval((line - half) / square, (line + half) / square)
    r = zy / math.sqrt(zz * yy) if yy > 1e-18 else 0.0
    p = 2 * float(stdtr(n - 2, -abs(r) * math.sqrt((n - 2) / max(1e-300, 1 - r * r))))
    return Estimate(zy / zx if abs(zx) > 1e-18 else None, bounds, n), p


def _unknown(n: int, problem: str) -> DropTrend:
    nothing = Estimate(None, NOTHING, n)
    return DropTrend(nothing, nothing, None, problem)
