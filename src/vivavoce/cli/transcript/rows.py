"""The rows of results that a record holds by itself; what answers are worth stands in it where grades of certificates do."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vivavoce.interview.record import Record
    from vivavoce.interview.results import ResultRow
    from vivavoce.interview.scope import Grade
    from vivavoce.interview.transcript import Transcript


def rows_on_record(transcript: Transcript, *, candidate: str | None, topic: str | None, several: bool) -> Iterator[ResultRow]:
    """A row a record, in the order in which they were written; the examiner's own entries are no questions.

    Parameters
    ----------
    several: whether the candidate stands in front.
    """
    from vivavoce.interview.commitment import COMMITTER

    grades = grades_on_record(transcript)
    for record in transcript.records(candidate=candidate, topic=topic):
        if record.candidate != COMMITTER:
            yield _row(record, grades.get(record.seq), (record.candidate,) if several else ())


def candidates_of(records: Iterable[Record]) -> set[str]:
    """Who was asked."""
    from vivavoce.interview.commitment import COMMITTER

    return {record.candidate for record in records} - {COMMITTER}


def grades_on_record(transcript: Transcript) -> dict[int, Grade]:
    """By the number of an answer's record the grade that it was given last; people's grade goes first.

    Raises `TranscriptDamaged` for an entry of grades that holds none.
    """
    from vivavoce.certificate.gradebook import TOPIC, book_of
    from vivavoce.interview.commitment import COMMITTER
    from vivavoce.interview.scope import Grade

    found: dict[int, Grade] = {}
    for record in transcript.records(candidate=COMMITTER, topic=TOPIC):
        book = book_of(record)
        if book.grades is not None:
            found |= dict(zip(book.grades.records, book.grades.each, strict=True))
        found |= {one.record: Grade(one.score, one.ridiculous) for one in book.people}
    return found


def _row(record: Record, grade: Grade | None, front: tuple[str, ...]) -> ResultRow:
    from vivavoce.errors import TranscriptDamaged
    from vivavoce.interview.outcomes import FURTHER_TURN
    from vivavoce.interview.results import ResultRow
    from vivavoce.interview.steps import said

    try:
        question = json.loads(record.question)
        words = said(record.question) if not _position(question) else str(question["fen"])
        reply = "" if record.kind == "no answer" else said(record.answer)
        outcome = _outcome(record, grade)
    except (ValueError, RecursionError):
        raise TranscriptDamaged(f"{record} holds what no interview writes") from None
    name = str(question.get("id") or "") if isinstance(question, dict) else ""
    turn = FURTHER_TURN if name and record.topic.endswith(FURTHER_TURN) else ""
    return ResultRow(
        id=(name or record.topic) + turn,
        question=words,
        reply=reply,
        read_as="",
        score=None if grade is None else grade.score,
        outcome=outcome,
        seconds=record.seconds,
        tokens=record.tokens_in + record.tokens_out,
        front=front,
    )


def _position(question: Any) -> bool:
    return isinstance(question, dict) and question.keys() == {"fen"}


def _outcome(record: Record, grade: Grade | None) -> str:
    """As far as the record tells: by its grade, or by there being no answer."""
    from vivavoce.interview.forms.form import Outcome
    from vivavoce.interview.results import absence
    from vivavoce.interview.steps import said

    if record.kind == "no answer" and (grade is None or grade.outcome is not Outcome.ORPHAN):
        return absence(said(record.answer), by_service=bool(json.loads(record.answer).get("by_service")))
    return "" if grade is None else Outcome(grade.outcome).value
