"""`viva consistency vary --law`: a law of one's own between a question and its variants."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva

TAILOR = '''\
def answer(text):
    """Two more where somebody says who asks; nothing about a chair as it is."""
    if "chair" in text and "my question" not in text:
        return "It depends."
    return f"Answer: {(150 if 'table' in text else 200) + 2 * ('my question' in text)}"
'''
RUN = (
    "consistency",
    "vary",
    "function:tailor_of_ours:answer",
    "--scope",
    "file:lengths.jsonl",
    "--vary",
    "persona",
    "--variants",
    "2",
)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "tailor_of_ours.py").write_text(TAILOR)
    rows = [
        {"id": name, "question": f"About how many cm long is a {name}?", "answer": 150} for name in ("table", "bed", "chair")
    ]
    (tmp_path / "lengths.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize(
    ("law", "flipped", "unknown"),
    [
        ("same", 2, 1),  # two more is another answer; of the chair as it is nothing is known
        ("same within 2", 0, 1),
        ("same within 1.5", 2, 1),
        ("at most", 0, 1),
        ("at least", 2, 1),
        ("at least within 2", 0, 1),
    ],
)
def test_what_breaks_the_law_is_another_answer(viva: Viva, law: str, flipped: int, unknown: int) -> None:
    ended = viva(*RUN, "--law", law, "--flip-limit", "0.9", "--json", "--quiet")
    document = ended.values
    rate = document["figures"]["treatments"][0]["rates"]["flipped"]
    assert (rate["events"], rate["unknown"], rate["n"]) == (flipped, unknown, 3)
    assert document["figures"]["control"][0]["rates"]["flipped"]["events"] == 0
    assert document["details"]["law"] == law
    assert any("breaks the law" in caveat for caveat in document["caveats"]) == (law != "same")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("--law", "different"), "cannot bind a question and its variants"),
        (("--law", "P, ~P"), "cannot bind a question and its variants"),
        (("--law", "sum"), "needs at least 3 answers"),
        (("--law", "sane"), "did you mean 'same'"),
        (("--law", "same within -1"), "give a number from 0 on"),
        (("--law", "at most", "--scope", "file:lettered.csv"), "but the answer to question '1' is not a number"),
    ],
)
def test_a_law_that_cannot_bind_variants_is_refused(refuses: Refuses, given: tuple[str, ...], problem: str) -> None:
    Path("lettered.csv").write_text("question,options,answer\nWhich?,one|two,A\n")
    refuses(*RUN, *given, says=problem)


def test_a_plan_has_it_and_the_dossier_is_rechecked(viva: Viva) -> None:
    Path("plan.toml").write_text(
        'examinations = ["vary"]\n[vary]\nscope = "file:lengths.jsonl"\nvary = ["persona"]\nlaw = "same within 2"\n'
    )
    run = ("report", "function:tailor_of_ours:answer", "--plan", "plan.toml", "--out", "out", "--quiet")
    assert viva(*run).code == 0
    [card] = json.loads(Path("out/report.json").read_text())["cards"]
    assert card["details"]["details"]["law"] == "same within 2"
    assert "--law 'same within 2'" in card["command"]
    again = ("recheck", "out", "--transcript", "out/transcript.sqlite", "--scope", "file:lengths.jsonl")
    assert viva(*again).code == 0
