"""Reads answers from plain tables: who answered what, and how good it was found.

A table is CSV in UTF-8 (tabs in place of commas where the name ends in `.tsv`) with the columns `person`, `question`, `answer`,
and either `grade`, from 0 to 1, of each answer, or `rating`, from 0 to 1, of each person, the same in all rows of one person.
Right answers may stand in `reference`, `reference2` and so on, the same in all rows of a question that have any. Other columns
are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from vivavoce.errors import BadFile
from vivavoce.luna.predict.answers import Answer, People, people_of
from vivavoce.luna.predict.own_key import references_in, with_key
from vivavoce.luna.tables import Row, rows_of

NEEDED: Final = ("person", "question", "answer")
LONGEST_NAME: Final = 5_000
"""Characters of a person or a question, which may be named by its text."""
LONGEST_ANSWER: Final = 100_000
MOST_ROWS: Final = 1_000_000
MOST_CHARACTERS: Final = 1 << 28
"""Of all answers together."""


def read_people(path: Path, *, need_ratings: bool) -> People:
    """A table of answers.

    Parameters
    ----------
    need_ratings: whether it is to be learnt from; otherwise grades and ratings are not looked at.

    Raises `BadFile`, with the line where there is one.
    """
    answers: list[Answer] = []
    ratings: dict[str, float] = {}
    lines: dict[tuple[str, str], int] = {}
    references: dict[str, tuple[str, ...]] = {}
    for row in answers_in(path, NEEDED):
        person, question = (row.name(column, LONGEST_NAME) for column in ("person", "question"))
        if (person, question) in lines:
            raise row.wrong(f"this person answers this question in line {lines[person, question]} already: keep one answer")
        lines[person, question] = row.line
        grade = None
        if need_ratings and _which(row) == "grade":
            grade = row.number("grade", 1)
        elif need_ratings:
            rating = row.number("rating", 1)
            if ratings.setdefault(person, rating) != rating:
                raise row.wrong(f"'rating' is {rating:g}, and {ratings[person]:g} above: a person has one rating")
        if need_ratings and (right := references_in(row)) and references.setdefault(question, right) != right:
            raise row.wrong("the right answers in 'reference' are others than above: a question has the same in all its rows")
        answers.append(Answer(person, question, row.cells["answer"], grade))
    people = people_of(answers, ratings or None)
    return with_key(people, references) if references else people


def answers_in(path: Path, needed: Sequence[str]) -> Iterator[Row]:
    """The rows of a table that has these columns, `answer` among them; at least one.

    Raises `BadFile` for what is no such table, or is larger than `MOST_ROWS` and `MOST_CHARACTERS`.
    """
    characters = number = 0
    for number, row in enumerate(rows_of(path, needed), start=1):
        length = len(row.cells["answer"])
        characters += length
        if number > MOST_ROWS or characters > MOST_CHARACTERS:
            raise row.wrong(f"more than {MOST_ROWS} answers, or {MOST_CHARACTERS >> 20} Mi characters of them: give fewer")
        if length > LONGEST_ANSWER:
            raise row.wrong(f"'answer' has {length} characters; {LONGEST_ANSWER} is the most")
        yield row
    if not number:
        raise BadFile(path, "no row below the names of the columns: give at least one answer")


def _which(row: Row) -> str:
    """`grade` or `rating`: the one of the two columns that the table has."""
    given = [column for column in ("grade", "rating") if column in row.cells]
    if len(given) != 1:
        remedy = "give grades of answers from 0 to 1, or ratings of people" if not given else "leave one of them out"
        raise BadFile(row.file, f"{'both' if given else 'no'} column 'grade' {'and' if given else 'or'} 'rating': {remedy}")
    return given[0]
