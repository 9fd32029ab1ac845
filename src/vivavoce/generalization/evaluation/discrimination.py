"""Computes AUC and NLL of predicted belief changes, each with an interval.

Pairs that share a person or a question are not independent. Both intervals allow for that: the AUC's by each pair's
contribution (`delong1988`, and `obuchowski1997` for clusters), the NLL's as for any mean (`statistics.clustered`).
"""

from __future__ import annotations

from math import exp, fsum, log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE
from vivavoce.generalization.pairs import Floats
from vivavoce.statistics.bounds import Bounds
from vivavoce.statistics.clustered import ClusterDependence, Groups, mean_interval, spread_of


def auc(changed: ArrayLike, chances: ArrayLike, weights: ArrayLike | None = None) -> float:
    """The probability that a changed pair has a higher chance than an unchanged one; ties count half.

    changed: whether the belief changed, one per pair.
    weights: how many pairs each represents; None: 1 each.

    Raises `NotEnoughEvidence` if all pairs changed, or none.

    >>> auc([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1])  # of four comparisons three are right and one is a tie
    0.875
    """
    return _ComparedPairs(changed, chances, weights).auc


def auc_interval(changed: ArrayLike, chances: ArrayLike, groups: Groups, *, weights: ArrayLike | None = None) -> Bounds:
    """Interval for the AUC: Student's t on the logit scale, with DeLong's variance for clusters.

    The variance is DeLong's, times the design effect of clusters if it is above 1. Degrees of freedom are Welch's for two
    samples, or those of the clusters if they are fewer. If every comparison is right, no variance can be estimated. The lower
    end is then c^(1/m), with c half of the error probability and m comparisons without a common pair or cluster: with a smaller
    AUC all m would be right less often. The lower end is never above that value, and the upper end never below 1 minus it. If
    all chances are equal, the AUC is always one half, and so are both ends.

    A 95% interval covered 94% to 100% of the time in 40 studies, with 10 to 246 pairs and true values from .5 to .998, with and
    without clusters. It is wide below 30 pairs.

    Raises `NotEnoughEvidence` for fewer than two changed or two unchanged pairs, or if all share a group.

    >>> lower, upper = auc_interval([1, 1, 1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.6, 0.4, 0.5, 0.3, 0.2, 0.1], [()] * 8)
    >>> 0.2 < lower < 0.4 and 0.95 < upper < 1
    True
    """
    values = _ComparedPairs(changed, chances, weights)
    if min(values.sizes) < 2:
        raise NotEnoughEvidence(f"{min(values.sizes)} pair of one kind: an interval for the AUC needs at least 2 of each")
    spread = spread_of(values.parts, ClusterDependence(groups))
    if np.ptp(values.chances) == 0:
        return Bounds(0.5, 0.5)
    variance, degrees = values.delong()
    if spread.independent > 0:
        variance *= spread.variance / spread.independent
    degrees = min(degrees, spread.degrees)
    value, tail = values.auc, (1 - CONFIDENCE) / 2
    least = tail ** (1 / values.disjoint(groups))
    if variance == 0 or value in (0.0, 1.0):
        return Bounds(least, 1.0) if value > 0.5 else Bounds(0.0, 1 - least)
    half = float(stdtrit(degrees, 1 - tail)) * sqrt(variance) / (value * (1 - value))
    middle = log(value / (1 - value))
    lower, upper = 1 / (1 + exp(min(700.0, half - middle))), 1 / (1 + exp(min(700.0, -half - middle)))
    return Bounds(min(lower, least), max(upper, 1 - least))


def losses(changed: ArrayLike, chances: ArrayLike) -> Floats:
    """Negative log-likelihood of each pair, in nats.

    Raises `BadInput` for a chance that is not strictly between 0 and 1, as its loss could be infinite.

    >>> losses([1, 0], [0.5, 0.5]).round(3).tolist()
    [0.693, 0.693]
    """
    labels, predicted = np.asarray(changed, dtype=bool), np.asarray(chances, dtype=float)
    if labels.shape != predicted.shape or labels.ndim != 1:
        raise BadInput(f"{labels.size} pairs and {predicted.size} chances: give one chance per pair")
    if not ((predicted > 0) & (predicted < 1)).all():
        wrong = predicted[~((predicted > 0) & (predicted < 1))][0]
        raise BadInput(f"a chance is {wrong}: give chances strictly between 0 and 1")
    return np.asarray(-np.log(np.where(labels, predicted, 1 - predicted)), dtype=float)


def weighted_mean(values: ArrayLike, weights: ArrayLike) -> float:
    """The mean of weighted values."""
    return float(np.average(np.asarray(values, dtype=float), weights=np.asarray(weights, dtype=float)))


def weighted_interval(values: ArrayLike, weights: ArrayLike, groups: Groups) -> Bounds:
    """Interval for a weighted mean, by linearisation as for a ratio; with equal weights it is `mean_interval`.

    Raises `NotEnoughEvidence` like `mean_interval`, and if all values are equal: without spread the error is unknown.
    """
    array, weight = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
    if array.size > 1 and np.ptp(array) == 0:
        raise NotEnoughEvidence(f"all of {array.size} values are equal: an interval needs some that differ")
    mean = weighted_mean(array, weight)
    return mean_interval(mean + weight / weight.mean() * (array - mean), groups)


class _ComparedPairs:
    """Pairs that changed compared with pairs that did not."""

    def __init__(self, changed: ArrayLike, chances: ArrayLike, weights: ArrayLike | None) -> None:
        self.changed: NDArray[np.bool_] = np.asarray(changed, dtype=bool)
        self.chances: Floats = np.asarray(chances, dtype=float)
        self.weights: Floats = np.ones(self.changed.size) if weights is None else np.asarray(weights, dtype=float)
        if not self.changed.shape == self.chances.shape == self.weights.shape or self.changed.ndim != 1:
            raise BadInput(
                f"{self.changed.size} pairs, {self.chances.size} chances, {self.weights.size} weights: give one each"
            )
        if not np.isfinite(self.chances).all() or not (np.isfinite(self.weights) & (self.weights >= 0)).all():
            raise BadInput("a chance or a weight is not finite, or a weight is below 0: give finite numbers")
        if not self.weights[self.changed].sum() or not self.weights[~self.changed].sum():
            all_or_none = "all" if self.weights[self.changed].sum() else "none"
            raise NotEnoughEvidence(f"{all_or_none} of {self.changed.size} beliefs changed: an AUC compares two kinds")
        self._ranks()

    @property
    def sizes(self) -> tuple[int, int]:
        """Changed and unchanged pairs with a weight above 0."""
        counted = self.weights > 0
        return int((self.changed & counted).sum()), int((~self.changed & counted).sum())

    def _ranks(self) -> None:
        """Each pair's placement: the weighted share of the other kind that it is ranked right against, ties counting half."""
        distinct, values = np.unique(self.chances, return_inverse=True)
        ones = np.bincount(values, self.weights * self.changed, distinct.size)
        noughts = np.bincount(values, self.weights * ~self.changed, distinct.size)
        below = np.cumsum(noughts) - noughts / 2
        above = ones.sum() - np.cumsum(ones) + ones / 2
        self.standing: Floats = np.where(self.changed, below[values] / noughts.sum(), above[values] / ones.sum())
        self.auc: float = float(self.weights[self.changed] @ self.standing[self.changed] / ones.sum())

    @property
    def parts(self) -> Floats:
        """Values whose mean is the AUC and whose spread gives its standard error."""
        n = self.changed.size
        totals = np.where(self.changed, self.weights[self.changed].sum(), self.weights[~self.changed].sum())
        return np.asarray(self.auc + n * self.weights / totals * (self.standing - self.auc), dtype=float)

    def delong(self) -> tuple[float, float]:
        """Variance for independent pairs, and Welch's degrees of freedom."""
        variances, freedoms = [], []
        for kind, size in zip((self.changed, ~self.changed), self.sizes, strict=True):
            shares = self.weights[kind] / self.weights[kind].sum()
            variance = float(shares**2 @ (self.standing[kind] - self.auc) ** 2) * size / (size - 1)
            variances.append(variance)
            freedoms.append(variance**2 / (size - 1))
        total = fsum(variances)
        return total, total**2 / fsum(freedoms) if fsum(freedoms) else float(min(self.sizes) - 1)

    def disjoint(self, groups: Groups) -> float:
        """A lower bound on the number of comparisons without a common pair or cluster."""
        numbers = [
            ClusterDependence([group for group, inside in zip(groups, kind, strict=True) if inside]).independent
            for kind in (self.changed, ~self.changed)
        ]
        return max(1.0, min(numbers))
