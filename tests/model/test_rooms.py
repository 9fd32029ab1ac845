"""Every room that asks in words, live and small, on the model that $VIVA_MODEL names: `make test-model`.

What a model says is its own affair. What is tested is that each room comes to its end, that every reply is accounted for, and
that nothing that could not be read was judged.
"""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import CliResult, Viva
from tests.model.harness import ModelReadings, watched
from tests.studies.bail.judges import made_up
from tests.studies.cases.made_cases import made_cases
from vivavoce.studies.defendants.counterfactuals import COLUMNS

pytestmark = pytest.mark.model

ASKING = ("--concurrency", "4", "--set", "timeout=600", "--quiet", *os.environ.get("VIVA_ASKING", "").split())

CHOICES = [
    ("Which of these is a planet?", ["the Moon", "Mars", "the Sun", "Sirius"], "B"),
    ("Which word is the opposite of hot?", ["warm", "cold", "dry", "red"], "B"),
    ("How many legs does a spider have?", ["four", "six", "eight", "ten"], "C"),
    ("Which of these animals lays eggs?", ["a cow", "a dog", "a hen", "a horse"], "C"),
    ("What is frozen water called?", ["ice", "steam", "oil", "sand"], "A"),
    ("Which month comes after March?", ["May", "June", "February", "April"], "D"),
]
TEXTS = [
    ("What is the capital of France?", "Paris"),
    ("What colour is a ripe banana?", "yellow"),
    ("Which animal barks?", "dog"),
    ("What do bees make?", "honey"),
    ("In which season does snow fall most often?", "winter"),
]
EVENTS = ["Will it snow in Oslo on 24 December 2031?", "Will a person walk on the Moon before 2035?"]
PAIRS = [
    {"inputs": [{"rooms": n}, {"rooms": n + 1}], "relation": "at most", "base": f"home {n}", "id": f"p{n}"} for n in range(1, 5)
]


@pytest.fixture
def rooms(viva: Viva, seen: ModelReadings, tmp_path: Path, request: pytest.FixtureRequest) -> Viva:
    """Call `viva`, which comes to an end that is no fault of the house, and note what is read."""
    lines = [{"id": f"c{n}", "question": t, "options": o, "answer": a} for n, (t, o, a) in enumerate(CHOICES)]
    (tmp_path / "choices.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    texts = [{"id": f"t{n}", "question": t, "answer": a} for n, (t, a) in enumerate(TEXTS)]
    (tmp_path / "texts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in texts))
    (tmp_path / "events.txt").write_text("\n".join(EVENTS))
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS))
    cases = [{"id": case.id, "facts": case.facts} for case in made_cases(3, seed=3)[0]]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    with (tmp_path / "defendants.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        for defendant in made_up(8):
            r = defendant.record
            numbers = (r.priors, r.juvenile_felonies, r.juvenile_misdemeanours)
            rows.writerow((defendant.id, r.sex, r.age, r.charge, r.degree.value, *numbers))

    def call(*arguments: str) -> CliResult:
        before = len(seen.replies)
        with watched(seen, request.node.name):
            ended = viva(*arguments)
        assert ended.code in (0, 3, 4), ended.err
        assert len(seen.replies) > before
        return ended

    return call


@pytest.mark.parametrize("scope", ["arithmetic?digits=2", "intervals", "file:choices.jsonl", "file:texts.jsonl"])
def test_certificate(rooms: Viva, model: str, scope: str) -> None:
    ended = rooms("certify", model, "--scope", scope, "--questions", "12", *ASKING, "--json")
    document = json.loads(ended.out)
    assert 0 < document["figures"]["questions"] <= 12
    if document["figures"]["unreadable"] == document["figures"]["questions"]:
        assert document["verdict"] == "undecided"


def test_certificate_with_a_judge(rooms: Viva, model: str) -> None:
    rooms("certify", model, "--scope", "file:texts.jsonl", "--questions", "5", "--judge", model, *ASKING)


def test_certificate_with_explanations(rooms: Viva, model: str) -> None:
    rooms(
        "certify",
        model,
        "--scope",
        "arithmetic?digits=1",
        "--questions",
        "4",
        "--explanations",
        "1",
        "--set",
        "checks=500",
        *ASKING,
    )


def test_eqt(rooms: Viva, model: str) -> None:
    rooms("eqt", model, "--concepts", "math", "--limit", "1", "--questions", "3", "--paraphrases", "1", *ASKING)


def test_forecasts(viva: Viva, rooms: Viva, model: str) -> None:
    made = ("--questions", "events.txt", "--law", "neg,paraphrase", "--paraphrases", "1", "--writer", model)
    rooms("consistency", "forecasts", "make", *made, "--out", "tuples.jsonl", *ASKING)
    series = ("--template", "How many people will have walked on the Moon by {}?", "--values", "2030,2040,2050")
    assert viva("consistency", "forecasts", "make", *series, "--law", "increasing", "--out", "series.jsonl").code == 0
    pairs = [{"law": "paraphrase", "questions": {"P": event, "para_P": f"{event} Yes or no?"}} for event in EVENTS]
    Path("events.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    for tuples in ("events.jsonl", "series.jsonl"):
        rooms(
            "consistency",
            "forecasts",
            "ask",
            model,
            "--tuples",
            tuples,
            "--include-proposed",
            "--repeats",
            "1",
            "--control",
            "1",
            *ASKING,
        )


def test_bail(rooms: Viva, model: str) -> None:
    rooms("consistency", "bail", model, "--defendants", "defendants.csv", "--variants", "1", "--control", "1", *ASKING)


def test_cases(rooms: Viva, model: str) -> None:
    few = ("--cases", "cases.jsonl", "--min-characters", "40", "--paraphrases", "2", "--writer", model, "--checker", model)
    rooms("consistency", "cases", "check", model, *few, *ASKING)


def test_rules(rooms: Viva, model: str) -> None:
    task = "What may a flat with so many rooms cost, in thousands of euros?"
    rooms("consistency", "rules", model, "--table", "pairs.jsonl", "--task", task, *ASKING)


def test_games(rooms: Viva, model: str) -> None:
    rooms("report", model, "--only", "luna", "--questions", "20", *ASKING)


def test_every_reply_is_accounted_for(seen: ModelReadings, model: str) -> None:
    assert seen.by_form
    for row in seen.by_form:
        assert row.asked == row.at_once + row.after_turn + row.copied + row.cut_off + row.unreadable + row.no_answer
        assert row.asked <= row.calls <= 2 * row.asked
