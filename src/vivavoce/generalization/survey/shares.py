"""Shares and means of survey answers, with intervals that allow for shared people and pairs, and as words and figures.

The findings on changes, conduct and yield all import this module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.generalization.evaluation.discrimination import weighted_interval, weighted_mean
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.report.cells import share_cell
from vivavoce.report.figures import Axis, Line, LinePoint, Lines
from vivavoce.statistics.clustered import Groups, mean_estimate, share_estimate


def groups_of(pairs: Sequence[BeliefPair]) -> Groups:
    """Groups of dependent answers: by person, if known, and by pair."""
    return [
        {("pair", pair.q1, pair.q2, pair.previous_correct), *([("person", pair.person)] if pair.person else [])}
        for pair in pairs
    ]


UNKNOWN = "too little to say"


def shares_by_number(shares: Sequence[tuple[int, Estimate]], stage_name: str, alt: str, level: float | None = None) -> Lines:
    """Shares of changed beliefs by number, such as by stage.

    level: the share of all answers; None: not drawn.
    """
    across = Axis(stage_name[0].upper() + stage_name[1:], ticks=tuple((at, str(at)) for at, _ in shares))
    points = LinePoint.all_of((at for at, _ in shares), (share for _, share in shares))
    upwards = Axis("Answers that changed a belief (%)", "percent", span=(0.0, 1.0))
    return Lines(across, upwards, (Line("", points),), alt, None if level is None else (level, "all together"))


def share_in_words(estimate: Estimate) -> str:
    """A share with its interval, or `too little to say`.

    >>> from vivavoce.formats.interval import Interval
    >>> share_in_words(Estimate(0.25, Interval(0.2, 0.3), 300)), share_in_words(Estimate(None, Interval(0, 1), 0))
    ('25% [20, 30]', 'too little to say')
    """
    cell = share_cell(estimate)
    return f"{cell.text} {cell.interval}" if cell.known else UNKNOWN


def share(pairs: Sequence[BeliefPair], hit: Callable[[BeliefPair], bool]) -> Estimate:
    """The share of answers for which `hit` holds; without a value if there are no answers."""
    return share_estimate([hit(pair) for pair in pairs], groups_of(pairs))


def weighted_share(pairs: Sequence[BeliefPair]) -> Estimate:
    """The share of all pairs of the pool that change a belief, by sampling weights.

    It is the ratio estimator (`hajek1971`), with an interval from linearised values that allows for shared people and pairs.
    """
    weights = np.asarray([pair.weight for pair in pairs])
    if not weights.sum() > 0:
        return Estimate(None, Interval(0.0, 1.0), len(pairs))
    changed = np.asarray([bool(pair.changed) for pair in pairs], dtype=float)
    try:
        interval = Interval(*weighted_interval(changed, weights, groups_of(pairs)))
    except NotEnoughEvidence:
        interval = Interval(0.0, 1.0)
    within = Interval(max(0.0, interval.lower), min(1.0, interval.upper))
    return Estimate(weighted_mean(changed, weights), within, len(pairs))


def mean(pairs: Sequence[BeliefPair], values: Sequence[float], *, lowest: float = 0.0) -> Estimate:
    """The mean of numbers from `lowest` to 1; without a value if there are none."""
    return mean_estimate(values, groups_of(pairs), smallest=lowest)
