"""`viva people align` and `deploy` as a user calls them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Refuses, Viva
from tests.generalization.alignment.aligned import world
from vivavoce.generalization.pairs import BeliefPair, write_pairs

DATA = Path(os.environ.get("VIVA_DATA", "")) / "human_generalization"
FILES = ("--pairs", "right.csv", "wrong.csv", "--answers", "answers.csv")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Forty pairs in two files, after right and after wrong answers, and the answers of two models."""
    pairs, grades = world(40, np.random.default_rng(2), skills={"good": 0.8, "lab/fair": 0.5})
    for name, after in (("right.csv", True), ("wrong.csv", False)):
        write_pairs(tmp_path / name, [pair for pair in pairs if pair.previous_correct == after])
    lines = [
        f"{question},{int(grades['good'][question] or 0)},{int(grades['lab/fair'][question] or 0)}"
        for question in grades["good"]
    ]
    (tmp_path / "answers.csv").write_text("\n".join(["prompt,good,lab/fair", *lines]) + "\n")
    scope = [{"id": f"s{n}", "question": f"second {n}", "answer": str(n), "weight": 3} for n in range(39)]
    (tmp_path / "scope.jsonl").write_text("".join(json.dumps(row) + "\n" for row in scope))
    return tmp_path


def test_json_stands_alone_and_files_may_follow_each_other(viva: Viva, files: Path) -> None:
    ended = viva("people", "align", *FILES, "--thresholds", ".5,0.98", "--rule", "top:.5", "--json", "--html", "p.html")
    assert ended.code == 0
    document = ended.values
    assert list(document["figures"]["models"]["lab/fair"]["accuracy"]) == ["0.5", "0.98"]
    assert document["figures"]["models"]["good"]["pairs"] == document["figures"]["pairs"] == 40
    assert list(document["figures"]["models"]["good"]["deployment"]) == ["top:0.5"]
    assert "Page: p.html" in ended.err
    page = Path("p.html").read_text()
    assert "<h1>" in page
    assert "lab/<wbr>fair" in page
    again = viva("people", "align", "--pairs", "right.csv", "--pairs", "wrong.csv", *FILES[3:], "--rule", "top:.5",
                 "--thresholds", ".98,.5", "--json", "--quiet")  # fmt: skip
    assert again.values == document


def test_words_in_the_terminal(viva: Viva, files: Path) -> None:
    ended = viva("people", "align", *FILES, "--model", "good", "--prior", ".5", "--after-right", ".9", "--after-wrong", "0")
    assert ended.code == 0
    assert "People's beliefs fit good with a weighted accuracy of 0." in ended.out
    averages = "three averages, as given. The averages are 0.500 before, 0.900 after a right answer and 0.000"
    assert averages in " ".join(ended.out.split())
    assert "lab/fair" not in ended.out


def test_what_people_would_use_it_for_is_a_scope(viva: Viva, files: Path) -> None:
    ended = viva("people", "deploy", *FILES, "--model", "good", "--rule", "proportional", "--scope", "file:scope.jsonl",
                 "--out", "used.jsonl")  # fmt: skip
    assert ended.code == 0
    assert (
        "39 questions that people would use good for by proportional, an effective sample size of 39: used.jsonl" in ended.out
    )
    assert "1 questions are left out: their right answers are unknown" in ended.err
    rows = [json.loads(line) for line in Path("used.jsonl").read_text().splitlines()]
    # `after_right` .663 and `after_wrong` .551 of a chance of a change each: weights are around 1, most believed first
    assert all(0.85 < row["weight"] < 1.15 for row in rows)
    assert [row["weight"] for row in rows] == sorted((row["weight"] for row in rows), reverse=True)
    assert rows[0]["answer"] == [rows[0]["id"][1:]]
    verdict = viva(
        "certify", "--seed", "0", "bot:gibberish", "--scope", "file:used.jsonl", "-q", "--json", "--set", "unreadable=wrong"
    )
    assert verdict.code == 3
    assert verdict.values["verdict"] == "fail"


def test_right_answers_may_stand_beside_the_pairs(viva: Viva, files: Path) -> None:
    Path("own.csv").write_text(
        "q1,q2,source1,source2,previous_correct,posterior,answer2\n"
        "q,<b>Which?<br></b>(A) this<br>(B) that,t,t,1,0.9,B\n"
        "q,And?,t,t,1,0.2,7\n"
    )
    Path("graded.csv").write_text("prompt,m\nq,1\n")
    call = ("people", "deploy", "--pairs", "own.csv", "--answers", "graded.csv", "--out", "used.jsonl", "--json")
    ended = viva(*call, "--rule", "above:.5")
    document = ended.values
    assert (document["model"], document["questions"], document["left_out"], document["share"]) == ("m", 1, 0, 1.0)
    (row,) = [json.loads(line) for line in Path("used.jsonl").read_text().splitlines()]
    assert row == {
        "id": "q1", "question": "Which?", "options": ["this", "that"], "answer": "B", "category": "t", "weight": 1.0,
    }  # fmt: skip
    assert viva(*call, "--rule", "above:.95").code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["align", "--pairs", "right.csv"], "Missing option '--answers'"),
        (["align", "--answers", "answers.csv"], "Missing option '--pairs'"),
        (["align", *FILES, "nowhere.csv"], "nowhere.csv: cannot be read"),
        (["align", "--pairs", "right.csv", "--answers", "nowhere.csv"], "nowhere.csv: cannot be read"),
        (["align", "--pairs", "answers.csv", "--answers", "answers.csv"], "no column q1"),
        (["align", "--pairs", "right.csv", "--answers", "right.csv"], "no column prompt"),
        (["align", *FILES, "--thresholds", "50"], "'50' are not thresholds: give numbers above 0 and below 1"),
        (["align", *FILES, "--thresholds", ".5,,x"], "such as .5,.9,.95,.99"),
        (["align", *FILES, "--thresholds", "nan"], "are not thresholds"),
        (["align", *FILES, "--rule", "mostly"], "unknown rule 'mostly'"),
        (["align", *FILES, "--model", "gud"], "did you mean 'good'"),
        (["align", *FILES, "--people", "gud"], "did you mean 'good'"),
        (["align", "--pairs", "other.csv", "--answers", "answers.csv"], "none of 1 pairs has both questions"),
        (["align", "--pairs", "bare.csv", "--answers", "answers.csv"], "posterior, pred or belief_change"),
        (["deploy", *FILES, "--out", "u.jsonl"], "choose one with --model, such as good"),
        (["deploy", *FILES, "--model", "good", "--out", "u.csv"], "must end in .jsonl"),
        (["deploy", *FILES, "--model", "good", "--out", "no/u.jsonl"], "does not exist"),
        (["deploy", *FILES, "--model", "good", "--out", "u.jsonl"], "name their scope with --scope"),
        (["deploy", *FILES, "--model", "good", "--out", "u.jsonl", "--scope", "arithmetic"], "is endless"),
        (
            ["deploy", *FILES, "--model", "good", "--out", "u.jsonl", "--rule", "above:.9"],
            "by above:0.9 people use good for nothing",
        ),
        (["deploy", *FILES, "--model", "good", "--out", "scope.jsonl", "--pairs", "scope.jsonl"], "already uses that file"),
    ],
)
def test_mistakes_are_refused(refuses: Refuses, files: Path, arguments: list[str], message: str) -> None:
    write_pairs(files / "other.csv", [BeliefPair("x", "y", "t", "t", True, pred=0.5)])
    write_pairs(files / "bare.csv", [BeliefPair("x", "y", "t", "t", True)])
    refuses("people", *arguments, says=message)


@pytest.mark.long
@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="$VIVA_DATA does not name the research data folder")
def test_the_published_files(viva: Viva) -> None:
    pairs = [str(DATA / name) for name in ("correct_sample_with_pred.csv", "incorrect_sample_with_pred.csv")]
    answers = str(DATA / "llm_correct_by_prompt.csv.gz")
    ended = viva("people", "align", "--pairs", *pairs, "--answers", answers, "--thresholds", ".5,.9,.95,.99", "--json")
    models = ended.values["figures"]["models"]
    # Table 2 where its thresholds are right, and what alpha 9 really gives
    assert [f"{models['gpt-4']['accuracy'][t]['value']:.3f}" for t in ("0.5", "0.9", "0.95", "0.99")] == [
        "0.569", "0.439", "0.408", "0.379",
    ]  # fmt: skip
    assert f"{models['gpt-3.5-turbo']['accuracy']['0.9']['value']:.3f}" == "0.415"
    assert models["gpt-4"]["accuracy"]["0.99"]["upper"] < models["alpaca-7b"]["accuracy"]["0.99"]["lower"]
    used = viva("people", "deploy", "--pairs", *pairs, "--answers", answers, "--model", "gpt-4", "--out", "u.jsonl", "--json")
    assert used.values["left_out"] == 0
    assert viva("certify", "--seed", "0", "bot:gibberish", "--scope", "file:u.jsonl", "--quiet").code == 4
