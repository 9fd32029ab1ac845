"""`viva diff`: reports side by side."""

from __future__ import annotations

import json
import shutil
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva
from vivavoce.cli import main

PLAN = "[[certificate]]\nscope = 'arithmetic'\nunacceptable_limit = 'none'\n"
PAIRED = "[[certificate]]\nscope = 'file:sums.jsonl'\nunacceptable_limit = 'none'\npassing_grade = 0.9\n"


def report(candidate: str, plan: str, out: str) -> None:
    """The report of a candidate by this plan, in the current folder."""
    Path("plan.toml").write_text(plan)
    given = ("--only", "certificate", "--plan", "plan.toml", "--seed", "0", "--out", out, "--quiet")
    with redirect_stdout(StringIO()):
        assert main(("report", candidate, *given)) in (0, 3, 4)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reports of two bots on sums, and of two on the same 60 sums of a file, each in a folder of its own."""
    folder = tmp_path_factory.mktemp("reports")
    rows = ({"id": f"q{n}", "question": f"What is {n} + {n}?", "answer": 2 * n} for n in range(60))
    (folder / "sums.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with chdir(folder):
        for name in ("calculator", "eliza"):
            report(f"bot:{name}", PLAN, name)
        for name, candidate in (("good", "bot:calculator"), ("poor", "bot:calculator?wrong=0.6")):
            report(candidate, PAIRED, name)
    return folder


@pytest.fixture
def two(viva: Viva, made: Path) -> tuple[str, str]:
    """The two on sums, in the current folder."""
    shutil.copytree(made, Path.cwd(), dirs_exist_ok=True)
    return "calculator/report.json", "eliza/report.json"


@pytest.fixture
def paired(two: tuple[str, str]) -> tuple[str, str]:
    """The two on the same questions."""
    return "good/report.json", "poor/report.json"


def test_side_by_side(viva: Viva, two: tuple[str, str], tmp_path: Path) -> None:
    ended = viva("diff", *two, "--html", "both.html")
    assert ended.code == 0
    assert "arithmetic: mean score" in ended.out
    assert "minus the first" in ended.out
    assert "Page: both.html" in ended.out
    page = (tmp_path / "both.html").read_text()
    assert "Two reports side by side" in page
    assert len(page.encode()) < 1_000_000


def test_as_json_the_difference_is_that_of_the_values(viva: Viva, two: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "forgetful.py").write_text('def answer(prompt):\n    return "Answer: I don\'t know"\n')
    report("function:forgetful:answer", PLAN, "does-not")
    row = viva("diff", two[0], "does-not/report.json", "--json").values["figures"]["rows"][0]
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


@pytest.mark.long
def test_the_same_questions_are_compared_one_by_one(viva: Viva, paired: tuple[str, str], tmp_path: Path) -> None:
    ended = viva("diff", *paired, "--html", "both.html")
    assert ended.code == 0
    assert "is better on file:sums.jsonl" in " ".join(ended.out.split())
    assert "bot:calculator?wrong=0.6 (0.00): Answer: " in ended.out
    page = (tmp_path / "both.html").read_text()
    assert "bot:calculator better, bot:calculator?wrong=0.6 worse" in page.replace("<wbr>", "")
    [result] = viva("diff", *paired, "--json").values["figures"]["paired"]
    assert (result["claim"], result["first"], result["second"]) == ("scope", "bot:calculator?wrong=0.6", "bot:calculator")
    assert (result["delta"], result["margin"], result["second_better"] > 0) == (0.05, 0.02, True)
    assert viva("diff", *paired, "--json", "--margin", "0.1").out != viva("diff", *paired, "--json").out


@pytest.mark.long
def test_records_and_scopes_elsewhere_are_named(viva: Viva, paired: tuple[str, str], tmp_path: Path) -> None:
    here = viva("diff", *paired, "--json").values["figures"]["paired"]
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "sums.jsonl").rename("elsewhere/questions.jsonl")
    for name in ("good", "poor"):
        (tmp_path / name / "transcript.sqlite").rename(f"elsewhere/{name}.sqlite")
    plain = viva("diff", *paired, "--json").values
    assert "paired" not in plain["figures"]
    assert any("there is no transcript.sqlite next to its report: name it with --record" in entry for entry in plain["caveats"])
    records = ("--record", "elsewhere/good.sqlite", "--record", "elsewhere/poor.sqlite")
    without = viva("diff", *paired, *records, "--json").values
    assert any("give it with --scope" in entry for entry in without["caveats"])
    scope = ("--scope", "file:elsewhere/questions.jsonl")
    assert viva("diff", *paired, *records, *scope, "--json").values["figures"]["paired"] == here
    entry = viva("diff", *paired, "--record", "elsewhere/good.sqlite")
    assert (entry.code, "1 '--record' for 2 reports" in entry.err) == (2, True)
    assert viva("diff", *paired, "--record", "none.sqlite", "--record", "none.sqlite").code in (2, 5)


def test_a_record_that_was_altered_is_no_reason_to_show_nothing(viva: Viva, paired: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "poor" / "transcript.sqlite").write_bytes(b"no database")
    ended = viva("diff", *paired)
    assert (ended.code, "sums.jsonl: mean score" in ended.out, "The same questions" in ended.out) == (0, True, False)
    assert "is not compared question by question" in " ".join(ended.out.split())
