"""Worked examples from a benchmark's own files: which there are, how they stand before a question, that none is asked."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from vivavoce.errors import BadFile, BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.interview import Interview
from vivavoce.interview.requests import full_prompt
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope, by_category
from vivavoce.scopes.questions import Question


def listed(name: str) -> ListedScope:
    scope = open_scope(name)
    assert isinstance(scope, ListedScope)
    return scope


@pytest.fixture
def mmlu(tmp_path: Path) -> Path:
    for kind in ("test", "dev"):
        (tmp_path / kind).mkdir()
        for task, topic in (("stars", "star"), ("cells", "cell")):
            rows = (f"Which {topic} is number {n} of {kind}?,red,blue,green,white,{'ABCD'[n % 4]}\n" for n in range(6))
            (tmp_path / kind / f"{task}_{kind}.csv").write_text("".join(rows), encoding="utf-8")
    return tmp_path


def test_examples_are_turns_of_the_same_task_in_the_form(mmlu: Path) -> None:
    scope = listed(f"mmlu:{mmlu}?shots=2")
    assert scope.size == 12
    cell = next(question for question in scope.questions if question.category == "cells")
    prompt = full_prompt(scope.prompt(cell))
    assert [(exchange.asked.splitlines()[0], exchange.replied) for exchange in prompt.shown] == [
        ("Which cell is number 0 of dev?", "Answer: A"),
        ("Which cell is number 1 of dev?", "Answer: B"),
    ]
    assert prompt.text.startswith("Which cell is number 0 of test?")
    assert "dev" not in "".join(question.text for question in scope.questions)


def test_they_are_part_of_the_digest_and_of_the_name(mmlu: Path) -> None:
    scopes = [listed(f"mmlu:{mmlu}{shots}") for shots in ("", "?shots=1", "?shots=2")]
    assert len({scope.digest for scope in scopes}) == 3
    assert [scope.name.removeprefix(f"mmlu:{mmlu}") for scope in scopes] == ["", "?shots=1", "?shots=2"]
    listed_scope = listed(f"mmlu:{mmlu}#stars?shots=2")
    parts = {part.name: part for part in by_category([scopes[2]])}
    assert parts[listed_scope.name].digest == listed_scope.digest


def test_too_many_are_refused(mmlu: Path) -> None:
    with pytest.raises(BadInput, match="there are 6 worked examples of category 'cells'"):
        open_scope(f"mmlu:{mmlu}?shots=7")
    for number in ("0", "51"):
        with pytest.raises(BadInput, match="must be a number from 1 to 50"):
            open_scope(f"mmlu:{mmlu}?shots={number}")


def test_an_example_said_back_is_a_copy(mmlu: Path) -> None:
    scope = listed(f"mmlu:{mmlu}?shots=2")
    shown = scope.prompt(scope.questions[0]).shown[0]
    assert scope.grade(scope.questions[0], Reply(f"{shown.asked}\n{shown.replied}")).outcome is Outcome.COPIED
    assert scope.grade(scope.questions[0], Reply(shown.replied)).outcome is Outcome.ANSWER


def test_mmlu_pro_takes_the_validation_questions_of_the_category(tmp_path: Path) -> None:
    def row(number: int, category: str) -> str:
        fields = {"question_id": number, "question": f"{category} {number}?", "options": ["x", "y", "z"], "answer": "C"}
        return json.dumps({**fields, "category": category, "cot_content": "A: Let's think. The answer is (C)."}) + "\n"

    file = tmp_path / "questions.jsonl"
    file.write_text(row(1, "law") + row(2, "health"), encoding="utf-8")
    with pytest.raises(BadFile, match=r"no validation\.jsonl in its folder"):
        open_scope(f"mmlu-pro:{file}?shots=1")
    (tmp_path / "validation.jsonl").write_text(
        "".join(row(n, c) for c in ("law", "health") for n in (70, 71)), encoding="utf-8"
    )
    with pytest.raises(BadFile, match="question_id 70"):
        open_scope(f"mmlu-pro:{file}?shots=1")
    (tmp_path / "validation.jsonl").write_text(row(70, "law") + row(71, "health"), encoding="utf-8")
    scope = listed(f"mmlu-pro:{file}#health?shots=1")
    assert [exchange.asked.splitlines()[0] for exchange in scope.prompt(scope.questions[0]).shown] == ["health 71?"]
    assert scope.prompt(scope.questions[0]).shown[0].replied == "Answer: C"


def test_bbh_takes_the_questions_of_its_prompts(tmp_path: Path) -> None:
    examples = [{"input": "Is it?\nOptions:\n- Yes\n- No", "target": "No"}, {"input": "How many?", "target": "7"}]
    (tmp_path / "bbh").mkdir()
    (tmp_path / "bbh" / "counting.json").write_text(json.dumps({"examples": examples}), encoding="utf-8")
    (tmp_path / "cot-prompts").mkdir()
    (tmp_path / "cot-prompts" / "counting.txt").write_text(
        "canary\n-----\nCount things.\n\nQ: How many legs have two cats?\nA: Let's think step by step.\nFour each, so 8. "
        "So the answer is 8.\n\nQ: Is it so?\nOptions:\n- Yes\n- No\nA: Let's think step by step.\nSo the answer is Yes.\n",
        encoding="utf-8",
    )
    scope = listed(f"bbh:{tmp_path / 'bbh'}#counting?shots=2")
    shown = scope.prompt(scope.questions[1]).shown
    assert [(e.asked, e.replied) for e in shown] == [
        ("How many legs have two cats?", "Answer: 8"),
        ("Is it so?\n\n(A) Yes\n(B) No", "Answer: A"),
    ]
    with pytest.raises(BadInput, match="there are 2 worked examples"):
        open_scope(f"bbh:{tmp_path / 'bbh'}#counting?shots=3")


def test_marked_questions_of_a_file_are_shown_and_never_asked(tmp_path: Path) -> None:
    file = tmp_path / "q.csv"
    file.write_text("question,answer,example\nWhat is 1+1?,2,yes\nWhat is 2+2?,4,\nWhat is 3+3?,6,no\n", encoding="utf-8")
    assert [question.accepted for question in listed(f"file:{file}").questions] == [("4",), ("6",)]
    scope = listed(f"file:{file}?shots=1")
    assert [e.replied for e in scope.prompt(scope.questions[0]).shown] == ["Answer: 2"]
    with pytest.raises(BadInput, match="1 worked examples for questions"):
        open_scope(f"file:{file}?shots=2")
    file.write_text("question,answer,example\nWhat is 1+1?,2,yes\n", encoding="utf-8")
    with pytest.raises(BadFile, match="has only worked examples"):
        open_scope(f"file:{file}")


def test_a_candidate_is_sent_them(mmlu: Path) -> None:
    scope = listed(f"mmlu:{mmlu}?shots=1")
    asked: list[Prompt] = []

    class PromptCollector:
        name = "listening"

        async def answer(self, question: Prompt, /) -> Reply:
            asked.append(question)
            return Reply("Answer: A")

    asyncio.run(Interview(PromptCollector(), answers=Reply).ask(scope.prompt(scope.questions[0])))
    assert [role for role, _ in asked[0].conversation] == ["user", "assistant", "user"]
    assert asked[0].conversation[1][1] == "Answer: A"


def test_a_question_without_an_answer_is_no_example() -> None:
    scope = ListedScope("one", (Question("a", "?", accepted=("1",)),), examples=(Question("b", "Why?", rubric="10: a reason"),))
    with pytest.raises(BadInput, match="cannot be shown as an example"):
        scope.prompt(scope.questions[0])
