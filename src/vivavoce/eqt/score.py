"""Counting: how much is answered without the explanation and with it, and how alike the answers to one question are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from vivavoce import __version__
from vivavoce.eqt.consistency import acs, acs_rescaled
from vivavoce.eqt.examples import examples
from vivavoce.eqt.finding import ExplainQueryTest, Figures
from vivavoce.eqt.questions import Answer, Concept, Item, Record
from vivavoce.eqt.validity import counted, faults, keeps_meaning, validity
from vivavoce.interview.finding import Estimate, Interval, Signature
from vivavoce.interview.forms.letters import Choice
from vivavoce.interview.forms.multiple_choice import MultipleChoice
from vivavoce.statistics.possible import possible_mean, possible_share

EXAMINATION = "explain-query-test"


@dataclass(frozen=True, slots=True)
class Asked:
    """One question that was written, with the answers that count."""

    concept: Concept
    item: Item
    question: MultipleChoice
    original: Answer | None
    """None where it was not put."""
    answers: tuple[Answer, ...]
    """To all wordings that were put, the original's first."""


def score(record: Record, *, source: str = "", digest: str = "") -> ExplainQueryTest:
    """All that an examination on one's own explanations shows.

    An answer is right if it is exactly the key. Unreadable answers, and those that did not come, are wrong, and counted apart
    by their reason. What was never put, as the budget had run out, is no answer and counted in `not_asked`.

    Parameters
    ----------
    record: what was asked and answered.
    source: where the concepts come from, in words.
    digest: SHA-256 of the concepts' file or of the transcript; empty where there is none.

    >>> from vivavoce.eqt.questions import Phrasing, SetUp, Sitting
    >>> right, wrong = Answer(frozenset([0]), "strict"), Answer(frozenset([1]), "strict")
    >>> question = MultipleChoice("Which?", ("this", "that"), frozenset([0]))
    >>> item = Item(1, "recall", question, "strict", phrasings=(Phrasing("Which?", wrong),), open_book=right)
    >>> sitting = Sitting(Concept("graphs", "math"), "Graphs are ...", "", (item,))
    >>> finding = score(Record({"answerer": "m"}, SetUp(1, 0, checks=False), (sitting,), 1, 4, 0, 0, 0.0))
    >>> finding.whole.closed.value, finding.whole.open_book.value, finding.whole.gap.value
    (0.0, 1.0, 1.0)

    Source: `asgari2025`, with the departures that `consistency` and `validity` name, and the gap, which it does not measure.
    """
    asked = questions_asked(record)
    candidate = record.roles["answerer"]
    settings = asdict(record.set_up) | {"roles": dict(record.roles)}
    del settings["seed"]
    scope = source or f"{len(record.sittings)} concepts"
    visitors = record.visitors or {}
    answers = [answer for one in asked for answer in one.answers]
    wordings = [phrasing for one in asked for phrasing in one.item.phrasings if phrasing.stem is not None]
    return ExplainQueryTest(
        candidate=candidate,
        roles=record.roles,
        set_up=record.set_up,
        whole=figures("", asked),
        valid=figures("", only_valid(asked, checked=record.set_up.checks)),
        categories=_each(asked, record, lambda concept: concept.category),
        concepts=_each(asked, record, lambda concept: concept),
        validity=validity(record),
        manners=counted(answer.manner for answer in answers),
        unread=counted(answer.problem or answer.manner for answer in answers if answer.chosen is None),
        not_asked=sum(phrasing.answer is None for phrasing in wordings),
        no_explanation=counted(
            sitting.problem or "no explanation" for sitting in record.sittings if sitting.explanation is None
        ),
        examples=examples(record),
        planned=record.planned,
        sat=len(record.sittings),
        calls=record.calls,
        tokens_in=record.tokens_in,
        tokens_out=record.tokens_out,
        money=record.money,
        exhausted=record.exhausted,
        visitors={name: _visit(asked, of_visitor) for name, of_visitor in visitors.items()},
        ahead={name: _ahead(asked, of_visitor) for name, of_visitor in visitors.items()},
        signature=Signature(__version__, EXAMINATION, candidate, scope, digest, record.set_up.seed, settings),
        answered=visitors,
    )  # fmt: skip


def questions_asked(record: Record) -> list[Asked]:
    """All questions that were written, in their order."""
    found = []
    for sitting in record.sittings:
        for item in sitting.items:
            if item.question is not None:
                original = item.phrasings[0].answer if item.phrasings else None
                answers = tuple(phrasing.answer for phrasing in item.phrasings if phrasing.answer is not None)
                found.append(Asked(sitting.concept, item, item.question, original, answers))
    return found


def only_valid(asked: Sequence[Asked], *, checked: bool) -> list[Asked]:
    """Questions without a fault, with the answers to wordings that keep the meaning."""
    return [
        replace(one, answers=tuple(p.answer for p in one.item.phrasings if p.answer is not None and keeps_meaning(p)))
        for one in asked
        if not faults(one.item, checked=checked)
    ]


def figures(name: str, asked: Sequence[Asked]) -> Figures:
    """The figures over these questions; intervals by concept, or by question where all are on one concept."""
    concepts = {one.concept for one in asked}
    group = _by_concept if len(concepts) > 1 else _by_question
    put = [one for one in asked if one.original is not None]
    answered = [(one, answer) for one in asked for answer in one.answers]
    opened = [one for one in asked if one.item.open_book is not None]
    both = [one for one in put if one.item.open_book is not None]
    several = [one for one in asked if len(one.answers) > 1]
    by_answer, by_several = [group(one) for one, _ in answered], [group(one) for one in several]
    chosen = [[answer.chosen for answer in one.answers] for one in several]
    return Figures(
        name=name,
        concepts=len(concepts),
        questions=len(asked),
        closed=_share([_right(one, answer) for one, answer in answered], by_answer),
        closed_originals=_share([_right(one, one.original) for one in put], [group(one) for one in put]),
        partial=_mean([jaccard(answer.chosen, one.question.key) for one, answer in answered], by_answer),
        open_book=_share([_right(one, one.item.open_book) for one in opened], [group(one) for one in opened]),
        gap=_mean(
            [_right(one, one.item.open_book) - _right(one, one.original) for one in both],
            [group(one) for one in both],
            smallest=-1.0,
        ),
        acs=_mean([acs(answers) or 0.0 for answers in chosen], by_several),
        acs_rescaled=_mean([acs_rescaled(answers) or 0.0 for answers in chosen], by_several),
        unreadable=_share([answer.chosen is None for _, answer in answered], by_answer),
    )


def jaccard(chosen: Choice | None, key: Choice) -> float:
    """Partial credit: options chosen and right over options chosen or right; 0 for what could not be read.

    >>> jaccard(frozenset([0, 2]), frozenset([0, 1])), jaccard(frozenset([1]), frozenset([1])), jaccard(None, frozenset([1]))
    (0.3333333333333333, 1.0, 0.0)
    """
    if chosen is None:
        return 0.0
    return len(chosen & key) / len(chosen | key) if chosen | key else 1.0


def _right(one: Asked, answer: Answer | None) -> bool:
    return answer is not None and answer.chosen == one.question.key


def _each(asked: Sequence[Asked], record: Record, of: Callable[[Concept], Hashable]) -> tuple[Figures, ...]:
    """Figures for each category or concept that was sat, those without a question among them, in the order of the record."""
    parts: dict[Hashable, list[Asked]] = {of(sitting.concept): [] for sitting in record.sittings}
    for one in asked:
        parts[of(one.concept)].append(one)
    return tuple(figures(part.name if isinstance(part, Concept) else str(part), of_part) for part, of_part in parts.items())


def _visit(asked: Sequence[Asked], answers: Mapping[tuple[str, int], Answer]) -> Estimate:
    """A visitor's accuracy on the originals that it was asked."""
    met = [(one, answers[_place(one)]) for one in asked if _place(one) in answers]
    return _share([_right(one, answer) for one, answer in met], _groups([one for one, _ in met]))


def _ahead(asked: Sequence[Asked], answers: Mapping[tuple[str, int], Answer]) -> Estimate:
    """How much more a visitor gets right than the candidate, on originals that both were asked."""
    met = [one for one in asked if _place(one) in answers and one.original is not None]
    more = [_right(one, answers[_place(one)]) - _right(one, one.original) for one in met]
    return _mean(more, _groups(met), smallest=-1.0)


def _place(one: Asked) -> tuple[str, int]:
    return one.concept.name, one.item.number


def _groups(asked: Sequence[Asked]) -> list[tuple[Hashable]]:
    group = _by_concept if len({one.concept for one in asked}) > 1 else _by_question
    return [group(one) for one in asked]


def _by_concept(one: Asked) -> tuple[Hashable]:
    return (one.concept,)


def _by_question(one: Asked) -> tuple[Hashable]:
    return ((one.concept, one.item.number),)


def _share(hits: Sequence[bool], groups: Sequence[tuple[Hashable]]) -> Estimate:
    return Estimate(_average(hits), Interval(*possible_share(hits, groups)), len(hits))


def _mean(values: Sequence[float], groups: Sequence[tuple[Hashable]], **ends: Any) -> Estimate:
    return Estimate(_average(values), Interval(*possible_mean(values, groups, **ends)), len(values))


def _average(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 12) if values else None
