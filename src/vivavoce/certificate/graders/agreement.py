"""How far two graders agree, on answers that both graded.

Krippendorff's alpha for numbers is 1 - observed / expected disagreement: the mean square of the difference of two scores of one
answer, over that of two scores drawn from all (`krippendorff2011`). It is 1 where both always agree, and 0 where their scores
have no more to do with each other than those of any two answers. For grades of 0 and 1 it is Scott's pi and, where both give
equally many, Cohen's kappa. It is computed here because the maintained library for it is under the GPL, and needs no package
beyond numpy.

Its interval is a Bayesian bootstrap over answers (`rubin1981`). Of few answers with few disagreements every resample agrees,
so that each end counts one more answer that was not seen, the least favourable one. For a share that is the interval of
Clopper and Pearson, and for a mean the bound of `gaffke2005`. A 95% interval covers 96% of the time or more where graders agree
on 80% to 100% of 10 to 100 answers (`tests/validity/test_agreement.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.scope import Grade
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import clopper_pearson_lower, clopper_pearson_upper
from vivavoce.statistics.confidence_sequences import mean_bounds

CLOSE = 0.1
"""Scores no further apart than this agree."""
DELTA = 0.05
RESAMPLES = 4_000
_ROUNDING = 1e-9
_AT_ONCE = 1 << 20
"""Weights that are drawn at one time."""


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
    alpha: Estimate
    """Krippendorff's; without a value where it is not estimable: for a single answer, or where all scores are equal."""
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
            "krippendorff_alpha": self.alpha.as_json(),
            "ridiculous_sensitivity": self.sensitivity.as_json(),
            "ridiculous_specificity": self.specificity.as_json(),
        }


def agreement_of(pairs: Sequence[tuple[Grade, Grade]]) -> Agreement:
    """How far the first grader agrees with the second one.

    Raises `NotEnoughEvidence` where there are no pairs.

    >>> found = agreement_of([(Grade(0.9, False), Grade(1.0, False)), (Grade(0.2, True), Grade(0.0, True))])
    >>> round(found.difference.value, 3), found.close.value, found.sensitivity.value, round(found.alpha.value, 3)
    (0.05, 0.5, 1.0, 0.95)
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
        alpha=krippendorff_alpha(first, second),
        sensitivity=_share([one for one, other in said if other]),
        specificity=_share([not one for one, other in said if not other]),
    )


def krippendorff_alpha(first: Floats, second: Floats) -> Estimate:
    """Agreement beyond chance of two graders on the same answers, with its 95% interval; see the head of this file.

    Parameters
    ----------
    first, second: a finite score for each answer.

    >>> meg, owen = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]  # an example of krippendorff2011
    >>> found = krippendorff_alpha(np.array(meg, dtype=float), np.array(owen, dtype=float))
    >>> round(found.value, 3), round(found.interval.lower, 1), round(found.interval.upper, 1)
    (0.095, -0.5, 0.7)
    """
    n, scores = first.size, np.concatenate([first, second])
    lowest, highest = float(scores.min(initial=np.inf)), float(scores.max(initial=-np.inf))
    if n < 2 or highest - lowest <= _ROUNDING:
        return Estimate(None, Interval(-1.0, 1.0), n)
    rare = lowest if scores.mean() > (lowest + highest) / 2 else highest
    value = 1 - (1 - 1 / (2 * n)) * (1 - float(_alphas(np.ones((1, n)), first, second)[0]))
    lower = np.quantile(_resampled(np.append(first, lowest), np.append(second, highest)), DELTA / 2)
    upper = np.quantile(_resampled(np.append(first, rare), np.append(second, rare)), 1 - DELTA / 2)
    return Estimate(value, Interval(min(value, float(lower)), max(value, float(upper))), n)


def _resampled(first: Floats, second: Floats) -> Floats:
    """Alpha with random weights of the answers, from draws that are the same each time."""
    rng, at_once = np.random.default_rng(0), max(1, _AT_ONCE // first.size)
    sizes = [min(at_once, RESAMPLES - begun) for begun in range(0, RESAMPLES, at_once)]
    return np.concatenate([_alphas(rng.standard_exponential((size, first.size)), first, second) for size in sizes])


def _alphas(weights: Floats, first: Floats, second: Floats) -> Floats:
    """Alpha of each row of weights, shape (rows, answers), without the correction for few answers."""
    centre = (first.mean() + second.mean()) / 2
    one, other = first - centre, second - centre
    total = weights.sum(axis=1)
    mean = weights @ (one + other) / (2 * total)
    variance = weights @ (one**2 + other**2) / (2 * total) - mean**2
    return np.asarray(1 - weights @ (one - other) ** 2 / (2 * total * variance))


def _share(cases: Sequence[bool]) -> Estimate:
    """A share with its Clopper-Pearson interval."""
    n, hits = len(cases), sum(cases)
    if not n:
        return Estimate(None, Interval(0.0, 1.0), 0)
    interval = Interval(clopper_pearson_lower(hits, n, DELTA / 2), clopper_pearson_upper(hits, n, DELTA / 2))
    return Estimate(hits / n, interval, n)
