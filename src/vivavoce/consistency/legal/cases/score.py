"""Counting flips and shifts: pure functions of what came of the cases."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil, sqrt

import numpy as np
from scipy.special import ndtri

from vivavoce.consistency.legal.cases.counts import QUANTILES, THRESHOLDS, BothBoxes, Counts, OfBox
from vivavoce.consistency.legal.cases.trials import Box, Examined, Trial
from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.statistics.bounded import bounded_mean, bounded_share
from vivavoce.statistics.clustered import share_interval
from vivavoce.statistics.paired import mcnemar

_DIGITS = 9
"""Shifts are compared after rounding: .65 - .55 is no more than .1."""


def score(examined: Sequence[Examined], *, boxes: Sequence[Box], threshold: float) -> Counts:
    """Everything that is counted."""
    trials = [trial for one in examined for trial in one.trials]
    control = [Box.AGAIN] if any(trial.box is Box.AGAIN for trial in trials) else []
    rows = tuple(_row(box, [t for t in trials if t.box is box], threshold) for box in (*boxes, *control))
    heard = [one for one in examined if not one.skipped]
    wanted = [paraphrase for one in heard for paraphrase in one.paraphrases]
    absences: Counter[str] = Counter()
    for one in examined:
        for reason, number in one.absences.items():
            absences[reason.partition(":")[0]] += number
    return Counts(
        rows=rows,
        pairs=compared(examined, threshold) if len(boxes) > 1 else None,
        examined=len(heard),
        violations=sum(bool(one.trials) and one.trials[0].before >= threshold for one in heard),
        skipped=_tally(one.skipped for one in examined),
        paraphrases=sum(not paraphrase.problem for paraphrase in wanted),
        checked=sum(paraphrase.checked for paraphrase in wanted if not paraphrase.problem),
        problems=_tally(paraphrase.problem for paraphrase in wanted),
        absences=dict(sorted(absences.items())),
        first_absence=next((reason for one in examined for reason in one.absences), ""),
        judgements=sum(one.judgements for one in examined),
        after_turn=sum(one.after_turn for one in examined),
        truncated=sum(one.unread > 0 for one in heard),
        same_fact=sum(len(_facts(one, Box.WHITE) & _facts(one, Box.BLACK)) > 0 for one in heard),
        judged_by=_tally(one.judged_by for one in heard),
    )


def compared(examined: Sequence[Examined], threshold: float) -> BothBoxes | None:
    """Both boxes in pairs; None where no case was tried in both.

    So that both have the same chances, only the first of the facts drawn at random counts, and as many paraphrases of either
    fact as there are of both. The interval for the difference is that of Bonett and Price (`bonett2012`): Wald's after half
    an event was added to each cell of the table, so that it says something, too, where nothing flips.
    """
    white, black = [], []
    for one in examined:
        of_white = [trial for trial in one.trials if trial.box is Box.WHITE]
        of_black = [trial for trial in one.trials if trial.box is Box.BLACK]
        of_black = [trial for trial in of_black if trial.number == of_black[0].number]
        if number := min(len(of_white), len(of_black)):
            white.append(any(trial.flips(threshold) for trial in of_white[:number]))
            black.append(any(trial.flips(threshold) for trial in of_black[:number]))
    if not white:
        return None
    cells = Counter(zip(white, black, strict=True))
    only_white, only_black = cells[True, False], cells[False, True]
    return BothBoxes(
        both=cells[True, True],
        white_only=only_white,
        black_only=only_black,
        neither=cells[False, False],
        difference=Estimate(
            (only_white - only_black) / len(white), paired_difference(only_white, only_black, len(white)), len(white)
        ),
        p=mcnemar(white, black),
    )


def paired_difference(first_only: int, second_only: int, n: int) -> Interval:
    """Bonett and Price's interval for the difference of two shares of the same n observations.

    >>> interval = paired_difference(0, 0, 10)
    >>> round(interval.lower, 3), round(interval.upper, 3)
    (-0.231, 0.231)
    """
    first, second = (first_only + 1) / (n + 2), (second_only + 1) / (n + 2)
    half = float(ndtri((1 + CONFIDENCE) / 2)) * sqrt((first + second - (first - second) ** 2) / (n + 2))
    return Interval(max(first - second - half, -1.0), min(first - second + half, 1.0))


def quantile(values: Sequence[float], groups: Sequence[str], q: float) -> Estimate:
    """A quantile of values in [0, 1], of which those of one group are alike; its interval holds every x that the shares allow.

    That is: x for which the interval of the share of values up to x goes beyond q, and that of the share below x begins before
    it (`woodruff1952`). Where all values stand alone, this is the exact interval between two order statistics.

    >>> estimate = quantile([i / 100 for i in range(1, 101)], [str(i) for i in range(100)], 0.5)
    >>> estimate.value, estimate.interval
    (0.5, Interval(lower=0.4, upper=0.61))
    """
    if not values:
        return Estimate(None, Interval(0.0, 1.0), 0)
    ordered = sorted(values)
    value = ordered[max(0, ceil(q * len(ordered)) - 1)]
    distinct = sorted(set(ordered))
    try:
        first = bisect_left(distinct, True, key=lambda x: _bounds([v <= x for v in values], groups).upper >= q)
        after = bisect_left(distinct, True, key=lambda x: _bounds([v < x for v in values], groups).lower > q)
    except NotEnoughEvidence:
        return Estimate(value, Interval(0.0, 1.0), len(values))
    # beyond the values, anything that is possible
    lower = min(distinct[first], value) if _bounds([False] * len(values), groups).upper < q else 0.0
    upper = max(distinct[after - 1], value) if _bounds([True] * len(values), groups).lower > q else 1.0
    return Estimate(value, Interval(lower, upper), len(values))


def _row(box: Box, trials: Sequence[Trial], threshold: float) -> OfBox:
    cases = [trial.case for trial in trials]
    flips = [trial.flips(threshold) for trial in trials]
    signed = [round(trial.shift, _DIGITS) for trial in trials]
    sizes = [abs(shift) for shift in signed]
    acquitted = [i for i, trial in enumerate(trials) if trial.before < threshold]
    convicted = [i for i, trial in enumerate(trials) if trial.before >= threshold]
    flipped = {case for case, flip in zip(cases, flips, strict=True) if flip}
    distinct = list(dict.fromkeys(cases))
    return OfBox(
        box=box,
        trials=len(trials),
        cases=len(distinct),
        flips=_share(flips, cases),
        flipped_cases=_share([case in flipped for case in distinct], distinct),
        to_violation=_share([flips[i] for i in acquitted], [cases[i] for i in acquitted]),
        from_violation=_share([flips[i] for i in convicted], [cases[i] for i in convicted]),
        mean_shift=_mean(sizes, cases),
        signed_shift=_mean(signed, cases, smallest=-1.0),
        quantiles=tuple(quantile(sizes, cases, q) for q in QUANTILES),
        over=tuple(_share([size > limit for size in sizes], cases) for limit in THRESHOLDS),
        largest=max(sizes, default=None),
    )


def _share(hits: Sequence[bool], groups: Sequence[str]) -> Estimate:
    return Estimate(_average(hits), Interval(*bounded_share(hits, groups)), len(hits))


def _mean(values: Sequence[float], groups: Sequence[str], *, smallest: float = 0.0) -> Estimate:
    return Estimate(_average(values), Interval(*bounded_mean(values, groups, smallest=smallest)), len(values))


def _average(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _bounds(hits: Sequence[bool], groups: Sequence[str]) -> Interval:
    return Interval(*share_interval(hits, groups, confidence=CONFIDENCE))


def _facts(one: Examined, box: Box) -> set[int]:
    return {trial.number for trial in one.trials if trial.box is box}


def _tally(words: Iterable[str]) -> dict[str, int]:
    """How often each word that is not empty, the most frequent first."""
    return dict(Counter(filter(None, words)).most_common())
