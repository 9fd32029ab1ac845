"""`viva people calibrate`, and the headlines of what rests on the judge."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva

SHOP = """
def new(text: str) -> str:
    number = int(text.split()[1].rstrip("?"))
    return f"Because of gravity ({number})." if number % 12 else f"It just does ({number})."


def old(text: str) -> str:
    number = int(text.split()[1].rstrip("?"))
    return f"Because of gravity ({number})." if number % 2 else f"No idea ({number})."


def judge(text: str) -> str:
    return f"Score: {10 if 'gravity' in text.split('<answer')[1] else 0}\\nUnacceptable: no"


def guesser(text: str) -> str:
    return f"Score: {len(text) * 7 % 11}\\nUnacceptable: no"
"""
JUDGE, GUESSER = "function:calibrated_shop:judge", "function:calibrated_shop:guesser"
CERTIFY = (
    "certify", "function:calibrated_shop:new", "--scope", "file:essays.jsonl", "--unacceptable-limit", "none", "--seed", "0",
)  # fmt: skip
DOUBT = "(too little agreement with people: α may be "


@pytest.fixture(autouse=True)
def shop(tmp_path: Path, viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates and judges, questions with a rubric, and a sheet that people graded."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "calibrated_shop", raising=False)
    (tmp_path / "calibrated_shop.py").write_text(SHOP)
    lines = (json.dumps({"id": f"e{n}", "question": f"Explain {n}?", "rubric": "10: the cause"}) for n in range(90))
    (tmp_path / "essays.jsonl").write_text("\n".join(lines))
    viva("certify", "function:calibrated_shop:old", "--scope", "file:essays.jsonl", "--unacceptable-limit", "none",
         "--transcript", "t.sqlite", "--sheet", "sheet.csv", "--set", "batch=60", "--seed", "0", "--quiet")  # fmt: skip
    with (tmp_path / "sheet.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with (tmp_path / "graded.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, list(rows[0]))
        table.writeheader()
        table.writerows(row | {"score": "1" if "gravity" in row["answer"] else "0"} for row in rows)


def test_a_judge_that_agrees_is_named_without_doubt(viva: Viva) -> None:
    ended = viva("people", "calibrate", JUDGE, "--sheet", "graded.csv", "--out", "calibration.json", "--json")
    values = ended.values
    assert (ended.code, values["verdict"], values["replies"]) == (0, "pass", 60)
    assert values["agreement"]["krippendorff_alpha"]["value"] == 1
    assert values["agreement"]["difference"]["value"] == 0
    certificate = viva(*CERTIFY, "--judge", JUDGE, "--set", "calibration=calibration.json", "--json").values
    assert f"by the judgement of {JUDGE} (these answers" in certificate["statement"]
    assert certificate["figures"]["grading"]["calibration"]["answers"] == 60
    assert "whose agreement with people on 60 answers of a sheet was α = +1.00 [" in certificate["caveats"][0]


def test_a_judge_that_does_not_is_named_in_every_headline(viva: Viva) -> None:
    ended = viva("people", "calibrate", GUESSER, "--sheet", "graded.csv", "--out", "calibration.json")
    assert ended.code == 3
    assert ended.out.startswith(f"{GUESSER} agrees too little with people: α = ")
    assert "Error: long replies minus short ones" in ended.out
    judged = ("--judge", GUESSER, "--set", "calibration=calibration.json")
    certificate = viva(*CERTIFY, *judged, "--transcript", "c.sqlite", "--json", "--html", "page.html")
    assert f"by the judgement of {GUESSER} {DOUBT}" in certificate.values["statement"]
    assert "too little agreement with people" in Path("page.html").read_text(encoding="utf-8")
    Path("certificate.json").write_text(certificate.out)
    recheck = viva("recheck", "certificate.json", "--transcript", "c.sqlite", "--scope", "file:essays.jsonl")
    assert recheck.out.startswith("● The same: "), recheck.out
    pair = ("function:calibrated_shop:new", "function:calibrated_shop:old")
    compared = viva("compare", *pair, "--scope", "file:essays.jsonl", *judged, "--seed", "0", "--json")
    assert f"(as judged by {GUESSER}; {DOUBT[1:]}" in compared.values["statement"]
    gate = viva("gate", pair[0], "--baseline", pair[1], "--scope", "file:essays.jsonl", *judged, "--seed", "0", "--quiet")
    assert f"(as judged by {GUESSER}; {DOUBT[1:]}" in gate.out
    (Path("more.jsonl")).write_text(Path("essays.jsonl").read_text().replace('"e', '"f'))
    several = viva(*CERTIFY, "--scope", "file:more.jsonl", *judged, "--json")
    assert f"by the judgement of {GUESSER} {DOUBT}" in several.values["statement"]


def test_what_is_refused(viva: Viva, refuses: Refuses) -> None:
    viva("people", "calibrate", JUDGE, "--sheet", "graded.csv", "--out", "calibration.json", "--quiet")
    refuses(*CERTIFY, "--set", "calibration=calibration.json", says="'--set calibration' needs a judge")
    other = viva(*CERTIFY, "--judge", GUESSER, "--set", "calibration=calibration.json")
    assert (other.code, "the calibration of another judge" in other.err) == (2, True)
    refuses("people", "calibrate", JUDGE, "--sheet", "essays.jsonl", says="no 'score'")
    assert viva("people", "calibrate", JUDGE, "--sheet", "sheet.csv").err.count("fill in 'score' (0 to 1)") == 1


def test_judgements_on_record_are_reused(viva: Viva) -> None:
    command = ("people", "calibrate", JUDGE, "--sheet", "graded.csv", "--transcript", "judge.sqlite", "--json")
    first = viva(*command).values
    Path("calibrated_shop.py").write_text(SHOP)
    assert viva(*command).values == first
