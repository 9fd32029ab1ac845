"""`viva diff`: reports side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva


@pytest.fixture
def two(viva: Viva, tmp_path: Path) -> tuple[str, str]:
    """Dossiers of two bots on sums."""
    plan = "[[certificate]]\nscope = 'arithmetic'\nunacceptable_limit = 'none'\n"
    (tmp_path / "plan.toml").write_text(plan)
    for name in ("calculator", "eliza"):
        viva("report", f"bot:{name}", "--only", "certificate", "--plan", "plan.toml", "--out", name, "--quiet")
    return "calculator/report.json", "eliza/report.json"


def test_side_by_side(viva: Viva, two: tuple[str, str], tmp_path: Path) -> None:
    ended = viva("diff", *two, "--html", "both.html")
    assert ended.code == 0
    assert "arithmetic: mean score" in ended.out
    assert "minus the first" in ended.out
    assert "Page: both.html" in ended.out
    page = (tmp_path / "both.html").read_text()
    assert "Two reports side by side" in page
    assert len(page.encode()) < 1_000_000


def test_as_json_the_difference_is_that_of_the_values(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "forgetful.py").write_text('def answer(prompt):\n    return "Answer: I don\'t know"\n')
    plan = "[[certificate]]\nscope = 'arithmetic'\nunacceptable_limit = 'none'\n"
    (tmp_path / "plan.toml").write_text(plan)
    both = {"knows": "bot:calculator", "does-not": "function:forgetful:answer"}
    for name, candidate in both.items():
        viva("report", candidate, "--only", "certificate", "--plan", "plan.toml", "--out", name, "--quiet")
    row = viva("diff", *(f"{name}/report.json" for name in both), "--json").values["figures"]["rows"][0]
    first, other = row["figures"]
    assert (first["value"], other["value"]) == (1.0, 0.0)
    result = row["differences"][0]["difference"]
    assert result["value"] == -1.0
    assert (result["lower"], result["upper"]) == (other["lower"] - first["upper"], other["upper"] - first["lower"])


def test_one_whose_replies_cannot_be_read_is_not_compared(viva: Viva, two: tuple[str, str]) -> None:
    row = viva("diff", *two, "--json").values["figures"]["rows"][0]
    other = row["figures"][1]
    assert (other["value"], other["lower"], other["upper"]) == (None, 0.0, 1.0)
    (result,) = row["differences"]
    assert result["difference"] is None
    assert "too little evidence" in result["why_not"]


def test_of_one_there_is_nothing_to_compare(viva: Viva, two: tuple[str, str]) -> None:
    ended = viva("diff", two[0])
    assert ended.code == 0
    assert "minus the first" not in ended.out


@pytest.mark.parametrize("text", ["", "{}", "[" * 5_000, '{"dossier": 99}'])
def test_a_file_that_is_not_a_report_is_refused(refuses: Refuses, tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    refuses("diff", "x.json", says="viva: x.json: ")
    refuses("diff", "none.json", says="none.json")
    refuses("diff", "x.json", "--html", "no/folder.html", says="no")


def examined(viva: Viva, tmp_path: Path, **candidates: str) -> list[str]:
    """Dossiers on 60 sums of a file, in one order, each in a folder of its own."""
    rows = ({"id": f"q{n}", "question": f"What is {n} + {n}?", "answer": 2 * n} for n in range(60))
    (tmp_path / "sums.jsonl").write_text("\n".join(map(json.dumps, rows)))
    plan = "[[certificate]]\nscope = 'file:sums.jsonl'\nunacceptable_limit = 'none'\npassing_grade = 0.9\n"
    (tmp_path / "plan.toml").write_text(plan)
    for name, candidate in candidates.items():
        viva("report", candidate, "--only", "certificate", "--plan", "plan.toml", "--seed", "0", "--out", name, "--quiet")
    return [f"{name}/report.json" for name in candidates]


@pytest.mark.long
def test_the_same_questions_are_compared_one_by_one(viva: Viva, tmp_path: Path) -> None:
    files = examined(viva, tmp_path, good="bot:calculator", poor="bot:calculator?wrong=0.6")
    ended = viva("diff", *files, "--html", "both.html")
    assert ended.code == 0
    assert "is better on file:sums.jsonl" in " ".join(ended.out.split())
    assert "bot:calculator?wrong=0.6 (0.00): Answer: " in ended.out
    page = (tmp_path / "both.html").read_text()
    assert "bot:calculator better, bot:calculator?wrong=0.6 worse" in page.replace("<wbr>", "")
    [result] = viva("diff", *files, "--json").values["figures"]["paired"]
    assert (result["claim"], result["first"], result["second"]) == ("scope", "bot:calculator?wrong=0.6", "bot:calculator")
    assert (result["delta"], result["margin"], result["second_better"] > 0) == (0.05, 0.02, True)
    assert viva("diff", *files, "--json", "--margin", "0.1").out != viva("diff", *files, "--json").out


@pytest.mark.long
def test_records_and_scopes_elsewhere_are_named(viva: Viva, tmp_path: Path) -> None:
    files = examined(viva, tmp_path, good="bot:calculator", poor="bot:calculator?wrong=0.6")
    here = viva("diff", *files, "--json").values["figures"]["paired"]
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "sums.jsonl").rename("elsewhere/questions.jsonl")
    for name in ("good", "poor"):
        (tmp_path / name / "transcript.sqlite").rename(f"elsewhere/{name}.sqlite")
    plain = viva("diff", *files, "--json").values
    assert "paired" not in plain["figures"]
    assert any("there is no transcript.sqlite next to its report: name it with --record" in entry for entry in plain["caveats"])
    records = ("--record", "elsewhere/good.sqlite", "--record", "elsewhere/poor.sqlite")
    without = viva("diff", *files, *records, "--json").values
    assert any("give it with --scope" in entry for entry in without["caveats"])
    scope = ("--scope", "file:elsewhere/questions.jsonl")
    assert viva("diff", *files, *records, *scope, "--json").values["figures"]["paired"] == here
    entry = viva("diff", *files, "--record", "elsewhere/good.sqlite")
    assert (entry.code, "1 '--record' for 2 reports" in entry.err) == (2, True)
    assert viva("diff", *files, "--record", "none.sqlite", "--record", "none.sqlite").code in (2, 5)


def test_a_record_that_was_altered_is_no_reason_to_show_nothing(viva: Viva, tmp_path: Path) -> None:
    files = examined(viva, tmp_path, good="bot:calculator", poor="bot:calculator?wrong=0.6")
    (tmp_path / "poor" / "transcript.sqlite").write_bytes(b"no database")
    ended = viva("diff", *files)
    assert (ended.code, "sums.jsonl: mean score" in ended.out, "The same questions" in ended.out) == (0, True, False)
    assert "is not compared question by question" in " ".join(ended.out.split())
