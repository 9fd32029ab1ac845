"""Ratios of sums over question pairs, with cluster bootstrap intervals, paired differences and p-values.

All figures of the alignment are ratios: the sum of numerators over pairs divided by the sum of denominators. The bootstrap
resamples *sets* of pairs. Pairs that share a question or a person are in one set, and so are pairs connected through others.
Pairs drawn at random from many questions rarely share any (460 sets among the 500 pairs of `vafa2024`), so this is close to the
usual bootstrap. With few sets, as in a small sample or a survey in which all pairs are connected, the interval is Student's t
for the mean of linearised values, with the variance of `statistics.clustered`.

If beliefs are predicted, a ratio also has a value for each draw of the predictor. Intervals and p-values then include the
spread of these values, as an independent error.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum, hypot, inf, sqrt
from typing import Any, Final

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri, stdtrit

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.generalization.pairs import Floats
from vivavoce.statistics.clustered import ClusterDependence, spread_of
from vivavoce.statistics.differences import LARGEST_SET, MOST_SETS, paired_test

ROUNDS: Final = 2_000
FEWEST_SETS: Final = 20
"""Fewest sets to resample: with fewer, quantiles of resamples are too close together."""
_ROWS = 64
"""Resamples summed in one step."""
_ROUNDING = 1e-12
"""Relative difference that counts as none."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """Numerators and denominators to be summed, one per pair of questions; both are 0 for a pair that does not count."""

    numerator: Floats
    denominator: Floats
    n: int
    largest: float = 1.0
    """Largest possible observation; the smallest is 0."""
    drawn: Floats | None = None
    """The ratio by each draw of predicted beliefs; None if no draw changes it."""

    @property
    def value(self) -> float | None:
        """The ratio of the sums; None if no pair counts."""
        below = float(self.denominator.sum())
        return float(self.numerator.sum()) / below if below > 0 else None

    @property
    def linear(self) -> Floats:
        """Linearised values: their mean is the ratio, and with many pairs their spread is the spread of the ratio."""
        value, below = self.value, float(self.denominator.sum())
        if value is None:
            raise NotEnoughEvidence("no observation counts: a ratio needs at least 1")
        return value + (self.numerator - value * self.denominator) * (self.denominator.size / below)


@dataclass(frozen=True, slots=True)
class RatioDifference:
    """The difference of two ratios on the same pairs."""

    value: float | None
    interval: Interval
    n: int
    p: float | None
    """Two-sided, of no difference; None with too little evidence."""


class IndependentSets:
    """Sets of pairs of questions with nothing in common, and the intervals from resampling them.

    groups: for each pair of questions what it can share with others, such as both questions.
    rng: draws the resamples, and the sign flips of the tests.

    >>> sets = IndependentSets([{"a", "b"}, {"b", "c"}, {"d", "e"}], rng=np.random.default_rng(0))
    >>> sets.number, sets.drawn_again
    (2, False)
    """

    def __init__(
        self, groups: Sequence[frozenset[Hashable]], *, rng: np.random.Generator, confidence: float = CONFIDENCE
    ) -> None:
        if not 0 < confidence < 1:
            raise BadInput(f"confidence is {confidence}: give a number strictly between 0 and 1")
        self.groups = groups
        self.confidence = confidence
        self._rng = rng
        self._sharing = ClusterDependence(groups)

    @property
    def number(self) -> int:
        """Number of sets."""
        return int(self._sharing.components.max(initial=-1)) + 1

    @cached_property
    def drawn_again(self) -> bool:
        """Whether intervals come from resamples; otherwise they are Student's t."""
        return FEWEST_SETS <= self.number <= MOST_SETS and self._largest <= LARGEST_SET * len(self.groups)

    @cached_property
    def _counts(self) -> np.ndarray[Any, np.dtype[np.uint16]]:
        """How often each set is in each resample."""
        even = np.full(self.number, 1 / self.number)
        sizes = [min(_ROWS, ROUNDS - start) for start in range(0, ROUNDS, _ROWS)]
        return np.concatenate([self._rng.multinomial(self.number, even, size).astype(np.uint16) for size in sizes])

    def resampled(self, ratio: Ratio) -> Floats:
        """The ratio in each resample; NaN if no pair in it counts."""
        sums = np.stack([self._summed(ratio.numerator), self._summed(ratio.denominator)], axis=1)
        above, below = np.concatenate([block @ sums for block in self._blocks()]).T
        ratios: Floats = np.divide(above, below, out=np.full(ROUNDS, np.nan), where=below > 0)
        return ratios

    def estimate(self, ratio: Ratio) -> Estimate:
        """A ratio with its interval; without a value and with an infinite interval if no pair counts."""
        if ratio.value is None:
            return Estimate(None, Interval(-inf, inf), 0)
        return Estimate(ratio.value, self._interval(ratio.value, [(1.0, ratio)]), ratio.n)

    def share(self, ratio: Ratio) -> Estimate:
        """A share of right answers, with Clopper and Pearson's interval at the effective number of pairs (`korn1998`).

        That number allows for weights and shared questions and is at most the number of pairs, so the interval has a width even
        if all answers are right.
        """
        value = ratio.value
        if value is None:
            return Estimate(None, Interval(0.0, 1.0), 0)
        size, tail = self._effective(ratio, value), (1 - self.confidence) / 2
        lower = 0.0 if value <= 0 else float(betaincinv(value * size, (1 - value) * size + 1, tail))
        upper = 1.0 if value >= 1 else float(betaincinv(value * size + 1, (1 - value) * size, 1 - tail))
        return Estimate(value, Interval(lower, upper), ratio.n)

    def difference(self, first: Ratio, second: Ratio) -> RatioDifference:
        """The first ratio minus the second, on the same pairs, from each pair's contributions to both.

        The p-value is from `paired_test` on each pair's contribution to the difference under the hypothesis of equal ratios.
        """
        if first.value is None or second.value is None:
            return RatioDifference(None, Interval(-inf, inf), 0, None)
        value = first.value - second.value
        return RatioDifference(
            value, self._interval(value, [(1.0, first), (-1.0, second)]), min(first.n, second.n), self._p(first, second)
        )

    def difference_of_shares(self, first: Ratio, second: Ratio) -> RatioDifference:
        """The first share minus the second, from both intervals (`newcombe1998`), with a width even if all answers are right.

        It ignores that the same questions tend to be hard for both, which makes the interval wider, not narrower.
        """
        if first.value is None or second.value is None:
            return RatioDifference(None, Interval(-1.0, 1.0), 0, None)
        value, minuend, subtrahend = first.value - second.value, self.share(first).interval, self.share(second).interval
        lower = value - hypot(first.value - minuend.lower, subtrahend.upper - second.value)
        upper = value + hypot(minuend.upper - first.value, second.value - subtrahend.lower)
        return RatioDifference(value, Interval(lower, upper), min(first.n, second.n), self._p(first, second))

    def combination(self, parts: Sequence[tuple[float, Ratio]]) -> Estimate:
        """A linear combination of ratios on the same pairs, such as a slope over several models."""
        values = [ratio.value for _, ratio in parts]
        if any(value is None for value in values):
            return Estimate(None, Interval(-inf, inf), 0)
        value = fsum(factor * (ratio or 0.0) for (factor, _), ratio in zip(parts, values, strict=True))
        return Estimate(value, self._interval(value, parts), min(ratio.n for _, ratio in parts))

    def apart(self, first: Ratio, second: Ratio) -> Floats:
        """Each pair's contribution to the difference of two ratios; their mean is the difference."""
        return first.linear - second.linear

    def _interval(self, value: float, parts: Sequence[tuple[float, Ratio]]) -> Interval:
        sampled, error = self._sampled(value, parts), _prediction_error(parts)
        if not error:
            return sampled
        half = float(ndtri((1 + self.confidence) / 2)) * error
        return Interval(value - hypot(value - sampled.lower, half), value + hypot(sampled.upper - value, half))

    def _sampled(self, value: float, parts: Sequence[tuple[float, Ratio]]) -> Interval:
        """The interval for other pairs of questions."""
        if self.drawn_again:
            drawn = np.sum([times * self.resampled(ratio) for times, ratio in parts], axis=0)
            drawn = drawn[np.isfinite(drawn)]
            tail = (1 - self.confidence) / 2
            if drawn.size >= ROUNDS / 2:
                lower, upper = np.quantile(drawn, [tail, 1 - tail])
                return Interval(min(value, float(lower)), max(value, float(upper)))
        values = np.sum([times * ratio.linear for times, ratio in parts], axis=0)
        try:
            spread = spread_of(values, self._sharing)
        except NotEnoughEvidence:
            return Interval(-inf, inf)
        if np.ptp(values) <= _ROUNDING * abs(values).max():  # the ratio stays uncertain even if all values are equal
            return Interval(-inf, inf)
        half = float(stdtrit(spread.degrees, (1 + self.confidence) / 2)) * sqrt(spread.variance)
        return Interval(value - half, value + half)

    def _p(self, first: Ratio, second: Ratio) -> float | None:
        counting = (first.denominator > 0) | (second.denominator > 0)
        apart, largest = _pulls(first, second)
        groups = [group for group, counts in zip(self.groups, counting, strict=True) if counts]
        try:
            p = paired_test(apart[counting], groups, largest=largest, rng=self._rng, rounds=ROUNDS).p
        except NotEnoughEvidence:
            return None
        error, difference = _prediction_error([(1.0, first), (-1.0, second)]), abs((first.value or 0) - (second.value or 0))
        if not error or not 0 < p < 1 or not difference:
            return p
        return float(2 * ndtr(-difference / hypot(difference / ndtri(p / 2), error)))

    def _effective(self, ratio: Ratio, value: float) -> float:
        """The number of independent, equally weighted pairs with the same information."""
        counting = ratio.denominator > 0
        weights = ratio.denominator[counting]
        most = float(weights.sum() ** 2 / (weights @ weights))
        if weights.size < 2 or not 1e-12 < value < 1 - 1e-12:
            alike = ClusterDependence([group for group, counts in zip(self.groups, counting, strict=True) if counts])
            return min(most, alike.independent)
        try:
            spread = spread_of(ratio.linear, self._sharing)
        except NotEnoughEvidence:
            return 1.0
        if spread.variance <= 0:
            return most
        n, level = len(self.groups), (1 + self.confidence) / 2
        shrunk = float(stdtrit(n - 1, level) / stdtrit(spread.degrees, level)) ** 2
        # the variance of independent pairs divides by n - 1, Clopper and Pearson's by n
        return max(1.0, min(most, value * (1 - value) / spread.variance * n / (n - 1) * shrunk))

    def _summed(self, array: Floats) -> Floats:
        return np.bincount(self._sharing.components, array, self.number).astype(np.float64)

    @property
    def _largest(self) -> int:
        return int(np.bincount(self._sharing.components, minlength=1).max())

    def _blocks(self) -> Iterator[Floats]:
        return (self._counts[start : start + _ROWS].astype(np.float64) for start in range(0, ROUNDS, _ROWS))


def _prediction_error(parts: Sequence[tuple[float, Ratio]]) -> float:
    """Standard error of a linear combination of ratios from predicting beliefs; 0 if none of them is predicted."""
    drawn = [times * ratio.drawn for times, ratio in parts if ratio.drawn is not None]
    return float(np.sum(drawn, axis=0).std()) if drawn else 0.0


def _pulls(first: Ratio, second: Ratio) -> tuple[Floats, float]:
    """Each counting pair's contribution to the difference of two ratios (their mean), and the largest possible one.

    Contributions are measured from the ratio of all numerators to all denominators, the common value of equal ratios.
    """
    sides = [(first.numerator, first.denominator), (second.numerator, second.denominator)]
    below = [float(denominator.sum()) for _, denominator in sides]
    common = sum(float(numerator.sum()) for numerator, _ in sides) / sum(below)
    number = np.count_nonzero((first.denominator > 0) | (second.denominator > 0))
    shares = [denominator * number / total for (_, denominator), total in zip(sides, below, strict=True)]
    minuend, subtrahend = (
        numerator * number / total - common * share for (numerator, _), total, share in zip(sides, below, shares, strict=True)
    )
    over = max(first.largest, second.largest) - common
    furthest = max(float((over * up + common * down).max()) for up, down in (shares, shares[::-1]))
    return minuend - subtrahend, furthest * (1 + _ROUNDING)
