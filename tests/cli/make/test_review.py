"""Reviewers' sheets: decisions, corrections, agreement, and what is wrong with a sheet."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Refuses, Viva
from vivavoce.documents.review import COLUMNS, review_order, write_sheet
from vivavoce.documents.writing import grading
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope

MADE = {"writer": "chat:a", "checker": "chat:b", "documents": 2, "drawn": 30, "kept": 6, "reviewed": 0}
FREE = {"passage": "Goods may be returned.\n\nFood is excepted.", "document": "rules.md, Returns", "difficulty": "easy"}


def row(number: int, question: str, *answers: str) -> dict[str, Any]:
    return {"id": str(number), "question": question, **grading(answers), "category": "fact", **FREE, "made": MADE}


ROWS = [
    row(1, "How long may goods be returned?", "30 days", "thirty days"),
    row(2, "Who pays the postage?", "the customer"),
    row(3, "What is excepted?", "food"),
    row(4, "=1+1 is what?", "2"),
    row(7, "Who is the manager?"),
    row(9, "What does a return cost?", "5 euros"),
]


@pytest.fixture
def made(tmp_path: Path) -> Path:
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(f"{json.dumps(entry)}\n" for entry in ROWS), encoding="utf-8")
    return file


def made_scope(source: Path | list[dict[str, Any]]) -> ListedScope:
    scope = open_scope(source)
    assert isinstance(scope, ListedScope)
    return scope


def fill_in(file: Path, changes: Mapping[int, Mapping[str, str]], *, default: str = "yes") -> None:
    """A sheet as a reviewer gives it back, from a spreadsheet program with semicolons."""
    write_sheet(file, ROWS)
    with file.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with file.open("w", encoding="utf-8", newline="") as stream:
        sheet = csv.DictWriter(stream, COLUMNS, delimiter=";")
        sheet.writeheader()
        sheet.writerows({**cells, "keep": default, **changes.get(int(cells["number"]), {})} for cells in rows)


def reviewed(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_decisions_and_corrections_of_one_reviewer(viva: Viva, made: Path, tmp_path: Path) -> None:
    changes = {
        1: {"answer": "30 days | a month"},
        2: {"keep": "no", "reason": "the shop pays"},
        3: {"question": "Which goods can't be returned?"},
        6: {"answer": "I don't know"},
    }
    fill_in(tmp_path / "ann.csv", changes)
    ran = viva("make", "review", "questions.jsonl", "ann.csv", "--out", "reviewed.jsonl")
    assert ran.out.splitlines() == [
        "By review 5 kept, 1 rejected, 0 left as they were; 3 with other words.",
        "Questions: reviewed.jsonl",
    ]
    rows = reviewed(tmp_path / "reviewed.jsonl")
    assert [entry["id"] for entry in rows] == ["1", "3", "4", "7", "9"]
    assert rows[0]["answer"] == ["30 days", "a month"]
    assert rows[1]["question"] == "Which goods can't be returned?"
    assert rows[2] == {**ROWS[3], "made": rows[2]["made"]}
    assert {name: rows[4][name] for name in ("answer", "idk_score")} == grading(())
    record = {**MADE, "kept": 5, "reviewed": 5, "sample": {"questions": 6, "decided": 6, "faults": 4}}
    assert all(entry["made"] == record for entry in rows)
    [note] = made_scope(tmp_path / "reviewed.jsonl").notes
    assert note.startswith("Questions that chat:a wrote about 2 documents: 5 of 30 drawn were kept, 5 reviewed by people.")


def test_an_answer_may_be_found_for_a_question_without_one(viva: Viva, made: Path, tmp_path: Path) -> None:
    fill_in(tmp_path / "ann.csv", {5: {"answer": "Ann Smith"}})
    viva("make", "review", "questions.jsonl", "ann.csv", "--out", "reviewed.jsonl")
    changed = reviewed(tmp_path / "reviewed.jsonl")[4]
    assert "match" not in changed
    assert {name: changed[name] for name in ("answer", "idk_score")} == {"answer": ["Ann Smith"], "idk_score": 0.01}


def test_two_reviewers_must_both_keep_a_question(viva: Viva, made: Path, tmp_path: Path) -> None:
    fill_in(tmp_path / "ann.csv", {1: {"keep": "no"}, 2: {"keep": "no"}, 6: {"keep": ""}})
    fill_in(tmp_path / "ben.csv", {2: {"keep": "no"}})
    ran = viva("make", "review", "questions.jsonl", "ann.csv", "ben.csv", "--out", "reviewed.jsonl", "--json")
    values = ran.values
    assert {name: values[name] for name in ("kept", "rejected", "undecided", "edited")} == {
        "kept": 3, "rejected": 2, "undecided": 1, "edited": 0,
    }  # fmt: skip
    [pair] = values["agreement"]
    assert (pair["first"], pair["second"], pair["questions"], pair["share"]) == ("ann.csv", "ben.csv", 5, 0.8)
    # by hand: 3 of 10 decisions are no; observed 1/5; expected 2 * 3 * 7 / (10 * 9) = 7/15; 1 - (1/5) / (7/15) = 4/7
    assert pair["alpha"]["value"] == pytest.approx(4 / 7)
    rows = reviewed(tmp_path / "reviewed.jsonl")
    assert [entry["id"] for entry in rows] == ["3", "4", "7", "9"]
    decided = 5 if review_order(ROWS)[-1] == 5 else review_order(ROWS).index(5)
    sample = {"questions": 6, "decided": decided, "faults": sum(index < 2 for index in review_order(ROWS)[:decided])}
    assert rows[0]["made"] == {**MADE, "kept": 4, "reviewed": 3, "sample": sample}


def test_rows_that_are_decided_from_the_top_limit_the_faults_of_the_others(viva: Viva, tmp_path: Path) -> None:
    rows = [row(number, f"Who runs store number {number}?", f"Ann {number}") for number in range(1, 201)]
    (tmp_path / "questions.jsonl").write_text("".join(f"{json.dumps(entry)}\n" for entry in rows), encoding="utf-8")
    write_sheet(tmp_path / "new.jsonl", rows)
    sheet = reviewed(tmp_path / "new.jsonl")
    sheet[30] |= {"keep": "no"}
    sheet[100] |= {"keep": "no"}
    for number, entry in enumerate(sheet[:60]):
        entry["keep"] = entry["keep"] or "yes"
        if number == 7:
            entry["answer"] = "Ben"
    # 27 of 200; the limit for one look, at 60 rows, is 18: scipy.stats.hypergeom(200, 18, 60).cdf(2) = .052, and .039 with 19
    for gap, says, of_score in (
        (
            60,
            "From the top of the sheet, 2 of 60 had a fault, so at most 25 of the others have one",
            "differ by at most 13 points",
        ),
        (0, "How many of the others have a fault is unknown: decide rows of the sheet in its order", "is unknown."),
    ):
        sheet[gap]["keep"] = ""
        (tmp_path / "ann.jsonl").write_text("".join(f"{json.dumps(entry)}\n" for entry in sheet), encoding="utf-8")
        ran = viva("make", "review", "questions.jsonl", "ann.jsonl", "--out", f"after-{gap}.jsonl")
        assert ran.out.splitlines()[1].startswith(says)
        [note] = made_scope(tmp_path / f"after-{gap}.jsonl").notes
        assert of_score in note
    weighted = [{**entry, "weight": 2} for entry in reviewed(tmp_path / "after-60.jsonl")]
    [note] = made_scope(weighted).notes
    assert "How many of the others have a fault, and how much that changes a score, is unknown." in note


def test_sheets_may_be_json_lines(viva: Viva, made: Path, tmp_path: Path) -> None:
    write_sheet(tmp_path / "sheet.jsonl", ROWS)
    sheet = reviewed(tmp_path / "sheet.jsonl")
    assert [entry["number"] for entry in sheet] != list("123456")
    sheet.sort(key=lambda entry: int(entry["number"]))
    assert sheet[0] == {
        "number": "1", "question": "How long may goods be returned?", "answer": "30 days | thirty days",
        "passage": FREE["passage"], "keep": "", "reason": "",
    }  # fmt: skip
    assert sheet[4]["answer"] == "I don't know"
    keeps = ["YES ", True, "y", 1, "", None]
    lines = [
        json.dumps({**entry, "number": int(entry["number"]), "keep": keep}) for entry, keep in zip(sheet, keeps, strict=True)
    ]
    (tmp_path / "sheet.jsonl").write_text("\n".join(lines), encoding="utf-8")
    viva("make", "review", "questions.jsonl", "sheet.jsonl", "--out", "reviewed.jsonl")
    assert [entry["question"] for entry in reviewed(tmp_path / "reviewed.jsonl")] == [entry["question"] for entry in ROWS]


def test_what_spreadsheet_programs_change_is_no_correction(viva: Viva, made: Path, tmp_path: Path) -> None:
    fill_in(tmp_path / "ann.csv", {1: {"reason": "größer – 5 €"}, 5: {"answer": "I don’t know."}, 2: {"keep": "TRUE"}})
    sheet = (tmp_path / "ann.csv").read_text(encoding="utf-8")
    (tmp_path / "ann.csv").write_bytes(sheet.encode("cp1252"))
    viva("make", "review", "questions.jsonl", "ann.csv", "--out", "reviewed.jsonl")
    rows = reviewed(tmp_path / "reviewed.jsonl")
    assert [{**entry, "made": MADE} for entry in rows] == ROWS


def test_formulas_in_a_sheet_are_texts(made: Path, tmp_path: Path) -> None:
    write_sheet(tmp_path / "sheet.csv", ROWS)
    assert '"\'=1+1 is what?"' in (tmp_path / "sheet.csv").read_text(encoding="utf-8-sig")


UNUSABLE: list[tuple[Mapping[int, Mapping[str, str]], str]] = [
    ({2: {"keep": "maybe"}}, "'keep' is 'maybe': write yes or no"),
    ({2: {"number": "9"}}, "number '9': the questions have the numbers 1 to 6"),
    ({2: {"number": "1"}}, "number 1 has two rows: keep one of them"),
    ({2: {"passage": "Rain falls."}}, "number 2 has another passage: is this the sheet of these questions?"),
    ({2: {"keep": "", "question": "Who pays?"}}, "'keep' is empty: write yes or no"),
    ({2: {"answer": " "}}, "the question or the answer is empty: write it, or keep no"),
    ({2: {"question": "Say who pays."}}, "the question has a fault: not a question"),
    ({1: {"keep": "no"}, 2: {"answer": "5,50"}}, "ann.csv: number 2: the answer '5,50' has a decimal comma"),
    ({number: {"keep": "no"} for number in range(1, 7)}, "the reviewers keep no question: make more"),
]


@pytest.mark.parametrize(("changes", "says"), UNUSABLE, ids=[says for _, says in UNUSABLE])
def test_an_unusable_row_is_named(
    refuses: Refuses, made: Path, tmp_path: Path, changes: Mapping[int, Mapping[str, str]], says: str
) -> None:
    fill_in(tmp_path / "ann.csv", changes)
    refuses("make", "review", "questions.jsonl", "ann.csv", "--out", "reviewed.jsonl", says=says)


def test_files_that_do_not_fit(refuses: Refuses, made: Path, tmp_path: Path) -> None:
    fill_in(tmp_path / "ann.csv", {3: {"question": "Which goods are excepted?"}})
    fill_in(tmp_path / "ben.csv", {3: {"question": "What can't be returned?"}})
    lines = (tmp_path / "ann.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "cut.csv").write_text("".join(lines[:4]), encoding="utf-8")
    (tmp_path / "other.jsonl").write_text('{"question": "What is 2 + 2?", "answer": 4}\n')
    cases = [
        (("questions.jsonl", "ann.csv", "ben.csv"), "the sheets correct number 3 in different ways"),
        (("questions.jsonl", "cut.csv"), "no row for number 1: put it back"),
        (("questions.jsonl", "other.jsonl"), "no 'number': a sheet has number, question, answer"),
        (("other.jsonl", "ann.csv"), "no 'made' and 'passage': give a file of 'viva make questions'"),
        (("missing.jsonl", "ann.csv"), "missing.jsonl"),
    ]
    for arguments, says in cases:
        refuses("make", "review", *arguments, "--out", "reviewed.jsonl", says=says)
    refuses("make", "review", "questions.jsonl", "ann.csv", "--out", "ben.csv", says="'ben.csv' exists already")
