"""`viva diff`: reports side by side."""

from __future__ import annotations

import shutil
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva
from vivavoce.cli import main

PLAN = "[[certificate]]\nscope = 'arithmetic'\nunacceptable_limit = 'none'\n"


def report(candidate: str, plan: str, out: str) -> None:
    """The report of a candidate by this plan, in the current folder."""
    Path("plan.toml").write_text(plan)
    given = ("--only", "certificate", "--plan", "plan.toml", "--seed", "0", "--out", out, "--quiet")
    with redirect_stdout(StringIO()):
        assert main(("report", candidate, *given)) in (0, 3, 4)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reports of two bots on sums, each in a folder of its own."""
    folder = tmp_path_factory.mktemp("reports")
    with chdir(folder):
        for name in ("calculator", "eliza"):
            report(f"bot:{name}", PLAN, name)
    return folder


@pytest.fixture
def two(viva: Viva, made: Path) -> tuple[str, str]:
    """The two on sums, in the current folder."""
    shutil.copytree(made, Path.cwd(), dirs_exist_ok=True)
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
