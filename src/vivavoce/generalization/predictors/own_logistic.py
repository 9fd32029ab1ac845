"""Logistic regression that knows how little it knows: averaged over penalties, and over what the weights may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from scipy.special import expit, logsumexp

from vivavoce.generalization.beliefs import Floats

LEVEL_SPREAD: Final = 1.0
"""Standard deviation of the level (log odds) before any label is seen; with 10 labels it still holds back, with 100 no more."""
LARGEST: Final = 3_000.0
"""Penalty of a block, at most, where each block has its own; with some hundred labels such a block has next to no say."""
DRAWS: Final = 24
"""Sets of penalties that each way of looking is averaged over; twice as many give the same chances within some thousandths."""
_OFF: Final = 1e9
"""Penalty of a block that is not looked at."""
_LEAST: Final = 1e-4
"""Share below which a set of weights is not kept."""
_STEPS: Final = 60


@dataclass(frozen=True, slots=True)
class AveragedLogistic:
    """Weights of a logistic regression with their uncertainty, one set for each penalty.

    Each set is the mode of the posterior under a normal prior, with a normal around it (Laplace's approximation, as in
    `mackay1992`); its share is its evidence over that of all. Chances are averaged over both, which draws them towards the
    middle wherever little is known: with 20 labels a predictor of 70 weights is near the base rate, with 200 it is not.
    """

    means: Floats
    """[penalties, 1 + inputs]: the level first."""
    covariances: Floats
    """[penalties, 1 + inputs, 1 + inputs]."""
    shares: Floats
    """[penalties], of sum 1."""

    @classmethod
    def ignorant(cls, inputs: int) -> Self:
        """Adds nothing to the offset."""
        return cls(np.zeros((1, inputs + 1)), np.zeros((1, inputs + 1, inputs + 1)), np.ones(1))

    @classmethod
    def over_blocks(
        cls, inputs: Floats, labels: Floats, *, offset: Floats, weights: Floats, blocks: Sequence[int], ways: Sequence[set[int]]
    ) -> Self:
        """Fit to labels with a penalty of its own for each block of inputs, averaged over them by their evidence.

        Penalties are spread evenly on the logarithmic scale from 1 to `LARGEST` in all blocks at once; none is chosen by hand.

        Parameters
        ----------
        inputs: [n, inputs].
        labels: 0 or 1, [n].
        offset: log odds from elsewhere that the regression adds to, [n].
        weights: how many labels each stands for, [n].
        blocks: how many inputs each block has; `inputs` has their columns in this order.
        ways: blocks that are left out, for each way of looking; each way has the same share in all.
        """
        design = np.column_stack([np.ones(len(labels)), inputs])
        means, covariances, shares = [], [], []
        for out in ways:
            penalties = LARGEST ** _spread(DRAWS, len(blocks))
            penalties[:, sorted(out)] = _OFF
            found = [
                _mode(design, labels, offset, weights, np.concatenate([[LEVEL_SPREAD**-2], np.repeat(penalty, blocks)]))
                for penalty in penalties
            ]
            evidence = np.array([one[2] for one in found])
            means += [one[0] for one in found]
            covariances += [one[1] for one in found]
            shares += (np.exp(evidence - logsumexp(evidence)) / len(ways)).tolist()
        kept = np.flatnonzero(np.array(shares) > _LEAST)
        share = np.array(shares)[kept]
        return cls(np.array(means)[kept], np.array(covariances)[kept], share / share.sum())

    def chances(self, inputs: Floats, offset: Floats) -> Floats:
        """Of each row, strictly between 0 and 1; the mean of a logistic of a normal by the usual approximation."""
        design = np.column_stack([np.ones(len(inputs)), inputs])
        total = np.zeros(len(inputs))
        for mean, covariance, share in zip(self.means, self.covariances, self.shares, strict=True):
            unsure = np.maximum(((design @ covariance) * design).sum(axis=1), 0)
            total += share * expit((design @ mean + offset) / np.sqrt(1 + np.pi / 8 * unsure))
        return np.clip(total, 1e-4, 1 - 1e-4)


def _spread(number: int, dimensions: int) -> Floats:
    """Points that fill the unit cube evenly, [number, dimensions]: multiples of powers of a root, modulo 1 (the R sequence).

    >>> _spread(3, 1).ravel().round(3).tolist()  # by the golden ratio, from the middle on
    [0.118, 0.736, 0.354]
    """
    root = 1.5
    for _ in range(60):
        root = (1 + root) ** (1 / (dimensions + 1))
    steps = root ** -np.arange(1.0, dimensions + 1)
    return np.asarray((0.5 + np.arange(1, number + 1)[:, None] * steps) % 1.0, dtype=float)


def _mode(design: Floats, labels: Floats, offset: Floats, weights: Floats, precision: Floats) -> tuple[Floats, Floats, float]:
    """Mode, covariance there, and log evidence up to a constant; by Newton's steps, halved where they overshoot."""

    def cost(weight: Floats) -> float:
        odds = design @ weight + offset
        return float(weights @ (np.logaddexp(0, odds) - labels * odds) + 0.5 * precision @ weight**2)

    def curvature(weight: Floats) -> Floats:
        chance = expit(design @ weight + offset)
        return np.asarray((design.T * (weights * chance * (1 - chance))) @ design + np.diag(precision))

    mode = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        slope = design.T @ (weights * (expit(design @ mode + offset) - labels)) + precision * mode
        step = np.linalg.solve(curvature(mode), slope)
        size = 1.0
        while size > 1e-6 and cost(mode - size * step) > cost(mode):
            size /= 2
        mode = mode - size * step
        if np.abs(step).max() < 1e-9:
            break
    bent = curvature(mode)
    evidence = -cost(mode) + 0.5 * float(np.log(precision).sum()) - 0.5 * float(np.linalg.slogdet(bent)[1])
    return mode, np.asarray(np.linalg.inv(bent), dtype=float), evidence
