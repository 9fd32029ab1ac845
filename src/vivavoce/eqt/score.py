"""Scores a record: accuracy without and with the explanation, consistency of answers, and example questions.

The answer consistency score (`acs`) compares sets of options, so {A, C} and {C, A} are equal. Unparsed and missing answers to a
question count as one value that differs from every set. If they were omitted, a candidate that answers one wording in four
would count as consistent. If each were a value of its own, a candidate that never answers would count as inconsistent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from vivavoce.eqt.prompts import EXAMPLE_ANSWER
from vivavoce.eqt.question_checks import counted, faults, keeps_meaning, key_failed, validity
from vivavoce.eqt.record import Concept, ConceptRecord, EqtRecord, ParsedAnswer, QuestionRecord
from vivavoce.eqt.result import (
    KIND,
    EqtResult,
    ExampleQuestion,
    Figures,
    Groups,
    PromptExampleCounts,
    difference_of,
    grounding,
    mean_of,
    share_of,
    unanswered,
    unknown,
)
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.forms.repeated_answers import RepeatedAnswer, most_frequent
from vivavoce.interview.forms.several_options import Choice
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.interview.scope import Signature
from vivavoce.version import __version__

MOST_EXAMPLES: Final = 6

ShowsKind = Callable[[QuestionRecord, bool], bool]
"""Whether a question is an example of a kind; the second argument is whether it is valid."""


def examples(record: EqtRecord) -> tuple[ExampleQuestion, ...]:
    """Choose at most six example questions: one of each kind before a second of any, on new concepts if possible.

    Failures of the candidate are shown on valid questions only.
    """
    pool = [
        (concept_record, item)
        for concept_record in record.concept_records
        for item in concept_record.items
        if item.question is not None
    ]
    valid = {id(item): not faults(item, checked=record.config.checks) for _, item in pool}
    fitting = {why: [pair for pair in pool if shows(pair[1], valid[id(pair[1])])] for why, shows in KINDS.items()}
    chosen: list[tuple[str, ConceptRecord, QuestionRecord]] = []
    while len(chosen) < MOST_EXAMPLES:
        before = len(chosen)
        for why, ones in fitting.items():
            shown, used = {concept_record.concept for _, concept_record, _ in chosen}, {id(item) for *_, item in chosen}
            left = [pair for pair in ones if id(pair[1]) not in used]
            if left and len(chosen) < MOST_EXAMPLES:
                concept_record, item = next((pair for pair in left if pair[0].concept not in shown), left[0])
                chosen.append((why, concept_record, item))
        if len(chosen) == before:
            break
    return tuple(
        ExampleQuestion(concept_record.concept, concept_record.explanation or "", item, why)
        for kind in KINDS
        for why, concept_record, item in chosen
        if why == kind
    )


def _gap(item: QuestionRecord, valid: bool) -> bool:
    original = item.phrasings[0].answer if item.phrasings else None
    return valid and _right(item, item.open_book) and original is not None and not _right(item, original)


def _throughout(item: QuestionRecord, valid: bool) -> bool:
    return valid and _right(item, item.open_book) and bool(kept := _kept(item)) and all(_right(item, answer) for answer in kept)


def _kept(item: QuestionRecord) -> list[ParsedAnswer]:
    """Answers to wordings that keep the meaning."""
    return [phrasing.answer for phrasing in item.phrasings if phrasing.answer is not None and keeps_meaning(phrasing)]


def _right(item: QuestionRecord, answer: ParsedAnswer | None) -> bool:
    return answer is not None and item.question is not None and answer.chosen == item.question.key


KINDS: Final[dict[str, ShowsKind]] = {
    "answered with the explanation, not without it": _gap,
    "another answer to another wording": lambda item, valid: valid and len({answer.chosen for answer in _kept(item)}) > 1,
    "right throughout": _throughout,
    "its key is not reproduced with the explanation at hand": lambda item, _: key_failed(item),
    "points at a text that the answerer does not see": lambda item, _: bool(item.pointing) or item.self_contained is False,
    "a paraphrase that means something else": lambda item, _: any(
        phrasing.same_meaning is False for phrasing in item.phrasings
    ),
}
"""Maps each kind of example to the function that recognizes it, in display order."""


Bounds = tuple[float, float]
"""The lowest and the highest possible score of an answer; they differ if it is unparsed."""


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A written question, with the answers that count."""

    concept: Concept
    item: QuestionRecord
    question: MultipleChoice
    original: ParsedAnswer | None
    """None if the original was not asked."""
    answers: tuple[ParsedAnswer, ...]
    """Answers to all wordings asked, the original first."""


def score(record: EqtRecord, *, source: str = "", digest: str = "") -> EqtResult:
    """Score the record of an examination.

    An answer is right if it is exactly the key. A missing answer, or "I don't know", is wrong. An unparsed answer counts as
    wrong in figures and as right in `Figures.highest`, and intervals cover both. Questions that the budget did not cover count
    only in `not_asked`.

    If one answer prevails (`RepeatedAnswer.prevails`), it says nothing about knowledge. The figures about knowledge are then
    withheld, and are available only in `of_one_pattern`.

    Parameters
    ----------
    record: the examination's record.
    source: description of the concepts' source.
    digest: SHA-256 of the concepts' file or of the transcript; empty without one.

    >>> from vivavoce.eqt.record import EqtConfig
    >>> from vivavoce.eqt.record import Phrasing, ConceptRecord
    >>> right, wrong = ParsedAnswer(frozenset([0]), "strict"), ParsedAnswer(frozenset([1]), "strict")
    >>> question = MultipleChoice("Which?", ("this", "that"), frozenset([0]))
    >>> item = QuestionRecord(1, "recall", question, "strict", phrasings=(Phrasing("Which?", wrong),), open_book=right)
    >>> concept_record = ConceptRecord(Concept("graphs", "math"), "Graphs are ...", "", (item,))
    >>> finding = score(EqtRecord({"answerer": "m"}, EqtConfig(1, 0, checks=False), (concept_record,), 1, 4, 0, 0, 0.0))
    >>> finding.whole.closed.value, finding.whole.open_book.value, finding.whole.gap.value
    (0.0, 1.0, 1.0)

    Source: `asgari2025`, with the departures that `consistency` and `validity` name, and the gap, which it does not measure.
    """
    asked = questions_asked(record)
    pattern = pattern_of(asked)
    prevails = pattern is not None and pattern.prevails
    every = {"whole": figures("", asked), "valid": figures("", only_valid(asked, checked=record.config.checks))}
    show: Callable[[Figures], Figures] = withheld if prevails else lambda shown: shown
    visitors = record.visitors or {}
    answers = [answer for question in asked for answer in question.answers]
    grounded = grounding(record)
    return EqtResult(
        candidate=record.roles["answerer"], roles=record.roles, config=record.config,
        whole=show(every["whole"]), valid=show(every["valid"]),
        categories=tuple(map(show, _each(asked, record, lambda concept: concept.category))),
        concepts=tuple(map(show, _each(asked, record, lambda concept: concept))),
        validity=validity(record),
        parses=counted(answer.parse for answer in answers),
        after_turn=sum(answer.after_turn for answer in answers),
        pattern=pattern,
        of_one_pattern=every if prevails else {},
        unread=counted(answer.problem or answer.parse for answer in answers if answer.chosen is None),
        not_asked=sum(each.stem is not None and not each.answer for question in asked for each in question.item.phrasings),
        no_explanation=counted(each.problem or "no explanation" for each in record.concept_records if each.explanation is None),
        examples=examples(record),
        planned=record.planned, completed=len(record.concept_records), exhausted=record.exhausted,
        calls=record.calls, tokens_in=record.tokens_in, tokens_out=record.tokens_out, money=record.money,
        visitors={name: _visit(asked, of_visitor) for name, of_visitor in visitors.items()},
        ahead={} if prevails else {name: _ahead(asked, of_visitor) for name, of_visitor in visitors.items()},
        signature=_signature(record, source or f"{len(record.concept_records)} concepts", digest),
        asking=record.caveats, answered=visitors, grounding=unanswered(grounded) if grounded and prevails else grounded,
        prompt_examples=_prompt_examples(asked) if record.config.prompts == "printed" else None,
        other_options=sum(len(question.question.options) != record.config.options for question in asked),
        cut_explanations=sum(concept_record.ends_early for concept_record in record.concept_records),
    )  # fmt: skip


def pattern_of(asked: Sequence[AnsweredQuestion]) -> RepeatedAnswer[Choice] | None:
    """The most frequent answer, and whether the keys explain its frequency; None without answers."""
    return most_frequent(
        [([a.chosen for a in question.answers if a.chosen is not None], question.question.key) for question in asked]
    )


def _prompt_examples(asked: Sequence[AnsweredQuestion]) -> PromptExampleCounts:
    """Count answers and keys that are the example of the printed prompts."""
    answers = [answer.chosen for question in asked for answer in question.answers]
    keys = [question.question.key for question in asked]
    return PromptExampleCounts(
        answers=answers.count(EXAMPLE_ANSWER),
        of_answers=sum(chosen is not None for chosen in answers),
        keys=keys.count(EXAMPLE_ANSWER),
        of_keys=len(keys),
    )


def _signature(record: EqtRecord, scope: str, digest: str) -> Signature:
    settings = asdict(record.config) | {"roles": dict(record.roles)} | _asking(record)
    seed = settings.pop("seed")
    return Signature(__version__, KIND, record.roles["answerer"], scope, digest, seed, settings)


def questions_asked(record: EqtRecord) -> list[AnsweredQuestion]:
    """All written questions, in order."""
    result = []
    for concept_record in record.concept_records:
        for item in concept_record.items:
            if item.question is not None:
                original = item.phrasings[0].answer if item.phrasings else None
                answers = tuple(phrasing.answer for phrasing in item.phrasings if phrasing.answer is not None)
                result.append(AnsweredQuestion(concept_record.concept, item, item.question, original, answers))
    return result


def only_valid(asked: Sequence[AnsweredQuestion], *, checked: bool) -> list[AnsweredQuestion]:
    """Questions without a fault, with answers to wordings that keep the meaning."""
    return [
        replace(question, answers=tuple(p.answer for p in question.item.phrasings if p.answer is not None and keeps_meaning(p)))
        for question in asked
        if not faults(question.item, checked=checked)
    ]


def figures(name: str, asked: Sequence[AnsweredQuestion]) -> Figures:
    """The figures for these questions; intervals by concept, or by question if there is only one concept."""
    concepts = {question.concept for question in asked}
    answered = [(question, answer) for question in asked for answer in question.answers]
    originals = [(question, question.original) for question in asked if question.original is not None]
    opened = [(question, question.item.open_book) for question in asked if question.item.open_book is not None]
    gaps = [
        (question, _gain(question, answer, question.original)) for question, answer in opened if question.original is not None
    ]
    several = [question for question in asked if len(question.answers) > 1]
    chosen = [[answer.chosen for answer in question.answers] for question in several]
    of_several = groups_of(several, concepts)
    ranges = {
        "closed": _range([(question, _exact(question, answer)) for question, answer in answered], concepts),
        "closed_originals": _range([(question, _exact(question, answer)) for question, answer in originals], concepts),
        "partial": _range([(question, _partial(question, answer)) for question, answer in answered], concepts, of=mean_of),
        "open_book": _range([(question, _exact(question, answer)) for question, answer in opened], concepts),
        "gap": _range(gaps, concepts, of=difference_of),
    }
    return Figures(
        name=name,
        concepts=len(concepts),
        questions=len(asked),
        **{what: estimate for what, (estimate, _) in ranges.items()},
        acs=mean_of([acs(answers) or 0.0 for answers in chosen], of_several),
        acs_rescaled=mean_of([acs_rescaled(answers) or 0.0 for answers in chosen], of_several),
        unreadable=share_of(
            [answer.chosen is None for _, answer in answered], groups_of([question for question, _ in answered], concepts)
        ),
        highest={what: highest for what, (_, highest) in ranges.items() if highest is not None},
    )


def acs(answers: Sequence[Choice | None]) -> float | None:
    """1 - (distinct answers - 1) / answers, as `asgari2025` prints it (equation 1).

    Departure: the paper says that the score is 0 if all answers differ. The printed formula then gives 1 / answers, or .25 with
    three paraphrases; `acs_rescaled` does what the paper says.

    Parameters
    ----------
    answers: the answers to a question and its paraphrases, in any order; None for an unparsed one. Without answers there is no
        score.

    >>> a, b, c, ac = frozenset([0]), frozenset([1]), frozenset([2]), frozenset([0, 2])
    >>> acs([a, a, a, a]), acs([a, a, a, b]), acs([a, b, c, ac])  # 1, 1 - 1/4, 1 - 3/4
    (1.0, 0.75, 0.25)
    >>> acs([ac, frozenset([2, 0]), None, None])  # two values: the set, and unparsed
    0.75
    >>> acs([a]), acs([])
    (1.0, None)
    """
    return 1 - (len(set(answers)) - 1) / len(answers) if answers else None


def acs_rescaled(answers: Sequence[Choice | None]) -> float | None:
    """1 - (distinct answers - 1) / (answers - 1): 1 if all answers are equal, 0 if all differ.

    With fewer than two answers there is no score.

    >>> a, b, c, d = (frozenset([key]) for key in range(4))
    >>> acs_rescaled([a, a, a, a]), acs_rescaled([a, b, c, d]), acs_rescaled([a, b, None])
    (1.0, 0.0, 0.0)
    >>> round(acs_rescaled([a, a, a, b]), 4)  # 1 - 1/3
    0.6667
    >>> acs_rescaled([a]) is None
    True
    """
    return 1 - (len(set(answers)) - 1) / (len(answers) - 1) if len(answers) > 1 else None


_OF_KNOWLEDGE: Final = ("closed", "closed_originals", "partial", "open_book", "acs", "acs_rescaled")


def withheld(shown: Figures) -> Figures:
    """Withhold the figures about knowledge: their intervals become the whole possible range."""
    of_knowledge: dict[str, Any] = {name: unknown(getattr(shown, name)) for name in _OF_KNOWLEDGE}
    return replace(shown, **of_knowledge, gap=unknown(shown.gap, smallest=-1.0), highest={})


def jaccard(chosen: Choice | None, key: Choice) -> float:
    """Partial credit: options chosen and right over options chosen or right; 0 for an unparsed answer.

    >>> jaccard(frozenset([0, 2]), frozenset([0, 1])), jaccard(frozenset([1]), frozenset([1])), jaccard(None, frozenset([1]))
    (0.3333333333333333, 1.0, 0.0)
    """
    if chosen is None:
        return 0.0
    return len(chosen & key) / len(chosen | key) if chosen | key else 1.0


def _exact(question: AnsweredQuestion, answer: ParsedAnswer) -> Bounds:
    right = float(answer.chosen == question.question.key)
    return right, 1.0 if answer.unread else right


def _partial(question: AnsweredQuestion, answer: ParsedAnswer) -> Bounds:
    credit = jaccard(answer.chosen, question.question.key)
    return credit, 1.0 if answer.unread else credit


def _gain(question: AnsweredQuestion, answer: ParsedAnswer, other: ParsedAnswer) -> Bounds:
    """The score of an answer minus that of another."""
    (least, most), (other_least, other_most) = _exact(question, answer), _exact(question, other)
    return least - other_most, most - other_least


def _range(
    scored: Sequence[tuple[AnsweredQuestion, Bounds]],
    concepts: Collection[Concept] = (),
    *,
    of: Callable[[Sequence[float], Groups], Estimate] = share_of,
) -> tuple[Estimate, float | None]:
    """The mean of the lowest scores, and the mean of the highest scores if it differs; the interval covers both."""
    groups = groups_of([question for question, _ in scored], concepts)
    least, most = [bounds[0] for _, bounds in scored], [bounds[1] for _, bounds in scored]
    lowest = of(least, groups)
    highest = of(most, groups) if most != least else lowest
    if highest.value == lowest.value:
        return lowest, None
    interval = Interval(lowest.interval.lower, highest.interval.upper)
    return Estimate(lowest.value, interval, lowest.n), highest.value


def _each(asked: Sequence[AnsweredQuestion], record: EqtRecord, of: Callable[[Concept], Hashable]) -> tuple[Figures, ...]:
    """The figures of each category or concept, even without questions, in the order of the record."""
    parts: dict[Hashable, list[AnsweredQuestion]] = {
        of(concept_record.concept): [] for concept_record in record.concept_records
    }
    for question in asked:
        parts[of(question.concept)].append(question)
    return tuple(figures(part.name if isinstance(part, Concept) else str(part), of_part) for part, of_part in parts.items())


def _asking(record: EqtRecord) -> dict[str, object]:
    """The candidates' settings: once if all are equal, otherwise by candidate."""
    settings = list(record.settings.values())
    if not settings:
        return {}
    return dict(settings[0]) if all(setting == settings[0] for setting in settings) else {"interviews": dict(record.settings)}


def _visit(asked: Sequence[AnsweredQuestion], answers: Mapping[tuple[str, int], ParsedAnswer]) -> Estimate:
    places = ((question, _place(question)) for question in asked)
    return _range([(question, _exact(question, answers[place])) for question, place in places if place in answers])[0]


def _ahead(asked: Sequence[AnsweredQuestion], answers: Mapping[tuple[str, int], ParsedAnswer]) -> Estimate:
    """A visitor's accuracy minus the candidate's, on originals that both were asked."""
    more = [
        (question, _gain(question, answers[_place(question)], question.original))
        for question in asked
        if _place(question) in answers and question.original is not None
    ]
    return _range(more, of=difference_of)[0]


def _place(question: AnsweredQuestion) -> tuple[str, int]:
    return question.concept.name, question.item.number


def groups_of(asked: Sequence[AnsweredQuestion], concepts: Collection[Concept] = ()) -> Groups:
    """The clusters: concepts, or questions if there is only one concept."""
    several = len(concepts or {question.concept for question in asked}) > 1
    return [(question.concept,) if several else ((question.concept, question.item.number),) for question in asked]
