"""The grades of an attempt in the transcript: in drawn order, without any text of questions or replies.

Anyone with the record and the scope can grade again. Others without the scope can use these grades
(`examination.recheck.attempt`). A grade names its answer by the number of the record, never by a digest, since a short text
could be guessed from a digest.

They are written when an attempt is left, as an entry of the examiner. If it is left again with other grades, a further entry
follows, and the last one counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from vivavoce.certificate.attempts.attempt import AttemptTerms
from vivavoce.certificate.design.drawing import Population, Strata
from vivavoce.certificate.evidence.drawn_once import ImportanceWeighting
from vivavoce.certificate.graders.grades import answer_key
from vivavoce.certificate.graders.people import PersonsGrade
from vivavoce.errors import TranscriptDamaged
from vivavoce.formats.wording import first_problem
from vivavoce.interview.commitment import COMMITTER, own_entry
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.record import Record, canonical_json
from vivavoce.interview.scope import Grade
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes.questions import Unit


@dataclass(frozen=True, slots=True)
class GradedUnit:
    """The grades of a unit with its size, weight and category. Most units of a scope are equal."""

    grades: tuple[Grade, ...]
    """Grades of its first questions, in order; all questions have one once the unit is finished."""
    weights: tuple[float, ...]
    """Weights of all its questions."""
    category: str
    """Category of its first question, which decides its stratum."""

    @classmethod
    def of(cls, unit: Unit, grades: Sequence[Grade]) -> GradedUnit:
        """Without the texts of the grades."""
        return cls(
            tuple(replace(grade, read_as="", why="") for grade in grades),
            tuple(float(question.weight) for question in unit),
            unit[0].category,
        )


TOPIC: Final = "grades"
MOST: Final = 1_000_000
"""Grades of one attempt."""

Count = Annotated[int, Field(ge=0, lt=2**63)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Places = Annotated[tuple[Annotated[int, Field(ge=0, lt=MOST)], ...], Field(max_length=MOST)]
"""Indices of the grades with a property, from 0, ascending."""


class _Columns(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class GradedStrata(_Columns):
    """The strata of a scope, and the stratum of each unit."""

    names: Annotated[tuple[Annotated[str, Field(max_length=1_000)], ...], Field(min_length=2, max_length=1_000)]
    masses: tuple[Positive, ...]
    sizes: tuple[Annotated[int, Field(ge=1, lt=2**53)], ...] | None
    of: Annotated[tuple[Count, ...], Field(max_length=MOST)]
    """For each unit the number of its stratum, from 0."""


class UnitWeights(_Columns):
    """Weights of units that are each drawn once."""

    total: Positive
    largest: Positive


class Grades(_Columns):
    """The grades that counted in an attempt on one scope, in drawn order, in columns."""

    records: Annotated[tuple[Count, ...], Field(max_length=MOST)]
    """The number of each answer's record."""
    score: Annotated[tuple[Share, ...], Field(max_length=MOST)]
    upper: Annotated[tuple[tuple[Count, Share], ...], Field(max_length=MOST)] = ()
    """Index and highest possible score of answers whose score is unknown."""
    unacceptable: Places = ()
    maybe_unacceptable: Places = ()
    after_turn: Places = ()
    assumed: Places = ()
    """Indices of grades that are wrong only by assumption."""
    outcomes: dict[Outcome, Places] = {}
    """Indices of missing answers."""
    sizes: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(max_length=MOST)] | None = None
    """Sizes of the units; None: all have one question."""
    weights: Annotated[tuple[Positive, ...], Field(max_length=MOST)] | None = None
    """Weights of the questions; None: they do not matter."""
    population: Count | None
    """The number of units if each is drawn once."""
    size: Count | None
    """Questions of the scope."""
    strata: GradedStrata | None = None
    evenly: UnitWeights | None = None
    exhausted: Annotated[str, Field(max_length=100)] = ""
    """The limit of the budget that ended the examination."""

    @model_validator(mode="after")
    def _fit(self) -> Self:
        n, sizes = len(self.score), self.unit_sizes
        columns = [self.unacceptable, self.maybe_unacceptable, self.after_turn, self.assumed, *self.outcomes.values()]
        columns.append(tuple(index for index, _ in self.upper))
        if len(self.records) != n:
            raise ValueError("the numbers of records and scores differ")
        if any(here >= there for column in columns for here, there in pairwise((*column, n))):
            raise ValueError("a column names a grade that does not exist, or names one twice")
        if any(upper < self.score[index] for index, upper in self.upper):
            raise ValueError("a score is above its upper end")
        if sum(sizes) > MOST or not sum(sizes[:-1]) < max(n, 1) <= max(sum(sizes), 1):
            raise ValueError("the units are not those of the grades")
        if self.weights is not None and len(self.weights) != sum(sizes):
            raise ValueError("the numbers of weights and questions differ")
        if (strata := self.strata) is not None:
            lengths = {len(strata.names), len(strata.masses), len(strata.sizes or strata.names)}
            if len(lengths) > 1 or len(strata.of) != len(sizes) or max(strata.of, default=0) >= len(strata.names):
                raise ValueError("the strata are not those of the units")
        return self

    @property
    def unit_sizes(self) -> tuple[int, ...]:
        """The number of questions of each unit; in the last unit some may have no grade yet."""
        return (1,) * len(self.score) if self.sizes is None else self.sizes

    @property
    def each(self) -> Iterator[Grade]:
        """The grades, one after the other."""
        upper = dict(self.upper)
        outcomes = {index: outcome for outcome, places in self.outcomes.items() for index in places}
        columns = (self.unacceptable, self.maybe_unacceptable, self.after_turn, self.assumed)
        unacceptable, maybe, turned, assumed = map(frozenset, columns)
        for index, score in enumerate(self.score):
            yield Grade(
                score,
                index in unacceptable,
                outcomes.get(index, Outcome.ANSWER),
                upper=upper.get(index),
                maybe_unacceptable=index in maybe,
                after_turn=index in turned,
                assumed=index in assumed,
            )


class PeopleGrade(_Columns):
    """A person's grade of the answer in one record."""

    record: Count
    score: Share
    unacceptable: bool


class Gradebook(_Columns):
    """All grades of an attempt that go on record."""

    grades: Grades | None = None
    """None if not only grades decide, but also a judge's words or explanations."""
    people: Annotated[tuple[PeopleGrade, ...], Field(max_length=MOST)] = ()
    """Grades that people gave, of these or other answers."""


def grades_taken(
    taken: Iterable[GradedUnit],
    records: Sequence[int],
    scope: object,
    design: Population,
    exhausted: str,
) -> Grades:
    """The grades in their recorded form.

    Parameters
    ----------
    taken: units in drawn order; the last may lack some grades.
    records: for each answer the number of its record, in the same order; there may be more.
    """
    units = list(taken)
    grades = [grade for unit in units for grade in unit.grades]
    clustered, weighting = (
        any(len(unit.weights) > 1 for unit in units),
        design if isinstance(design, ImportanceWeighting) else None,
    )
    strata = None
    if isinstance(design, Strata):
        of = tuple(design.names.index(unit.category) for unit in units)
        strata = GradedStrata(names=design.names, masses=design.masses, sizes=design.sizes, of=of)
    outcomes: dict[Outcome, list[int]] = {}
    for index, grade in enumerate(grades):
        if grade.outcome is not Outcome.ANSWER:
            outcomes.setdefault(grade.outcome, []).append(index)
    weighted = weighting is not None or clustered
    return Grades(
        records=tuple(records[: len(grades)]),
        score=tuple(float(grade.score) for grade in grades),
        upper=tuple((index, float(grade.upper)) for index, grade in enumerate(grades) if grade.upper is not None),
        unacceptable=_where(grades, lambda grade: grade.unacceptable),
        maybe_unacceptable=_where(grades, lambda grade: grade.maybe_unacceptable),
        after_turn=_where(grades, lambda grade: grade.after_turn),
        assumed=_where(grades, lambda grade: grade.assumed),
        outcomes={outcome: tuple(places) for outcome, places in outcomes.items()},
        sizes=tuple(len(unit.weights) for unit in units) if clustered else None,
        weights=tuple(weight for unit in units for weight in unit.weights) if weighted else None,
        population=design.population,
        size=getattr(scope, "size", None),
        strata=strata,
        evenly=None if weighting is None else UnitWeights(total=weighting.total, largest=weighting.largest),
        exhausted=exhausted,
    )


def write_grades(transcript: Transcript, candidate: str, line: int, book: Gradebook, *, at: str) -> None:
    """Put the grades of an attempt on record, unless the last ones there are the same; `line`: its place in the register."""
    answer = canonical_json(book.model_dump(mode="json", exclude_defaults=True))
    while True:
        written = _entries(transcript, candidate, line)
        if written and written[-1].answer == answer:
            return
        question = _question(candidate, line)
        transcript.append([own_entry(question, answer, topic=TOPIC, at=at, draw=len(written))])


@dataclass(frozen=True, slots=True)
class RecordedGrades:
    """The grades of an attempt, as recorded."""

    record: Record
    book: Gradebook


def read_grades(records: Iterable[Record], terms: AttemptTerms, line: int) -> RecordedGrades | None:
    """The last grades of an attempt on record; None if there are none.

    records: of the whole transcript.

    Raises `TranscriptDamaged` for an entry without grades, or with grades of answers that are not on record.
    """
    candidate = terms.name_on_record
    question, last, answers = _question(terms.candidate, line), None, set()
    for record in records:
        if record.candidate == candidate:
            answers.add(record.seq)
        elif record.candidate == COMMITTER and record.question == question:
            last = record
    if last is None:
        return None
    book = book_of(last)
    named = [*(() if book.grades is None else book.grades.records), *(grade.record for grade in book.people)]
    lost = next((seq for seq in named if seq not in answers or seq > last.seq), None)
    if lost is not None:
        raise TranscriptDamaged(f"{last} has a grade for record {lost}, which is not an earlier answer of {candidate[:80]}")
    return RecordedGrades(last, book)


def book_of(entry: Record) -> Gradebook:
    """The grades in an entry of the examiner. Raises `TranscriptDamaged`."""
    try:
        return Gradebook.model_validate_json(entry.answer)
    except (ValidationError, RecursionError) as error:
        problem = first_problem(error, whole="it") if isinstance(error, ValidationError) else "it is not JSON"
        raise TranscriptDamaged(f"{entry} should hold the grades of an attempt: {problem}") from None


def people_of(kept: RecordedGrades, records: Iterable[Record]) -> tuple[PersonsGrade, ...]:
    """People's grades on record, by the answers that they belong to.

    Raises `TranscriptDamaged` for a grade of a record without an answer in words.
    """
    given = {people_grade.record: people_grade for people_grade in kept.book.people}
    grades = []
    for record in records:
        if (grade := given.get(record.seq)) is None:
            continue
        try:
            asked, answered = json.loads(record.question), json.loads(record.answer)
            id_, text = str(asked["id"]), str(answered["text"])
        except (ValueError, TypeError, KeyError, RecursionError):
            raise TranscriptDamaged(f"{kept.record} has a grade by people for {record}, which has no answer") from None
        grades.append(PersonsGrade(id_, answer_key(id_, text), grade.score, grade.unacceptable))
    return tuple(grades)


def unlike(recorded: Gradebook, regraded: Gradebook) -> str:
    """A clause on the first grade that differs after answers were graded again; empty if none does."""
    if recorded.people != regraded.people:
        return "people's grades differ"
    if recorded == regraded or recorded.grades is None or regraded.grades is None:
        return "" if recorded == regraded else "only one of them has grades"
    pairs = zip(
        zip(recorded.grades.records, recorded.grades.each, strict=True),
        zip(regraded.grades.records, regraded.grades.each, strict=True),
        strict=False,
    )
    for (seq, here), (other, there) in pairs:
        if seq != other:
            return f"a grade is of record {seq}, but record {other} is next in drawn order"
        if here != there:
            return f"the grade of record {seq} is {_told(here)}, but {_told(there)} if graded again"
    if len(recorded.grades.score) != len(regraded.grades.score):
        return f"there are {len(recorded.grades.score)} grades, but {len(regraded.grades.score)} if graded again"
    return "the descriptions of the scope, or of its drawing, differ"


def _told(grade: Grade) -> str:
    most = "" if grade.upper is None else f" to {grade.upper:g}"
    return f"{grade.score:g}{most}{', unacceptable' if grade.unacceptable else ''} ({grade.outcome.value})"


def _entries(transcript: Transcript, candidate: str, line: int) -> list[Record]:
    question = _question(candidate, line)
    return [record for record in transcript.records(candidate=COMMITTER, topic=TOPIC) if record.question == question]


def _question(candidate: str, line: int) -> str:
    return canonical_json({"grades of": candidate, "attempt": line})


def _where(grades: Sequence[Grade], holds: Callable[[Grade], bool]) -> tuple[int, ...]:
    return tuple(index for index, grade in enumerate(grades) if holds(grade))
