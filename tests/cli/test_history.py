"""`--history`: from the command line to the finding, its record, and its recheck."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva

SIZE = 240
CERTIFY = ("certify", "--scope", "file:q.jsonl", "--passing-grade", "0.5", "--quiet", "--json", "--seed", "1")
ME = "replay:all.csv#me"


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Questions, and the answers of some candidates that find the same ones hard."""
    rows = [{"id": f"q{n}", "question": f"What is {n} + {n}?", "answer": 2 * n} for n in range(SIZE)]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
    lines = ["id,me,big,small"]
    for n in range(SIZE):
        hard = n * 37 % 100
        numbers = [2 * n if hard < able else 2 * n + 1 for able in (58, 70, 50)]
        lines.append(",".join(map(str, [f"q{n}", *numbers])))
    (tmp_path / "all.csv").write_text("\n".join(lines))
    return tmp_path


@pytest.mark.long
def test_fewer_questions_from_a_table_a_transcript_and_results(viva: Viva, recorded: Path) -> None:
    plain = viva(*CERTIFY, ME).values
    others = ("--history", "all.csv#big", "--history", "all.csv#small")
    by_table = viva(*CERTIFY, ME, *others).values
    assert (plain["verdict"], by_table["verdict"]) == ("pass", "pass")
    assert by_table["figures"]["questions"] < 0.8 * plain["figures"]["questions"]
    assert (by_table["figures"]["history"]["others"], by_table["figures"]["history"]["candidate_among_others"]) == (2, False)
    assert viva(*CERTIFY, ME, "--history", "all.csv").values["figures"]["history"]["candidate_among_others"] is True
    every = ("--set", "procedure=fixed", "--questions", str(SIZE), "--transcript", "big.sqlite", "--results", "big.csv")
    assert viva(*CERTIFY, "replay:all.csv#big", *every).code == 0
    for file in ("big.sqlite", "big.csv"):
        values = viva(*CERTIFY, ME, "--history", file).values
        assert values["figures"]["history"]["questions_known"] == SIZE
        assert values["figures"]["questions"] < plain["figures"]["questions"]


@pytest.mark.long
def test_it_is_on_record_and_rechecked_from_there(viva: Viva, recorded: Path) -> None:
    command = (*CERTIFY, ME, "--history", "all.csv#big", "--transcript", "run.sqlite")
    first = viva(*command)
    (recorded / "certificate.json").write_text(first.out)
    assert viva(*command).values["figures"]["path"] == first.values["figures"]["path"]
    other = viva(*CERTIFY, ME, "--history", "all.csv#small", "--transcript", "run.sqlite")
    assert other.code == 2
    assert "with other terms: history" in other.err
    (recorded / "all.csv").unlink()
    same = viva("recheck", "certificate.json", "--transcript", "run.sqlite", "--scope", "file:q.jsonl")
    assert same.code == 0, same.out + same.err
    altered = first.values
    altered["figures"]["history"]["belief"] = 0.5
    (recorded / "certificate.json").write_text(json.dumps(altered))
    assert viva("recheck", "certificate.json", "--transcript", "run.sqlite", "--scope", "file:q.jsonl").code == 3


@pytest.mark.usefixtures("recorded")
def test_earlier_results_that_do_not_fit_are_refused(refuses: Refuses) -> None:
    for given, words in (
        (("--history", "none.csv"), "none.csv"),
        (("--history", "all.csv#huge"), "no column"),
        (("--history", "all.csv", "--strata", "category"), "leave out --history"),
        (("--history", "all.csv", "--set", "procedure=fixed", "--questions", "9"), "looks once"),
    ):
        refuses(*CERTIFY, ME, *given, says=words)
    endless = ("certify", "bot:calculator", "--scope", "arithmetic")
    refuses(*endless, "--history", "all.csv", "--quiet", says="needs a list of questions")


@pytest.mark.usefixtures("recorded")
def test_a_page_tells_of_it(viva: Viva) -> None:
    words = tuple(word for word in CERTIFY if word not in ("--json", "--quiet"))
    ended = viva(*words, ME, "--history", "all.csv", "--html", "page.html")
    assert ended.code == 0
    page = Path("page.html").read_text()
    assert "Known from others" in page
    assert "itself is among the others" in page


def test_a_gate_with_a_history_is_rechecked_from_its_record(viva: Viva, recorded: Path) -> None:
    gate = ("gate", ME, "--baseline", "replay:all.csv#small", "--scope", "file:q.jsonl", "--quiet", "--json", "--seed", "1")
    plain = viva(*gate).values
    known = viva(*gate, "--history", "all.csv#small", "--transcript", "run.sqlite")
    assert known.values["figures"]["history"]["candidate_among_others"] is True
    assert known.values["verdict"] == plain["verdict"] == "pass"
    (recorded / "gate.json").write_text(known.out)
    given = ("--transcript", "run.sqlite", "--scope", "file:q.jsonl")
    same = viva("recheck", "gate.json", *given)
    assert same.code == 0, same.out + same.err
