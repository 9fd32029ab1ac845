"""People's grades: from a file, one grade a row.

CSV, TSV (with a header) or JSON Lines, also gzipped; `id` and `score` must be there, other columns are ignored:

- `id`: of the question
- `score`: from 0 to 1; a row where it is empty is not graded yet, and is left out
- `ridiculous`: yes or no; no if empty
- `key`: which answer to that question was graded, as a sheet of ours says it; where it is empty, the grade belongs to the
  first answer that the candidate gives to that question, and an answer that differs from it has no grade
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from vivavoce.certificate.graders.grading import Ungraded, answer_key
from vivavoce.errors import BadFile
from vivavoce.formats.cells import guarded, unguarded
from vivavoce.formats.lines import ending, json_lines
from vivavoce.formats.tables import read_table
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question

COLUMNS = ("id", "key", "score", "ridiculous")
MOST = 1_000_000
"""Grades in one file."""
_DELIMITERS = {".jsonl": "", ".ndjson": "", ".csv": ",;\t", ".tsv": "\t"}
_SAID = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def _yes_or_no(value: Any) -> Any:
    text = str(value).strip().lower()
    return _SAID.get(text, value) if text else False


class _Row(BaseModel):
    """One grade as it stands in the file."""

    model_config = ConfigDict(coerce_numbers_to_str=True, str_strip_whitespace=True)

    id: str = Field(min_length=1, max_length=1_000)
    key: str = Field(default="", max_length=100)
    score: float = Field(ge=0, le=1, allow_inf_nan=False)
    ridiculous: Annotated[bool, BeforeValidator(_yes_or_no)] = False


@dataclass(frozen=True, slots=True)
class PersonsGrade:
    """What a person gave to one answer."""

    id: str
    key: str
    """Of the answer, see `answer_key`; empty where the file does not say which one was graded."""
    score: float
    ridiculous: bool
    line: int = 0

    @property
    def place(self) -> tuple[str, str]:
        """What is graded: a question, and which answer to it."""
        return self.id, self.key

    @property
    def grade(self) -> Grade:
        """As it counts."""
        return Grade(self.score, self.ridiculous)


class People:
    """Grades as people gave them; what they have not graded waits.

    >>> import asyncio
    >>> people = People([PersonsGrade("sky", "", 0.8, False)])
    >>> asyncio.run(people.grade(Question("sky", "Why is it blue?"), Prompt("Why is it blue?"), Reply("It scatters."))).score
    0.8
    >>> asyncio.run(people.grade(Question("sea", "And it?"), Prompt("And it?"), Reply("It mirrors.")))
    Ungraded(exhausted='')
    """

    def __init__(self, grades: Iterable[PersonsGrade]) -> None:
        self._grades = {one.place: one.grade for one in grades}
        self._first: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._grades)

    async def grade(self, question: Question, asked: Prompt, answer: Reply, /) -> Grade | Ungraded:
        """The grade of this answer, if it has one."""
        key = answer_key(question.id, answer.text)
        if self._first.setdefault(question.id, key) == key:
            return self._grades.get((question.id, key)) or self._grades.get((question.id, "")) or Ungraded()
        return self._grades.get((question.id, key)) or Ungraded()


def read_grades(file: Path) -> tuple[PersonsGrade, ...]:
    """The grades of a file, or of a sheet that was filled in; raises `BadFile` with the line and the remedy."""
    delimiters = _DELIMITERS[ending(file, tuple(_DELIMITERS))]
    grades: dict[tuple[str, str], PersonsGrade] = {}
    for line, record in _table(file, delimiters) if delimiters else json_lines(file):
        if str(record.get("score") if record.get("score") is not None else "").strip() == "":
            if "score" not in record and not delimiters:
                raise BadFile(file, "no 'score': give a number from 0 to 1, or null if it is not graded yet", line=line)
            continue
        grade = _grade(file, line, record)
        if earlier := grades.get(grade.place):
            raise BadFile(file, f"'{grade.id[:80]}' is graded on line {earlier.line} already: keep one of them", line=line)
        if len(grades) == MOST:
            raise BadFile(file, f"more than {MOST} grades: split the file", line=line)
        grades[grade.place] = grade
    return tuple(grades.values())


def write_grades(file: Path, grades: Sequence[PersonsGrade], *, replace: bool = False) -> None:
    """Write grades as CSV; raises `FileExistsError` for a file that is there, unless it is to be replaced."""
    with file.open("w" if replace else "x", encoding="utf-8", errors="replace", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(COLUMNS)
        for one in grades:
            table.writerow((guarded(one.id), guarded(one.key), f"{one.score:.6g}", "yes" if one.ridiculous else "no"))


def mean_grades(graders: Sequence[Sequence[PersonsGrade]]) -> tuple[PersonsGrade, ...]:
    """One grade of each answer that anybody graded: the mean score, and ridiculous if anybody says so.

    >>> mean_grades([[PersonsGrade("a", "", 1.0, False)], [PersonsGrade("a", "", 0.5, True)]])
    (PersonsGrade(id='a', key='', score=0.75, ridiculous=True, line=0),)
    """
    together: dict[tuple[str, str], list[PersonsGrade]] = {}
    for one in (grade for grades in graders for grade in grades):
        together.setdefault(one.place, []).append(one)
    return tuple(
        PersonsGrade(*place, fsum(one.score for one in given) / len(given), any(one.ridiculous for one in given))
        for place, given in together.items()
    )


def _grade(file: Path, line: int, record: Mapping[str, Any]) -> PersonsGrade:
    try:
        row = _Row.model_validate({name: value for name, value in record.items() if name in COLUMNS and value is not None})
    except ValidationError as error:
        problem = error.errors()[0]
        name = str(problem["loc"][0])
        if problem["type"] == "missing":
            raise BadFile(file, f"no '{name}': a grade has columns {', '.join(COLUMNS)}", line=line) from error
        wanted = {"score": "give a number from 0 to 1", "ridiculous": "write yes or no"}.get(name, problem["msg"])
        raise BadFile(file, f"'{name}' is {str(problem['input'])[:80]!r}: {wanted}", line=line) from error
    return PersonsGrade(row.id, row.key, row.score, row.ridiculous, line)


def _table(file: Path, delimiters: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows as records. Spreadsheet programs write semicolons where the comma is the decimal mark, and then decimal commas."""
    table = read_table(file, ("id", "score"), delimiters=delimiters, small=True, cut=True)
    for line, row in table.rows:
        record = {name: unguarded(cell) for name, cell in row.items()}
        if table.delimiter == ";":
            record["score"] = record["score"].replace(",", ".")
        yield line, record
