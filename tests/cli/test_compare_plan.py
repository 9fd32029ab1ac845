"""`viva compare --plan`: from a plan to a table, and resumed where it stopped."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import VIVA, Viva
from tests.serving import process_of

PLAN = """\
candidates = ["bot:calculator", { candidate = "bot:calculator?wrong=0.4", name = "Sloppy" }]
scopes = ["arithmetic?digits=2", { scope = "intervals", title = "Events" }]
seed = 0
[certificate]
unacceptable_limit = "none"
questions = 100
[compare]
questions = 40
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    file = tmp_path / "plan.toml"
    file.write_text(PLAN)
    return file


def values(folder: Path | str, name: str = "comparison") -> dict[str, Any]:
    result: dict[str, Any] = json.loads((Path(folder) / f"{name}.json").read_text())
    result.pop("transcript_head")
    return result


@pytest.mark.usefixtures("plan")
def test_a_plan_becomes_a_folder_with_a_table_and_asks_nothing_twice(viva: Viva) -> None:
    first = viva("compare", "--plan", "plan.toml", "--html", "page.html", "--markdown", "page.md")
    assert (first.code, first.err.count("Traceback")) == (0, 0)
    assert "Two candidates on two scopes: 1 of 4 cells pass" in first.out
    assert "calculator > Sloppy" in first.out
    assert re.search("Answers: 0 from the record, [1-9]", first.out)
    page = Path("page.html").read_text()
    assert page.count("<svg") == 1
    assert "<h2>Tiers" in page
    assert '<p class="kind">Comparison by plan</p>' in page
    assert "sweep" not in page.lower()
    assert "Sloppy" in Path("page.md").read_text()
    result = values("comparison-plan")
    assert [cell["verdict"] for cell in result["figures"]["cells"]][:2] == ["pass", "fail"]
    head = json.loads(Path("comparison-plan/comparison.json").read_text())["transcript_head"]
    again = viva("compare", "--plan", "plan.toml", "--json")
    assert again.code == 0
    printed = again.values
    assert printed.pop("transcript_head") == head
    assert printed == result == values("comparison-plan")
    command = first.out.splitlines()[-1]
    assert command == "Recheck: viva recheck comparison-plan/comparison.json --transcript comparison-plan/transcript.sqlite"
    same = viva(*command.split()[2:])
    assert (same.code, "The same: each verdict" in same.out) == (0, True)
    text = Path("comparison-plan/comparison.json").read_text()
    Path("altered.json").write_text(text.replace('"verdict": "fail"', '"verdict": "pass"', 1))
    differs = viva("recheck", "altered.json", *command.split()[4:])
    assert (differs.code, "calculator on Events, verdict: the document says" in differs.out) == (3, True)


@pytest.mark.usefixtures("plan")
def test_a_dry_run_says_what_there_is_and_asks_nothing(viva: Viva, tmp_path: Path) -> None:
    ended = viva("compare", "--plan", "plan.toml", "--dry-run")
    assert ended.code == 0
    assert "comparison of 2 on Events" in ended.err
    assert "six cells" in ended.err
    assert len(viva("compare", "--plan", "plan.toml", "--dry-run", "--json").values["cells"]) == 6
    assert sorted(file.name for file in tmp_path.iterdir()) == ["plan.toml"]


def test_init_is_a_plan(viva: Viva) -> None:
    Path("plan.toml").write_text(viva("compare", "--init").out)
    refused = viva("compare", "--plan", "plan.toml", "--dry-run")
    assert (refused.code, "law.csv" in refused.err) == (2, True)  # the file that the example names is not there


@pytest.mark.usefixtures("plan")
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "'--plan' needs a value"),
        (("none.toml",), "none.toml"),
        (("plan.toml", "--html", "no/page.html"), "the folder 'no' does not exist"),
        (("plan.toml", "--questions", "0"), "give a whole number above 0"),
        (("plan.toml", "--out", "plan.toml"), "plan.toml"),
        (("plan.toml", "--cluster", "nowhere"), "nowhere"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_line(viva: Viva, words: tuple[str, ...], problem: str) -> None:
    ended = viva("compare", "--plan", *words)
    assert ended.code in (2, 5)
    assert problem in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.usefixtures("plan")
def test_a_changed_plan_is_another_attempt(viva: Viva) -> None:
    assert viva("compare", "--plan", "plan.toml", "--quiet").code == 0
    Path("plan.toml").write_text(PLAN.replace("questions = 100", "questions = 100\npassing_grade = 0.9"))
    refused = viva("compare", "--plan", "plan.toml", "--quiet")
    assert refused.code == 2
    assert "'--new-attempt'" in refused.err
    assert viva("compare", "--plan", "plan.toml", "--quiet", "--new-attempt").code == 0


CHAT = """\
candidates = ["chat:calculator@{server}/v1", "chat:echo@{server}/v1", "chat:calculator@http://127.0.0.1:9/v1"]
scopes = ["arithmetic?digits=2", "intervals"]
seed = 1
[certificate]
unacceptable_limit = "none"
questions = 60
[compare]
questions = 30
"""


@pytest.mark.long
def test_a_candidate_that_is_away_is_named_and_ends_nothing(tmp_path: Path) -> None:
    with process_of("tests.candidates.server") as server:
        (tmp_path / "plan.toml").write_text(CHAT.format(server=server))
        command = [sys.executable, "-m", "vivavoce", "compare", "--plan", "plan.toml", "--out", "out", "--set", "max-tries=1"]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ended.returncode == 5, ended.stderr
        result = values(tmp_path / "out")
        assert [cell["verdict"] is None for cell in result["figures"]["cells"]] == [False] * 4 + [True] * 2
        away = [entry for entry in result["figures"]["not_examined"] if entry["may_be_resumed"]]
        assert len(away) == 4
        assert all("127.0.0.1" in entry["reason"] for entry in away)
        assert "cells could not be examined now" in ended.stdout
    recheck = [str(VIVA), "recheck", "out/comparison.json", "--transcript", "out/transcript.sqlite"]
    same = subprocess.run(recheck, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert same.returncode == 0, same.stdout + same.stderr


@pytest.mark.long
def test_the_workers_of_a_cluster_find_the_same(tmp_path: Path, plan: Path, viva: Viva) -> None:
    distributed = pytest.importorskip("distributed")
    workers = {
        "n_workers": 1,
        "threads_per_worker": 1,
        "processes": True,
        "dashboard_address": "127.0.0.1:0",
        "host": "127.0.0.1",
    }
    with distributed.LocalCluster(**workers) as cluster:
        command = [
            str(VIVA),
            "compare",
            "--plan",
            plan.name,
            "--out",
            "there",
            "--quiet",
            "--cluster",
            cluster.scheduler_address,
        ]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
    assert viva("compare", "--plan", plan.name, "--out", "here", "--quiet").code == 0
    assert viva("recheck", "there/comparison.json", "--transcript", "there/transcript.sqlite").code == 0
    assert values(tmp_path / "there") == values(tmp_path / "here")
