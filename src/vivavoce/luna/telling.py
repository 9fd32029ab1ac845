"""Who tells people from machines: a ladder of judges, apart from smartness.

A judgement is worth points by the quadratic rule (`brier1950`), under which nobody expects more from saying another number
than the one they believe, and the worst is finite, so that one careless "100%" does not decide a ladder, as it would by the
logarithmic rule. Openskill and Bradley-Terry know who beat whom; judges do not meet, and would lose what confidence tells.

Where most of the others are machines, saying "machine" to everybody is right mostly. So the points of a judgement count by
the kind of the one judged, people and machines half each over all judgements of a site. Then no answer that is given to
everybody, however sure, is expected to get more than 0, whatever the share of machines (a coin at 50% gets 0); certain and
always right gets 100.

Few judgements say little: the ladder is by a mean drawn towards that of all judges as far as chance explains how judges differ
(empirical Bayes, with variances between and within judges by analysis of variance).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, inf
from typing import Final

import numpy as np

from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.luna.identification import Identification
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.clustered import mean_interval

MISSING: Final = "it needs people's judgements of people and of machines, and several by at least one of two judges"


@dataclass(frozen=True, slots=True)
class Teller:
    """A judge on the ladder."""

    player: str
    points: Estimate
    """Mean, people and machines weighing the same; n judgements."""
    expected: float
    """By which judges are ordered: drawn towards the mean of all."""
    right: int
    """Judgements that are right."""


def tellers(judgements: Sequence[Identification]) -> list[Teller] | None:
    """All judges, best first; None where there is too little to order them (`MISSING`).

    >>> tellers([]) is None
    True
    """
    people = sum(one.human for one in judgements)
    machines = len(judgements) - people
    if not people or not machines:
        return None
    weights = {True: len(judgements) / (2 * people), False: len(judgements) / (2 * machines)}
    by: dict[str, list[Identification]] = {}
    for one in judgements:
        by.setdefault(one.judge, []).append(one)
    scores = [np.array([weights[one.human] * one.points for one in made]) for made in by.values()]
    expected = shrunk(scores)
    if expected is None:
        return None
    found = [
        Teller(judge, _mean(own), value, sum(one.right for one in made))
        for (judge, made), own, value in zip(by.items(), scores, expected.tolist(), strict=True)
    ]
    return sorted(found, key=lambda one: (-one.expected, one.player))


def shrunk(groups: Sequence[Floats]) -> Floats | None:
    """The mean of each group, drawn towards the mean of all observations; None for fewer than two groups, or no group of two.

    With the variance within groups s2 and between them t2, by analysis of variance for groups of any sizes (`searle1992`), the
    mean of n keeps the share t2 / (t2 + s2 / n) of its distance.

    >>> shrunk([np.array([0.0, 2.0]), np.array([4.0, 6.0])]).tolist()  # s2 = 2, t2 = (16 - 2) / 2 = 7
    [1.25, 4.75]
    """
    sizes = np.array([group.size for group in groups])
    total, number = int(sizes.sum()), len(groups)
    if number < 2 or total == number:
        return None
    means = np.array([group.mean() for group in groups])
    overall = float(sizes @ means) / total
    within = fsum(float(((group - mean) ** 2).sum()) for group, mean in zip(groups, means, strict=True)) / (total - number)
    between = float(sizes @ (means - overall) ** 2) / (number - 1)
    typical = (total - float(sizes @ sizes) / total) / (number - 1)
    spread = max(0.0, (between - within) / typical)
    if spread == 0:
        return np.full(number, overall)
    return np.asarray(overall + spread / (spread + within / sizes) * (means - overall))


def _mean(scores: Floats) -> Estimate:
    if scores.size < 2 or np.ptp(scores) == 0:
        return Estimate(float(scores.mean()), Interval(-inf, inf), int(scores.size))
    bounds = mean_interval(scores, [()] * scores.size, confidence=CONFIDENCE)
    return Estimate(float(scores.mean()), Interval(*bounds), int(scores.size))
