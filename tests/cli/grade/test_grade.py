"""Graders on the command line: a judge, people with their sheets, and both."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva, in_full

MODULE = """
def answer(text: str) -> str:
    number = int(text.split()[1].rstrip("?"))
    return f"=It is {'right' if number % 10 else 'wrong'} ({number})."


def judge(text: str) -> str:
    answer = text.split("<answer", 1)[1]
    return f"Well.\\nScore: {8 if 'right' in answer else 3}\\nUnacceptable: no"
"""
CERTIFY = (
    "certify", "function:{module}:answer", "--scope", "file:essays.jsonl", "--unacceptable-limit", "none", "--quiet", "--seed",
    "0",
)  # fmt: skip


@pytest.fixture
def essay(viva: Viva, tmp_path: Path, request: pytest.FixtureRequest) -> tuple[str, ...]:
    """A file of open questions, and the command that examines a candidate that gets nine tenths of them right."""
    module = re.sub(r"\W", "_", f"essays_{request.node.name}")  # modules stay imported from test to test
    (tmp_path / f"{module}.py").write_text(MODULE)
    lines = (json.dumps({"id": f"e{i}", "question": f"Explain {i}?", "rubric": "10: right"}) for i in range(60))
    (tmp_path / "essays.jsonl").write_text("\n".join(lines))
    return tuple(part.format(module=module) for part in CERTIFY)


def judged(command: tuple[str, ...]) -> tuple[str, str]:
    return "--judge", command[1].replace(":answer", ":judge")


def fill(sheet: Path, filled: Path, *, rows: slice = slice(None), right: str = "1") -> None:
    """Grade a sheet as a person would: by what the answer says."""
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        answers = list(csv.DictReader(stream))[rows]
    with filled.open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, list(answers[0]))
        table.writeheader()
        table.writerows(row | {"score": right if "right" in row["answer"] else "0"} for row in answers)


def test_open_questions_need_a_grader(viva: Viva, essay: tuple[str, ...]) -> None:
    ended = viva(*essay)
    assert ended.code == 2
    assert "question 'e0' has a rubric but no answer" in ended.err


@pytest.mark.long
def test_a_judge_alone(viva: Viva, essay: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "rubric.txt").write_text("10: right")
    ended = viva(*in_full(essay), *judged(essay), "--set", "judge-samples=2", "--rubric", "rubric.txt", "--html", "page.html")
    assert ended.code == 0
    assert "passes file:essays.jsonl by the judgement of function:" in ended.out
    assert "no one graded the judge" in " ".join(ended.out.split())
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Who graded" in page
    assert "was asked 2 times about every answer" in page


def test_people_go_from_sheet_to_sheet_until_there_is_a_verdict(viva: Viva, essay: tuple[str, ...], tmp_path: Path) -> None:
    kept = ("--transcript", "run.sqlite", "--set", "batch=30")
    ended = viva(*essay, *kept, "--sheet", "one.csv", "--json")
    document = ended.values
    assert (ended.code, document["figures"]["questions"], len(document["figures"]["grading"]["waiting"])) == (4, 0, 30)
    assert "Sheet: one.csv, 30 answers to grade" in ended.err
    assert "essays_" not in (tmp_path / "one.csv").read_text(encoding="utf-8-sig")  # blind to the candidate
    assert "\"'=It is" in (tmp_path / "one.csv").read_text(encoding="utf-8-sig")
    fill(tmp_path / "one.csv", tmp_path / "ann.csv")
    ended = viva("people", "grade", "import", "ann.csv", "--into", "grades.csv")
    assert (ended.code, "Grades: grades.csv, 30 in all" in ended.out) == (0, True)
    ended = viva(*essay, *kept, "--grades", "grades.csv", "--sheet", "two.csv")
    if ended.code == 4:
        fill(tmp_path / "two.csv", tmp_path / "ann2.csv")
        viva("people", "grade", "import", "ann2.csv", "--into", "grades.csv")
        ended = viva(*essay, *kept, "--grades", "grades.csv")
    assert ended.code == 0
    assert "questions that people graded" in ended.out


@pytest.mark.long
def test_a_judge_and_people_together(viva: Viva, essay: tuple[str, ...], tmp_path: Path) -> None:
    kept = (*judged(essay), "--transcript", "run.sqlite")
    assert viva(*essay, *kept, "--sheet", "sheet.csv", "--set", "judge-only=3").code == 4
    fill(tmp_path / "sheet.csv", tmp_path / "ann.csv")
    assert viva("people", "grade", "import", "ann.csv", "--out", "grades.csv").code == 0
    ended = viva(*essay, *kept, "--set", "judge-only=3", "--grades", "grades.csv", "--json")
    grading = ended.values["figures"]["grading"]
    assert grading["by"] == "people"
    assert grading["agreement"]["answers"] >= 10  # places are drawn secretly, so it is not the same number each time
    # 8 of 10 points where people give 1, 3 where they give 0
    assert -0.2 <= grading["agreement"]["difference"]["value"] <= 0.3
    assert grading["judged_only"] > 3 * (grading["graded_by_people"] - 1)


def test_a_sheet_from_the_transcript(viva: Viva, essay: tuple[str, ...], tmp_path: Path) -> None:
    viva(*essay, "--transcript", "run.sqlite", "--sheet", "first.csv", "--set", "batch=4")
    ended = viva("people", "grade", "export", "run.sqlite", "--scope", "file:essays.jsonl", "--out", "all.csv")
    assert ended.code == 0
    fill(tmp_path / "all.csv", tmp_path / "grades.csv", rows=slice(3))
    ended = viva("people", "grade", "export", "run.sqlite", "--grades", "grades.csv", "--out", "rest.csv", "--limit", "1")
    assert "1 answers written to rest.csv" in ended.out
    assert viva("people", "grade", "export", "run.sqlite", "--out", "rest.csv").code == 2  # someone's work may be in it
    assert (
        "no answer of a certificate"
        in viva("people", "grade", "export", "run.sqlite", "--candidate", "bot:x", "--out", "no.csv").err
    )
    assert viva("people", "grade", "export", "gone.sqlite", "--out", "no.csv").code == 2


def test_two_people_and_how_far_they_agree(viva: Viva, essay: tuple[str, ...], tmp_path: Path) -> None:
    viva(*essay, "--transcript", "run.sqlite", "--sheet", "sheet.csv")
    fill(tmp_path / "sheet.csv", tmp_path / "ann.csv")
    fill(tmp_path / "sheet.csv", tmp_path / "bob.csv", rows=slice(8), right="0.5")
    ended = viva("people", "grade", "import", "ann.csv", "bob.csv", "--out", "grades.csv")
    assert "Mean difference, ann.csv minus bob.csv" in ended.out
    assert "n = 8" in ended.out
    document = viva("people", "grade", "import", "ann.csv", "bob.csv", "--json").values
    assert document["agreement"][0]["found"]["answers"] == 8
    assert document["grades"] == 20
    assert document["out"] is None
    (tmp_path / "none.csv").write_text("id,score\nelse,1\n")
    assert "no answer is graded in both" in viva("people", "grade", "import", "ann.csv", "none.csv").out
    (tmp_path / "other.csv").write_text((tmp_path / "grades.csv").read_text().replace(",1,no", ",0.25,no"))
    ended = viva("people", "grade", "import", "other.csv", "--into", "grades.csv")
    assert ended.code == 2
    assert "another grade" in ended.err


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--set", "judge-samples=3"), "'--set judge-samples' needs a judge"),
        (("--judge", "bot:eliza", "--grades", "g.csv", "--set", "procedure=fixed", "--questions", "5"), "no predictions"),
        (("--grades", "g.csv", "--scope", "arithmetic"), "are for one scope"),
        (("--judge", "bot:eliza", "--rubric", "gone.txt"), "gone.txt"),
        (("--grades", "gone.csv"), "gone.csv"),
        (("--sheet", "essays.jsonl"), "the file exists"),
        (("--sheet", "gone/sheet.csv"), "does not exist"),
    ],
)
def test_graders_that_do_not_go_together_are_refused(
    refuses: Refuses, essay: tuple[str, ...], options: tuple[str, ...], problem: str
) -> None:
    refuses(*essay, *options, says=problem)
