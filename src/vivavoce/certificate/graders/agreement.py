"""How far two graders agree, on answers that both graded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.scope import Grade
from vivavoce.statistics.bounds import clopper_pearson_lower, clopper_pearson_upper
from vivavoce.statistics.correlation import pearson
from vivavoce.statistics.mean import mean_bounds

CLOSE = 0.1
"""Scores no further apart than this agree."""
DELTA = 0.05
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two graders on the same answers; every interval at 95%.

    Those for the mean difference and the share that agree hold at whatever moment the examination stopped, the others for a
    number of answers fixed in advance.
    """

    answers: int
    difference: Estimate
    """Mean of the first one's scores less the second one's."""
    close: Estimate
    """Share of the answers whose scores lie at most .1 apart."""
    correlation: Estimate | None
    """Pearson's; None where either gives all the same score, or for fewer than four answers."""
    sensitivity: Estimate
    """Of the answers that the second finds ridiculous, the share that the first does, too; without any, unknown."""
    specificity: Estimate
    """Of those that the second does not find ridiculous, the share that the first does not either."""

    def as_json(self) -> dict[str, Any]:
        """The agreement as JSON values."""
        return {
            "answers": self.answers,
            "difference": self.difference.as_json(),
            "close": self.close.as_json(),
            "correlation": None if self.correlation is None else self.correlation.as_json(),
            "ridiculous_sensitivity": self.sensitivity.as_json(),
            "ridiculous_specificity": self.specificity.as_json(),
        }


def agreement_of(pairs: Sequence[tuple[Grade, Grade]]) -> Agreement:
    """How far the first grader agrees with the second one.

    Raises `NotEnoughEvidence` where there are no pairs.

    >>> found = agreement_of([(Grade(0.9, False), Grade(1.0, False)), (Grade(0.2, True), Grade(0.0, True))])
    >>> round(found.difference.value, 3), found.close.value, found.sensitivity.value, found.correlation
    (0.05, 0.5, 1.0, None)
    """
    if not pairs:
        raise NotEnoughEvidence("no answer was graded by both: agreement needs at least 1")
    first = np.array([one.score for one, _ in pairs])
    second = np.array([other.score for _, other in pairs])
    apart = first - second
    shifted = mean_bounds((apart + 1) / 2, DELTA)
    near = (abs(apart) <= CLOSE + _ROUNDING).astype(float)
    share = mean_bounds(near, DELTA)
    said = [(one.ridiculous, other.ridiculous) for one, other in pairs]
    return Agreement(
        answers=len(pairs),
        difference=Estimate(float(apart.mean()), Interval(2 * shifted.lower - 1, 2 * shifted.upper - 1), len(pairs)),
        close=Estimate(float(near.mean()), Interval(share.lower, share.upper), len(pairs)),
        correlation=_correlation(first.tolist(), second.tolist()),
        sensitivity=_share([one for one, other in said if other]),
        specificity=_share([not one for one, other in said if not other]),
    )


def _correlation(first: Sequence[float], second: Sequence[float]) -> Estimate | None:
    try:
        found = pearson(first, second, confidence=1 - DELTA)
    except NotEnoughEvidence:
        return None
    return Estimate(found.value, Interval(found.bounds.lower, found.bounds.upper), found.n)


def _share(cases: Sequence[bool]) -> Estimate:
    """A share with its Clopper-Pearson interval."""
    n, hits = len(cases), sum(cases)
    if not n:
        return Estimate(None, Interval(0.0, 1.0), 0)
    interval = Interval(clopper_pearson_lower(hits, n, DELTA / 2), clopper_pearson_upper(hits, n, DELTA / 2))
    return Estimate(hits / n, interval, n)
