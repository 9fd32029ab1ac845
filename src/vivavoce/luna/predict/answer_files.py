"""Reads tables of people's answers, of graded answers, and of answer keys.

All tables are UTF-8 CSV, or tab-separated if the name ends in `.tsv`. Other columns are ignored.

People's answers have the columns `person`, `question`, `answer`, and either `grade` (0 to 1, of each answer) or `rating` (0 to
1, of each person, equal in all rows of a person). Right answers may be in `reference`, `reference2` and so on, equal in all
rows of a question that have any.

An answer key has a row for each question, with the columns `question`, `reference` and optionally `reference2`, `reference3`
and so on.

Graded answers have the columns `question`, `answer`, `grade` and optionally `reference`.

The last functions read the published answers that `silver2016` predicts ratings from, and the errors that it prints.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from math import fsum
from pathlib import Path
from typing import Final

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import text_lines
from vivavoce.luna.predict.answers import PeopleTable, PersonAnswer, people_of
from vivavoce.luna.tables import TableRow, rows_of

References = Mapping[str, tuple[str, ...]]
"""Right answers by question."""
MOST: Final = 20
"""The most right answers to a question."""
LONGEST: Final = 5_000
"""The most characters of a right answer, and of a question."""
_COLUMN: Final = re.compile(r"reference(\d{0,2})")


def read_key(path: Path) -> References:
    """The right answers of a table. Raises `BadFile`, with the line where there is one."""
    key: dict[str, tuple[str, ...]] = {}
    for row in rows_of(path, ("question", "reference")):
        question = row.name("question", LONGEST)
        if question in key:
            raise row.wrong("this question already has a row: put further right answers into reference2, reference3 ...")
        key[question] = references_in(row)
        if not key[question]:
            raise row.wrong("no right answer: fill in 'reference', or leave the row out")
    if not key:
        raise BadFile(path, "no rows: give at least one right answer")
    return key


def references_in(row: TableRow) -> tuple[str, ...]:
    """The right answers in a row, in the order of their columns' numbers; none where there are no such columns."""
    columns = [name for name in row.cells if _COLUMN.fullmatch(name)]
    if len(columns) > MOST:
        raise row.wrong(f"{len(columns)} columns of right answers; the limit is {MOST}")
    ordered = sorted(columns, key=lambda name: int(name.removeprefix("reference") or 1))
    right_answers = tuple(text for name in ordered if (text := row.cells[name].strip()))
    longest = max(map(len, right_answers), default=0)
    if longest > LONGEST:
        raise row.wrong(f"a right answer has {longest} characters; the limit is {LONGEST}")
    return right_answers


def with_key(people: PeopleTable, key: References) -> PeopleTable:
    """The people with this key; questions that it lacks keep their right answers.

    A question is found by its exact name or text, or else ignoring case, blanks and punctuation. Raises `BadInput` for a key
    without any of these questions.

    >>> from vivavoce.luna.predict.answers import PersonAnswer, people_of
    >>> people = people_of([PersonAnswer("Ann", "Capital of France?", "paris", 1.0)])
    >>> dict(with_key(people, {"capital of france": ("Paris",)}).references)
    {'Capital of France?': ('Paris',)}
    """
    alike = {normalised(question): right for question, right in key.items()}
    right_answers = {
        question: key.get(question) or alike[normalised(question)]
        for question in people.questions
        if question in key or normalised(question) in alike
    }
    if not right_answers:
        raise BadInput(f"the answer key has none of the {len(people.questions)} answered questions: use the same names")
    return replace(people, references={**people.references, **right_answers})


PEOPLE_COLUMNS: Final = ("person", "question", "answer")
LONGEST_NAME: Final = 5_000
"""The most characters of a person, or of a question, which may be named by its text."""
LONGEST_ANSWER: Final = 100_000
MOST_ROWS: Final = 1_000_000
MOST_CHARACTERS: Final = 1 << 28
"""The most characters of all answers together."""


def read_people(path: Path, *, need_ratings: bool) -> PeopleTable:
    """A table of answers.

    Parameters
    ----------
    need_ratings: whether to learn from it; otherwise grades and ratings are ignored.

    Raises `BadFile`, with the line where there is one.
    """
    answers: list[PersonAnswer] = []
    ratings: dict[str, float] = {}
    lines: dict[tuple[str, str], int] = {}
    references: dict[str, tuple[str, ...]] = {}
    for row in answers_in(path, PEOPLE_COLUMNS):
        person, question = (row.name(column, LONGEST_NAME) for column in ("person", "question"))
        if (person, question) in lines:
            raise row.wrong(f"this person already answers this question in line {lines[person, question]}: keep one answer")
        lines[person, question] = row.line
        grade = None
        if need_ratings and _which(row) == "grade":
            grade = row.number("grade", 1)
        elif need_ratings:
            rating = row.number("rating", 1)
            if ratings.setdefault(person, rating) != rating:
                raise row.wrong(f"'rating' is {rating:g}, and {ratings[person]:g} above: a person has one rating")
        if need_ratings and (right := references_in(row)) and references.setdefault(question, right) != right:
            raise row.wrong("the right answers in 'reference' differ from those above: each question has one set")
        answers.append(PersonAnswer(person, question, row.cells["answer"], grade))
    people = people_of(answers, ratings or None)
    return with_key(people, references) if references else people


def answers_in(path: Path, needed: Sequence[str]) -> Iterator[TableRow]:
    """The rows of a table that has these columns, `answer` among them; at least one.

    Raises `BadFile` for other tables, or for more than `MOST_ROWS` rows or `MOST_CHARACTERS` characters.
    """
    characters = number = 0
    for number, row in enumerate(rows_of(path, needed), start=1):
        length = len(row.cells["answer"])
        characters += length
        if number > MOST_ROWS or characters > MOST_CHARACTERS:
            raise row.wrong(f"more than {MOST_ROWS} answers, or {MOST_CHARACTERS >> 20} Mi characters of them: give fewer")
        if length > LONGEST_ANSWER:
            raise row.wrong(f"'answer' has {length} characters; the limit is {LONGEST_ANSWER}")
        yield row
    if not number:
        raise BadFile(path, "no rows: give at least one answer")


def _which(row: TableRow) -> str:
    """`grade` or `rating`: the one of the two columns that the table has."""
    given = [column for column in ("grade", "rating") if column in row.cells]
    if len(given) != 1:
        remedy = "give grades of answers from 0 to 1, or ratings of people" if not given else "leave one of them out"
        raise BadFile(row.file, f"{'both' if given else 'no'} column 'grade' {'and' if given else 'or'} 'rating': {remedy}")
    return given[0]


GRADED_COLUMNS: Final = ("question", "answer", "grade")
HIGHEST: Final = 1_000.0
"""The highest grade on any scale."""


@dataclass(frozen=True, slots=True)
class GradedResponse:
    """An answer with its grade."""

    question: str
    """Its text, or a name that is the same for all answers to it."""
    text: str
    grade: float
    """From 0, on any scale that is the same for all answers."""
    reference: str = ""
    """What an answer should say; empty if unknown."""


def read_graded(path: Path) -> tuple[GradedResponse, ...]:
    """Graded answers from a CSV table with the columns `question`, `answer`, `grade` and optionally `reference`.

    Grades may be on any scale from 0. Other columns, such as the grades of single graders, are ignored.

    Raises `BadFile`, with the line where there is one.
    """
    return tuple(
        GradedResponse(
            row.name("question", LONGEST_NAME),
            row.cells["answer"],
            row.number("grade", HIGHEST),
            row.cells.get("reference", "").strip(),
        )
        for row in answers_in(path, GRADED_COLUMNS)
    )


_POWERGRADING: Final = ("student", "Q#", "answer", "G1", "G2", "G3")
_NOT_GRADED: Final = "-1"


def read_powergrading(path: Path) -> PeopleTable:
    """The answers of a file of Powergrading (`basu2013`) that were graded; a grade is the mean of three graders' 0 or 1.

    The file holds 20 questions about the United States, of which ten were graded; the thesis has 698 people, the file at hand
    548. Their rating is the mean grade.

    Parameters
    ----------
    path: a table with tabs and no quotation marks: student, Q#, answer, G1, G2, G3; -1 stands for no grade.

    Raises `BadFile`.
    """
    lines = (line.rstrip("\r\n").split("\t") for line in text_lines(path))
    if tuple(next(lines, ())) != _POWERGRADING:
        raise BadFile(path, f"its first line is not {' '.join(_POWERGRADING)}, with tabs between", line=1)
    answers = []
    for number, cells in enumerate(lines, start=2):
        if len(cells) != len(_POWERGRADING):
            raise BadFile(path, f"{len(cells)} cells instead of {len(_POWERGRADING)}, separated by tabs", line=number)
        person, question, text, *grades = cells
        if any(grade not in ("0", "1", _NOT_GRADED) for grade in grades):
            raise BadFile(path, f"the grades are {', '.join(grades)[:40]}: each is 0, 1 or -1", line=number)
        if _NOT_GRADED not in grades:
            answers.append(PersonAnswer(person, question, text, fsum(map(float, grades)) / len(grades)))
    return people_of(answers)


@cache
def published_errors() -> Mapping[str, float]:
    """Root mean squared errors of Figure 5.3 on these data, by predictor.

    >>> published_errors()["cbg"]
    0.144
    """
    return tomllib.loads(files("vivavoce.luna.predict").joinpath("published.toml").read_text(encoding="utf-8"))


def normalised(text: str) -> str:
    """The form in which equal questions are equal texts.

    >>> normalised("  What IS  2+2?! ") == normalised("what is 2 2"), normalised("Who?") == normalised("Why?")
    (True, False)
    >>> normalised("?!")
    '?!'
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    letters = "".join(
        character if character.isalnum() or unicodedata.category(character)[0] == "M" else " " for character in folded
    )
    return " ".join(letters.split()) or " ".join(text.split())
