"""`--set also-unacceptable`: a list of unacceptable answers that is extended after answers were seen."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Viva

PUPIL = """
ASKED = []

def answer(text):
    number = int(text.split()[2])
    return f"Answer: {number * 7 if number % 10 else -1}"
"""


def prepared(folder: Path) -> list[str]:
    rows = [json.dumps({"id": f"q{n}", "question": f"What is {n} * 7?", "answer": n * 7}) for n in range(1, 401)]
    (folder / "q.jsonl").write_text("\n".join(rows))
    (folder / "sevens_pupil.py").write_text(PUPIL)
    (folder / "more.jsonl").write_text('{"unacceptable": [-1]}')
    return ["certify", "function:sevens_pupil:answer", "--scope", "file:q.jsonl", "--transcript", "t.sqlite", "--json"]


@pytest.mark.long
def test_from_the_first_verdict_to_the_recheck_of_the_second(tmp_path: Path, viva: Viva) -> None:
    asked = prepared(tmp_path)
    extended = [*asked, "--unacceptable-limit", "0.05", "--set", "also-unacceptable=more.jsonl"]
    first = viva(*asked, "--unacceptable-limit", "none")
    assert first.code == 0
    refused = viva(*extended)
    assert refused.code == 2
    assert "--new-attempt" in refused.err
    assert re.search(r"unacceptable answers none, now [0-9a-f]{12};", refused.err), refused.err
    second = viva(*extended, "--new-attempt")
    assert second.code == 3, "a tenth of the answers is -1"
    result = second.values
    before = first.values["figures"]["questions"]
    [earlier] = result["figures"]["extension"]["rescored"]
    assert (earlier["attempt"], earlier["answers"], earlier["unacceptable_before"]) == (1, before, 0)
    assert earlier["unacceptable_after"] <= before
    assert result["attempt"]["number"] == 2
    assert result["attempt"]["others"][0]["verdict"] == "pass"
    assert any("decide nothing" in entry for entry in result["caveats"])
    again = viva(*extended).values
    same = ("questions", "extension", "unacceptable", "path")
    assert again["verdict"] == result["verdict"]
    assert [again["figures"][name] for name in same] == [result["figures"][name] for name in same]
    (tmp_path / "c.json").write_text(second.out)
    (tmp_path / "first.json").write_text(first.out)
    for document in ("c.json", "first.json"):
        rechecked = viva("recheck", document, "--transcript", "t.sqlite", "--scope", "file:q.jsonl")
        assert rechecked.code == 0, rechecked.out


def test_a_seed_that_was_drawn_from_is_refused(tmp_path: Path, viva: Viva) -> None:
    asked = [*prepared(tmp_path), "--unacceptable-limit", "0.05"]
    assert viva(*asked, "--seed", "7", "--questions", "20").code == 4
    refused = viva(*asked, "--seed", "7", "--set", "also-unacceptable=more.jsonl", "--new-attempt")
    assert refused.code == 2
    assert "seed 7" in refused.err


@pytest.mark.parametrize(
    "other",
    [["--scope", "arithmetic"], ["--deployed"], ["--judge", "bot:eliza"], ["--explanations", "1"], ["--draws", "1"]],
    ids=lambda entry: entry[0],
)
def test_what_an_extension_does_not_go_with(other: list[str], tmp_path: Path, viva: Viva) -> None:
    asked = [*prepared(tmp_path), "--set", "also-unacceptable=more.jsonl"]
    assert viva(*asked, *other).code == 2


def test_a_list_made_after_looking_says_nothing_of_probabilities(tmp_path: Path, viva: Viva) -> None:
    asked = [*prepared(tmp_path), "--draws", "1", "--unacceptable-limit", "0.05"]
    assert viva(*asked, "--questions", "20", "--quiet").code == 4
    refused = viva(*asked, "--set", "also-unacceptable=more.jsonl", "--new-attempt")
    assert refused.code == 2
    assert "write the list into the file of questions, which is then asked again" in refused.err
    assert not refused.out
