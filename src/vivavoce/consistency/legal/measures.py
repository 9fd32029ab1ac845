"""Accuracy of decisions on held-out cases, and attention to decisive facts, with intervals at level 95%."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.statistics.clustered import bounded_mean, share_interval


@dataclass(frozen=True, slots=True)
class DecidedCase:
    """A held-out case with the classifier's decision."""

    case: str
    violation: bool
    """The court's judgment."""
    probability: float
    """The classifier's decision."""
    facts: int
    top: int
    """The number from 0 of the fact with the most attention."""
    top_fact: str
    decisive: tuple[int, ...] = ()
    """The facts known to be decisive; empty if unknown."""
    on_decisive: float = 0.0
    """Total attention to the decisive facts."""

    json_keys = "case probability violation"


@dataclass(frozen=True, slots=True)
class LabelMeasures:
    """The recognition of one label: precision, recall and F1."""

    precision: Estimate
    """Precision: the share of cases with this decision that have the label."""
    recall: Estimate
    """Recall: the share of cases with the label that get this decision."""
    f1: Estimate


@dataclass(frozen=True, slots=True)
class Attention:
    """Where attention falls in cases whose decisive facts are known."""

    top: Estimate
    """Share of cases in which a decisive fact has the most attention."""
    top_violation: Estimate
    """The same for cases with a violation: a head may look only for signs of one label, and infer the other from their
    absence."""
    top_none: Estimate
    """The same for cases without a violation."""
    weight: Estimate
    """Mean total attention to the decisive facts."""
    chance: float
    """The expected value of both measures for uninformed attention: the mean share of decisive facts."""


@dataclass(frozen=True, slots=True)
class Measures:
    """All measures of the held-out cases."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    accuracy: Estimate
    violation: LabelMeasures
    """The label of Table 15 of `fluri2024`."""
    no_violation: LabelMeasures
    macro_f1: Estimate
    """The mean F1 of both labels."""
    attention: Attention | None
    """None if no case has a known decisive fact."""

    @property
    def cases(self) -> int:
        """The number of held-out cases."""
        return self.true_positives + self.false_positives + self.false_negatives + self.true_negatives

    @property
    def violations(self) -> int:
        """The number of cases with a violation."""
        return self.true_positives + self.false_negatives

    @property
    def majority(self) -> float:
        """The accuracy of always giving the more frequent label."""
        return max(self.violations, self.cases - self.violations) / self.cases


def measured(decided: Sequence[DecidedCase], threshold: float) -> Measures:
    """Compute all measures of the held-out cases.

    With two labels and one decision per case, the micro averages of precision, recall and F1 all equal the accuracy.

    >>> cases = [DecidedCase(str(i), i < 6, 0.9 if 2 <= i < 7 else 0.1, 1, 0, "") for i in range(10)]
    >>> measures = measured(cases, 0.5)  # 4 of 6 violations are found, and 1 of 4 others is taken for one
    >>> measures.accuracy.value, measures.violation.precision.value, round(measures.violation.f1.value, 4)
    (0.7, 0.8, 0.7273)
    """
    answers = [case.probability >= threshold for case in decided]
    pairs = [(case.violation, yes) for case, yes in zip(decided, answers, strict=True)]
    both, taken, missed, neither = (pairs.count(pair) for pair in ((True, True), (False, True), (True, False), (False, False)))
    level = (1 + CONFIDENCE) / 2
    return Measures(
        both, taken, missed, neither,
        accuracy=share(both + neither, len(pairs)),
        violation=of_label(both, taken, missed),
        no_violation=of_label(neither, missed, taken),
        macro_f1=_macro(f1(both, taken, missed, level=level), f1(neither, missed, taken, level=level)),
        attention=_attention([case for case in decided if case.decisive]),
    )  # fmt: skip


def of_label(right: int, taken: int, missed: int) -> LabelMeasures:
    """The measures of a label from its counts of true positives, false positives and false negatives."""
    return LabelMeasures(share(right, right + taken), share(right, right + missed), f1(right, taken, missed))


def share(hits: int, n: int, *, level: float = CONFIDENCE) -> Estimate:
    """A share with Clopper and Pearson's interval.

    >>> share(0, 0)
    Estimate(value=None, interval=Interval(lower=0.0, upper=1.0), n=0)
    """
    try:
        bounds = share_interval([True] * hits + [False] * (n - hits), [()] * n, confidence=level)
    except NotEnoughEvidence:
        return Estimate(None, Interval(0.0, 1.0), 0)
    return Estimate(hits / n, Interval(*bounds), n)


def f1(right: int, taken: int, missed: int, *, level: float = CONFIDENCE) -> Estimate:
    """F1 with an exact interval.

    F1 is 2 J / (1 + J), where J is the share of right decisions among cases that have the label or were given it. Conditional
    on their number, J has Clopper and Pearson's interval, and F1 increases with J.

    >>> round(f1(4, 1, 2).value, 4) == round(2 * 4 / (2 * 4 + 1 + 2), 4)
    True
    """
    of = share(right, right + taken + missed, level=level)
    if of.value is None:
        return of
    return Estimate(_f1(of.value), Interval(_f1(of.interval.lower), _f1(of.interval.upper)), of.n)


def _f1(jaccard: float) -> float:
    return 2 * jaccard / (1 + jaccard)


def _macro(first: Estimate, second: Estimate) -> Estimate:
    """The mean of both labels' F1. Each interval has level 97.5%, so both hold jointly at 95%."""
    values = [estimate.value for estimate in (first, second) if estimate.value is not None]
    ends = Interval((first.interval.lower + second.interval.lower) / 2, (first.interval.upper + second.interval.upper) / 2)
    return Estimate(fsum(values) / 2 if len(values) == 2 else None, ends, max(first.n, second.n))


def _attention(known: Sequence[DecidedCase]) -> Attention | None:
    if not known:
        return None
    weights = [case.on_decisive for case in known]
    tops = [(case.violation, case.top in case.decisive) for case in known]
    violation, none = (share(tops.count((label, True)), sum(of is label for of, _ in tops)) for label in (True, False))
    return Attention(
        share(sum(hit for _, hit in tops), len(tops)),
        violation,
        none,
        Estimate(fsum(weights) / len(weights), Interval(*bounded_mean(weights, [()] * len(weights))), len(weights)),
        fsum(len(case.decisive) / case.facts for case in known) / len(known),
    )
