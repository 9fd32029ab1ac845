"""`viva compare`: exit codes, JSON, pages, records, results, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva

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
        ((GOOD, POOR), "Missing option '--scope'"),
        ((GOOD, POOR, *PLUS, "--margin", "2"), "give a number from 0 to 1"),
        ((GOOD, POOR, *PLUS, "--margin", "1"), "margin is 1.0"),
        ((GOOD, POOR, *PLUS, "--rule", "none"), "'none' is not one of any, share"),
        ((GOOD, POOR, *PLUS, "--transcript", "a", "--record", "b"), "or a '--record' for each"),
        ((GOOD, POOR, *PLUS, "--html", "missing/page.html"), "missing"),
    ],
)
def test_mistakes_are_refused(refuses: Refuses, arguments: tuple[str, ...], problem: str) -> None:
    refuses("compare", *arguments, says=problem)
