"""Comparisons and gates with a judge: of functions and models, rechecked, and with a judge that counts its calls."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Refuses, Viva, wait_for_records
from tests.serving import process_of

SHOP = r"""
import re


def new(text: str) -> str:
    n = int(re.search(r"(\d+)", text)[1])
    return "Because of gravity." if "Why" in text else f"Answer: {n + 1}"


def old(text: str) -> str:
    n = int(re.search(r"(\d+)", text)[1])
    return f"It just does ({n % 5})." if "Why" in text and n % 3 else new(text)


def worst(text: str) -> str:
    n = int(re.search(r"(\d+)", text)[1])
    return f"No idea ({n % 7})." if "Why" in text else f"Answer: {n + 1 + n % 2}"


def judge(text: str) -> str:
    answer = text.split("<answer")[1]
    if "(3)" in answer:
        return "Hm."
    points = 7 if "10: short" in text else 10
    return f"Let me see.\nScore: {points if 'gravity' in answer else 0}\nUnacceptable: no"
"""
NEW, OLD, WORST, JUDGE = (f"function:shop:{name}" for name in ("new", "old", "worst", "judge"))
SCOPE = ("--scope", "file:mixed.jsonl")
JUDGED = (*SCOPE, "--judge", JUDGE)
SEEDED = ("--seed", "0")
KEPT = ("--transcript", "t.sqlite")


@pytest.fixture(autouse=True)
def shop(tmp_path: Path, viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates and a judge, and a file with 40 sums and 80 questions with a rubric."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "shop", raising=False)
    (tmp_path / "shop.py").write_text(SHOP)
    sums = [{"question": f"What is {n} + 1?", "answer": n + 1} for n in range(40)]
    why = [{"question": f"Case {n}: Why does it fall?", "rubric": "10: the cause"} for n in range(80)]
    (tmp_path / "mixed.jsonl").write_text("\n".join(map(json.dumps, (*sums, *why))))


def same(viva: Viva, document: str, *given: str) -> bool:
    ended = viva("recheck", document, *given)
    return ended.out.startswith("● The same: ") and ended.code == 0


@pytest.mark.parametrize("seed", [SEEDED, ()])
def test_a_comparison_is_judged_and_rechecked(viva: Viva, seed: tuple[str, ...]) -> None:
    ended = viva("compare", NEW, OLD, *JUDGED, *seed, *KEPT, "--json", "--html", "page.html")
    values = ended.values
    assert (ended.code, values["verdict"]) == (0, "better")
    assert f"new is better than old on file:mixed.jsonl (as judged by {JUDGE}) (these answers; " in values["statement"]
    grading = values["figures"]["grading"]
    assert (grading["judge"], grading["draws"]) == (JUDGE, 1)
    assert grading["graded_by_rule"] + grading["graded_by_judge"] == 2 * values["figures"]["questions"]
    assert values["caveats"][0].startswith(
        f"A judge graded the {grading['graded_by_judge']} answers to questions with a rubric"
    )
    assert f"on the judgement of {JUDGE}" in values["caveats"][0]
    page = Path("page.html").read_text(encoding="utf-8")
    assert f"on the judgement of {JUDGE}" in page
    assert '<th scope="row">Graded by the judge</th>' in page
    Path("x.json").write_text(ended.out)
    assert same(viva, "x.json", *KEPT, *SCOPE)
    values["figures"]["grading"]["graded_by_judge"] += 1
    Path("x.json").write_text(json.dumps(values))
    altered = viva("recheck", "x.json", *KEPT, *SCOPE)
    assert (altered.code, "grading.graded_by_judge" in altered.out) == (3, True)


def test_the_judges_unreadable_words_are_told_apart_from_replies(viva: Viva) -> None:
    ended = viva("compare", NEW, OLD, *JUDGED, *SEEDED, "--json", "--results", "rows.csv")
    values = ended.values
    unread = [entry["unread_judgements"] for entry in values["figures"]["candidates"]]
    assert [entry["unreadable"] for entry in values["figures"]["candidates"]] == [0, 0]
    assert unread[0] == 0 < unread[1] == values["figures"]["grading"]["unreadable_judgements"]
    assert any(
        f"{unread[1]} of {values['figures']['grading']['judgements']} judgements could not be read" in c
        for c in values["caveats"]
    )
    rows = list(csv.DictReader(Path("rows.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert sum(row["score"] == "" for row in rows) == unread[1]
    assert {row["outcome"] for row in rows} == {"answer"}
    assert "judge unread" in viva("compare", NEW, OLD, *JUDGED, *SEEDED).out


def test_the_quiet_line_says_who_judged(viva: Viva) -> None:
    [line] = viva("compare", NEW, OLD, *JUDGED, *SEEDED, "--quiet").out.splitlines()
    assert f"(as judged by {JUDGE})" in line
    [line] = viva("gate", OLD, "--baseline", NEW, *JUDGED, *SEEDED, "--quiet").out.splitlines()
    assert line.startswith(f"✕ Fail: old is worse than new on file:mixed.jsonl (as judged by {JUDGE}): ")


@pytest.mark.long
@pytest.mark.parametrize(("new", "old", "code", "verdict"), [(NEW, OLD, 0, "pass"), (OLD, NEW, 3, "fail")])
def test_a_gate_is_judged_and_rechecked(viva: Viva, new: str, old: str, code: int, verdict: str) -> None:
    files = ("--junit", "g.xml", "--markdown", "g.md", "--html", "g.html")
    ended = viva("gate", new, "--baseline", old, *JUDGED, *KEPT, "--json", *files)
    values = ended.values
    assert (ended.code, values["verdict"]) == (code, verdict)
    assert f"(as judged by {JUDGE})" in values["statement"]
    assert values["caveats"][0].startswith("A judge graded the ")
    for file in ("g.xml", "g.md", "g.html"):
        text = Path(file).read_text(encoding="utf-8").replace("\\", "").replace("<wbr>", "")
        assert f"as judged by {JUDGE}" in text
    Path("g.json").write_text(ended.out)
    assert same(viva, "g.json", *KEPT, *SCOPE)


def test_several_candidates_and_a_record_for_each(viva: Viva) -> None:
    records = ("--record", "a.sqlite", "--record", "b.sqlite", "--record", "c.sqlite")
    ended = viva("compare", OLD, NEW, WORST, *JUDGED, *records, "--margin", "0", "--json")
    values = ended.values
    assert values["figures"]["tiers"][0] == [NEW]
    assert f"of 3 candidates on file:mixed.jsonl (as judged by {JUDGE}) (these answers; " in values["statement"]
    Path("x.json").write_text(ended.out)
    assert same(viva, "x.json", *records, *SCOPE)
    judged = [JUDGE in viva("transcript", "show", f"{name}.sqlite").out for name in "abc"]
    assert judged == [True, False, False]  # the judge's words stand in the first record


def test_a_rubric_and_several_judgements_are_terms_of_the_attempt(viva: Viva) -> None:
    Path("all.jsonl").write_text("\n".join(json.dumps({"question": f"Why {n}?", "answer": "gravity"}) for n in range(60)))
    given = ("compare", NEW, WORST, "--scope", "file:all.jsonl", "--judge", JUDGE, "--set", "judge-samples=2", *KEPT, "--json")
    Path("words.txt").write_text("10: short")
    values = (ended := viva(*given, "--rubric", "words.txt")).values
    assert values["figures"]["candidates"][0]["score"]["value"] == pytest.approx(0.7)
    assert values["figures"]["grading"]["judgements"] == 4 * values["figures"]["questions"]
    Path("x.json").write_text(ended.out)
    assert same(viva, "x.json", *KEPT, "--scope", "file:all.jsonl", "--file", "words.txt")
    missing = viva("recheck", "x.json", *KEPT, "--scope", "file:all.jsonl")
    assert (missing.code, "the rubric with the digest" in missing.err) == (2, True)
    assert "rubric" in viva(*given, "--rubric", "10: long").err
    assert viva(*given, "--rubric", "10: long", "--new-attempt").code == 0
    Path("shop.py").write_text(SHOP.replace("else 0", "else 1"))
    del sys.modules["shop"]
    assert "judge source" in viva(*given, "--rubric", "10: long").err


def test_judges_that_do_not_fit_are_refused(refuses: Refuses) -> None:
    for given, words in (
        (("compare", NEW, OLD, *SCOPE), "has a rubric but no answer: name a judge with '--judge CANDIDATE'"),
        (("gate", NEW, "--baseline", OLD, *SCOPE), "has a rubric but no answer: name a judge with '--judge CANDIDATE'"),
        (("compare", NEW, OLD, *SCOPE, "--rubric", "10: short"), "'--rubric' needs a judge"),
        (("gate", NEW, "--baseline", OLD, *SCOPE, "--set", "judge-samples=2"), "'--set judge-samples' needs a judge"),
        (("compare", NEW, OLD, *JUDGED, "--rubric", "none.txt"), "none.txt"),
        (("compare", NEW, OLD, *SCOPE, "--judge", "shop"), "has no kind of candidate"),
        (("compare", "a.eval", "b.eval", "--judge", JUDGE), "logs of Inspect are graded by their own scorers"),
        (("gate", "a.eval", "--baseline", "b.eval", "--judge", JUDGE), "logs of Inspect are graded by their own scorers"),
        (("compare", NEW, OLD, *JUDGED, "--draws", "2", "--set", "draws-claim=vote"), "a vote counts answers that are the"),
    ):
        refuses(*given, "--quiet", says=words)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with process_of("tests.cli.support_server", "--latency", "0.02") as address:
        yield address


def asked_of(server: str) -> dict[str, list[str]]:
    with urllib.request.urlopen(f"{server}/asked", timeout=10) as response:
        result: dict[str, list[str]] = json.load(response)
    return result


@pytest.fixture
def orders(tmp_path: Path) -> tuple[str, ...]:
    rows = [{"question": f"Why is order {n} {('cold', 'late')[n % 2]}?", "rubric": "10: the shop's reason"} for n in range(90)]
    (tmp_path / "orders.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return ("--scope", "file:orders.jsonl", *SEEDED)


@pytest.mark.long
def test_models_behind_a_server_are_judged_blind_and_within_the_budget(
    viva: Viva, server: str, orders: tuple[str, ...]
) -> None:
    new, old, judge = (f"chat:{name}@{server}/v1?price_in=10&price_out=10" for name in ("support", "careless", "mumbling"))
    ended = viva("gate", old, "--baseline", new, *orders, "--judge", judge, *KEPT, "--json")
    values = ended.values
    assert (ended.code, values["verdict"]) == (3, "fail")
    judgements = values["figures"]["grading"]["judgements"]
    assert judgements == 2 * values["figures"]["questions"]
    assert [entry["unreadable"] for entry in values["figures"]["candidates"]] == [0, 0]
    assert min(entry["unread_judgements"] for entry in values["figures"]["candidates"]) > 0
    assert (
        0 < values["figures"]["grading"]["judge_tokens"] <= 2 * 10 * judgements
    )  # a further turn after each that cannot be read
    bodies = asked_of(server)["mumbling"]
    assert not any(name in body for body in bodies for name in ("support", "careless", "baseline", server))
    Path("g.json").write_text(ended.out)
    assert same(viva, "g.json", *KEPT, "--scope", "file:orders.jsonl")
    short = viva("gate", old, "--baseline", new, *orders, "--judge", judge, "--set", "tokens=300", "--json")
    told_short = short.values
    assert (short.code, told_short["verdict"]) == (4, "undecided")
    spent = (
        sum(entry["tokens"] for entry in told_short["figures"]["candidates"]) + told_short["figures"]["grading"]["judge_tokens"]
    )
    assert told_short["figures"]["grading"]["judge_tokens"] > 0
    assert spent <= 300 + 10 * 3 * 16  # what was under way may overrun it


@pytest.mark.long
def test_killed_it_goes_on_and_no_judgement_is_paid_for_twice(
    viva: Viva, viva_copy: Callable[..., subprocess.Popen[str]], server: str, orders: tuple[str, ...], tmp_path: Path
) -> None:
    new, old, judge = (f"chat:{name}@{server}/v1" for name in ("support", "careless", "judge"))
    given = ("compare", new, old, *orders, "--judge", judge, "--concurrency", "2", "--json", "--quiet")
    process = viva_copy(*given, *KEPT)
    wait_for_records(tmp_path / "t.sqlite", 20)
    process.kill()
    process.communicate()
    resumed = viva(*given, *KEPT).values
    counts = Counter(asked_of(server)["judge"])
    assert len(counts) >= resumed["figures"]["grading"]["graded_by_judge"] / 2
    assert sum(counts.values()) - len(counts) <= 2  # what was in flight at the kill
    whole = viva(*given).values
    apart = {"transcript_head", "attempt", "caveats"}
    if resumed["caveats"] == whole["caveats"]:  # else something was in flight, and counts as unknown
        assert {name: resumed[name] for name in whole.keys() - apart} == {name: whole[name] for name in whole.keys() - apart}
    assert resumed["verdict"] == whole["verdict"] == "better"


QUESTIONS = 2_000
MODULE = """
import hashlib
import re

calls, counted = 0, {}


def right(number):
    return hashlib.sha256(str(number).encode()).digest()[0] % 2 == 0


def answer(text):
    global calls
    number = int(re.findall(r"Explain (\\d+)", text)[0])
    calls += 1
    counted[number] = calls % 5 == 0
    return f"It is {'right' if right(number) else 'wrong'} ({number})."


def judge(text):
    number = int(re.findall(r"Explain (\\d+)", text)[0])
    points = int(right(number)) if counted[number] else 10
    return f"Score: {points}\\nUnacceptable: no"
"""


@pytest.fixture
def attack(viva: Viva, tmp_path: Path) -> Callable[[int], int]:
    """The exit code for a candidate that gets half of all questions right, with that judge and seed."""
    ids = range(QUESTIONS)
    lines = (json.dumps({"id": f"e{i}", "question": f"Explain {i}?", "rubric": "10: right"}) for i in ids)
    (tmp_path / "essays.jsonl").write_text("\n".join(lines))
    known: dict[str, Any] = {}
    exec(MODULE, known)
    (tmp_path / "grades.csv").write_text("id,score\n" + "".join(f"e{i},{int(known['right'](i))}\n" for i in ids))
    terms = ("--scope", "file:essays.jsonl", "--unacceptable-limit", "none", "--grades", "grades.csv", "--set", "judge-only=4")

    def examine(seed: int) -> int:
        module = f"counts_its_calls_{seed}"  # each counts from the beginning
        (tmp_path / f"{module}.py").write_text(MODULE)
        judge = ("--judge", f"function:{module}:judge", "--concurrency", "1", "--quiet", "--seed", str(seed))
        return viva("certify", "--seed", "0", f"function:{module}:answer", *terms, *judge).code

    return examine


@pytest.mark.long
def test_a_judge_that_counts_its_calls_carries_nobody(attack: Callable[[int], int]) -> None:
    # a true score of .5 against .7: where people graded exactly every fifth answer, nearly all such runs passed
    assert [attack(seed) for seed in range(2)] == [3] * 2
