"""`viva consistency bail` as a user calls it."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva
from tests.studies.bail.judges import as_csv, made_up

JUDGE = """
import re

def burden(text):
    felony = 3 * ("a felony" in text)
    return felony + sum(int(n) for n in re.findall(r"(?:convictions|charges): (\\d+)", text))

def consistent(text):
    return "[Answer] YES" if burden(text) < 5 else "[Answer] NO"

def turned(text):
    return "[Answer] NO" if burden(text) < 5 else "[Answer] YES"

def rambling(text):
    return f"It depends: {burden(text)}."
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bail_judge.py").write_text(JUDGE)
    (tmp_path / "defendants.csv").write_text(as_csv(made_up(30)))
    return tmp_path


def command(judge: str, *more: str) -> tuple[str, ...]:
    return ("consistency", "bail", f"function:bail_judge:{judge}", "--defendants", "defendants.csv", "--quiet", *more)


@pytest.mark.long
def test_a_consistent_judge_in_a_sentence(viva: Viva, folder: Path) -> None:
    ended = viva(*command("consistent", "--limit", "20"))
    assert (ended.code, ended.err) == (0, "")
    assert "contradicts itself on none of 20 defendants" in ended.out.splitlines()[-1]


@pytest.mark.long
def test_json_alone_page_and_pairs(viva: Viva, folder: Path) -> None:
    files = ("--html", "page.html", "--details", "pairs.jsonl")
    ended = viva(*command("turned", "--limit", "20", "--control", "5", "--json", *files))
    document = ended.values
    assert (ended.code, sorted(ended.err.splitlines())) == (0, ["Page: page.html", "Pairs: pairs.jsonl"])
    assert (document["kind"], document["details"]["in_file"], document["details"]["chosen"]) == ("bail", 30, 20)
    rates = document["figures"]["treatments"][0]["rates"]
    assert rates["contradicted"]["n"] == 20
    again = document["figures"]["control"][0]["rates"]["contradicted"]
    assert (again["events"], again["n"]) == (0, 5)
    assert (again["lower"], again["upper"]) == pytest.approx((0, 1 - 0.025 ** (1 / 5)))
    pairs = [json.loads(line) for line in (folder / "pairs.jsonl").read_text().splitlines()]
    assert len(pairs) == rates["pairs_contradicted"]["n"]
    # the reversed judge is wrong if decisions differ; pairs are in the order of defendants, milder records first
    assert sum(pair["violation"] for pair in pairs) == rates["pairs_contradicted"]["events"] > 0
    assert all(pair["violation"] is (pair["decision"] != pair["changed_decision"]) for pair in pairs)
    order = [(pair["defendant"], pair["direction"]) for pair in pairs]
    assert (
        list(dict.fromkeys(name for name, _ in order)) == [name for name, direction in order if direction == "more severe"][::5]
    )
    assert "contradicts itself" in (folder / "page.html").read_text(encoding="utf-8")


def test_every_pair_says_what_was_changed(viva: Viva, folder: Path) -> None:
    assert viva(*command("consistent", "--limit", "10", "--keep-charge", "--details", "pairs.jsonl")).code == 0
    for line in (folder / "pairs.jsonl").read_text().splitlines():
        pair = json.loads(line)
        differing = {name for name in pair["record"] if pair["record"][name] != pair["changed_record"][name]}
        names = {"prior convictions": "priors", "juvenile felonies": "juvenile_felonies"}
        assert {names.get(feature, "juvenile_misdemeanours") for feature in pair["changed"]} == differing


def test_no_two_decisions_are_no_conclusion(viva: Viva, folder: Path) -> None:
    ended = viva(*command("rambling", "--limit", "3", "--control", "0", "--json"))
    document = ended.values
    assert ended.code == 4
    assert document["figures"]["treatments"][0]["rates"]["contradicted"]["least"] is None
    assert set(document["figures"]["replies"]) == {"no decision"}
    assert document["figures"]["replies"]["no decision"] > 10


@pytest.mark.long
def test_a_file_with_fewer_defendants_is_said(viva: Viva, folder: Path) -> None:
    ended = viva(*(part for part in command("consistent") if part != "--quiet"))
    assert ended.code == 0
    assert "viva: the file has only 30 defendants, not 200" in ended.err


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (("--defendants", "missing.csv"), "'missing.csv' for '--defendants' does not exist"),
        (("--defendants", "bail_judge.py"), "no column id"),
        (("--details", "nowhere/pairs.jsonl"), "the folder 'nowhere' does not exist"),
        (("--details", "defendants.csv"), "already uses that file"),
        (("--temperature", "hot"), "'hot' is out of range"),
    ],
)
def test_mistakes_are_refused(refuses: Refuses, folder: Path, more: tuple[str, ...], problem: str) -> None:
    refuses(*command("consistent", *more), says=problem)


def test_a_budget_that_runs_out_is_said(viva: Viva, folder: Path) -> None:
    (folder / "costly.py").write_text(
        "from vivavoce.interview.candidate import Prompt, Reply, Usage\n"
        "def judge(prompt: Prompt) -> Reply:\n    return Reply('[Answer] NO', Usage(100, 10))\n"
    )
    arguments = ("consistency", "bail", "function:costly:judge", "--defendants", "defendants.csv", "--quiet", "--json")
    document = viva(*arguments, "--set", "tokens=5000").values
    assert 0 < document["figures"]["not_reached"] < 30
    assert any(re.match(r"The budget ran out before \d+ defendants were finished", caveat) for caveat in document["caveats"])
