"""A function that was changed is asked again, counted as another attempt, and never answered for by its older self.

A module is read but once in each process, so that a call within this one forgets it first; one test starts processes.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import CliResult, Viva
from vivavoce.certificate.attempts.log import attempts
from vivavoce.interview.transcript import Transcript

Process = Callable[..., subprocess.Popen[str]]
RIGHT = "import re\n\ndef answer(prompt):\n    return str(sum(map(int, re.findall('[0-9]+', prompt))))\n"
WRONG = "def answer(prompt):\n    return '-1'\n"
SUMS = "".join(json.dumps({"question": f"What is {n} + 1?", "answer": n + 1}) + "\n" for n in range(20))
ASKED = (
    "certify",
    "function:own_bot:answer",
    "--scope",
    "file:sums.jsonl",
    "--unacceptable-limit",
    "none",
    "--concurrency",
    "1",
)
KEPT = (*ASKED, "--seed", "0", "--transcript", "run.sqlite", "--quiet")


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "sums.jsonl").write_text(SUMS)
    (tmp_path / "own_bot.py").write_text(RIGHT)


@pytest.fixture
def ran(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., CliResult]]:
    """Call `viva` within this process, which forgets the module of the function before each call."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(sys, "path", [*sys.path])

    def call(*arguments: str) -> CliResult:
        sys.modules.pop("own_bot", None)
        return viva(*arguments)

    yield call
    sys.modules.pop("own_bot", None)


def test_the_same_function_is_answered_for_by_the_record_which_is_said(ran: Callable[..., CliResult], tmp_path: Path) -> None:
    first = ran(*KEPT, "--html", "page.html")
    number = ran(*KEPT, "--json").values["figures"]["questions"]
    assert first.code == 0
    assert f"Answers: 0 from the record, {number} new\n" in first.out
    assert f"0 from the record, {number} new" in (tmp_path / "page.html").read_text()
    ran(*KEPT, "--html", "page.html")
    assert re.search(r"from the record of \d{4}-\d\d-\d\d, nothing asked", (tmp_path / "page.html").read_text())


def test_a_changed_function_is_asked_again_as_another_attempt(ran: Callable[..., CliResult], tmp_path: Path) -> None:
    assert ran(*KEPT).code == 0
    (tmp_path / "own_bot.py").write_text(WRONG)
    refused = ran(*KEPT)  # before: yesterday's verdict, and nothing said
    assert refused.code == 2
    assert "is on record with other terms: source " in refused.err
    document = ran(*KEPT, "--new-attempt", "--json").out
    again = json.loads(document)
    assert again["verdict"] == "fail"
    assert (again["candidates"][0], again["attempt"]["number"]) == ("function:own_bot:answer", 2)
    (tmp_path / "own_bot.py").write_text(RIGHT)
    assert ran(*KEPT, "--json").values["verdict"] == "pass"
    (tmp_path / "certificate.json").write_text(document)
    rechecked = ran("recheck", "certificate.json", "--transcript", "run.sqlite", "--scope", "file:sums.jsonl")
    assert rechecked.code == 0, rechecked.out + rechecked.err
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        assert [held.number for held in attempts(transcript, "function:own_bot:answer")] == [1, 2]
        named = {record.candidate for record in transcript.records(topic="certificate")}
    assert len(named) == 2
    assert all(name.startswith("function:own_bot:answer@") and len(name.rpartition("@")[2]) == 12 for name in named)


def test_an_examination_into_the_same_folder_notices_as_well(ran: Callable[..., CliResult], tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text('examinations = ["certificate"]\n\n[[certificate]]\nscope = "file:sums.jsonl"\n')
    asked = ("report", "function:own_bot:answer", "--plan", "plan.toml", "--seed", "0", "--out", "out", "--quiet")
    first = ran(*asked)
    assert first.code == 0, first.err
    assert "Answers: 0 from the record, " in first.out
    assert " from the record, 0 new" in ran(*asked).out
    assert " from the record, 0 new" in (tmp_path / "out" / "report.html").read_text()
    (tmp_path / "own_bot.py").write_text(WRONG)
    assert ran(*asked).code == 2
    again = ran(*asked, "--new-attempt")
    assert again.code == 3, again.err
    rechecked = ran("recheck", "out", "--transcript", "out/transcript.sqlite", "--scope", "file:sums.jsonl")
    assert rechecked.code == 0, rechecked.out + rechecked.err
    assert "Answers: 0 from the record, " in again.out
