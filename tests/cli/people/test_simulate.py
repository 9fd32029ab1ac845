"""`viva people simulate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vivavoce.cli import main
from vivavoce.generalization.pairs import read_pairs

SMALL = ("--stages", "2", "--answers", "90", "--pool", "600", "--predictor", "previous-task", "--quiet")


def test_a_rehearsal_prints_writes_and_can_be_had_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["people", "simulate", *SMALL, "--out", str(tmp_path / "a.csv"), "--html", str(tmp_path / "a.html")]
    assert main([*arguments, "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert [stage["changed"]["n"] for stage in first["figures"]["stages"]] == [90, 90]
    pairs = read_pairs(tmp_path / "a.csv")
    assert len(pairs) == 180
    share = sum(bool(pair.changed) for pair in pairs[:90]) / 90
    assert first["figures"]["stages"][0]["changed"]["value"] == pytest.approx(share)
    assert "Rehearsed survey" in (tmp_path / "a.html").read_text()
    assert main(arguments) == 0
    assert first["statement"] in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("wrong", [("--answers", "3"), ("--epsilon", "1"), ("--predictor", "oracle"), ("--pool", "100")])
def test_what_cannot_be_rehearsed(wrong: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["people", "simulate", "--answers", "200", "--quiet", *wrong]) == 2
    assert capsys.readouterr().out == ""
