"""Plans of `viva report` with several answers to each question, and with what others answered."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Viva
from vivavoce.errors import BadFile
from vivavoce.examination.plan_file import digest_of_plan, plan_of, values_of

PUPIL = r"""
from collections import Counter

ASKED = Counter()


def answer(text: str) -> str:
    ASKED[text] += 1
    number = int(text.split()[2])
    return f"Answer: {number + 1 + (ASKED[text] % 10 == number % 10)}"
"""
BOT = "function:pupil:answer"
SECTION = "[[certificate]]\nscope = 'file:sums.jsonl'\nunacceptable_limit = 'none'\n"


@pytest.fixture(autouse=True)
def pupil(tmp_path: Path, viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who errs once in ten times; sums, and who else was asked them."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "pupil", raising=False)
    (tmp_path / "pupil.py").write_text(PUPIL)
    (tmp_path / "sums.jsonl").write_text(
        "\n".join(json.dumps({"id": f"q{n}", "question": f"What is {n} + 1?", "answer": n + 1}) for n in range(120))
    )
    (tmp_path / "others.csv").write_text("id,other\n" + "".join(f"q{n},{n + 1 + (n % 4 == 0)}\n" for n in range(120)))


def examined(viva: Viva, tmp_path: Path, more: str, *options: str) -> dict[str, Any]:
    (tmp_path / "plan.toml").write_text(SECTION + more)
    ended = viva("report", BOT, "--plan", "plan.toml", "--only", "certificate", "--seed", "0", "--out", "out", *options)
    assert ended.code in (0, 3, 4), ended.err
    result: dict[str, Any] = json.loads((tmp_path / "out" / "report.json").read_text())
    files = ("--scope", "file:sums.jsonl", "--file", "others.csv")
    again = viva("recheck", "out", "--transcript", "out/transcript.sqlite", *files)
    assert again.out.startswith("● The same: "), again
    return result


def test_several_answers_to_each_question(viva: Viva, tmp_path: Path) -> None:
    [card] = examined(viva, tmp_path, "draws = 4\ndraws_claim = 'all-right'\nquestions = 60\n")["cards"]
    draws = card["details"]["figures"]["draws"]
    assert (draws["number"], draws["claim"], draws["answers"]) == (4, "all-right", 4 * card["details"]["figures"]["questions"])
    assert "--set draws-claim=all-right --draws 4" in card["command"]


def test_what_others_answered(viva: Viva, tmp_path: Path) -> None:
    [card] = examined(viva, tmp_path, "history = ['others.csv']\n")["cards"]
    assert card["details"]["figures"]["history"]["others"] == 1
    assert "--history others.csv" in card["command"]


def test_each_stands_by_itself_beside_others(viva: Viva, tmp_path: Path) -> None:
    more = "draws = 2\nquestions = 30\n[[certificate]]\nscope = 'arithmetic?operations=+'\n"
    more += "unacceptable_limit = 'none'\nquestions = 30\n"
    (tmp_path / "plan.toml").write_text(SECTION + more)
    ahead = viva("report", BOT, "--plan", "plan.toml", "--only", "certificate", "--dry-run")
    assert "~90" in ahead.err  # 30 sums twice, and 30 others once


def test_what_is_missing_changes_no_digest_and_what_is_there_does() -> None:
    plain = plan_of("[[certificate]]\nscope = 'arithmetic'")
    digests = {
        digest_of_plan(plan_of(f"[[certificate]]\nscope = 'arithmetic'\n{more}"))
        for more in ("", "draws = 2", "draws = 3", "draws = 3\ndraws_claim = 'all-right'", "history = ['a.csv']")
    }
    assert len(digests) == 5
    [section] = values_of(plain)["certificate"]
    assert {name for name, value in section.items() if value is not None} == {
        "scope", "passing_grade", "unacceptable_limit", "delta", "questions"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("draws = 0", "greater than or equal to 1"),
        ("draws_claim = 'mean'", "give '--draws N'"),
        ("draws = 2\ndraws_claim = 'share'", "needs '--set reliability=R'"),
        ("draws = 2\nhistory = ['a.csv']", "leave out one of them"),
        ("history = []", "at least 1 item"),
    ],
)
def test_what_cannot_be_meant_is_refused(more: str, reason: str) -> None:
    with pytest.raises(BadFile, match=reason):
        plan_of(f"[[certificate]]\nscope = 'arithmetic'\n{more}")
