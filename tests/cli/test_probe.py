"""`viva probe` on the command line: documents, an examiner, a judge, files of failures, kills and errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Refuses, Start, Viva, wait_for_records
from tests.document_questions.server import depots
from tests.probe.server import FOLLOW_UP, running
from tests.serving import ChatServer
from vivavoce.documents.reading import KINDS as DOCUMENT_KINDS
from vivavoce.scopes import open_scope
from vivavoce.scopes.made_questions import NOT_A_SAMPLE

BOT = r"""
import re

from vivavoce.interview.candidate import Prompt


def sum_in(prompt):
    texts = [text for role, text in prompt.conversation if role == "user"]
    return texts, list(map(int, re.findall(r"(\d+) \+ (\d+)", " ".join(texts))[-1]))


def answer(prompt: Prompt) -> str:
    texts, numbers = sum_in(prompt)
    return f"Answer: {sum(numbers) + ('Are you sure' in texts[-1] and numbers[0] % 2)}"


def sound(prompt: Prompt) -> str:
    return f"Answer: {sum(sum_in(prompt)[1])}"
"""
SUMS = ("--scope", "arithmetic?digits=3&operations=+")


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with running() as started:
        yield started


@pytest.fixture
def bot(tmp_path: Path) -> str:
    (tmp_path / "talked_out.py").write_text(BOT)
    return "function:talked_out:answer"


def rows_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_fault_is_found_shown_and_written_for_a_regression_test(viva: Viva, bot: str, tmp_path: Path) -> None:
    ran = viva("probe", bot, *SUMS, "--calls", "300", "--failures", "failures.jsonl", "--html", "page.html")
    assert ran.code == 0, ran.err
    assert ran.err.startswith("viva: up to 600 calls, then up to 120 for each confirmed failure; less what is on record\n")
    assert 'on “+”, when asked "Are you sure?"' in " ".join(ran.out.split())
    assert "Failures: failures.jsonl" in ran.out
    assert "Are you sure?" in (tmp_path / "page.html").read_text(encoding="utf-8")
    (row,) = rows_of(tmp_path / "failures.jsonl")
    assert row["made"] == {"candidate": bot, "scope": SUMS[1], "failures": 1}
    assert [message["role"] for message in row["question"]] == ["user", "assistant", "user"]
    scope = open_scope(tmp_path / "failures.jsonl")
    assert (scope.size, getattr(scope, "ignored", None), getattr(scope, "notes", None)) == (1, (), (NOT_A_SAMPLE,))
    for name, right in (("answer", 0.0), ("sound", 1.0)):
        certified = viva("certify", f"function:talked_out:{name}", "file:failures.jsonl", "--json")
        assert certified.values["figures"]["score"]["mean"] == right, certified.values["figures"]
        assert NOT_A_SAMPLE in certified.values["caveats"]
    gated = viva("gate", "function:talked_out:sound", "--baseline", bot, "--scope", "file:failures.jsonl", "--json")
    assert NOT_A_SAMPLE in gated.values["caveats"]


def test_json_has_the_numbers_and_quiet_prints_a_sentence(viva: Viva, bot: str) -> None:
    command = ("probe", bot, *SUMS, "--calls", "300", "--fresh", "30", "--transcript", "run.sqlite")
    values = viva(*command, "--json").values
    (mode,) = values["figures"]["modes"]
    assert (mode["topic"], mode["kind_name"], mode["common"], mode["counts"]["asked"]) == ("+", "sure", True, 30)
    assert mode["share"]["lower"] < 0.5 < mode["share"]["upper"]
    quiet = viva(*command, "--quiet")
    assert quiet.out.startswith(values["statement"])


def test_an_examiner_writes_questions_about_documents_and_follow_ups(viva: Viva, server: ChatServer, tmp_path: Path) -> None:
    (tmp_path / "handbook.txt").write_text(depots(), encoding="utf-8")
    given = ("probe", server.candidate("pupil"), "--documents", "handbook.txt", "--questions", "60", "--calls", "250")
    command = (*given, "--examiner", server.candidate("examiner"), "--fresh", "0", "--transcript", "probe.sqlite", "--json")
    ran = viva(*command)
    assert ran.code == 0, ran.err
    values = ran.values
    assert values["figures"]["scope"] == "questions about 1 document"
    assert set(values["figures"]["topics"]) <= {kind.name for kind in DOCUMENT_KINDS}
    assert len(values["figures"]["topics"]) >= 4
    shown = json.dumps(values["figures"]["modes"]) + json.dumps(values["figures"]["unconfirmed"])
    assert FOLLOW_UP in shown, values["figures"]["kinds"]
    talks = [mode["example"] for mode in values["figures"]["modes"]]
    assert all(talk["recurred"] == 2 for talk in talks)
    before = server.seen()
    assert viva(*command).values["figures"] == values["figures"]
    assert server.seen() == before


def test_a_judge_grades_and_is_named(viva: Viva, server: ChatServer, tmp_path: Path) -> None:
    rows = [{"question": f"How many pallets does depot {k} store?", "answer": f"{7 * k} pallets"} for k in range(1, 41)]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
    given = ("probe", server.candidate("pupil"), "--scope", "file:q.jsonl", "--calls", "60", "--fresh", "0")
    helpers = ("--examiner", server.candidate("examiner"), "--judge", server.candidate("judge"))
    values = viva(*given, *helpers, "--json").values
    assert values["figures"]["judge"] == server.candidate("judge")
    assert f"Answers are graded by {server.candidate('judge')}, which makes mistakes." in values["caveats"]
    (plain,) = (kind for kind in values["figures"]["kinds"] if kind["kind"] == "plain")
    assert plain["held"] > 0
    assert plain["failed"] == 0


@pytest.mark.long
def test_a_killed_run_asks_only_what_is_missing(viva: Viva, viva_process: Start, server: ChatServer, tmp_path: Path) -> None:
    rows = [{"question": f"How many pallets does depot {k} store?", "answer": f"{7 * k} pallets"} for k in range(1, 121)]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
    command = ("probe", server.candidate("killed"), "--scope", "file:q.jsonl", "--calls", "300", "--json")
    with viva_process(*command, "--transcript", "run.sqlite") as process:
        wait_for_records(tmp_path / "run.sqlite", 150)
        process.kill()
    resumed = viva(*command, "--transcript", "run.sqlite")
    assert resumed.code == 0
    asked = server.seen()["killed"]
    whole = viva(*command)
    needed = server.seen()["killed"] - asked
    assert needed <= asked <= needed + 16  # those in flight may be asked again
    assert resumed.values["figures"] == whole.values["figures"]


def test_wrong_inputs_end_with_one_sentence(refuses: Refuses, bot: str) -> None:
    refuses("probe", bot, says="give either --scope or --documents")
    refuses("probe", bot, "--scope", "obvious", "--documents", "a.txt", says="give either --scope or --documents")
    refuses("probe", bot, "--documents", "a.txt", says="--documents needs an --examiner")
    refuses("probe", "bot:calculator", "--scope", "arithmetic", "--quiet", says="can't hold a conversation")
    refuses("probe", bot, "--scope", "arithmetic", "--failures", "none/f.jsonl", says="the folder 'none' does not exist")


def test_a_budget_that_runs_out_is_undecided(viva: Viva, server: ChatServer, tmp_path: Path) -> None:
    rows = [{"question": f"How many pallets does depot {k} store?", "answer": f"{7 * k} pallets"} for k in range(1, 41)]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
    given = ("probe", server.candidate("pupil"), "--scope", "file:q.jsonl", "--json")
    for helpers in ((), ("--examiner", server.candidate("examiner")), ("--judge", server.candidate("judge"))):
        for tokens in ("200", "310", "550", "1000"):
            ran = viva(*given, *helpers, "--tokens", tokens, "--concurrency", "1")
            assert (ran.code, ran.values["figures"]["exhausted"]) == (4, "tokens"), (helpers, tokens)
            assert "The budget of tokens ran out before the end." in ran.values["statement"]
