"""Counting: how much is answered without the explanation and with it, and how alike the answers to one question are.

The answer consistency score (`acs`) compares sets of options, so {A, C} and {C, A} are one answer. An answer that could not be
read, or did not come, is a value of its own: all such answers to one question count as the same, and differ from every set. To
leave them out would call a candidate consistent that answers one wording in four. To tell them from each other would call one
inconsistent that never answers; the share of unreadable answers shows that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import fsum

from vivavoce.eqt.examples import examples
from vivavoce.eqt.grounding import grounding, unanswered, unknown
from vivavoce.eqt.printed import EXAMPLE_ANSWER
from vivavoce.eqt.questions import Answer, Concept, Item, Record
from vivavoce.eqt.result import KIND, EqtResult, Figures, Shown
from vivavoce.eqt.validity import counted, faults, keeps_meaning, validity
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.forms.repeated_answers import RepeatedAnswer, most_frequent
from vivavoce.interview.forms.several_options import Choice
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.interview.scope import Signature
from vivavoce.statistics.bounded import bounded_mean, bounded_share
from vivavoce.version import __version__

Groups = Sequence[tuple[Hashable]]
Mean = Callable[[Sequence[float], Groups], Estimate]


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


def score(record: Record, *, source: str = "", digest: str = "") -> EqtResult:
    """All that an examination on a candidate's own explanations shows.

    An answer is right if it is exactly the key. One that did not come, or says that it is not known, is wrong. One that came
    and could not be read may have been either: figures count it as wrong, `Figures.highest` as right, and an interval reaches
    from the lower end of the former to the upper end of the latter. All are counted apart by their reason. What was never put,
    as the budget had run out, is no answer and counted in `not_asked`.

    Where one answer prevails (`RepeatedAnswer.prevails`), it says nothing of knowledge. Figures that would are withheld, and
    kept in `of_one_pattern` alone.

    Parameters
    ----------
    record: what was asked and answered.
    source: where the concepts come from, in words.
    digest: SHA-256 of the concepts' file or of the transcript; empty where there is none.

    >>> from vivavoce.eqt.config import EqtConfig
    >>> from vivavoce.eqt.questions import Phrasing, Sitting
    >>> right, wrong = Answer(frozenset([0]), "strict"), Answer(frozenset([1]), "strict")
    >>> question = MultipleChoice("Which?", ("this", "that"), frozenset([0]))
    >>> item = Item(1, "recall", question, "strict", phrasings=(Phrasing("Which?", wrong),), open_book=right)
    >>> sitting = Sitting(Concept("graphs", "math"), "Graphs are ...", "", (item,))
    >>> finding = score(Record({"answerer": "m"}, EqtConfig(1, 0, checks=False), (sitting,), 1, 4, 0, 0, 0.0))
    >>> finding.whole.closed.value, finding.whole.open_book.value, finding.whole.gap.value
    (0.0, 1.0, 1.0)

    Source: `asgari2025`, with the departures that `consistency` and `validity` name, and the gap, which it does not measure.
    """
    asked = questions_asked(record)
    pattern = pattern_of(asked)
    prevails = pattern is not None and pattern.prevails
    every = {"whole": figures("", asked), "valid": figures("", only_valid(asked, checked=record.set_up.checks))}
    show = withheld if prevails else _as_it_is
    visitors = record.visitors or {}
    answers = [answer for one in asked for answer in one.answers]
    grounded = grounding(record)
    return EqtResult(
        candidate=record.roles["answerer"], roles=record.roles, set_up=record.set_up,
        whole=show(every["whole"]), valid=show(every["valid"]),
        categories=tuple(map(show, _each(asked, record, lambda concept: concept.category))),
        concepts=tuple(map(show, _each(asked, record, lambda concept: concept))),
        validity=validity(record),
        manners=counted(answer.manner for answer in answers),
        after_turn=sum(answer.after_turn for answer in answers),
        pattern=pattern,
        of_one_pattern=every if prevails else {},
        unread=counted(answer.problem or answer.manner for answer in answers if answer.chosen is None),
        not_asked=sum(phrasing.stem is not None and not phrasing.answer for one in asked for phrasing in one.item.phrasings),
        no_explanation=counted(one.problem or "no explanation" for one in record.sittings if one.explanation is None),
        examples=examples(record),
        planned=record.planned, completed=len(record.sittings), exhausted=record.exhausted,
        calls=record.calls, tokens_in=record.tokens_in, tokens_out=record.tokens_out, money=record.money,
        visitors={name: _visit(asked, of_visitor) for name, of_visitor in visitors.items()},
        ahead={} if prevails else {name: _ahead(asked, of_visitor) for name, of_visitor in visitors.items()},
        signature=_signature(record, source or f"{len(record.sittings)} concepts", digest),
        asking=record.caveats, answered=visitors, grounding=unanswered(grounded) if grounded and prevails else grounded,
        shown=_shown(asked) if record.set_up.prompts == "printed" else None,
        other_options=sum(len(one.question.options) != record.set_up.options for one in asked),
        cut_explanations=sum(sitting.ends_early for sitting in record.sittings),
    )  # fmt: skip


def pattern_of(asked: Sequence[Asked]) -> RepeatedAnswer[Choice] | None:
    """The most frequent answer, and whether the keys explain how often it is given; None where nothing was answered."""
    return most_frequent([([a.chosen for a in one.answers if a.chosen is not None], one.question.key) for one in asked])


def _shown(asked: Sequence[Asked]) -> Shown:
    """How many answers and keys are the examples of the printed prompts. Keys stand in the order in which they are put."""
    answers = [answer.chosen for one in asked for answer in one.answers]
    keys = [one.question.key for one in asked]
    return Shown(
        answers=answers.count(EXAMPLE_ANSWER),
        of_answers=sum(chosen is not None for chosen in answers),
        keys=keys.count(EXAMPLE_ANSWER),
        of_keys=len(keys),
    )


def _signature(record: Record, scope: str, digest: str) -> Signature:
    settings = asdict(record.set_up) | {"roles": dict(record.roles)} | _asking(record)
    seed = settings.pop("seed")
    return Signature(__version__, KIND, record.roles["answerer"], scope, digest, seed, settings)


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
    answered = [(one, answer) for one in asked for answer in one.answers]
    put = [(one, one.original) for one in asked if one.original is not None]
    opened = [(one, one.item.open_book) for one in asked if one.item.open_book is not None]
    both = [(one, one.original, one.item.open_book) for one in asked if one.original and one.item.open_book]
    several = [one for one in asked if len(one.answers) > 1]
    chosen = [[answer.chosen for answer in one.answers] for one in several]
    gaps = [(_worth(one, opened).less(_worth(one, closed))) for one, closed, opened in both]
    ranges = {
        "closed": _range([_worth(*pair) for pair in answered], _groups([one for one, _ in answered], concepts)),
        "closed_originals": _range([_worth(*pair) for pair in put], _groups([one for one, _ in put], concepts)),
        "partial": _range([_partial(*pair) for pair in answered], _groups([one for one, _ in answered], concepts), of=_mean),
        "open_book": _range([_worth(*pair) for pair in opened], _groups([one for one, _ in opened], concepts)),
        "gap": _range(gaps, _groups([one for one, *_ in both], concepts), of=_difference),
    }
    return Figures(
        name=name,
        concepts=len(concepts),
        questions=len(asked),
        **{what: estimate for what, (estimate, _) in ranges.items()},
        acs=_mean([acs(answers) or 0.0 for answers in chosen], _groups(several, concepts)),
        acs_rescaled=_mean([acs_rescaled(answers) or 0.0 for answers in chosen], _groups(several, concepts)),
        unreadable=_share([answer.chosen is None for _, answer in answered], _groups([one for one, _ in answered], concepts)),
        highest={what: highest for what, (_, highest) in ranges.items() if highest is not None},
    )


def acs(answers: Sequence[Choice | None]) -> float | None:
    """1 - (distinct answers - 1) / answers, as `asgari2025` prints it (equation 1).

    Departure: the paper says that it is 0 where all answers differ. It is 1 / answers then, .25 with a question and three
    paraphrases, and never 0: `acs_rescaled` does what the paper says.

    Parameters
    ----------
    answers: to a question and its paraphrases, in any order; None for one that could not be read. Of none there is no score.

    >>> a, b, c, ac = frozenset([0]), frozenset([1]), frozenset([2]), frozenset([0, 2])
    >>> acs([a, a, a, a]), acs([a, a, a, b]), acs([a, b, c, ac])  # 1, 1 - 1/4, 1 - 3/4
    (1.0, 0.75, 0.25)
    >>> acs([ac, frozenset([2, 0]), None, None])  # two values: the set, and what could not be read
    0.75
    >>> acs([a]), acs([])
    (1.0, None)
    """
    return 1 - (len(set(answers)) - 1) / len(answers) if answers else None


def acs_rescaled(answers: Sequence[Choice | None]) -> float | None:
    """1 - (distinct answers - 1) / (answers - 1): 1 where all are the same, 0 where no two are.

    A single answer can neither agree nor differ: with fewer than two there is no score.

    >>> a, b, c, d = (frozenset([place]) for place in range(4))
    >>> acs_rescaled([a, a, a, a]), acs_rescaled([a, b, c, d]), acs_rescaled([a, b, None])
    (1.0, 0.0, 0.0)
    >>> round(acs_rescaled([a, a, a, b]), 4)  # 1 - 1/3
    0.6667
    >>> acs_rescaled([a]) is None
    True
    """
    return 1 - (len(set(answers)) - 1) / (len(answers) - 1) if len(answers) > 1 else None


def withheld(shown: Figures) -> Figures:
    """The figures without any that would speak of knowledge: their values are not known, and may be all that is possible."""

    return replace(
        shown,
        closed=unknown(shown.closed),
        closed_originals=unknown(shown.closed_originals),
        partial=unknown(shown.partial),
        open_book=unknown(shown.open_book),
        gap=unknown(shown.gap, smallest=-1.0),
        acs=unknown(shown.acs),
        acs_rescaled=unknown(shown.acs_rescaled),
        highest={},
    )


def _as_it_is(shown: Figures) -> Figures:
    return shown


def jaccard(chosen: Choice | None, key: Choice) -> float:
    """Partial credit: options chosen and right over options chosen or right; 0 for what could not be read.

    >>> jaccard(frozenset([0, 2]), frozenset([0, 1])), jaccard(frozenset([1]), frozenset([1])), jaccard(None, frozenset([1]))
    (0.3333333333333333, 1.0, 0.0)
    """
    if chosen is None:
        return 0.0
    return len(chosen & key) / len(chosen | key) if chosen | key else 1.0


@dataclass(frozen=True, slots=True)
class _Worth:
    """What an answer is worth at least and at most: the same, but for one that nobody could read."""

    least: float
    most: float

    def less(self, other: _Worth) -> _Worth:
        """What is left at least and at most when the other is taken off."""
        return _Worth(self.least - other.most, self.most - other.least)


def _worth(one: Asked, answer: Answer) -> _Worth:
    right = float(answer.chosen == one.question.key)
    return _Worth(right, 1.0 if answer.unread else right)


def _partial(one: Asked, answer: Answer) -> _Worth:
    credit = jaccard(answer.chosen, one.question.key)
    return _Worth(credit, 1.0 if answer.unread else credit)


def _range(worths: Sequence[_Worth], groups: Groups, *, of: Mean | None = None) -> tuple[Estimate, float | None]:
    """The mean of what answers are worth at least, and at most where that is more; the interval spans those of both."""
    mean = of or _share
    least, most = [worth.least for worth in worths], [worth.most for worth in worths]
    lowest = mean(least, groups)
    highest = mean(most, groups) if most != least else lowest
    if highest.value == lowest.value:
        return lowest, None
    interval = Interval(lowest.interval.lower, highest.interval.upper)
    return Estimate(lowest.value, interval, lowest.n), highest.value


def _each(asked: Sequence[Asked], record: Record, of: Callable[[Concept], Hashable]) -> tuple[Figures, ...]:
    """Figures for each category or concept that was sat, those without a question among them, in the order of the record."""
    parts: dict[Hashable, list[Asked]] = {of(sitting.concept): [] for sitting in record.sittings}
    for one in asked:
        parts[of(one.concept)].append(one)
    return tuple(figures(part.name if isinstance(part, Concept) else str(part), of_part) for part, of_part in parts.items())


def _asking(record: Record) -> dict[str, object]:
    """How the candidates were asked: once where it is the same for all."""
    settings = list(record.settings.values())
    if not settings:
        return {}
    return dict(settings[0]) if all(one == settings[0] for one in settings) else {"interviews": dict(record.settings)}


def _visit(asked: Sequence[Asked], answers: Mapping[tuple[str, int], Answer]) -> Estimate:
    """A visitor's accuracy on the originals that it was asked."""
    met = [(one, answers[_place(one)]) for one in asked if _place(one) in answers]
    estimate, _ = _range([_worth(*pair) for pair in met], _groups([one for one, _ in met]))
    return estimate


def _ahead(asked: Sequence[Asked], answers: Mapping[tuple[str, int], Answer]) -> Estimate:
    """How much more a visitor gets right than the candidate, on originals that both were asked."""
    met = [(one, one.original) for one in asked if _place(one) in answers and one.original is not None]
    more = [_worth(one, answers[_place(one)]).less(_worth(one, original)) for one, original in met]
    estimate, _ = _range(more, _groups([one for one, _ in met]), of=_difference)
    return estimate


def _place(one: Asked) -> tuple[str, int]:
    return one.concept.name, one.item.number


def _groups(asked: Sequence[Asked], concepts: Collection[Concept] = ()) -> Groups:
    """By concept; by question where there is but one among `concepts`, or among these questions where none are given."""
    several = len(concepts or {one.concept for one in asked}) > 1
    return [(one.concept,) if several else ((one.concept, one.item.number),) for one in asked]


def _share(hits: Sequence[float], groups: Groups) -> Estimate:
    return Estimate(_average(hits), Interval(*bounded_share([hit > 0 for hit in hits], groups)), len(hits))


def _mean(values: Sequence[float], groups: Groups) -> Estimate:
    return Estimate(_average(values), Interval(*bounded_mean(values, groups)), len(values))


def _difference(values: Sequence[float], groups: Groups) -> Estimate:
    return Estimate(_average(values), Interval(*bounded_mean(values, groups, smallest=-1.0)), len(values))


def _average(values: Sequence[float]) -> float | None:
    return round(fsum(values) / len(values), 12) if values else None
