"""`viva dossier`: dossiers side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Viva


@pytest.fixture
def two(viva: Viva, tmp_path: Path) -> tuple[str, str]:
    """Dossiers of two bots on sums."""
    plan = "[[certificate]]\nscope = 'arithmetic'\nridiculous_limit = 'none'\n"
    (tmp_path / "plan.toml").write_text(plan)
    for name in ("calculator", "eliza"):
        viva("examine", f"bot:{name}", "--only", "certificate", "--plan", "plan.toml", "--out", name, "--quiet")
    return "calculator/dossier.json", "eliza/dossier.json"


def test_side_by_side(viva: Viva, two: tuple[str, str], tmp_path: Path) -> None:
    ended = viva("dossier", *two, "--html", "both.html")
    assert ended.code == 0
    assert "arithmetic: mean score" in ended.out
    assert "minus the first" in ended.out
    assert "Page: both.html" in ended.out
    page = (tmp_path / "both.html").read_text()
    assert "2 dossiers side by side" in page
    assert len(page.encode()) < 1_000_000


def test_as_json_the_difference_is_that_of_the_values(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "forgetful.py").write_text('def answer(prompt):\n    return "Answer: I don\'t know"\n')
    plan = "[[certificate]]\nscope = 'arithmetic'\nridiculous_limit = 'none'\n"
    (tmp_path / "plan.toml").write_text(plan)
    both = {"knows": "bot:calculator", "does-not": "function:forgetful:answer"}
    for name, candidate in both.items():
        viva("examine", candidate, "--only", "certificate", "--plan", "plan.toml", "--out", name, "--quiet")
    row = json.loads(viva("dossier", *(f"{name}/dossier.json" for name in both), "--json").out)["rows"][0]
    first, other = row["figures"]
    assert (first["value"], other["value"]) == (1.0, 0.0)
    found = row["differences"][0]["difference"]
    assert found["value"] == -1.0
    assert (found["lower"], found["upper"]) == (other["lower"] - first["upper"], other["upper"] - first["lower"])


def test_one_whose_replies_cannot_be_read_is_not_compared(viva: Viva, two: tuple[str, str]) -> None:
    row = json.loads(viva("dossier", *two, "--json").out)["rows"][0]
    other = row["figures"][1]
    assert (other["value"], other["lower"], other["upper"]) == (None, 0.0, 1.0)
    (found,) = row["differences"]
    assert found["difference"] is None
    assert "too little evidence" in found["why_not"]


def test_of_one_there_is_nothing_to_compare(viva: Viva, two: tuple[str, str]) -> None:
    ended = viva("dossier", two[0])
    assert ended.code == 0
    assert "minus the first" not in ended.out


@pytest.mark.parametrize("text", ["", "{}", "[" * 5_000, '{"dossier": 99}'])
def test_what_is_no_dossier_is_refused(viva: Viva, tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    ended = viva("dossier", "x.json")
    assert ended.code == 2
    assert ended.err.startswith("viva: x.json: ")
    assert ended.err.count("\n") == 1
    assert viva("dossier", "none.json").code == 2
    assert viva("dossier", "x.json", "--html", "no/folder.html").code == 2
