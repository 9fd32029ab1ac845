"""`viva people measure` as a user calls it, against a server that fails, and killed."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Start, Viva, wait_for_records
from tests.serving import process_of
from vivavoce.generalization.pairs import BeliefPair, read_answers, read_pairs, write_pairs

MEASURE = ("people", "measure", "file:sums.jsonl", "--quiet")
FEW = ("--pairs", "12", "--thresholds", ".5,.99")
KEPT = (
    "pairs.csv",
    "answers.csv",
    "accuracy.csv",
    "cross-entropy.csv",
    "misplaced-trust.csv",
    "measurement.json",
    "cards-1.jsonl",
)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Forty sums of two kinds, and a fitted predictor."""
    rows = [{"id": f"s{n}", "question": f"What is {n} + 7?", "answer": n + 7, "category": f"kind {n % 2}"} for n in range(40)]
    (tmp_path / "sums.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    labels = [
        BeliefPair("a", "b", "t", "t" if same else "u", right, right or same)
        for same in (True, False)
        for right in (True, False)
    ]
    write_pairs(tmp_path / "train.csv", labels * 3)
    return tmp_path


@pytest.fixture
def model(viva: Viva, here: Path) -> Path:
    assert viva("people", "predict", "fit", "train.csv", "--predictor", "previous-task", "--out", "model").code == 0
    return here / "model"


def beliefs(here: Path, sure: dict[int, float], *, q1: str = "What is 0 + 7?") -> None:
    """Pairs after a right and a wrong answer: prior .5, and afterwards as sure as given."""
    pairs = [
        BeliefPair(q1, f"What is {n} + 7?", "kind 0", "kind 1", right, prior=0.5, posterior=value if right else 0.5)
        for n, value in sure.items()
        for right in (True, False)
    ]
    write_pairs(here / "beliefs.csv", pairs)


@pytest.mark.long
def test_files_for_the_other_commands(viva: Viva, model: Path) -> None:
    who = ("bot:calculator", "bot:calculator?wrong=0.5")
    ended = viva(*MEASURE, *FEW, *who, "--beliefs", "model", "--out", "out", "--json", "--pairs-file", "drawn.csv")
    assert ended.code == 0, ended.err
    document = ended.values
    document.pop("transcript_head")
    assert document == json.loads(Path("out/measurement.json").read_text())
    assert document["figures"]["pool"] == 40
    asked = len(read_answers(Path("out/answers.csv")).right)
    name = "bot:calculator"
    assert document["figures"]["replies"][name] == {
        "model": name, "questions": asked, "asked": asked, "unreadable": 0, "absent": 0,
        "outcomes": {"answer": asked}, "budget": "",
    }  # fmt: skip
    assert all(read_answers(Path("out/answers.csv")).of("bot:calculator").values())
    pairs = read_pairs(Path("out/pairs.csv"))
    assert len(pairs) == 24
    assert all(pair.pred is not None and pair.q1 != pair.q2 for pair in pairs)
    aligned = viva("people", "align", "--pairs", "out/pairs.csv", "--answers", "out/answers.csv", "--json",
                   "--thresholds", ".5,.99", "--quiet")  # fmt: skip
    models = document["figures"]["alignment"]["figures"]["models"]
    assert aligned.values["figures"]["models"] == models
    with Path("out/accuracy.csv").open() as file:
        first = next(csv.DictReader(file))
    assert float(first["value"]) == models["bot:calculator"]["accuracy"]["0.5"]["value"]
    again = viva(*MEASURE, *who, "--beliefs", "model", "--out", "other", "--json", "--pairs-file", "drawn.csv", "--seed", "9")
    assert again.values["figures"]["alignment"]["figures"]["pairs"] == 12
    assert [pair.q1 for pair in read_pairs(Path("other/pairs.csv"))] == [pair.q1 for pair in pairs]
    held = ("people", "survey", "create", "s", "--recorded", "out/cards-2.jsonl", "--pairs-each", "5", "--dry-run", "--json")
    rehearsed = viva(*held, "--json").values
    assert rehearsed["pairs"] == 12
    assert rehearsed["cards"][0]["q1"] == pairs[0].q1


def test_a_survey_brings_its_pairs_and_planted_trust_comes_first(viva: Viva, here: Path) -> None:
    """The model is wrong on the two questions that people became surest of, and right elsewhere."""
    beliefs(here, {1: 0.99, 3: 0.97, 5: 0.6, 7: 0.55})
    answers = [{"id": f"s{n}", "answer": n + 8 if n in (1, 3) else n + 7} for n in range(40)]
    Path("trap.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answers))
    Path("weak.jsonl").write_text(
        "".join(json.dumps(row | {"answer": 7 if row["id"] == "s0" else 1}) + "\n" for row in answers)
    )
    who = ("bot:calculator", "replay:weak.jsonl#answer", "replay:trap.jsonl#answer")
    ended = viva(*MEASURE, "--thresholds", ".5", *who, "--beliefs", "beliefs.csv", "--out", "out", "--json")
    assert ended.code == 0, ended.err
    trust = ended.values["figures"]["misplaced_trust"]
    listed = [(entry["model"], entry["pair"]["q2"], entry["after"]["value"]) for entry in trust["pairs"]]
    assert [pair for pair in listed if pair[0] == "replay:trap.jsonl#answer"] == [
        ("replay:trap.jsonl#answer", "What is 1 + 7?", 0.99),
        ("replay:trap.jsonl#answer", "What is 3 + 7?", 0.97),
    ]
    assert listed[0][2] == 0.99
    assert "bot:calculator" not in {pair[0] for pair in listed}


def test_the_page_and_the_terminal_escape_what_strangers_wrote(viva: Viva, here: Path) -> None:
    hostile = "=1+1 <script>alert(1)</script>\x1b[2J What is 1 + 7?"
    rows = [{"id": "x", "question": hostile, "answer": 5}, {"id": "y", "question": "What is 2 + 2?", "answer": 4}]
    Path("sums.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    write_pairs(here / "beliefs.csv", [BeliefPair("What is 2 + 2?", hostile, "t", "t", True, prior=0.5, posterior=0.9)])
    ended = viva(*MEASURE[:-1], "bot:calculator", "--beliefs", "beliefs.csv", "--out", "out")
    assert ended.code == 0, ended.err
    assert "\x1b[2J" not in ended.out
    with Path("out/misplaced-trust.csv").open(newline="") as file:
        assert [row["q2"][:5] for row in csv.DictReader(file)] == ["'=1+1"]
    page = Path("out/page.html").read_text()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_a_model_is_measured_with_nothing_but_its_name(viva: Viva, here: Path) -> None:
    """The built-in questions and beliefs serve; other beliefs that the same labels allow widen the intervals."""
    ended = viva("people", "measure", "bot:gibberish", "bot:calculator", "--pairs", "30", "--json", "--quiet")
    assert ended.code == 0, ended.err
    document = ended.values
    assert document["figures"]["pool"] == 300
    assert any("include the error of the predictor" in caveat for caveat in document["caveats"])
    assert "prediction_error" in document["signature"]
    whole = document["figures"]["alignment"]["figures"]["models"]["bot:calculator"]["accuracy"]["0.5"]
    assert Path("measured/page.html").exists()
    aligned = viva("people", "align", "--pairs", "measured/pairs.csv", "--answers", "measured/answers.csv", "--json", "--quiet")
    assert any("don't include the error of predicted beliefs" in caveat for caveat in aligned.values["caveats"])
    without = aligned.values["figures"]["models"]["bot:calculator"]["accuracy"]["0.5"]
    assert without["value"] == whole["value"]
    assert whole["lower"] < without["lower"] < without["upper"] < whole["upper"]


@pytest.mark.long
def test_replies_that_cannot_be_read_and_a_budget_are_said(viva: Viva, model: Path) -> None:
    with process_of("tests.candidates.server", "--latency", "0.01") as server:
        who = (f"chat:ok@{server}/v1", f"chat:calculator@{server}/v1")
        common = (*MEASURE, *FEW, *who, "--beliefs", "model")
        ended = viva(*common, "--out", "out", "--json")
        assert ended.code == 0, ended.err
        document = ended.values
        silent, fair = (document["figures"]["replies"][name] for name in who)
        assert silent["unreadable"] == silent["asked"] > 0
        assert fair["unreadable"] == 0
        assert "Many replies could not be parsed" in document["statement"]
        short = viva(*common, "--out", "short", "--set", "tokens=100", "--json")
        assert short.code == 0, short.err
        document = short.values
        assert "The budget of tokens ended the questions" in document["statement"]
        assert any(entry["asked"] < entry["questions"] for entry in document["figures"]["replies"].values())


@pytest.mark.slow
def test_a_server_of_moods_costs_questions_and_never_the_measurement(viva: Viva, model: Path) -> None:
    with process_of("tests.candidates.server", "--latency", "0.01") as server:
        who = (f"chat:moody@{server}/v1", f"chat:calculator@{server}/v1")
        ended = viva(*MEASURE, *FEW, *who, "--beliefs", "model", "--out", "out", "--json")
        assert ended.code == 0, ended.err
        document = ended.values["replies"]
        assert all(entry["asked"] == entry["questions"] for entry in document.values())


@pytest.mark.long
def test_killed_and_started_again_it_writes_the_same_files(viva: Viva, model: Path, viva_copy: Start) -> None:
    with process_of("tests.candidates.server", "--latency", "0.05") as server:
        who = (f"chat:calculator@{server}/v1", "bot:calculator?wrong=0.5", "--concurrency", "2")
        common = (*MEASURE, *FEW, *who, "--beliefs", "model")
        assert viva(*common, "--out", "whole").code == 0
        killed = viva_copy(*common, "--out", "killed")
        wait_for_records(Path("killed/transcript.sqlite"), 20)
        killed.kill()
        killed.communicate()
        assert not Path("killed/measurement.json").exists()
        ended = viva(*common, "--out", "killed")
        assert ended.code == 0, ended.err
        for name in KEPT:
            assert Path("killed", name).read_bytes() == Path("whole", name).read_bytes(), name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--beliefs", "model"], "name one, or give --candidates FILE"),
        (["bot:calculator", "--beliefs", "nowhere"], "does not exist"),
        (["bot:calculator", "--beliefs", "sums.jsonl"], "no column q1"),
        (["bot:calculator", "--beliefs", "other.csv"], "has none of the 2 questions in the pairs"),
        (["bot:calculator", "--beliefs", "model", "--pairs-file", "no/pairs.csv"], "does not exist"),
        (["bot:calculator", "--beliefs", "model", "--max-characters", "5"], "pairs need at least 2"),
        (["bot:calculatr", "--beliefs", "model"], "did you mean"),
        (["bot:calculator", "bot:calculator", "--beliefs", "model"], "two candidates have the name"),
        (["bot:calculator", "--beliefs", "model", "--thresholds", "50"], "are not thresholds"),
        (["bot:calculator", "--beliefs", "model", "--rule", "mostly"], "unknown rule"),
        (["bot:calculator", "--beliefs", "model", "--pairs", "0"], "0"),
        (["--candidates", "sums.jsonl", "--beliefs", "model"], "no column candidate"),
    ],
)
def test_mistakes_are_refused(refuses: Refuses, model: Path, arguments: list[str], message: str) -> None:
    write_pairs(Path("other.csv"), [BeliefPair("x", "y", "t", "t", True, pred=0.5)])
    refuses(*MEASURE, "--out", "out", *arguments, says=message)


def test_nothing_is_written_over(viva: Viva, model: Path) -> None:
    common = (*MEASURE, *FEW, "bot:calculator", "--beliefs", "model")
    Path("mine").mkdir()
    Path("mine/diary.txt").write_text("dear")
    ended = viva(*common, "--out", "mine")
    assert (ended.code, "is not the folder of a measurement" in ended.err) == (2, True)
    assert viva(*common, "--out", "out").code == 0
    before = Path("out/measurement.json").read_bytes()
    other = viva(*common, "--out", "out", "--seed", "1")
    assert (other.code, "a measurement on other pairs or beliefs" in other.err) == (2, True)
    assert Path("out/measurement.json").read_bytes() == before
    assert viva(*common, "--out", "no/where").code == 2
    endless = viva("people", "measure", "arithmetic", *common[3:], "--out", "new")
    assert (endless.code, "is endless" in endless.err) == (2, True)
