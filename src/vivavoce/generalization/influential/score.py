"""The most influential pairs: where one answer is predicted to change a belief most, and least (Figures 2 and 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from vivavoce.errors import BadInput
from vivavoce.generalization.config import InfluentialConfig
from vivavoce.generalization.evaluation.score import groups_of
from vivavoce.generalization.influential.finding import InfluentialPairs
from vivavoce.generalization.influential.report import Predicted
from vivavoce.generalization.origin import Origin
from vivavoce.generalization.pairs import Pair
from vivavoce.statistics.clustered import mean_estimate


def influential_pairs(
    pairs: Sequence[Pair],
    chances: ArrayLike,
    config: InfluentialConfig = InfluentialConfig(),  # noqa: B008 -- frozen
    *,
    origin: Origin = Origin(),  # noqa: B008 -- frozen
) -> InfluentialPairs:
    """Which answers are predicted to change beliefs most, and how often they do on average?

    Parameters
    ----------
    pairs: as `both_ways` gives them: each pair of questions after a right answer and after a wrong one.
    chances: one a pair.
    origin: of chances and pairs, for the record.

    Raises `BadInput` where pairs are not both ways, or chances cannot be.

    >>> from vivavoce.generalization.influential.drawn_pairs import both_ways
    >>> pairs = both_ways([Pair(f"{n} + {n}?", f"{n} + 1?", "sums", "sums", True) for n in range(3)])
    >>> found = influential_pairs(pairs, [0.1, 0.2, 0.3, 0.5, 0.6, 0.7])
    >>> round(found.after_right.value, 2), round(found.after_wrong.value, 2), found.highest_wrong[0].pair.q1
    (0.2, 0.6, '2 + 2?')
    """
    given = np.asarray(chances, dtype=float)
    half = len(pairs) // 2
    right, wrong = pairs[:half], pairs[half:]
    if not pairs or [replace(pair, previous_correct=False) for pair in right] != list(wrong):
        raise BadInput("pairs must come after a right answer, and then the same after a wrong one: use 'both_ways'")
    if given.shape != (len(pairs),) or not ((given >= 0) & (given <= 1)).all():
        raise BadInput(f"{len(pairs)} pairs need as many chances from 0 to 1")
    groups = [groups_of(pair) for pair in right]
    after_right, after_wrong = given[:half], given[half:]
    orders = [np.argsort(-values, kind="stable") for values in (after_right, after_wrong)]
    ends = [
        tuple(Predicted(some[place], float(values[place])) for place in places)
        for some, values, order in zip((right, wrong), (after_right, after_wrong), orders, strict=True)
        for places in (order[: config.most], order[::-1][: config.most])
    ]
    return InfluentialPairs(
        predictor=origin.predictor,
        source=origin.source,
        n=half,
        questions=len({text for pair in right for text in (pair.q1, pair.q2)}),
        after_right=mean_estimate(after_right, groups),
        after_wrong=mean_estimate(after_wrong, groups),
        difference=mean_estimate(after_wrong - after_right, groups, smallest=-1.0),
        highest_right=ends[0],
        lowest_right=ends[1],
        highest_wrong=ends[2],
        lowest_wrong=ends[3],
        notes=origin.notes,
        signature=origin.signature("generalization/telling", {"pairs": half}),
    )
