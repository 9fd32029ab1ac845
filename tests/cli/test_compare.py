"""`viva compare`, also by a plan: exit codes, JSON, pages, records, results, and what is refused."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import VIVA, Refuses, Viva
from tests.serving import process_of

GOOD, POOR = "bot:calculator", "bot:calculator?wrong=0.3"
PLUS = ("--scope", "arithmetic?operations=+", "--seed", "0")


def test_json_of_two(viva: Viva) -> None:
    ended = viva("compare", GOOD, POOR, *PLUS, "--json")
    document = ended.values
    assert (ended.code, ended.err) == (0, "")
    assert (document["verdict"], document["candidates"]) == ("better", [GOOD, POOR])
    assert (document["figures"]["first"], document["figures"]["second"]) == (GOOD, POOR)
    assert {"questions", "difference", "delta", "discordant"} <= document["figures"].keys()
    assert set(document["figures"]["difference"]) == {"mean", "lower", "upper"}
    assert (
        0
        <= document["figures"]["difference"]["lower"]
        < document["figures"]["difference"]["mean"]
        < document["figures"]["difference"]["upper"]
    )
    assert (document["figures"]["delta"], document["seed"], document["figures"]["margin"]) == (0.05, 0, 0.02)
    assert {entry["better"] for entry in document["figures"]["discordant"]} == {GOOD}
    assert len(document["figures"]["discordant"]) == document["figures"]["first_better"]
    assert "pairs" not in document["figures"]


def test_json_of_several_has_pairs_and_tiers(viva: Viva) -> None:
    ended = viva("compare", "bot:gibberish", POOR, GOOD, *PLUS, "--set", "unreadable=wrong", "--json", "--html", "page.html")
    document = ended.values
    assert ended.code == 0
    assert document["figures"]["tiers"] == [[GOOD], [POOR], ["bot:gibberish"]]
    assert [pair["verdict"] for pair in document["figures"]["pairs"]] == ["worse", "worse", "worse"]
    assert [entry["places"] for entry in document["figures"]["candidates"]] == [[3, 3], [2, 2], [1, 1]]
    page = Path("page.html").read_text(encoding="utf-8")
    assert "3 of 3 differences are significant" in page
    assert page.count("<svg") == 1


def test_the_terminal_shows_discordant_questions_and_ends_with_the_sentence(viva: Viva) -> None:
    ended = viva("compare", GOOD, POOR, *PLUS)
    assert "calculator better, calculator?wrong=0.3 worse" in " ".join(ended.out.split())
    assert "is better than" in ended.out.splitlines()[-1]
    quiet = viva("compare", GOOD, POOR, *PLUS, "--quiet")
    assert len(quiet.out.splitlines()) == 1


@pytest.fixture
def weighted(viva: Viva) -> tuple[str, ...]:
    """Two recordings on 40 questions: the first is right on the 20 that weigh 4, the second on the 20 that weigh 1."""
    rows = [f"{n},Say it.,yes,{4 if n < 20 else 1},{'x' if n % 4 else 'y'}" for n in range(40)]
    Path("weighted.csv").write_text("\n".join(["id,question,answer,weight,category", *rows]), encoding="utf-8")
    texts = [f"{n},{'yes' if n < 20 else 'no'},{'no' if n < 20 else 'yes'}" for n in range(40)]
    Path("said.csv").write_text("\n".join(["id,heavy,light", *texts]), encoding="utf-8")
    return "replay:said.csv#heavy", "replay:said.csv#light", "--scope", "file:weighted.csv", "--seed", "0"


@pytest.mark.parametrize("drawing", [("--set", "importance-weighting"), ("--strata", "category")])
def test_weights_count_and_categories_in_proportion(viva: Viva, weighted: tuple[str, ...], drawing: tuple[str, str]) -> None:
    ended = viva("compare", *weighted, *drawing, "--margin", "0", "--json")
    document = ended.values
    assert (ended.code, document["verdict"]) == (0, "better")
    assert document["figures"]["drawing"] == ("strata" if "--strata" in drawing else "weights")
    assert document["figures"]["difference"]["lower"] <= 0.6 <= document["figures"]["difference"]["upper"]
    gated = viva("gate", weighted[1], "--baseline", weighted[0], *weighted[2:], *drawing, "--json")
    assert (gated.code, gated.values["figures"]["drawing"]) == (3, document["figures"]["drawing"])
    assert ("largest_weight" in document["figures"]) == ("--set" in drawing)


def test_ways_to_draw_that_do_not_go_together_are_refused(refuses: Refuses, weighted: tuple[str, ...]) -> None:
    refuses(
        "compare",
        *weighted,
        "--strata",
        "category",
        "--set",
        "importance-weighting",
        says="leave out '--set importance-weighting'",
    )
    refuses("gate", GOOD, "--baseline", POOR, *PLUS, "--set", "importance-weighting", says="an endless scope has no weights")


def test_too_few_questions_are_no_conclusion(viva: Viva) -> None:
    ended = viva("compare", GOOD, "bot:calculator?wrong=0.1", *PLUS, "--questions", "5")
    assert ended.code == 4
    assert "Undecided" in ended.out
    assert "more questions" in ended.out


def test_a_record_and_results(viva: Viva) -> None:
    first = viva("compare", GOOD, POOR, *PLUS, "--transcript", "run.sqlite", "--results", "rows.csv", "--json")
    again = viva("compare", GOOD, POOR, *PLUS, "--transcript", "run.sqlite", "--results", "again.csv", "--json")
    kept = [json.loads(entry.out) for entry in (first, again)]
    assert kept[0]["verdict"] == kept[1]["verdict"]
    assert all(entry["transcript_head"] for entry in kept)
    assert Path("rows.csv").read_bytes() == Path("again.csv").read_bytes()
    rows = list(csv.DictReader(Path("rows.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert {row["candidate"] for row in rows} == {GOOD, POOR}
    assert len(rows) == 2 * kept[0]["figures"]["questions"]
    assert {row["score"] for row in rows} == {"1.0", "0.0"}


def test_a_record_for_each(viva: Viva) -> None:
    ended = viva("compare", GOOD, POOR, *PLUS, "--record", "a.sqlite", "--record", "b.sqlite", "--quiet")
    assert ended.code == 0
    shown = viva("transcript", "show", "b.sqlite")
    assert POOR in shown.out
    assert viva("compare", GOOD, POOR, *PLUS, "--record", "a.sqlite").code == 2


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((GOOD, *PLUS), "two candidates or more"),
        ((GOOD, GOOD, *PLUS), "is given twice"),
        ((GOOD, POOR, *PLUS, "--margin", "1"), "margin is 1.0"),
        ((GOOD, POOR, *PLUS, "--rule", "none"), "'none' is not one of any, share"),
        ((GOOD, POOR, *PLUS, "--transcript", "a", "--record", "b"), "or a '--record' for each"),
    ],
)
def test_mistakes_are_refused(refuses: Refuses, arguments: tuple[str, ...], problem: str) -> None:
    refuses("compare", *arguments, says=problem)


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
    for differs in ("transcript_head", "run"):  # on a cluster the head is in `run`
        result.pop(differs, None)
    return result


@pytest.mark.long
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


@pytest.mark.long
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
