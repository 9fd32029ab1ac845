"""What the alignment of models with people's beliefs says in words, and what it does not show."""

from __future__ import annotations

from math import ceil, floor, isfinite
from typing import TYPE_CHECKING

from vivavoce.generalization.align import NEAREST, Source
from vivavoce.interview.wording import count, name_of, percent, percent_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.generalization.align_finding import Alignment, ModelAlignment
    from vivavoce.interview.finding import Estimate, Interval

SHOWN_NAMES = 4


def headline_of(finding: Alignment) -> str:
    """The verdict in one sentence: does the best model stay the best where people choose?"""
    known = [one for one in finding.models if one.right.value is not None]
    best, strictest = finding.best, max(finding.thresholds)
    name = name_of(best.model)
    if len(known) == 1:
        return f"People's beliefs about {name} fit what it does with a weighted accuracy of {_fits(finding)}."
    behind = len(_behind(finding, best, strictest))
    if behind:
        others = f"{count(behind)} of {count(len(known) - 1)} other models" if len(known) > 2 else "the other model"
        return f"{name} answers most right, but at a threshold of {percent(strictest)} people's beliefs fit {others} better."
    return f"{name} answers most right, and at none of these thresholds do beliefs fit another model better beyond chance."


def rest_of(finding: Alignment) -> str:
    """What follows the verdict: its numbers."""
    known, best = [one for one in finding.models if one.right.value is not None], finding.best
    right = f"{percent(best.right.value or 0.0)} {percent_interval(best.right.interval)} right"
    if len(known) == 1:
        return f"It answers {right}."
    return f"It answers {right}; weighted accuracy is {_fits(finding)}.{_cost(finding, best, known)}"


def caveats_of(finding: Alignment) -> tuple[str, ...]:
    """What was not shown, each in a sentence or two."""
    return tuple(
        sentence
        for sentence in (
            _of_levels(finding),
            "Weighted accuracy is divided by what a model's own answers weigh. At a high threshold it says how the beliefs fit "
            "a model's mistakes, not how many these are; the cost per question next to it counts them.",
            _of_choice(finding),
            _of_intervals(finding),
            *_of_gaps(finding),
            _of_many(finding),
            "People saw one answer, to one question. What they would do after a week with a model was not looked at, nor "
            "whether they act on what they believe.",
        )
        if sentence
    )


def with_interval(estimate: Estimate) -> str:
    """A score with its interval, or that there is none; to three digits, as models differ in the third.

    >>> from vivavoce.interview.finding import Estimate, Interval
    >>> with_interval(Estimate(0.3789, Interval(0.3751, 0.383), 9)), with_interval(Estimate(None, Interval(0, 1), 0))
    ('0.379 [0.375, 0.383]', 'unknown')
    """
    if estimate.value is None:
        return "unknown"
    return f"{estimate.value:.3f} {ends(estimate.interval)}"


def ends(interval: Interval) -> str:
    """An interval to three digits, each end rounded outwards; says where there is too little for one.

    >>> from vivavoce.interview.finding import Interval
    >>> ends(Interval(0.37501, 0.38291)), ends(Interval(float("-inf"), float("inf")))
    ('[0.375, 0.383]', '(too little for an interval)')
    """
    if not (isfinite(interval.lower) and isfinite(interval.upper)):
        return "(too little for an interval)"
    lower, upper = floor(round(interval.lower * 1000, 6)) / 1000, ceil(round(interval.upper * 1000, 6)) / 1000
    return f"[{lower:.3f}, {upper:.3f}]"


def _fits(finding: Alignment) -> str:
    """The best model's weighted accuracy at the lowest and at the highest threshold."""
    ends = dict.fromkeys((min(finding.thresholds), max(finding.thresholds)))
    return " and ".join(
        f"{with_interval(finding.best.accuracy[finding.thresholds.index(t)])} at a threshold of {percent(t)}" for t in ends
    )


def _cost(finding: Alignment, best: ModelAlignment, known: Sequence[ModelAlignment]) -> str:
    """That the best model makes the fewest mistakes after all, where wrong beliefs about it cost least a question."""
    place = finding.thresholds.index(max(finding.thresholds))
    cost = best.loss[place].value
    if cost is None or any((one.loss[place].value or 0.0) < cost for one in known if one is not best):
        return ""
    return " Counted by question, wrong beliefs about it still cost least, as it makes the fewest mistakes."


def _behind(finding: Alignment, best: ModelAlignment, threshold: float) -> list[str]:
    """Models that people's beliefs fit better than the best one at a threshold, by more than chance."""
    found = []
    for one in finding.comparisons:
        if one.measure == "accuracy" and one.threshold == threshold and best.model in (one.first, one.second):
            interval = one.difference.interval
            if best.model == one.first and interval.upper < 0:
                found.append(one.second)
            if best.model == one.second and interval.lower > 0:
                found.append(one.first)
    return found


def _of_levels(finding: Alignment) -> str:
    if set(finding.sources) == {str(Source.RAW)}:
        return "Beliefs are those of the people who were asked, about the questions that they were shown."
    whence = (
        "given" if finding.given else "of the raw beliefs among the pairs" if finding.estimated else "of the published study"
    )
    told = (
        f"Levels of belief were not measured but made from chances of a change and three averages, {whence}: "
        f"{finding.beliefs.prior:.3f} before, {finding.beliefs.after_right:.3f} after a right answer, "
        f"{finding.beliefs.after_wrong:.3f} after a wrong one."
    )
    above = [t for t in finding.thresholds if t >= finding.highest]
    if above:
        told += (
            f" No belief is above {finding.highest:.3f}: at a threshold of {percent(min(above))} nobody would use any model."
        )
    return told


def _of_choice(finding: Alignment) -> str:
    return (
        "How beliefs become use is an assumption: people may use a model above a threshold, in the part they trust most, or in "
        "proportion. Each rule is a line of its own."
    )


def _of_intervals(finding: Alignment) -> str:
    how = (
        f"They come from resampling {count(finding.sets)} sets of pairs (bootstrap); pairs that share a question or a "
        "person are in one set."
        if finding.drawn_again
        else "Pairs depend on one another too much, or are too few, to be resampled: they are Student's t with a variance "
        "that allows for shared questions and persons."
    )
    return f"Intervals are at level {percent(finding.confidence)}. {how} They hold for questions like these, not for others."


def _of_gaps(finding: Alignment) -> list[str]:
    told = []
    for what, words in (
        ("unanswered", "without a graded answer to one of the two questions"),
        ("unseen", "that nobody judged after what the model really did with the first"),
    ):
        missing = [one for one in finding.models if getattr(one, what)]
        if missing:
            names = ", ".join(f"{name_of(one.model)} {count(getattr(one, what))}" for one in missing[:SHOWN_NAMES])
            more = f" and {count(len(missing) - SHOWN_NAMES)} other models" if len(missing) > SHOWN_NAMES else ""
            told.append(f"Of {count(finding.pairs)} pairs, those {words} are left out: {names}{more}.")
    double = [one for one in finding.models if one.contradicting]
    if double:
        names = ", ".join(f"{name_of(one.model)} {count(one.contradicting)}" for one in double[:SHOWN_NAMES])
        told.append(f"Questions that stand twice among the answers with different grades count as not answered: {names}.")
    if finding.without:
        rows = "1 row holds" if finding.without == 1 else f"{count(finding.without)} rows hold"
        told.append(f"{rows} no belief and no change: left out.")
    if str(Source.RAW) in finding.sources:
        told.append(f"In the cross-entropy a belief counts as at least {NEAREST:g} away from 0 and 1.")
    return told


def _of_many(finding: Alignment) -> str:
    made = finding.dominance.made
    by_chance = made * (1 - finding.confidence) / 2
    if by_chance < 1:
        return ""
    found = sum(one.beyond_chance for one in finding.dominance.reversals)
    return (
        f"{count(made)} comparisons were made of a better model with a worse one. By chance alone up to {by_chance:.0f} of "
        f"them would show a reversal; {count(found)} do."
    )
