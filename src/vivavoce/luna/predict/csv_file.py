"""Reads answers from plain tables: who answered what, and how good it was found.

A table is CSV in UTF-8 (tabs in place of commas where the name ends in `.tsv`) with the columns `person`, `question`, `answer`,
and either `grade`, from 0 to 1, of each answer, or `rating`, from 0 to 1, of each person, the same in all rows of one person.
Other columns are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Final

from vivavoce.errors import BadFile
from vivavoce.interview.lines import table_rows
from vivavoce.luna.predict.answers import Answer, People, people_of

NEEDED: Final = ("person", "question", "answer")
LONGEST_NAME: Final = 5_000
"""Characters of a person or a question, which may be named by its text."""
LONGEST_ANSWER: Final = 100_000
MOST_ROWS: Final = 1_000_000
MOST_CHARACTERS: Final = 1 << 28
"""Of all answers together."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table that begins with the names of its columns."""

    file: Path
    line: int
    cells: Mapping[str, str]

    def wrong(self, problem: str) -> BadFile:
        """The error to raise for this row."""
        return BadFile(self.file, problem, line=self.line)

    def name(self, column: str) -> str:
        """A name that must be there, without blanks at its ends."""
        value = self.cells[column].strip()
        if not 0 < len(value) <= LONGEST_NAME:
            raise self.wrong(f"'{column}' has {len(value)} characters; it has 1 to {LONGEST_NAME}")
        return value

    def number(self, column: str, highest: float) -> float:
        """A number from 0 to `highest`."""
        text = self.cells[column].strip()
        try:
            value = float(text)
        except ValueError:
            raise self.wrong(f"'{column}' is '{text[:40]}'; it is a number from 0 to {highest:g}") from None
        if not isfinite(value) or not 0 <= value <= highest:
            raise self.wrong(f"'{column}' is {text[:40]}; it lies from 0 to {highest:g}: divide by the most that there is")
        return value


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
    for row in rows_of(path, NEEDED):
        person, question = row.name("person"), row.name("question")
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
        answers.append(Answer(person, question, row.cells["answer"], grade))
    return people_of(answers, ratings or None)


def rows_of(path: Path, needed: Sequence[str]) -> Iterator[Row]:
    """The rows of a table that has these columns, `answer` among them; at least one.

    Raises `BadFile` for what is no such table, or is larger than `MOST_ROWS` and `MOST_CHARACTERS`.
    """
    rows = table_rows(path, delimiter="\t" if ".tsv" in path.suffixes else ",")
    line, heads = next(rows, (1, []))
    names = [head.strip().lower() for head in heads]
    missing = [name for name in needed if name not in names]
    if missing:
        raise BadFile(path, f"no column {', '.join(missing)}; such a table has {', '.join(needed)}", line=line)
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise BadFile(path, f"two columns '{twice[:40]}': rename one", line=line)
    characters = number = 0
    for number, (line, cells) in enumerate(rows, start=1):
        row = Row(path, line, dict(zip(names, cells, strict=False)))
        if len(cells) != len(names):
            raise row.wrong(f"{len(cells)} cells where the first line has {len(names)}")
        characters += len(row.cells["answer"])
        if number > MOST_ROWS or characters > MOST_CHARACTERS:
            raise row.wrong(f"more than {MOST_ROWS} answers, or {MOST_CHARACTERS >> 20} Mi characters of them: give fewer")
        if len(row.cells["answer"]) > LONGEST_ANSWER:
            raise row.wrong(f"'answer' has {len(row.cells['answer'])} characters; {LONGEST_ANSWER} is the most")
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
