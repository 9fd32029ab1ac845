"""`viva try`: how replies are read and graded, without a verdict, an attempt or a record."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import Refuses, Viva
from tests.serving import process_of
from vivavoce.certificate.graders.rule_grading import trial_questions
from vivavoce.scopes import open_scope

pytestmark = pytest.mark.usefixtures("short_pauses")
CAPITALS = (
    "question,answer\nCapital of France?,Paris\nCapital of Italy?,Rome\nCapital of Spain?,Madrid\nCapital of Norway?,Oslo\n"
)
BOT = """
def answer(text):
    if "France" in text:
        return "Answer: Paris"
    if "Italy" in text:
        return "Answer: Berlin"
    if "Norway" in text:
        raise ValueError("no idea")
    return "\\x1b]0;owned\\x07\\x1b[2J A lovely city in summer,\\r\\nis it not? " + "I could go on. " * 1_500 + "\\nAnd on."
"""


@pytest.fixture(scope="module")
def failing() -> Iterator[str]:
    with process_of("tests.candidates.failing") as address:
        yield address


@pytest.fixture(scope="module")
def support() -> Iterator[str]:
    with process_of("tests.cli.support_server") as address:
        yield address


@pytest.fixture
def capitals(tmp_path: Path) -> tuple[str, ...]:
    """Words of a command about a bot that is right, wrong, silent, and hostile."""
    (tmp_path / "capitals.csv").write_text(CAPITALS)
    (tmp_path / "capitals_bot.py").write_text(BOT)
    return "try", "function:capitals_bot:answer", "--scope", "file:capitals.csv"


def answers(viva: Viva, *words: str) -> dict[str, dict[str, Any]]:
    """What `--json` prints, by the question."""
    ended = viva(*words, "--json")
    assert ended.code == 0, ended.err
    return {entry["question"].splitlines()[0]: entry for entry in ended.values["answers"]}


def test_each_answer_is_shown_with_its_grade_and_why(viva: Viva, capitals: tuple[str, ...]) -> None:
    ended = viva(*capitals)
    assert ended.code == 0
    shown = " ".join(ended.out.split())
    right = "Question: Capital of France? Reply: Answer: Paris Read as: Paris Expected: Paris Grade: right Why: it is"
    wrong = (
        "Question: Capital of Italy? Reply: Answer: Berlin Read as: Berlin Expected: Rome "
        "Grade: wrong by assumption, which no verdict rests on Why: a short answer"
    )
    assert right in shown
    assert wrong in shown
    assert "Read as: (nothing) Expected: Madrid Grade: not gradable by rule Why: " in shown
    assert "Would decide it: a judge ('--judge MODEL'); in a question file, a further accepted answer, or '?match=" in shown
    assert "Grade: no answer, which counts 0 Why: function:capitals_bot:answer raised ValueError: no idea" in shown
    assert "understand" not in shown  # no verdict
    assert ended.err == "4 of 5 questions: there are no more in the scope, or the budget is used up.\n"


def test_a_hostile_reply_neither_steers_the_terminal_nor_fills_it(viva: Viva, capitals: tuple[str, ...]) -> None:
    shown = viva(*capitals).out
    assert not set("\x1b\x07\r") & set(shown)
    assert "more characters)" in shown
    assert len(shown) < 3_000
    assert max(len(answer["answer"]) for answer in answers(viva, *capitals).values()) < 5_000


def test_json_has_every_answer_with_its_grade(viva: Viva, capitals: tuple[str, ...]) -> None:
    values = answers(viva, *capitals)
    assert {name: values[f"Capital of {name}?"]["grade"] for name in ("France", "Italy", "Spain", "Norway")} == {
        "France": "right", "Italy": "wrong by assumption, which no verdict rests on",
        "Spain": "not gradable by rule", "Norway": "no answer, which counts 0",
    }  # fmt: skip
    assert [values[f"Capital of {name}?"]["score"] for name in ("France", "Italy", "Spain", "Norway")] == [1.0, None, None, 0.0]
    assert values["Capital of Spain?"]["upper"] == 1.0
    assert values["Capital of Spain?"]["decided_by"]
    assert "decided_by" not in values["Capital of France?"]


def test_nothing_is_written_and_no_question_is_an_attempt(viva: Viva, capitals: tuple[str, ...], tmp_path: Path) -> None:
    before = {file.name for file in tmp_path.iterdir()}
    viva(*capitals)
    assert {file.name for file in tmp_path.iterdir()} - before <= {"__pycache__"}
    document = viva("certify", *capitals[1:], "--json").values
    assert (document["attempt"]["number"], document["attempt"]["others"]) == (1, [])


@pytest.mark.parametrize(
    ("scope", "questions", "read_as"),
    [("arithmetic", 5, "-0123456789"), ("intervals", 3, "ABCDE"), ("file:rules.jsonl", 1, ""), ("file:parts.jsonl", 1, "ab")],
)
def test_every_kind_of_question_can_be_tried(viva: Viva, tmp_path: Path, scope: str, questions: int, read_as: str) -> None:
    (tmp_path / "parts.jsonl").write_text('{"question": "Half?", "scores": {"a": 0.5}, "match": "exact"}\n')
    (tmp_path / "rules.jsonl").write_text('{"question": "2 + 2?", "answer": "4"}\n')
    bots = {"arithmetic": "bot:calculator", "intervals": "bot:timekeeper"}
    (tmp_path / "parting.py").write_text("def answer(text):\n    return 'Answer: a' if 'Half' in text else 'Answer: 4'\n")
    values = answers(viva, "try", bots.get(scope, "function:parting:answer"), "--scope", scope, "--questions", str(questions))
    assert len(values) == questions
    assert {entry["grade"] for entry in values.values()} == {"score 0.50" if "parts" in scope else "right"}
    assert not read_as or {letter for entry in values.values() for letter in entry["read_as"]} <= set(read_as)


def test_a_fault_of_the_service_is_not_a_grade(viva: Viva, tmp_path: Path, failing: str) -> None:
    (tmp_path / "q.jsonl").write_text("".join(f'{{"question": "What is {n} + 1?", "answer": "{n + 1}"}}\n' for n in range(9)))
    scope = ("--scope", "file:q.jsonl", "--questions", "3")
    faults = answers(viva, "try", f"chat:honest.status-503.100@{failing}/v1", *scope)
    assert {(fault["grade"], fault["score"], fault["why"]) for fault in faults.values()} == {
        ("none: the service failed", None, "the service failed")
    }
    refused = viva("try", f"chat:locked@{failing}/v1", *scope)
    assert (refused.code, refused.out) == (2, "")
    assert "no such key" in refused.err
    gone = viva("try", "chat:model@http://127.0.0.1:9/v1", *scope, "--set", "max-tries=1")
    assert (gone.code, gone.out) == (5, "")
    assert "--transcript" not in gone.err


def test_a_judge_grades_what_no_rule_can(viva: Viva, tmp_path: Path, support: str) -> None:
    asked_why = ("Why is order 7 cold?", "Why is it so?")
    lines = (json.dumps({"question": question, "rubric": "10: says why"}) for question in asked_why)
    (tmp_path / "q.jsonl").write_text("\n".join(lines))
    asked = ("try", f"chat:support@{support}/v1", "--scope", "file:q.jsonl")
    assert "has a rubric but no answer: name a judge with '--judge CANDIDATE'" in viva(*asked).err
    values = answers(viva, *asked, "--judge", f"chat:judge@{support}/v1")
    assert {entry["question"]: (entry["grade"], entry["why"]) for entry in values.values()} == {
        "Why is order 7 cold?": ("right", "the judge graded it so"),
        "Why is it so?": ("wrong", "the judge graded it so"),
    }
    lost = answers(viva, *asked, "--judge", "bot:gibberish")
    assert {(entry["grade"], entry["decided_by"][0][:13]) for entry in lost.values()} == {("not judged", "another judge")}
    assert "'--rubric' needs a judge" in viva(*asked, "--rubric", "10: all").err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("bot:eliza", "--scope", "arithmetic", "--questions", "51"), "from 1 to 50"),
        (("bot:eliza", "--scope", "inspect-task:a.py@b"), "inspect eval"),
        (("human:p1", "--scope", "arithmetic"), "is a person"),
        (("chat:m@http://127.0.0.1:9/v1?batch=1", "--scope", "arithmetic"), "by batch"),
        (("bot:eliza", "--scope", "arithmetic", "--transcript", "run.sqlite"), "there is no option"),
    ],
)
def test_what_cannot_be_tried_is_refused(refuses: Refuses, words: tuple[str, ...], message: str) -> None:
    refuses("try", *words, says=message)


def test_certify_commits_draws_and_concludes_as_if_nothing_had_been_tried(viva: Viva, tmp_path: Path) -> None:
    kept = ("--scope", "arithmetic", "--transcript", "run.sqlite", "--json")
    begun = viva("certify", "bot:calculator", *kept, "--questions", "3", "--results", "before.csv").values
    record = (tmp_path / "run.sqlite").read_bytes()
    tried = answers(viva, "try", "bot:calculator", "--scope", "arithmetic", "--questions", "20")
    assert (tmp_path / "run.sqlite").read_bytes() == record
    ended = viva("certify", "bot:calculator", *kept, "--results", "after.csv").values
    assert (begun["seed"], begun["seed_commitment"]) == (None, ended["seed_commitment"])
    drawn = open_scope("arithmetic").draw(np.random.default_rng(ended["seed"]))
    files = [(tmp_path / name).read_text("utf-8-sig") for name in ("before.csv", "after.csv")]
    before, after = ([row["id"] for row in csv.DictReader(StringIO(text))] for text in files)
    asked = [next(drawn)[0].id for _ in after]
    assert (before, after) == (asked[:3], asked)
    assert not {entry["id"] for entry in tried.values()} & set(asked)


@given(seed=st.integers(0, 2**63))
def test_no_seed_of_an_examination_draws_what_is_tried(seed: int) -> None:
    scope = open_scope("arithmetic?digits=9")
    examined = scope.draw(np.random.default_rng(seed))
    asked = {next(examined)[0].id for _ in range(5)}
    tried = [question.id for question in trial_questions(scope, 5, seed=seed)]
    assert len(set(tried)) == 5
    assert not asked & set(tried)
    assert tried == [question.id for question in trial_questions(scope, 5, seed=seed)]


def test_other_seeds_try_other_questions(viva: Viva) -> None:
    asked = ("try", "bot:calculator", "--scope", "arithmetic")
    assert set(answers(viva, *asked)) == set(answers(viva, *asked, "--seed", "0"))
    assert set(answers(viva, *asked)) != set(answers(viva, *asked, "--seed", "1"))
