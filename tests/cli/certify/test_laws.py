"""`viva certify` on scopes with laws, with a candidate that contradicts itself at a known rate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva, in_full

CONTRARY = """
import re

def answer(text):
    number, dry = int(re.search(r"town (\\d+)", text)[1]), "dry" in text
    if number % 50 == 0:
        return "Answer: 0.7"
    return f"Answer: {0.3 if dry else 0.7}"
"""
"""Of 200 towns it contradicts itself about 4."""


@pytest.fixture
def contrary(tmp_path: Path) -> tuple[str, ...]:
    """The command, up to its options: 200 pairs of questions to which nobody knows the answers."""
    (tmp_path / "contrary_on_rain.py").write_text(CONTRARY)
    rows = [
        {
            "question": f"How probable is it that town {town} is {state} tomorrow?",
            "cluster": f"town {town}",
            "law": "neg",
            "category": "ab"[town % 2],
        }
        for town in range(200)
        for state in ("wet", "dry")
    ]
    (tmp_path / "rain.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return "certify", "--seed", "0", "function:contrary_on_rain:answer", "--scope", "file:rain.jsonl", "--quiet"


@pytest.mark.long
def test_every_contradiction_is_found_and_shown(viva: Viva, contrary: tuple[str, ...], tmp_path: Path) -> None:
    ended = viva(*contrary, "--set", "procedure=fixed", "--questions", "400", "--json", "--html", "page.html")
    document = ended.values
    assert ended.code == 3  # .02 is above the usual limit of .001
    assert document["figures"]["broken_laws"] == {"count": 4, "judged": 200, "unjudged": 0, "without_truth": 400}
    assert document["figures"]["unacceptable"]["rate"] == pytest.approx(0.02)
    assert document["figures"]["unacceptable"]["count"] == 8
    assert document["figures"]["score"]["mean"] == pytest.approx(0.98)
    assert {int(answer["id"].partition(" ")[2]) % 50 for answer in document["figures"]["worst"]} == {0}
    text = "is wet tomorrow?” was answered 0.7, “How probable is it that town"
    assert all(text in answer["broken_law"] for answer in document["figures"]["worst"])
    assert text in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_verdict_is_by_the_share_that_hangs_together(viva: Viva, contrary: tuple[str, ...]) -> None:
    assert viva(*contrary, "--unacceptable-limit", "0.1").code == 0
    ended = viva(*in_full(contrary))
    assert ended.code == 3
    assert "% unacceptable (shown: above " in ended.out
    assert "law: “How probable is it that town" in ended.out
    assert "Broken laws" in ended.out


def test_other_ways_of_asking_know_laws(viva: Viva, contrary: tuple[str, ...]) -> None:
    for options in (("--strata", "category"), ("--split-by", "category"), ("--scope", "arithmetic?laws=commute")):
        ended = viva(*contrary, *options, "--unacceptable-limit", "0.2", "--json")
        assert '"broken_laws"' in ended.out, options


@pytest.mark.parametrize(
    ("option", "words"),
    [(("--judge", "bot:gibberish"), "which graders do not know"), (("--explanations", "1"), "which explanations do not know")],
)
def test_graders_and_explanations_refuse_laws(
    refuses: Refuses, contrary: tuple[str, ...], option: tuple[str, ...], words: str
) -> None:
    refuses(*contrary, *option, says=words)


def test_sums_both_ways_round(viva: Viva) -> None:
    command = (
        "certify",
        "--seed",
        "0",
        "bot:calculator?wrong=0.1",
        "--scope",
        "arithmetic?laws=commute",
        "--unacceptable-limit",
    )
    document = viva(*command, "0.1", "--json").values
    assert document["verdict"] == "fail"  # one in a tenth is wrong alone, so nearly a fifth of the pairs
    assert document["figures"]["score"]["mean"] > 0.7
    assert document["figures"]["broken_laws"]["count"] > 0
    plain = viva("certify", "--seed", "0", command[3], "--scope", "arithmetic", "--unacceptable-limit", "0.1", "--json").values
    assert plain["verdict"] == "pass"
