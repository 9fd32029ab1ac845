"""`viva consistency search` as a user calls it: a chat server with planted candidates, and functions."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Ended, Start, Viva, wait_for_records
from tests.studies.vary.favourites import OPTIONS
from tests.studies.vary.serving import Server, serving
from tests.consistency.legal.bail.judges import made_up
from vivavoce.consistency.legal.bail.defendants import COLUMNS
from vivavoce.formats.wording import count

SEARCH = ("consistency", "search")
SCOPE = ("--scope", "file:things.jsonl", "--cases", "20")
FEW = ("--calls", "120")
MINE = r"""
import re

def judge(text):
    numbers = [int(n) for n in re.findall(r"(?:convictions|charges): (\d+)", text)]
    burden = 3 * ("It is a felony" in text) + sum(numbers)
    return "Answer: " + ("YES" if burden < 5 or numbers[0] >= 8 else "NO")

def forecast(text):
    return "Answer: 80%"

def mumbles(text):
    return "Well, well."
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    rows = [{"id": f"t{n}", "question": f"Which colour has thing {n}?", "options": OPTIONS, "answer": "A"} for n in range(20)]
    (tmp_path / "things.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "searched.py").write_text(MINE)
    tuples = [
        {"law": "neg", "questions": {"P": f"Will thing {n} move?", "not_P": f"Will thing {n} stay?"}, "id": f"t{n}"}
        for n in range(8)
    ]
    (tmp_path / "tuples.jsonl").write_text("".join(json.dumps(one) + "\n" for one in tuples))
    with (tmp_path / "defendants.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(COLUMNS)
        for one in made_up(30):
            r = one.record
            numbers = (r.priors, r.juvenile_felonies, r.juvenile_misdemeanours)
            lines.writerow((one.id, r.sex, r.age, r.charge, r.degree.value, *numbers))
    return tmp_path


def found(ended: Ended) -> dict[str, Any]:
    assert ended.code == 0, ended.err
    values: dict[str, Any] = json.loads(ended.out)
    return values


def test_one_that_says_a_and_one_that_never_gives_in(viva: Viva, server: Server) -> None:
    first, steady = (
        found(viva(*SEARCH, server.candidate(model), *SCOPE, *FEW, "--json", "--quiet")) for model in ("first", "steady")
    )
    assert steady["contradictions"] == []
    assert [run["method"] for run in first["runs"]] == ["search", "random"]
    assert all(run["distinct"] for run in first["runs"])
    for one in first["contradictions"]:
        assert list(one["changes"]) == ["order"]
        assert set(one["by"]) <= {"search", "random"}
        as_it_is, varied = one["sides"]
        assert as_it_is["answers"] == {OPTIONS[0]: 5}
        assert list(varied["answers"].values()) == [5]
    assert "no rate" in first["caveats"][0]


def test_page_and_terminal(viva: Viva, server: Server) -> None:
    ended = viva(*SEARCH, server.candidate("first"), *SCOPE, *FEW, "--html", "search.html")
    assert ended.code == 0
    assert "contradicts itself" in ended.out
    assert "Page: search.html" in ended.out
    assert "at random" in Path("search.html").read_text()


def test_the_estimate_comes_first_and_a_dry_run_asks_nothing(viva: Viva, server: Server) -> None:
    before = server.seen("steady")
    ended = viva(
        *SEARCH, f"{server.candidate('steady')}?price_in=1&price_out=2", *SCOPE, "--vary", "order,persona", "--dry-run"
    )
    assert (ended.code, ended.out) == (0, "")
    assert server.seen("steady") == before
    # three turns, twelve people, or neither
    assert f"20 cases with 2 genes, {count(20 * (4 * 13 - 1))} possible attempts" in ended.err
    assert "at most 800 calls" in ended.err
    assert "of money with replies of 100 tokens" in ended.err


@pytest.mark.long
def test_killed_and_started_again_it_asks_only_what_was_in_flight(viva: Viva, viva_copy: Start, tmp_path: Path) -> None:
    with serving(latency=0.02) as server:
        command = (*SEARCH, server.candidate("first"), *SCOPE, *FEW, "--concurrency", "4", "--json")
        whole = found(viva(*command, "--transcript", "whole.sqlite"))
        asked = server.seen("first")
        for records in (30, 90):
            process = viva_copy(*command, "--transcript", "killed.sqlite")
            wait_for_records(tmp_path / "killed.sqlite", records)
            process.kill()
            process.communicate()
        again = found(viva(*command, "--transcript", "killed.sqlite"))
        assert (again["runs"], again["contradictions"]) == (whole["runs"], whole["contradictions"])
        assert server.seen("first") - asked <= asked + 2 * 4


@pytest.mark.long
def test_bail(viva: Viva) -> None:
    run = ("function:searched:judge", "bail", "--defendants", "defendants.csv", "--calls", "400", "--transcript", "run.sqlite")
    ended = viva(*SEARCH, *run, "--json")
    Path("made.json").write_text(ended.out)
    assert viva("recheck", "made.json", "--transcript", "run.sqlite", "--file", "defendants.csv").code == 0
    values = found(ended)
    assert values["contradictions"]
    for one in values["contradictions"]:
        assert [side["answers"] for side in one["sides"]] == [{"NO": 5}, {"YES": 5}]
        assert "prior convictions" in one["changes"]


def test_tuples(viva: Viva) -> None:
    tuples = (*SEARCH, "function:searched:forecast", "--tuples", "tuples.jsonl", *FEW)
    values = found(viva(*tuples, "--law", "neg", "--vary", "persona", "--json"))
    assert values["contradictions"]
    for one in values["contradictions"]:
        assert list(one["changes"]) == ["statement 1", "statement 2"]
        assert one["strength"] == pytest.approx(0.6)
    assert viva(*tuples, "--law", "bayes").code == 2


@pytest.mark.long
def test_questions_of_which_tuples_are_composed(viva: Viva) -> None:
    Path("questions.txt").write_text("".join(f"Will thing {n} move?\n" for n in range(12)))
    composed = (*SEARCH, "function:searched:forecast", "--questions", "questions.txt", *FEW, "--vary", "context")
    values = found(viva(*composed, "--law", "neg,and", "--json"))
    assert {one["changes"]["law"] for one in values["contradictions"]} == {"neg"}
    assert found(viva(*composed, "--json"))["contradictions"]
    assert viva(*composed, "--law", "paraphrase").code == 2


def test_who_cannot_be_read_is_no_conclusion(viva: Viva) -> None:
    ended = viva(*SEARCH, "function:searched:mumbles", *SCOPE, *FEW)
    assert ended.code == 4
    assert "no attempt could be read" in ended.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Give one of --scope, --tuples, --questions and --defendants"),
        ([*SCOPE, "--defendants", "defendants.csv"], "Give one of"),
        (["bail"], "give --defendants FILE"),
        (["jail", *SCOPE], "'jail'"),
        ([*SCOPE, "--law", "neg"], "--law is for --tuples and --questions"),
        (["--defendants", "defendants.csv", "--vary", "order"], "changes of their own"),
        ([*SCOPE, "--vary", "ordre"], "did you mean 'order'"),
        ([*SCOPE, "--vary", "paraphrase"], "cannot be combined in a search"),
        ([*SCOPE, "--vary", ","], "no kind of variation"),
        (["--tuples", "tuples.jsonl", "--law", "negg"], "did you mean 'neg'"),
        (["--tuples", "things.jsonl"], "things.jsonl"),
        ([*SCOPE, "--calls", "3"], "3"),
        ([*SCOPE, "--confirm", "1"], "1"),
        ([*SCOPE, "--html", "no/folder.html"], "no folder"),
    ],
)
def test_a_mistake_is_one_line_with_the_remedy(viva: Viva, arguments: list[str], said: str) -> None:
    ended = viva(*SEARCH, "bot:calculator", *arguments)
    assert ended.code == 2
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1
    assert ended.out == ""
