"""The result of one candidate's examination: figures, question quality and example questions.

Locates failures with the user's source texts: in explaining, in writing questions, or in answering.

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
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any, Final, Literal

from vivavoce.eqt.record import Concept, EqtConfig, EqtRecord, EqtRole, ParsedAnswer, ParseOutcome, QuestionRecord
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.json_values import to_json, values_by_key
from vivavoce.interview.forms.repeated_answers import RepeatedAnswer, most_frequent
from vivavoce.interview.forms.several_options import Choice, letters
from vivavoce.interview.scope import Signature
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


KIND: Final = "eqt"
"""The name of the examination and of its JSON document."""


@dataclass(frozen=True, slots=True)
class PromptExampleCounts:
    """How often an answer, and a key, equals the example in the printed prompt."""

    answers: int
    of_answers: int
    """Number of parsed answers."""
    keys: int
    of_keys: int


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one examination, category or concept.

    Intervals have level 95% and are clustered by concept. With one concept they are clustered by question, and generalize only
    to other questions on it. With too little evidence, an interval is the whole possible range. A value without observations is
    None.
    """

    name: str
    """The category or concept; empty for the whole."""
    concepts: int
    """Number of concepts with at least one question."""
    questions: int
    """Number of written questions."""
    closed: Estimate
    """Share of closed-book answers that are exactly the key, over originals and paraphrases.

    Unparsed replies count against this figure and the next four, down to the gap: see `highest`. Questions that were never
    asked do not count; they are in `not_asked`.
    """
    closed_originals: Estimate
    """The same for originals alone."""
    partial: Estimate
    """Partial credit for both: options chosen and right, over options chosen or right (Jaccard)."""
    open_book: Estimate
    """Share of originals answered exactly, with the explanation."""
    gap: Estimate
    """The comprehension gap: open-book minus closed-book accuracy, paired by question, over originals asked both ways."""
    acs: Estimate
    """Mean answer consistency as printed in the paper: 1 - (distinct answers - 1) / answers; its minimum is 1 / answers.

    Covers questions asked in at least two wordings, since consistency needs two answers.
    """
    acs_rescaled: Estimate
    """Mean of 1 - (distinct answers - 1) / (answers - 1), whose minimum is 0."""
    unreadable: Estimate
    """Share of closed-book answers that are unparsed or missing."""
    highest: Mapping[str, float] = field(default_factory=dict)
    """Maps the name of a figure to its value if all unparsed replies counted in its favour.

    The figure itself counts them against it, so the actual value lies between the two, and the interval covers both. Figures
    that do not depend on unparsed replies are omitted.
    """


@dataclass(frozen=True, slots=True)
class Validity:
    """Question quality: counts of questions and paraphrases by fault."""

    wanted: int
    written: int
    parses: Mapping[ParseOutcome, int]
    """Number of the writer's replies, by how they were parsed."""
    not_written: Mapping[str, int]
    """Number of missing questions, by reason."""
    pointing: int
    """Questions whose words refer to a text."""
    not_self_contained: int
    """Questions that the checker rejects as not self-contained."""
    duplicates: int
    key_checked: int
    key_failed: int
    """Keys that the checker, with the explanation, does not reproduce; unparsed checks do not count."""
    key_unreadable: int
    paraphrases_wanted: int
    paraphrases_made: int
    paraphrases_changed: int
    """Paraphrases that, according to the checker, mean something else."""
    paraphrases_unchecked: int
    not_paraphrased: Mapping[str, int]
    """Number of missing paraphrases, by reason."""
    valid: int
    """Questions without a fault: self-contained, not duplicates, and with a reproduced key.

    Without checks (`EqtConfig.checks`): questions without a detected fault.
    """


@dataclass(frozen=True, slots=True)
class ExampleQuestion:
    """One question with all answers to it, for readers."""

    concept: Concept
    explanation: str
    item: QuestionRecord
    why: str
    """What it shows: `answered with the explanation, not without it`, `another answer to each wording`, ..."""


@dataclass(frozen=True, slots=True)
class EqtResult:
    """The result of one candidate."""

    candidate: str
    """The name of the answerer."""
    roles: Mapping[EqtRole, str]
    config: EqtConfig
    whole: Figures
    valid: Figures
    """Figures for valid questions alone, and for paraphrases that keep the meaning."""
    categories: tuple[Figures, ...]
    concepts: tuple[Figures, ...]
    validity: Validity
    parses: Mapping[ParseOutcome, int]
    """How closed-book answers were parsed."""
    after_turn: int
    """Number of closed-book answers that come from a follow-up that asked only for the final answer."""
    pattern: RepeatedAnswer[Choice] | None
    """The most frequent closed-book answer, and how often the keys have it; None without parsed answers."""
    of_one_pattern: Mapping[str, Figures]
    """The figures withheld from `whole` and `valid` because one answer prevails; otherwise empty."""
    unread: Mapping[str, int]
    """Number of unparsed or missing closed-book answers, by reason."""
    not_asked: int
    """Number of wordings that the budget did not cover."""
    no_explanation: Mapping[str, int]
    """Number of concepts without an explanation, by reason."""
    examples: tuple[ExampleQuestion, ...]
    planned: int
    completed: int
    calls: int
    tokens_in: int
    tokens_out: int
    money: float
    exhausted: str
    visitors: Mapping[str, Estimate]
    """Maps a visitor to its closed-book accuracy on the originals (cross-examination)."""
    ahead: Mapping[str, Estimate]
    """Maps a visitor to its accuracy minus the candidate's, paired by question."""
    signature: Signature
    asking: tuple[str, ...] = ()
    answered: Mapping[str, Mapping[tuple[str, int], ParsedAnswer]] = field(default_factory=dict, repr=False)
    grounding: LocatedFailures | None = None
    """Failures located with the user's sources; None without sources."""
    prompt_examples: PromptExampleCounts | None = None
    """How often answers repeat the example of the printed prompts; None with our own prompts."""
    cut_explanations: int = 0
    """Number of explanations that a token limit cut off."""
    other_options: int = 0
    """Number of questions with more or fewer options than requested."""

    json_keys = (
        "candidate roles config whole valid categories concepts validity parses after_turn pattern=pattern_values "
        "of_one_pattern unread not_asked no_explanation planned completed calls tokens_in tokens_out money exhausted "
        "visitors ahead grounding=grounding_values prompt_examples cut_explanations other_options "
        "signature=signature.line"
    )

    @property
    def pattern_values(self) -> dict[str, Any] | None:
        """The most frequent answer as JSON values."""
        return pattern_as_json(self.pattern)

    @property
    def grounding_values(self) -> dict[str, Any] | None:
        """The failures located with the sources, as JSON values."""
        if (grounding := self.grounding) is None:
            return None
        return {**to_json(grounding), "checker": pattern_as_json(grounding.checker)}

    @property
    def explains_itself(self) -> bool:
        """Whether the candidate answers questions on its own explanations."""
        return self.roles.get("explainer", self.candidate) == self.candidate

    @property
    def measured(self) -> bool:
        """Whether there is any question."""
        return self.whole.questions > 0


def pattern_as_json(pattern: RepeatedAnswer[Choice] | None) -> dict[str, Any] | None:
    """The most frequent answer as JSON values."""
    return None if pattern is None else {"answer": letters(pattern.value), **values_by_key(pattern)}
