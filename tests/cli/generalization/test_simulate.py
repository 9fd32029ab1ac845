"""`viva generalization simulate`, `combine` and `heterogeneity`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vivavoce.cli import main
from vivavoce.generalization.pairs import Pair, read_pairs, write_pairs

SMALL = ("--stages", "2", "--answers", "90", "--pool", "600", "--predictor", "previous-task", "--quiet")


def test_a_rehearsal_prints_writes_and_can_be_had_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["generalization", "simulate", *SMALL, "--out", str(tmp_path / "a.csv"), "--html", str(tmp_path / "a.html")]
    assert main([*arguments, "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert [stage["changed"]["n"] for stage in first["stages"]] == [90, 90]
    pairs = read_pairs(tmp_path / "a.csv")
    assert len(pairs) == 180
    share = sum(bool(pair.changed) for pair in pairs[:90]) / 90
    assert first["stages"][0]["changed"]["value"] == pytest.approx(share)
    assert "A survey on synthetic people" in (tmp_path / "a.html").read_text()
    assert main(arguments) == 0
    assert first["statement"] in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("wrong", [("--answers", "3"), ("--epsilon", "1"), ("--predictor", "oracle"), ("--pool", "100")])
def test_what_cannot_be_rehearsed(wrong: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generalization", "simulate", "--answers", "200", "--quiet", *wrong]) == 2
    assert capsys.readouterr().out == ""


def test_several_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pairs.csv"
    seen = [("a?", 0.8, True), ("b?", 0.8, True), ("c?", 0.2, False)]
    write_pairs(
        file,
        [Pair(q1, "x?", "s", "s", right, prior=0.5, posterior=after) for q1, after, right in seen]
        + [Pair("a?", "y?", "s", "s", True, pred=1.0)],
    )
    assert main(["generalization", "combine", str(file), "--json"]) == 0
    rows = {row["q2"]: row for row in json.loads(capsys.readouterr().out)["questions"]}
    assert rows["x?"] == {"q2": "x?", "answers": 3, "belief": pytest.approx(0.8)}  # odds 4 x 4 x 1/4
    assert rows["y?"]["belief"] == pytest.approx(0.663)  # a change for sure: the mean belief after a right answer
    assert main(["generalization", "combine", str(file)]) == 0
    assert "x?" in capsys.readouterr().out


def test_an_answer_that_several_people_saw_counts_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pairs.csv"
    seen = [("a?", 0.5, 0.8, "ann"), ("a?", 0.2, 0.5, "bob"), ("b?", 0.2, 0.2, "cem")]
    write_pairs(file, [Pair(q1, "x?", "s", "s", True, prior=one, posterior=two, person=who) for q1, one, two, who in seen])
    assert main(["generalization", "combine", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    # both moved fourfold at the first answer, the third not at all; from a mean belief of .3, odds of 3 to 7
    assert told["questions"] == [{"q2": "x?", "answers": 2, "belief": pytest.approx(12 / 19)}]
    assert "no intervals" in told["caveats"][0]


def test_several_without_beliefs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pairs.csv"
    write_pairs(file, [Pair("a?", "x?", "s", "s", True)])
    assert main(["generalization", "combine", str(file)]) == 2
    assert "needs a posterior" in capsys.readouterr().err


def test_people_of_a_rehearsal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pairs.csv"
    assert main(["generalization", "simulate", *SMALL, "--out", str(file), "--json"]) == 0
    capsys.readouterr()
    assert main(["generalization", "heterogeneity", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["sigma"]["n"], found["answers"]) == (12, 180)  # 90 answers are six people a stage
    assert main(["generalization", "heterogeneity", str(file)]) == 0
    assert "12 people" in capsys.readouterr().out


def test_people_who_are_not_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pairs.csv"
    write_pairs(file, [Pair("a?", "x?", "s", "s", True, belief_change=True)])
    assert main(["generalization", "heterogeneity", str(file)]) != 0
    assert "0 people" in capsys.readouterr().err
