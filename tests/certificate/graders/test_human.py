"""People's grades from files, and sheets for people to fill in."""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.certificate.candidates import TalksFirst, scope
from tests.certificate.candidates import interview as in_conversation
from tests.certificate.graders.graded import Expert, essays, interview
from tests.each_case import each_case
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.graders.grades import NoGrade, WaitingAnswer, answer_key
from vivavoce.certificate.graders.people import (
    People,
    PersonsGrade,
    mean_grades,
    read_grades,
    recorded_answers,
    write_grades,
    write_sheet,
)
from vivavoce.errors import BadFile, BadInput, TranscriptDamaged
from vivavoce.formats.tables import guarded, unguarded
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.scope import Grade
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes.questions import Question

CSV = "id,score,unacceptable,comment\ne1,0.8,,fine\ne2,0,yes,=1+1\ne3,,,not yet\n"
SEMICOLONS = "id;score;unacceptable\ne1;0,8;\ne2;0;YES\n"
JSONL = '{"id": "e1", "score": 0.8}\n\n{"id": "e2", "score": 0, "unacceptable": true}\n{"id": "e3", "score": null}\n'


def grades(tmp_path: Path, text: str, name: str = "grades.csv") -> tuple[PersonsGrade, ...]:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return read_grades(file)


@each_case(("name", "text"), [("g.csv", CSV), ("g.csv", SEMICOLONS), ("g.tsv", CSV.replace(",", "\t")), ("g.jsonl", JSONL)])
def test_grades_in_each_format(tmp_path: Path, name: str, text: str) -> None:
    persons_grades = grades(tmp_path, text, name)
    assert [(grade.id, grade.score, grade.unacceptable) for grade in persons_grades] == [("e1", 0.8, False), ("e2", 0.0, True)]


def test_grades_in_a_packed_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "g.csv.gz"
    file.write_bytes(gzip.compress(b"\xef\xbb\xbf" + CSV.encode()))
    assert len(read_grades(file)) == 2


@each_case(
    ("name", "text", "line", "problem"),
    [
        ("g.csv", "id,score\ne1,1.5\n", 2, "0 to 1"),
        ("g.csv", "id,score\ne1,-0.1\n", 2, "0 to 1"),
        ("g.csv", "id,score\ne1,nan\n", 2, "0 to 1"),
        ("g.csv", "id,score\ne1,inf\n", 2, "0 to 1"),
        ("g.csv", "id,score\ne1,good\n", 2, "0 to 1"),
        ("g.csv", 'id,score\ne1,"0,8"\n', 2, "0 to 1"),
        ("g.csv", "id,score,unacceptable\ne1,1,perhaps\n", 2, "yes or no"),
        ("g.csv", "id,score\ne1,1\ne1,1\n", 3, "line 2"),
        ("g.csv", "id,score\n,1\n", 2, "'id'"),
        ("g.csv", "id,mark\ne1,1\n", 1, "no column score"),
        ("g.csv", "", 1, "empty: the first line must name id, score"),
        ("g.csv", "id,score,score\ne1,1,1\n", 1, "two columns are named 'score'"),
        ("g.csv", "id,score\ne1,1,1\n", 2, "3 cells"),
        ("g.jsonl", '{"id": "e1"}\n', 1, "'score'"),
        ("g.jsonl", '{"score": 1}\n', 1, "'id'"),
        ("g.jsonl", "[1]\n", 1, "object"),
        ("g.jsonl", '{"id": "e1", "score": [1]}\n', 1, "0 to 1"),
        ("g.jsonl", '{"id": {"a": 1}, "score": 1}\n', 1, "'id'"),
        ("g.txt", "id,score\n", None, "must end in"),
    ],
)
def test_a_slip_is_named_with_its_line_and_the_remedy(
    tmp_path: Path, name: str, text: str, line: int | None, problem: str
) -> None:
    with pytest.raises(BadFile, match=problem) as error:
        grades(tmp_path, text, name)
    assert error.value.line == line


async def test_a_grade_belongs_to_its_answer() -> None:
    question, asked = Question("e1", "Why?"), Prompt("Why?", id="e1")
    tied = People([PersonsGrade("e1", answer_key("e1", "Because."), 0.5, False)])
    assert await tied.grade(question, asked, Reply("Because.")) == Grade(0.5, False)
    assert await tied.grade(question, asked, Reply("Because!")) == NoGrade()
    loose = People([PersonsGrade("e1", "", 0.5, True)])
    assert await loose.grade(question, asked, Reply("Because.")) == Grade(0.5, True)
    assert await loose.grade(question, asked, Reply("Because.")) == Grade(0.5, True)
    assert await loose.grade(question, asked, Reply("Another draw.")) == NoGrade()


def test_of_several_people_the_mean_counts_and_unacceptable_if_any_says_so() -> None:
    ann = [PersonsGrade("a", "k", 1.0, False), PersonsGrade("b", "", 0.2, False)]
    bob = [PersonsGrade("a", "k", 0.5, True), PersonsGrade("a", "other", 0.0, False)]
    assert mean_grades([ann, bob]) == (
        PersonsGrade("a", "k", 0.75, True),
        PersonsGrade("b", "", 0.2, False),
        PersonsGrade("a", "other", 0.0, False),
    )


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30)


@given(TEXTS)
def test_no_cell_is_run_as_a_formula_and_every_text_comes_back(text: str) -> None:
    cell = guarded(text)
    assert unguarded(cell) == text
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert not cell.lstrip().startswith(("=", "+", "-", "@"))


def test_a_sheet_comes_back_as_grades_through_a_spreadsheet(tmp_path: Path) -> None:
    answers = [WaitingAnswer("=id", "=1+1", "=cmd|' /C calc'!A0", "+rubric"), WaitingAnswer("e2", "Why?", "x" * 100_000)]
    sheet, filled, out = tmp_path / "sheet.csv", tmp_path / "filled.csv", tmp_path / "grades.csv"
    write_sheet(sheet, answers)
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["question"] for row in rows] == ["'=1+1", "Why?"]
    assert rows[0]["answer"].startswith("'=cmd")
    assert max(len(cell) for row in rows for cell in row.values()) < 32_767
    with filled.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, delimiter=";")
        table.writerow(rows[0])
        table.writerows([*[*row.values()][:5], "0,25", "yes"] for row in rows)
    persons_grades = read_grades(filled)
    assert [(grade.id, grade.key, grade.score, grade.unacceptable) for grade in persons_grades] == [
        (answer.id, answer.key, 0.25, True) for answer in answers
    ]
    write_grades(out, persons_grades)
    assert [grade.place for grade in read_grades(out)] == [grade.place for grade in persons_grades]
    with pytest.raises(BadInput, match="exists already"):
        write_sheet(sheet, answers)


def test_no_key_that_a_stranger_wrote_is_run_as_a_formula(tmp_path: Path) -> None:
    persons_grades = grades(tmp_path, '{"id": "e1", "score": 1, "key": "=1+1"}', "g.jsonl")
    write_grades(tmp_path / "out.csv", persons_grades)
    assert "e1,'=1+1,1,no" in (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert read_grades(tmp_path / "out.csv")[0].place == ("e1", "=1+1")


async def test_answers_of_a_transcript_each_once_and_blind(tmp_path: Path) -> None:
    scope = essays(6)
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        for name in ("test:one", "test:two"):  # both know the same: equal answers are graded once
            asking = interview(Expert(0.5, name=name), transcript=transcript)
            async for _ in asking.ask_in_order([scope.prompt(q) for q in scope.questions], topic="certificate/essays"):
                pass
        asking = interview(Expert(0.5, name="test:other"), transcript=transcript)
        await asking.ask(scope.prompt(scope.questions[0]), topic="eqt/essays")
        records = list(transcript.records(topic="certificate"))
    answers = list(recorded_answers(records, questions=scope.by_id))
    assert [answer.id for answer in answers] == [q.id for q in scope.questions]
    assert {answer.rubric for answer in answers} == {"Be right."}
    assert "test:" not in json.dumps([[answer.id, answer.key, answer.question, answer.answer] for answer in answers])
    graded = [(answers[0].id, answers[0].key), (answers[1].id, "")]
    assert [answer.id for answer in recorded_answers(records, graded=graded)] == [q.id for q in scope.questions[2:]]
    assert list(recorded_answers(records, questions={})) == []
    for damaged in (replace(records[0], question="{"), replace(records[0], answer=5000 * "9")):
        with pytest.raises(TranscriptDamaged, match="record 1 has content that no interview writes: restore an unchanged copy"):
            list(recorded_answers([damaged]))


async def test_a_further_turn_is_no_answer_of_its_own() -> None:
    with Transcript.open(None) as transcript:
        asking = in_conversation(TalksFirst(1.0), transcript=transcript)
        certificate = await certify(
            asking, scope(20), Criterion(0.5, None), Composition(procedure="fixed"), questions=20, seed=0
        )
        records = list(transcript.records(topic="certificate"))
    assert (len(records), certificate.replies.after_turn) == (30, 10)
    assert len({answer.id for answer in recorded_answers(records)}) == len(list(recorded_answers(records))) == 20
