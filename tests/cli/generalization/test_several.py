"""`viva generalization several`: draw, ask, test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.generalization.test_bayes_fit import people_say
from tests.generalization.test_cards import PAIRS
from vivavoce.cli import main
from vivavoce.generalization.cards import read_cards, write_cards
from vivavoce.generalization.pairs import write_pairs


def unmoved(text: str) -> str:
    return "Answer: 60%"


@pytest.mark.long
def test_cards_are_drawn_asked_and_tested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs, cards, said = (tmp_path / name for name in ("pairs.csv", "cards.csv", "said.csv"))
    write_pairs(pairs, PAIRS)
    drawing = ["generalization", "several", "draw", str(pairs), "--cards", "12", "--answers", "2", "--out", str(cards)]
    assert main(drawing) == 0
    assert len(read_cards(cards)) == 36
    asking = ["generalization", "several", "ask", str(cards), "--candidate", f"function:{__name__}:unmoved", "--people", "10"]
    assert main([*asking, "--out", str(said), "--quiet"]) == 0
    assert "360 cards answered, 0 not read" in capsys.readouterr().err
    assert main(["generalization", "several", "test", str(said), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    # whoever always says the same is moved by nothing, which no rule contradicts
    assert (found["weight"]["value"], found["p"], found["beliefs"]) == (None, 1.0, 360)


def test_a_departure_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "said.csv"
    write_cards(file, people_say("average", 0))
    assert main(["generalization", "several", "test", str(file)]) == 0
    assert "do not keep to Bayes' rule" in capsys.readouterr().out


def test_too_little_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "said.csv"
    write_cards(file, people_say("average", 0, cards=4))
    assert main(["generalization", "several", "test", str(file)]) != 0
    assert "4 complete cards" in capsys.readouterr().err
