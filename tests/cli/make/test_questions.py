"""Questions are written, checked and rejected for their reasons, and asked once however often a run is resumed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Refuses, Start, Viva, wait_for_records
from tests.document_questions.server import ANSWERED, PLANTS, depots, running
from tests.each_case import each_case
from tests.serving import ChatServer
from vivavoce.documents.reading import UNANSWERED
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.made_questions import COLUMNS


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with running() as started:
        yield started


@pytest.fixture
def handbook(tmp_path: Path) -> str:
    (tmp_path / "handbook.txt").write_text(depots(), encoding="utf-8")
    return "handbook.txt"


def made_scope(source: Path | list[dict[str, Any]]) -> ListedScope:
    scope = open_scope(source)
    assert isinstance(scope, ListedScope)
    return scope


def rows_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_each_planted_fault_is_rejected_for_its_reason(viva: Viva, server: ChatServer, handbook: str, tmp_path: Path) -> None:
    ran = viva(
        "make", "questions", handbook, "--writer", server.candidate("writer"), "--checker", server.candidate("checker"),
        "--questions", "90", "--out", "q.jsonl", "--rejected", "r.jsonl", "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    kept, rejected = rows_of(tmp_path / "q.jsonl"), rows_of(tmp_path / "r.jsonl")
    assert len(kept) + len(rejected) == 90
    reasons = {int(row["id"]): row for row in rejected}
    for number, (plant, reason) in enumerate(PLANTS.items(), 1):
        row = reasons[number]
        if row["category"] == UNANSWERED:
            reason = ANSWERED
        elif row["category"] == "calculation" and plant == "made up":
            reason = PLANTS["vague"]  # the answer of a calculation need not be in the passage
        assert row["reason"].startswith(reason), (plant, row)
    later = [row for row in rejected if int(row["id"]) > len(PLANTS)]
    assert all(row["reason"].startswith("a duplicate of an earlier question: number ") for row in later)
    texts = Counter(row["question"] for row in kept)
    assert set(texts.values()) == {1}
    assert {row["question"] for row in later} <= set(texts)
    values = ran.values
    assert (values["drawn"], values["kept"], values["documents"], values["passages"]) == (90, len(kept), 1, 6)
    assert sum(values["reasons"].values()) == len(rejected)
    assert [(kind["drawn"], kind["kept"] + kind["rejected"]) for kind in values["kinds"].values()] == [(15, 15)] * 6


def test_the_file_is_a_scope_that_knows_how_it_was_made(viva: Viva, server: ChatServer, handbook: str, tmp_path: Path) -> None:
    name = server.candidate("honest")
    ran = viva("make", "questions", handbook, "--writer", name, "--questions", "30", "--out", "q.jsonl")
    assert ran.code == 0, ran.err
    rows = rows_of(tmp_path / "q.jsonl")
    made = {"writer": name, "checker": name, "documents": 1, "drawn": 30, "kept": len(rows), "reviewed": 0}
    assert all(row["made"] == made and set(COLUMNS) < set(row) for row in rows)
    assert all(row["difficulty"] == ("hard" if row["category"] == UNANSWERED else "easy") for row in rows)
    scope = made_scope(tmp_path / "q.jsonl")
    assert (scope.size, scope.ignored) == (len(rows), ())
    (tmp_path / "bot.py").write_text('def answer(prompt):\n    return "I don\'t know"\n')
    certified = viva("certify", "function:bot:answer", "file:q.jsonl", "--seed", "0", "--json")
    about = [text for text in certified.values["caveats"] if "wrote about" in text]
    assert about == [
        f"Questions that {name} wrote about 1 document: {len(rows)} of 30 drawn were kept, 0 reviewed by people. How many "
        "of them have a fault, and how much that changes a score, is unknown. The result says nothing about other questions "
        "on these documents."
    ]
    assert not any("ignored" in text for text in certified.values["caveats"])
    viva("make", "questions", handbook, "--writer", name, "--questions", "60", "--out", "longer.jsonl")
    longer = [{**row, "made": made} for row in rows_of(tmp_path / "longer.jsonl") if int(row["id"]) <= 30]
    assert longer == rows


@each_case(
    ("reply", "score"),
    [
        ("Answer: I don't know", 1),
        ("I’m not sure.", 1),
        ("The handbook does not say who that is.", 1),
        ("Answer: It isn't stated... I don't know", 1),
        ("Answer: not specified", 1),
        ("There is no information about that.", 1),
        ("Answer: Ann Smith", 0),
        ("Ann Smith has managed the depot since 2019.", 0),
    ],
)
def test_an_admission_is_right_where_the_documents_do_not_answer(reply: str, score: int) -> None:
    from vivavoce.documents.writing import grading
    from vivavoce.interview.candidate import Reply

    scope = made_scope([{"id": "1", "question": "Who is the manager of depot 3?", **grading(())}])
    assert scope.grade(scope.questions[0], Reply(reply)).score == score


def test_all_questions_allow_the_same_admission(viva: Viva, server: ChatServer, handbook: str, tmp_path: Path) -> None:
    viva("make", "questions", handbook, "--writer", server.candidate("honest"), "--questions", "12", "--out", "q.jsonl")
    scope = made_scope(tmp_path / "q.jsonl")
    forms = [scope.prompt(question).form for question in scope.questions]
    assert {form.instruction.splitlines()[-1] for form in forms if form is not None} == {"If you do not know, say so."}


def test_without_a_checker_all_are_kept_and_a_verdict_says_so(
    viva: Viva, server: ChatServer, handbook: str, tmp_path: Path
) -> None:
    before = server.seen()
    ran = viva(
        "make", "questions", handbook, "--writer", server.candidate("honest"), "--checker", "none",
        "--questions", "12", "--out", "q.jsonl",
    )  # fmt: skip
    assert ran.code == 0
    assert "No model checked the questions" in ran.out
    assert server.seen()["honest"] - before["honest"] == 12
    [note] = made_scope(tmp_path / "q.jsonl").notes
    assert "No model checked them." in note
    lines = (tmp_path / "q.jsonl").read_text().splitlines()
    (tmp_path / "fewer.jsonl").write_text("\n".join(lines[:5]))
    [note] = made_scope(tmp_path / "fewer.jsonl").notes
    assert "The file has 5 of them." in note


def test_a_budget_that_runs_out_is_resumed_and_nothing_is_asked_twice(
    viva: Viva, server: ChatServer, handbook: str, tmp_path: Path
) -> None:
    command = ("make", "questions", handbook, "--writer", server.candidate("honest"), "--questions", "24")
    at_first = server.seen()["honest"]
    whole = viva(*command, "--out", "whole.jsonl", "--json")
    before = server.seen()["honest"]
    resumed = (*command, "--out", "q.jsonl", "--sheet", "sheet.csv", "--transcript", "make.sqlite", "--json")
    short = viva(*resumed, "--tokens", "150", "--concurrency", "1")
    assert (short.code, short.values["exhausted"]) == (4, "tokens")
    assert (short.values["drawn"], short.values["reasons"]) == (0, {
        "not checked: the budget ran out": 15, "not written: the budget ran out": 9,
    })  # fmt: skip
    middle = viva(*resumed, "--tokens", "450", "--concurrency", "1")
    assert middle.code == 4
    assert 0 < middle.values["kept"] <= middle.values["drawn"] < 24
    assert not (tmp_path / "sheet.csv").exists()
    full = viva(*resumed)
    assert full.code == 0
    assert (full.values["kept"], full.values["kinds"]) == (whole.values["kept"], whole.values["kinds"])
    assert (tmp_path / "q.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert server.seen()["honest"] - before == before - at_first
    (tmp_path / "sheet.csv").unlink()
    assert viva(*resumed).values["kept"] == full.values["kept"]
    assert server.seen()["honest"] - before == before - at_first


@pytest.mark.long
def test_a_killed_run_asks_only_what_is_missing(
    viva: Viva, viva_process: Start, server: ChatServer, handbook: str, tmp_path: Path
) -> None:
    command = ("make", "questions", handbook, "--writer", server.candidate("honest"), "--questions", "60")
    resumed = (*command, "--out", "q.jsonl", "--transcript", "make.sqlite")
    before = server.seen()["honest"]
    with viva_process(*resumed) as process:
        wait_for_records(tmp_path / "make.sqlite", 80)
        process.kill()
    assert not (tmp_path / "q.jsonl").exists()
    assert viva(*resumed).code == 0
    asked = server.seen()["honest"] - before
    assert viva(*command, "--out", "whole.jsonl").code == 0
    needed = server.seen()["honest"] - before - asked
    assert needed <= asked <= needed + 16  # those in flight may be asked again
    assert (tmp_path / "q.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_wrong_inputs_end_with_one_sentence(refuses: Refuses, handbook: str, tmp_path: Path) -> None:
    (tmp_path / "sheet.csv").write_text("mine")
    (tmp_path / "short.txt").write_text("Rain falls.")
    bot = ("--writer", "bot:eliza")
    cases: list[tuple[tuple[str, ...], str]] = [
        (("missing.txt", *bot, "--out", "q.jsonl"), "missing.txt: does not exist: check its name"),
        ((handbook, *bot, "--out", "q.csv"), "--out is 'q.csv': it is JSON Lines"),
        ((handbook, *bot, "--out", "q.jsonl", "--sheet", "sheet.csv"), "'sheet.csv' exists already"),
        ((handbook, *bot, "--out", "q.jsonl", "--rejected", "q.jsonl"), "this command already uses that file"),
        ((handbook, *bot, "--out", "q.jsonl"), "200 questions need at least 10 passages"),
        (("short.txt", *bot, "--out", "q.jsonl", "--questions", "21"), "need at least 2 passages"),
        ((handbook, *bot, "--out", "q.jsonl", "--questions", "0"), "give a whole number"),
    ]
    for arguments, says in cases:
        refuses("make", "questions", *arguments, says=says)
