"""Sheets for people who grade in a spreadsheet program: blind to the candidate, no cell of which is run as a formula."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from vivavoce.certificate.graders.grading import Waiting
from vivavoce.errors import BadInput, TranscriptDamaged
from vivavoce.formats.cells import guarded
from vivavoce.interview.question_runner import FURTHER_TURN
from vivavoce.interview.record import Record
from vivavoce.scopes.questions import Question

HEADER = ("id", "key", "question", "rubric", "answer", "score", "ridiculous")
TOPIC = "certificate"
"""Where the answers of certificates stand in a transcript."""
_CELL = 32_000
"""Characters; spreadsheet programs hold 32,767 in a cell."""


def write_sheet(file: Path, answers: Sequence[Waiting]) -> None:
    """Write answers as a new CSV file, one a row, with `score` and `ridiculous` to be filled in.

    Nothing in it names the candidate. It begins with a byte order mark, by which spreadsheet programs know UTF-8. Raises
    `BadInput` if the file exists already (a person's work may be in it).
    """
    try:
        with file.open("x", encoding="utf-8-sig", errors="replace", newline="") as stream:
            sheet = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
            sheet.writerow(HEADER)
            for one in answers:
                texts = (fitting(text) for text in (one.question, one.rubric, one.answer))
                sheet.writerow([guarded(cell) for cell in (one.id, one.key, *texts, "", "")])
    except FileExistsError:
        raise BadInput(f"'{file}' exists already, and may hold somebody's grades: give another name") from None


def recorded_answers(
    records: Iterable[Record], *, graded: Iterable[tuple[str, str]] = (), questions: Mapping[str, Question] | None = None
) -> Iterator[Waiting]:
    """The answers of certificates in a transcript, equal ones once, in the order in which they came.

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
            raise TranscriptDamaged(f"{record} holds what no interview writes") from None
        if record.kind != "answer" or not isinstance(asked, dict) or not isinstance(answered, dict):
            continue
        id_, said = str(asked.get("id", "")), answered.get("text")
        question = None if questions is None else questions.get(id_)
        if not id_ or not isinstance(said, str) or (questions is not None and question is None):
            continue
        waiting = Waiting(id_, str(asked.get("text", "")), said, "" if question is None else question.rubric)
        if (id_, waiting.key) not in done and (id_, "") not in done:
            done.add((id_, waiting.key))
            yield waiting


def fitting(text: str) -> str:
    """The text; of one that is too long for a cell, its beginning and its end."""
    half = _CELL // 2
    return text if len(text) <= _CELL else f"{text[:half]}\n[...]\n{text[-half:]}"
