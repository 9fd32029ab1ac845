"""Locates failures with the user's source texts: in explaining, in writing questions, or in answering.

In the paper's test, a candidate that explains something wrongly and answers accordingly gets a perfect score. With a source,
each question gets one verdict. K is its key, E the checker's answer with the explanation, S the checker's answer with the
source, and C the candidate's answer without either:

1. the source does not say, or E or S could not be parsed: no verdict;
2. E is not K: a failure of *writing*, since the key does not follow from the explanation;
3. S is not K: a failure of *explaining*, since the source denies what the explanation says;
4. C is not K: a failure of *answering*, since explanation and source agree;
5. otherwise no failure.

If the checker gives one answer regardless of the question (`RepeatedAnswer.prevails`), verdicts show its pattern and not the
candidate's failures. They are then withheld, and so is accuracy by the source.

Not in `asgari2025`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, Final, Literal

from vivavoce.eqt.record import Concept, EqtRecord, QuestionRecord
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.forms.repeated_answers import RepeatedAnswer, most_frequent
from vivavoce.interview.forms.several_options import Choice
from vivavoce.statistics.clustered import bounded_mean, bounded_share

Verdict = Literal["explaining", "writing", "answering", "none", "not in the source", "unreadable"]
VERDICTS: Final[tuple[Verdict, ...]] = ("explaining", "writing", "answering", "none", "not in the source", "unreadable")
_OF_ANSWERS: Final[tuple[Verdict, ...]] = ("answering", "none")
DECIDED: Final[frozenset[Verdict]] = frozenset(("explaining", "writing", "answering", "none"))


@dataclass(frozen=True, slots=True)
class LocatedFailures:
    """Failures located with the sources. Intervals are 95%, clustered by concept; unparsed answers count as wrong."""

    concepts: int
    """Number of concepts with a source and a question."""
    without: int
    """Number of concepts without a source."""
    counts: Mapping[Verdict, int]
    """Number of questions by verdict, for all of `VERDICTS`."""
    shares: Mapping[Verdict, Estimate]
    """Shares of the verdicts in `DECIDED`, among questions with one of these."""
    closed: Estimate
    """Closed-book accuracy on originals, over questions of concepts with a source."""
    with_explanation: Estimate
    with_source: Estimate
    true: Estimate
    """Share of closed-book answers that agree with the checker's answer by the source, regardless of the key.

    Covers questions that the source settles."""
    explanation_gains: Estimate
    """Accuracy with the explanation minus closed-book accuracy, paired by question."""
    source_loses: Estimate
    """Accuracy with the explanation minus accuracy with the source, paired by question."""
    checker: RepeatedAnswer[Choice] | None = None
    """The checker's most frequent answer, and how often the keys have it; None if no answer could be parsed."""


def verdict(item: QuestionRecord) -> Verdict:
    """The verdict on a written question whose concept has a source.

    >>> from vivavoce.eqt.record import ParsedAnswer, Phrasing
    >>> from vivavoce.interview.forms.written_question import MultipleChoice
    >>> this, that = (ParsedAnswer(frozenset([key]), "strict") for key in (0, 1))
    >>> question = MultipleChoice("Which?", ("this", "that"), frozenset([0]))
    >>> def of(closed, explanation, source):
    ...     phrasing = Phrasing("Which?", closed)
    ...     return verdict(QuestionRecord(1, "", question, "strict", "", (phrasing,), this, explanation, source_check=source))
    >>> of(this, this, that), of(this, that, this), of(that, this, this), of(this, this, this)
    ('explaining', 'writing', 'answering', 'none')
    """
    assert item.question is not None
    key, by_explanation, by_source = item.question.key, item.key_check, item.source_check
    if by_source is not None and by_source.parse == "does not know":
        return "not in the source"
    if by_explanation is None or by_explanation.chosen is None or by_source is None or by_source.chosen is None:
        return "unreadable"
    if by_explanation.chosen != key:
        return "writing"
    if by_source.chosen != key:
        return "explaining"
    answer = item.phrasings[0].answer if item.phrasings else None
    if answer is None or answer.unread:
        return "unreadable"
    return "none" if answer.chosen == key else "answering"


def grounding(record: EqtRecord) -> LocatedFailures | None:
    """Compute what the sources show; None without sources."""
    sat = [concept_record for concept_record in record.concept_records if concept_record.source]
    if not sat:
        return None
    asked = [
        (concept_record.concept, item) for concept_record in sat for item in concept_record.items if item.question is not None
    ]
    verdicts = [verdict(item) for _, item in asked]
    decided = [(*pair, verdict_of) for pair, verdict_of in zip(asked, verdicts, strict=True) if verdict_of in DECIDED]
    groups = _groups([(concept, item) for concept, item, _ in decided])
    settled = [(concept, item) for concept, item in asked if item.source_check and item.source_check.chosen is not None]
    grounding = LocatedFailures(
        concepts=len({concept for concept, _ in asked}),
        without=len(record.concept_records) - len(sat),
        counts={name: verdicts.count(name) for name in VERDICTS},
        shares={
            name: share_of([item_verdict == name for *_, item_verdict in decided], groups)
            for name in VERDICTS
            if name in DECIDED
        },
        closed=_rate(asked, closed_right),
        with_explanation=_rate(asked, explanation_right),
        with_source=_rate(asked, source_right),
        true=_rate(settled, truly_right),
        explanation_gains=_difference(asked, explanation_right, closed_right),
        source_loses=_difference(asked, explanation_right, source_right),
        checker=most_frequent([_checked(item) for _, item in asked]),
    )
    return unchecked(grounding) if grounding.checker is not None and grounding.checker.prevails else grounding


def unchecked(grounding: LocatedFailures) -> LocatedFailures:
    """Withhold the figures that depend on the checker, because it always gives one answer."""
    return replace(
        grounding, shares={name: unknown(share) for name, share in grounding.shares.items()}, true=unknown(grounding.true)
    )


def unanswered(grounding: LocatedFailures) -> LocatedFailures:
    """Withhold the figures that depend on the candidate's answers, because it always gives one answer."""
    of_answers: dict[str, Any] = {
        name: unknown(getattr(grounding, name)) for name in ("closed", "with_explanation", "with_source", "true")
    }
    differences: dict[str, Any] = {
        name: unknown(getattr(grounding, name), -1.0) for name in ("explanation_gains", "source_loses")
    }
    shares = {**grounding.shares, **{name: unknown(grounding.shares[name]) for name in _OF_ANSWERS}}
    return replace(grounding, shares=shares, **of_answers, **differences)


def unknown(estimate: Estimate, smallest: float = 0.0) -> Estimate:
    """Withhold an estimate: its interval is the whole possible range."""
    return Estimate(None, Interval(smallest, 1.0), estimate.n)


def closed_right(item: QuestionRecord) -> bool | None:
    """Whether the closed-book answer to the original is the key; None if it was not asked."""
    return _as_keyed(item, item.phrasings[0].answer if item.phrasings else None)


def explanation_right(item: QuestionRecord) -> bool | None:
    """Whether the answer with the explanation is the key."""
    return _as_keyed(item, item.open_book)


def source_right(item: QuestionRecord) -> bool | None:
    """Whether the answer with the source is the key."""
    return _as_keyed(item, item.source_book)


def truly_right(item: QuestionRecord) -> bool | None:
    """Whether the closed-book answer equals the checker's answer by the source."""
    answer = item.phrasings[0].answer if item.phrasings else None
    return None if answer is None or item.source_check is None else answer.chosen == item.source_check.chosen


ConceptItems = Sequence[tuple[Concept, QuestionRecord]]
Groups = Sequence[tuple[Hashable]]
IsRight = Callable[[QuestionRecord], bool | None]


def _as_keyed(item: QuestionRecord, answer: Any) -> bool | None:
    assert item.question is not None
    return None if answer is None else answer.chosen == item.question.key


def _checked(item: QuestionRecord) -> tuple[list[Choice], Choice]:
    """The checker's parsed answers by explanation and source, and the key."""
    assert item.question is not None
    checks = (item.key_check, item.source_check)
    return [check.chosen for check in checks if check is not None and check.chosen is not None], item.question.key


def _rate(asked: ConceptItems, right: IsRight) -> Estimate:
    put = [(concept, item) for concept, item in asked if right(item) is not None]
    return share_of([bool(right(item)) for _, item in put], _groups(put))


def _difference(asked: ConceptItems, first: IsRight, other: IsRight) -> Estimate:
    both = [(c, i, float(a) - float(b)) for c, i in asked if (a := first(i)) is not None and (b := other(i)) is not None]
    return difference_of([value for *_, value in both], _groups([(c, i) for c, i, _ in both]))


def _groups(asked: ConceptItems) -> Groups:
    """Clusters: concepts, or questions if there is one concept only."""
    several = len({concept for concept, _ in asked}) > 1
    return [(concept,) if several else ((concept, item.number),) for concept, item in asked]


def share_of(hits: Sequence[float], groups: Groups) -> Estimate:
    """The share of hits, with its interval by these clusters."""
    return Estimate(_average(hits), Interval(*bounded_share([hit > 0 for hit in hits], groups)), len(hits))


def mean_of(values: Sequence[float], groups: Groups, *, smallest: float = 0.0) -> Estimate:
    """The mean of values from `smallest` to 1, with its interval by these clusters."""
    return Estimate(_average(values), Interval(*bounded_mean(values, groups, smallest=smallest)), len(values))


def difference_of(values: Sequence[float], groups: Groups) -> Estimate:
    """The mean of differences from -1 to 1."""
    return mean_of(values, groups, smallest=-1.0)


def _average(values: Sequence[float]) -> float | None:
    """The mean to twelve decimals; None of nothing."""
    return round(fsum(values) / len(values), 12) if values else None
