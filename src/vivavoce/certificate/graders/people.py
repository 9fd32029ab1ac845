"""People's grades: the file they are read from, the sheet that people fill in, and the random choice of units they grade.

CSV, TSV (with a header) or JSON Lines, also gzipped; `id` and `score` must be there, other columns are ignored:

- `id`: of the question
- `score`: from 0 to 1; a row where it is empty is not graded yet, and is left out
- `unacceptable`: yes or no; no if empty
- `key`: which answer to that question was graded, as a sheet of ours says it; where it is empty, the grade belongs to the
  first answer that the candidate gives to that question, and an answer that differs from it has no grade

The place is drawn in private, once every judgement of the block is on record, and no one can know it before. It follows from a
secret that the record committed to before the first question (`interview.commitment`), from the number of the block, and from
the answers and judgements themselves. So if a judge's words change when it is asked again, over another transcript or under
other settings, the place changes. It does not depend on a seed. A resumed examination finds the same places. At the end the
secret is revealed in the log (`attempts.log.end`), so anyone can compute each place.
"""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from vivavoce.certificate.attempts.attempt import RecordedAttempt
from vivavoce.certificate.claims.claim import brief
from vivavoce.certificate.graders.grades import NoGrade, WaitingAnswer, answer_key
from vivavoce.errors import BadFile, BadInput, TranscriptDamaged
from vivavoce.formats.lines import ending, json_lines
from vivavoce.formats.tables import guarded, read_table, unguarded
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.commitment import CommittedSecret, commitment_to, committed_secret
from vivavoce.interview.question_runner import FURTHER_TURN
from vivavoce.interview.record import Record
from vivavoce.interview.scope import Grade
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes.questions import Question

COLUMNS = ("id", "key", "score", "unacceptable")
MOST = 1_000_000
"""Grades in one file."""
_DELIMITERS = {".jsonl": "", ".ndjson": "", ".csv": ",;\t", ".tsv": "\t"}
_SAID = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def _yes_or_no(value: Any) -> Any:
    text = str(value).strip().lower()
    return _SAID.get(text, value) if text else False


class _GradeRow(BaseModel):
    """One grade as in the file."""

    model_config = ConfigDict(coerce_numbers_to_str=True, str_strip_whitespace=True)

    id: str = Field(min_length=1, max_length=1_000)
    key: str = Field(default="", max_length=100)
    score: float = Field(ge=0, le=1, allow_inf_nan=False)
    unacceptable: Annotated[bool, BeforeValidator(_yes_or_no)] = False


@dataclass(frozen=True, slots=True)
class PersonsGrade:
    """A person's grade of one answer."""

    id: str
    key: str
    """Key of the answer, see `answer_key`; empty if the file does not say which answer was graded."""
    score: float
    unacceptable: bool
    line: int = 0

    @property
    def place(self) -> tuple[str, str]:
        """The graded answer: its question, and its key."""
        return self.id, self.key

    @property
    def grade(self) -> Grade:
        """The grade as it counts."""
        return Grade(self.score, self.unacceptable)


class People:
    """People's grades; ungraded answers wait.

    >>> import asyncio
    >>> people = People([PersonsGrade("sky", "", 0.8, False)])
    >>> asyncio.run(people.grade(Question("sky", "Why is it blue?"), Prompt("Why is it blue?"), Reply("It scatters."))).score
    0.8
    >>> asyncio.run(people.grade(Question("sea", "And it?"), Prompt("And it?"), Reply("It mirrors.")))
    NoGrade(exhausted='')
    """

    def __init__(self, grades: Iterable[PersonsGrade]) -> None:
        self._grades = {grade.place: grade.grade for grade in grades}
        self._first: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._grades)

    async def grade(self, question: Question, asked: Prompt, answer: Reply, /) -> Grade | NoGrade:
        """The grade of this answer, if it has one."""
        key = answer_key(question.id, answer.text)
        if self._first.setdefault(question.id, key) == key:
            return self._grades.get((question.id, key)) or self._grades.get((question.id, "")) or NoGrade()
        return self._grades.get((question.id, key)) or NoGrade()


def read_grades(file: Path) -> tuple[PersonsGrade, ...]:
    """The grades of a file, or of a sheet that was filled in; raises `BadFile` with the line and the remedy."""
    grades: dict[tuple[str, str], PersonsGrade] = {}
    for grade, _ in _graded_rows(file, ("id", "score")):
        _check_new(file, grade, grades.get(grade.place), len(grades))
        grades[grade.place] = grade
    return tuple(grades.values())


@dataclass(frozen=True, slots=True)
class SheetReply:
    """A reply on a sheet, with people's grade."""

    graded: PersonsGrade
    question: str
    """As it was asked."""
    answer: str
    rubric: str
    """The question's own; empty if the sheet has none."""
    candidate: str
    """The model whose reply it is; empty if the sheet does not say."""

    @property
    def place(self) -> tuple[str, str]:
        """The question and the key of the answer."""
        return self.graded.place


def read_sheet(file: Path) -> tuple[SheetReply, ...]:
    """The graded replies of a sheet; raises `BadFile` with the line and the remedy.

    Its columns are those of `write_sheet`. `rubric`, `key` and `candidate` may be missing; a missing key is computed.
    """
    replies: dict[tuple[str, str, str], SheetReply] = {}
    for grade, record in _graded_rows(file, ("id", "question", "answer", "score")):
        question, answer, rubric, candidate = (
            str(record.get(name) or "") for name in ("question", "answer", "rubric", "candidate")
        )
        if not question.strip():
            raise BadFile(file, "no 'question': write the question as it was asked", line=grade.line)
        keyed = grade if grade.key else replace(grade, key=answer_key(grade.id, answer))
        place = (*keyed.place, candidate.strip())
        earlier = replies.get(place)
        _check_new(file, grade, None if earlier is None else earlier.graded, len(replies))
        replies[place] = SheetReply(keyed, question, answer, rubric, candidate.strip())
    return tuple(replies.values())


def _graded_rows(file: Path, needed: Sequence[str]) -> Iterator[tuple[PersonsGrade, Mapping[str, Any]]]:
    """Rows with a score; `needed`: columns that a table must have."""
    delimiters = _DELIMITERS[ending(file, tuple(_DELIMITERS))]
    for line, record in _table(file, delimiters, needed) if delimiters else json_lines(file):
        if str(record.get("score") if record.get("score") is not None else "").strip() != "":
            yield _grade(file, line, record), record
        elif "score" not in record and not delimiters:
            raise BadFile(file, "no 'score': give a number from 0 to 1, or null if it is not graded yet", line=line)


def _check_new(file: Path, grade: PersonsGrade, earlier: PersonsGrade | None, number: int) -> None:
    if earlier is not None:
        raise BadFile(file, f"'{grade.id[:80]}' is graded on line {earlier.line} already: keep one of them", line=grade.line)
    if number == MOST:
        raise BadFile(file, f"more than {MOST} grades: split the file", line=grade.line)


def write_grades(file: Path, grades: Sequence[PersonsGrade], *, replace: bool = False) -> None:
    """Write grades as CSV; raises `FileExistsError` for an existing file, unless it may be replaced."""
    with file.open("w" if replace else "x", encoding="utf-8", errors="replace", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(COLUMNS)
        for grade in grades:
            table.writerow((guarded(grade.id), guarded(grade.key), f"{grade.score:.6g}", "yes" if grade.unacceptable else "no"))


def mean_grades(graders: Sequence[Sequence[PersonsGrade]]) -> tuple[PersonsGrade, ...]:
    """One grade for each graded answer: the mean score, and unacceptable if anyone says so.

    >>> mean_grades([[PersonsGrade("a", "", 1.0, False)], [PersonsGrade("a", "", 0.5, True)]])
    (PersonsGrade(id='a', key='', score=0.75, unacceptable=True, line=0),)
    """
    together: dict[tuple[str, str], list[PersonsGrade]] = {}
    for persons_grade in (grade for grades in graders for grade in grades):
        together.setdefault(persons_grade.place, []).append(persons_grade)
    return tuple(
        PersonsGrade(
            *key,
            fsum(persons_grade.score for persons_grade in given) / len(given),
            any(persons_grade.unacceptable for persons_grade in given),
        )
        for key, given in together.items()
    )


def _grade(file: Path, line: int, record: Mapping[str, Any]) -> PersonsGrade:
    try:
        row = _GradeRow.model_validate({name: value for name, value in record.items() if name in COLUMNS and value is not None})
    except ValidationError as error:
        problem = error.errors()[0]
        name = str(problem["loc"][0])
        if problem["type"] == "missing":
            raise BadFile(file, f"no '{name}': a grade has columns {', '.join(COLUMNS)}", line=line) from error
        wanted = {"score": "give a number from 0 to 1", "unacceptable": "write yes or no"}.get(name, problem["msg"])
        raise BadFile(file, f"'{name}' is {str(problem['input'])[:80]!r}: {wanted}", line=line) from error
    return PersonsGrade(row.id, row.key, row.score, row.unacceptable, line)


def _table(file: Path, delimiters: str, needed: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows as records. Spreadsheet programs write semicolons where the comma is the decimal mark, and then decimal commas."""
    table = read_table(file, needed, delimiters=delimiters, small=True, cut=True)
    for line, row in table.rows:
        record = {name: unguarded(cell) for name, cell in row.items()}
        if table.delimiter == ";":
            record["score"] = record["score"].replace(",", ".")
        yield line, record


HEADER = ("id", "key", "question", "rubric", "answer", "score", "unacceptable")
TOPIC = "certificate"
"""The topic of certificates' answers in a transcript."""
_CELL = 32_000
"""Characters; spreadsheet programs hold 32,767 in a cell."""


def write_sheet(file: Path, answers: Sequence[WaitingAnswer]) -> None:
    """Write answers as a new CSV file, one a row, with `score` and `unacceptable` to be filled in.

    Nothing in it names the candidate. It begins with a byte order mark, by which spreadsheet programs know UTF-8. Raises
    `BadInput` if the file exists already (a person's work may be in it).
    """
    try:
        with file.open("x", encoding="utf-8-sig", errors="replace", newline="") as stream:
            sheet = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
            sheet.writerow(HEADER)
            for answer in answers:
                texts = (fitting(text) for text in (answer.question, answer.rubric, answer.answer))
                sheet.writerow([guarded(cell) for cell in (answer.id, answer.key, *texts, "", "")])
    except FileExistsError:
        raise BadInput(f"'{file}' exists already, and may contain grades: give another name") from None


def recorded_answers(
    records: Iterable[Record], *, graded: Iterable[tuple[str, str]] = (), questions: Mapping[str, Question] | None = None
) -> Iterator[WaitingAnswer]:
    """The answers of certificates in a transcript, without repetitions, in order of arrival.

    Parameters
    ----------
    graded: question ids and answer keys that have a grade, and are left out; with an empty key, all answers to that question.
    questions: of the scope, by id; they give the rubrics, and answers to others are left out.

    Raises `TranscriptDamaged` for a record that no interview wrote.
    """
    done = set(graded)
    for record in records:
        if record.topic.endswith(FURTHER_TURN):
            continue  # of an answer that stands there already
        try:
            asked, answered = json.loads(record.question), json.loads(record.answer)
        except (ValueError, RecursionError):
            raise TranscriptDamaged(f"{record} has content that no interview writes: restore an unchanged copy") from None
        if record.kind != "answer" or not isinstance(asked, dict) or not isinstance(answered, dict):
            continue
        id_, text = str(asked.get("id", "")), answered.get("text")
        question = None if questions is None else questions.get(id_)
        if not id_ or not isinstance(text, str) or (questions is not None and question is None):
            continue
        waiting = WaitingAnswer(id_, str(asked.get("text", "")), text, "" if question is None else question.rubric)
        if (id_, waiting.key) not in done and (id_, "") not in done:
            done.add((id_, waiting.key))
            yield waiting


def fitting(text: str) -> str:
    """The text; if it is too long for a cell, its beginning and its end."""
    half = _CELL // 2
    return text if len(text) <= _CELL else f"{text[:half]}\n[...]\n{text[-half:]}"


@dataclass(frozen=True, slots=True)
class Places:
    """Draws the place of each block.

    >>> places = Places(CommittedSecret("places", bytes(32)), "digest of the scope", further=4)
    >>> places.place(1, [["q1", "answer", 0.9, 0.9]]) in range(5)
    True
    """

    secret: CommittedSecret
    scope: str
    """Digest of the scope."""
    further: int
    """Units of a block that the judge alone grades."""

    def place(self, block: int, judged: Sequence[Sequence[Any]]) -> int:
        """The unit of this block that people grade, from 0; `judged`: its answers and judgements, as JSON."""
        return self.secret.number(self.further + 1, self.scope, block, judged)


async def private_places(
    transcript: Transcript, *, candidate: str, scope: str, digest: str, attempt: RecordedAttempt, further: int
) -> Places:
    """The places where people grade in one attempt of this candidate on this scope.

    Parameters
    ----------
    transcript: holds the candidate's answers, and the commitment.
    scope, digest: of the scope, its name and its digest.
    attempt: its number in the log; each attempt has its own places.

    Raises `TranscriptError` if the secret is gone, and `TranscriptDamaged` if another one was revealed.
    """
    line, revealed = attempt.line, attempt.places

    def committed() -> CommittedSecret:
        name = secret_name(candidate, brief(scope), line)
        if revealed is None:
            return committed_secret(transcript, name)
        if revealed.name != name or commitment_to(transcript, revealed) is None:
            raise TranscriptDamaged(f"transcript {transcript.name} reveals other places than it committed to")
        return revealed

    return Places(await asyncio.to_thread(committed), digest, further)


def secret_name(candidate: str, scope: str, attempt: int = 0) -> str:
    """The name under which the record commits to the places of an attempt."""
    return f"places/{candidate}/{scope}" + (f"/{attempt}" if attempt else "")
