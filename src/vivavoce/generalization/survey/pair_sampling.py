"""Samples the pairs of a survey: mostly those with a high predicted chance of a change, with weights that undo the choice.

Most pairs change no belief (`vafa2024`, Figure 3). A stage of the survey therefore draws most of its pairs from the top of the
predictor's ranking and the rest from below it (epsilon-greedy, `kuleshov2014`). Both draws are uniform and without replacement,
so each pair's sampling probability is known. With weights 1 / probability, shares among the drawn pairs are unbiased estimates
of shares in the whole pool. The paper kept no weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.generalization.config import EPSILON, TOP
from vivavoce.generalization.pairs import Floats


class PairDraw(NamedTuple):
    """Pairs drawn from a pool."""

    indices: NDArray[np.int64]
    """Indices in the pool, in random order, each at most once."""
    weights: Floats
    """How many pairs of the pool each represents."""


def sample_stage(
    chances: ArrayLike | None,
    n: int,
    *,
    rng: np.random.Generator,
    top: float = TOP,
    epsilon: float = EPSILON,
    pool: int | None = None,
) -> PairDraw:
    """Draw the pairs of one stage.

    chances: predicted chance of a change of each pair in the pool; None draws uniformly, as in the first stage.
    n: number of pairs to draw.
    top: share of the pool that counts as its top; ties are broken at random.
    epsilon: share of the draw that comes from the rest of the pool. It is above 0, as weights can't correct for pairs that
        are never drawn.
    pool: size of the pool; needed without chances.

    Raises `BadInput` if the pool has fewer than `n` pairs.

    >>> draw = sample_stage(np.arange(1000) / 1000, 100, rng=np.random.default_rng(0))
    >>> int((draw.indices >= 900).sum()), round(float(draw.weights.sum()))
    (70, 1000)
    """
    if not (0 < top < 1 and 0 < epsilon < 1):
        raise BadInput(f"top is {top} and epsilon {epsilon}: give numbers between 0 and 1")
    if chances is None:
        if pool is None:
            raise BadInput("the chances and the size of the pool are missing: give one of them")
        return _drawn([(np.arange(pool), n)], rng)
    order = _ranked(chances, rng)
    if n < 2:
        raise BadInput(f"a stage has {n} pairs: draw at least 2, one from the top and one from the rest")
    cut = min(max(1, round(top * order.size)), order.size - 1)
    from_rest = min(max(1, round(epsilon * n)), n - 1)
    from_rest = min(max(from_rest, n - cut), order.size - cut)  # draw all of a part that is too small
    return _drawn([(order[:cut], n - from_rest), (order[cut:], from_rest)], rng)


def sample_test(chances: ArrayLike, n: int, *, rng: np.random.Generator) -> PairDraw:
    """Draw the final, balanced stage: two thirds from the top hundredth of the ranking, one third from the bottom hundredth.

    In a small pool the ends are as large as the draw needs. Weights are for the two ends only, as such a draw can't represent
    the pairs between them.

    >>> draw = sample_test(np.arange(10_000) / 10_000, 60, rng=np.random.default_rng(0))
    >>> sorted({int(i) // 100 for i in draw.indices}), int((draw.indices >= 9900).sum())
    ([0, 99], 40)
    """
    order = _ranked(chances, rng)
    from_top, end = round(2 / 3 * n), round(0.01 * order.size)
    high, low = max(from_top, end), max(n - from_top, end)
    if high + low > order.size:
        raise BadInput(f"{n} pairs don't fit the two ends of a pool of {order.size} pairs: give a larger pool")
    return _drawn([(order[:high], from_top), (order[-low:], n - from_top)], rng)


def majority(changes: Sequence[bool]) -> bool | None:
    """The majority of people's answers about a pair; None for a tie, or without answers.

    >>> majority([True, True, False]), majority([True, False])
    (True, None)
    """
    excess = 2 * sum(changes) - len(changes)
    return None if excess == 0 else excess > 0


def weighted_share(changed: Sequence[bool], weights: ArrayLike) -> Estimate:
    """Share of the pool's pairs that change a belief, estimated from drawn pairs (the ratio estimator of `hajek1971`).

    The interval is linearised, with Student's t at the effective number of pairs minus one (`kish1965`), on the log-odds
    scale, so it stays within 0 and 1. It assumes sampling with replacement, so it is slightly too wide. Raises
    `NotEnoughEvidence` for fewer than two pairs, and if all agree.

    >>> estimate = weighted_share([True] * 60 + [False] * 40, [1] * 50 + [9] * 50)
    >>> estimate.value, round(estimate.interval.lower, 2), round(estimate.interval.upper, 2)
    (0.28, 0.19, 0.4)
    """
    y, w = np.asarray(changed, dtype=float), np.asarray(weights, dtype=float)
    if y.size < 2 or y.min() == y.max():
        raise NotEnoughEvidence(
            f"{y.size} pairs, of which {round(float(y.sum()))} changed a belief: an interval needs changed and unchanged ones"
        )
    share = float(np.average(y, weights=w))
    error = sqrt(float((w**2 * (y - share) ** 2).sum())) / float(w.sum())
    effective = float(w.sum()) ** 2 / float((w**2).sum())
    half = float(stdtrit(max(effective - 1, 1), (1 + CONFIDENCE) / 2)) * error / (share * (1 - share))
    centre = np.log(share / (1 - share))
    lower, upper = (float(1 / (1 + np.exp(-end))) for end in (centre - half, centre + half))
    return Estimate(share, Interval(lower, upper), y.size)


def _ranked(chances: ArrayLike, rng: np.random.Generator) -> NDArray[np.int64]:
    """Indices of the pairs, the highest chance first."""
    array = np.asarray(chances, dtype=float)
    if array.ndim != 1 or array.size < 2 or not np.isfinite(array).all():
        raise BadInput("invalid chances: give one finite number per pair, for at least two pairs")
    return np.lexsort((rng.random(array.size), -array))


def _drawn(parts: list[tuple[NDArray[np.int64], int]], rng: np.random.Generator) -> PairDraw:
    """Draw this many from each part, with weights, in random order."""
    indices, weights = [], []
    for members, n in parts:
        if n > members.size:
            raise BadInput(f"{n} pairs can't be drawn from {members.size}: draw fewer, or give a larger pool")
        if n > 0:
            indices.append(rng.choice(members, n, replace=False))
            weights.append(np.full(n, members.size / n))
    if not indices:
        raise BadInput("0 pairs requested: draw at least 1")
    order = rng.permutation(sum(part.size for part in indices))
    return PairDraw(np.concatenate(indices)[order].astype(np.int64), np.concatenate(weights)[order])
