"""Answers of many people to the same questions, with what is known of their quality: the input of rating prediction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import fsum, isfinite

from vivavoce.errors import BadInput
from vivavoce.formats.wording import name_of


@dataclass(frozen=True, slots=True)
class Answer:
    """What one person answered to one question."""

    person: str
    question: str
    """Its name or its text: the same for all who answered it."""
    text: str
    grade: float | None = None
    """From 0 (wrong) to 1 (right); None if nobody graded this answer."""


@dataclass(frozen=True, slots=True)
class People:
    """A table of answers and the ratings of those who gave them; make it by `people_of`, which checks it.

    >>> table = people_of([Answer("Ann", "1", "yes", 1.0), Answer("Ann", "2", "no", 0.5), Answer("Bob", "1", "no", 0.0)])
    >>> table.people, table.questions, dict(table.ratings)
    (('Ann', 'Bob'), ('1', '2'), {'Ann': 0.75, 'Bob': 0.0})
    """

    answers: tuple[Answer, ...]
    ratings: Mapping[str, float]
    """From 0 to 1, by person: the mean of a person's grades, or as given. Empty in a table that a predictor is applied to."""
    references: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Right answers by question, where somebody has written them down."""
    _of: Mapping[str, tuple[Answer, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_person: dict[str, list[Answer]] = {}
        for answer in self.answers:
            by_person.setdefault(answer.person, []).append(answer)
        object.__setattr__(self, "_of", {person: tuple(answers) for person, answers in by_person.items()})

    @property
    def people(self) -> tuple[str, ...]:
        """Everybody, in order of first appearance."""
        return tuple(self._of)

    @property
    def questions(self) -> tuple[str, ...]:
        """All that were asked, in order of first appearance; somebody may have left out some."""
        return tuple(dict.fromkeys(answer.question for answer in self.answers))

    @property
    def graded(self) -> bool:
        """Whether every answer has a grade."""
        return all(answer.grade is not None for answer in self.answers)

    def of(self, person: str) -> tuple[Answer, ...]:
        """The answers of one person; raises `KeyError` for somebody who is not in the table."""
        return self._of[person]

    def only(self, people: Collection[str]) -> People:
        """The part of the table about these people, in the order of this table."""
        wanted = frozenset(people)
        kept = {person: rating for person, rating in self.ratings.items() if person in wanted}
        return People(tuple(answer for answer in self.answers if answer.person in wanted), kept, self.references)

    def without_grades(self) -> People:
        """The same people and ratings where nobody says which answers earned them.

        >>> table = people_of([Answer("Ann", "1", "yes", 1.0), Answer("Ann", "2", "no", 0.0)]).without_grades()
        >>> table.graded, dict(table.ratings)
        (False, {'Ann': 0.5})
        """
        return People(tuple(replace(answer, grade=None) for answer in self.answers), self.ratings, self.references)

    def unrated(self) -> People:
        """The answers alone, as they come from people whose ratings are to be predicted."""
        return People(self.without_grades().answers, {})


def people_of(answers: Iterable[Answer], ratings: Mapping[str, float] | None = None) -> People:
    """A checked table of answers.

    Parameters
    ----------
    answers: all with grades, or all without; a person answers a question once.
    ratings: one a person, from 0 to 1, for answers without grades; with grades a rating is their mean. None for neither:
        a table that a predictor is applied to.

    Raises `BadInput`: no answers, grades for some only, grades together with ratings, a grade or rating outside [0, 1],
    a person without a rating, a rating of nobody, two answers of a person to one question.
    """
    given = tuple(answers)
    if not given:
        raise BadInput("there are no answers: give at least one")
    (person, question), times = Counter((one.person, one.question) for one in given).most_common(1)[0]
    if times > 1:
        raise BadInput(f"{name_of(person)} answers {name_of(question)} {times} times: keep one answer")
    for answer in given:
        _check("grade", answer.person, answer.grade)
    grades = sum(answer.grade is not None for answer in given)
    if 0 < grades < len(given):
        raise BadInput(f"{grades} of {len(given)} answers have a grade: grade all of them, or none and give ratings")
    table = People(given, {} if ratings is None else ratings)
    if ratings is None:
        return People(given, _means(table)) if grades else table
    if grades:
        raise BadInput("there are grades and ratings: give one of them, for a rating is the mean of a person's grades")
    _check_ratings(table, ratings)
    return table


def _means(table: People) -> dict[str, float]:
    grades = {person: [answer.grade for answer in table.of(person) if answer.grade is not None] for person in table.people}
    return {person: fsum(found) / len(found) for person, found in grades.items()}


def _check_ratings(table: People, ratings: Mapping[str, float]) -> None:
    missing = next((person for person in table.people if person not in ratings), None)
    if missing is not None:
        raise BadInput(f"{name_of(missing)} has no rating: give one for everybody, or for nobody")
    known = frozenset(table.people)
    stranger = next((person for person in ratings if person not in known), None)
    if stranger is not None:
        raise BadInput(f"there is a rating of {name_of(stranger)}, who has answered nothing")
    for person, rating in ratings.items():
        _check("rating", person, rating)


def _check(what: str, person: str, value: float | None) -> None:
    if value is not None and not (isfinite(value) and 0 <= value <= 1):
        raise BadInput(f"a {what} of {name_of(person)} is {value}: it must be from 0 to 1")
