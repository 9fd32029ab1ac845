"""Counts what people said in a survey: how often beliefs changed, by stage and direction, and how beliefs are spread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil

import numpy as np

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import counted
from vivavoce.generalization.evaluation.discrimination import weighted_interval, weighted_mean
from vivavoce.generalization.pairs import Pair, labelled
from vivavoce.generalization.survey.conduct import Conduct
from vivavoce.generalization.survey.figures import Direction, Spread, Stage
from vivavoce.generalization.survey.finding import SurveyFinding
from vivavoce.generalization.survey.responses import groups_of
from vivavoce.statistics.clustered import mean_estimate, share_estimate

BINS = 10
"""Of beliefs from 0 to 1, and of changes on each side of none."""
SLIGHT = 0.05
"""A change of this much or less is called slight."""
_TINY = 1e-9  # beliefs are whole percents, written as decimals


def score_survey(
    pairs: Sequence[Pair],
    *,
    source: str,
    digest: str = "",
    counts: Mapping[str, int] | None = None,
    conduct: Conduct | None = None,
) -> SurveyFinding:
    """The finding on the answers of a survey.

    Intervals are robust to answers that share a person or a pair (`vivavoce.statistics.clustered`).

    Parameters
    ----------
    pairs: one an answer, as `read_pairs` reads them; answers without a second belief are counted apart.
    source, digest: where they are from, and SHA-256 of that.
    counts: how many respondents began, finished and so on, where that is known.
    conduct: how it was answered, where that is known.

    Raises `BadInput` where no answer tells whether a belief changed.

    >>> said = [Pair("a", "b", "s", "t", True, prior=0.5, posterior=0.5 + change, person=str(i)) for i, change in
    ...         enumerate([0.0, 0.0, 0.2])]
    >>> found = score_survey(said, source="three")
    >>> round(found.changed.value, 3), found.after_right.risen.value, found.spread.changes[10]
    (0.333, 0.3333333333333333, 2)
    """
    known = labelled(pairs)
    if not known:
        raise BadInput(f"{source} holds {counted(len(pairs), 'answer')}, and none tells whether a belief changed")
    both = [pair for pair in known if pair.prior is not None and pair.posterior is not None]
    stages = sorted({pair.stage for pair in known}, key=lambda stage: (stage is None, stage or 0))
    return SurveyFinding(
        source=source,
        digest=digest,
        counts=None if counts is None else dict(counts),
        unfinished=len(pairs) - len(known),
        people=len({pair.person for pair in known if pair.person}),
        distinct=len({(pair.q1, pair.q2, pair.previous_correct) for pair in known}),
        changed=share(known, lambda pair: bool(pair.changed)),
        stages=tuple(_stage(stage, [pair for pair in known if pair.stage == stage]) for stage in stages),
        after_right=_direction([pair for pair in known if pair.previous_correct]),
        after_wrong=_direction([pair for pair in known if not pair.previous_correct]),
        spread=_spread(both) if both else None,
        conduct=conduct,
    )


def share(pairs: Sequence[Pair], hit: Callable[[Pair], bool]) -> Estimate:
    """The share of answers that `hit` holds for; None where there are no answers."""
    return share_estimate([hit(pair) for pair in pairs], groups_of(pairs))


def weighted_share(pairs: Sequence[Pair]) -> Estimate:
    """The share of all pairs of the pool that change a belief, by the weights with which pairs were drawn.

    The ratio estimator (`hajek1971`), its interval from linearised values, robust to shared persons and pairs.
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


def mean(pairs: Sequence[Pair], values: Sequence[float], *, lowest: float = 0.0) -> Estimate:
    """A mean of numbers from `lowest` to 1; None where there are none."""
    return mean_estimate(values, groups_of(pairs), smallest=lowest)


def _stage(stage: int | None, pairs: Sequence[Pair]) -> Stage:
    weighted = weighted_share(pairs) if len({pair.weight for pair in pairs}) > 1 else None
    return Stage(stage, share(pairs, lambda pair: bool(pair.changed)), weighted)


def _direction(pairs: Sequence[Pair]) -> Direction:
    both = [pair for pair in pairs if pair.prior is not None and pair.posterior is not None]
    return Direction(
        changed=share(pairs, lambda pair: bool(pair.changed)),
        risen=share(both, lambda pair: _change(pair) > _TINY),
        fallen=share(both, lambda pair: _change(pair) < -_TINY),
        posterior=mean(both, [pair.posterior or 0.0 for pair in both]),
    )


def _spread(pairs: Sequence[Pair]) -> Spread:
    priors, posteriors = [pair.prior or 0.0 for pair in pairs], [pair.posterior or 0.0 for pair in pairs]
    changes = [_change(pair) for pair in pairs]
    moved = [pair for pair in pairs if abs(_change(pair)) > _TINY]
    return Spread(
        prior=mean(pairs, priors),
        posterior=mean(pairs, posteriors),
        change=mean(pairs, changes, lowest=-1.0),
        slight=share(moved, lambda pair: abs(_change(pair)) <= SLIGHT + _TINY),
        priors=_histogram(priors),
        posteriors=_histogram(posteriors),
        changes=_changes(changes),
    )


def _change(pair: Pair) -> float:
    return (pair.posterior or 0.0) - (pair.prior or 0.0)


def _histogram(beliefs: Sequence[float]) -> tuple[int, ...]:
    counts = [0] * BINS
    for belief in beliefs:
        counts[min(BINS - 1, int(belief * BINS + _TINY))] += 1
    return tuple(counts)


def _changes(changes: Sequence[float]) -> tuple[int, ...]:
    """Falls from the largest to the smallest, no change, rises from the smallest to the largest."""
    counts = [0] * (2 * BINS + 1)
    for change in changes:
        size = 0 if abs(change) <= _TINY else max(1, ceil(abs(change) * BINS - _TINY))
        counts[BINS + (size if change > 0 else -size)] += 1
    return tuple(counts)
