"""The published benchmarks, and the recorded answers of 17 models, against a count made without this package."""

from __future__ import annotations

import csv
import gzip
import json
import os
from collections import Counter
from pathlib import Path

import pytest

from vivavoce.interview.candidate import Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope

DATA = Path(os.environ.get("VIVA_DATA", ""))
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not (DATA / "mmlu_pro").is_dir(), reason="$VIVA_DATA does not name the research data folder"),
]

CATEGORIES = (
    "biology", "business", "chemistry", "computer science", "economics", "engineering", "health", "history", "law", "math",
    "other", "philosophy", "physics", "psychology",
)  # fmt: skip


def opened(name: str) -> ListedScope:
    scope = open_scope(name)
    assert isinstance(scope, ListedScope)
    return scope


@pytest.mark.long
@pytest.mark.parametrize("category", CATEGORIES)
def test_grades_of_recorded_answers_are_the_count_of_equal_letters(category: str) -> None:
    scope = opened(f"mmlu-pro:{DATA / 'mmlu_pro' / 'questions.jsonl.gz'}#{category}")
    with gzip.open(DATA / "mmlu_pro" / "predictions.csv.gz", "rt", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["category"] == category]
    models = [column for column in rows[0] if column not in {"question_id", "category", "answer"}]
    assert (len(models), len(rows)) == (17, scope.population)
    # Several models gave the same reply to a question; each reply is graded once.
    replies = {(row["question_id"], row[model]) for row in rows for model in models}
    graded = {(question, text): scope.grade(scope.by_id[question], Reply(text)) for question, text in replies}
    for model in models:
        grades = [graded[row["question_id"], row[model]] for row in rows]
        assert sum(grade.score for grade in grades) == sum(row[model] == row["answer"] for row in rows)
        # What is no letter at all ("", "NA") is unreadable, and so is a letter beyond the question's options.
        options = {q.id: q.letters for q in scope.questions}
        assert [g.outcome is Outcome.UNREADABLE for g in grades] == [r[model] not in options[r["question_id"]] for r in rows]


def test_categories_of_mmlu_pro() -> None:
    file = DATA / "mmlu_pro" / "questions.jsonl.gz"
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        counts = Counter(json.loads(line)["category"] for line in stream)
    assert counts.keys() == set(CATEGORIES)
    assert counts.total() == 12_032
    for category in ("law", "computer science"):
        assert opened(f"mmlu-pro:{file}#{category}").population == counts[category]


def test_mmlu_has_its_published_size() -> None:
    scope = opened(f"mmlu:{DATA / 'mmlu'}")
    # 14,042 test questions in 57 tasks (Hendrycks et al. 2021).
    assert scope.size == len(scope.by_id) == 14_042
    assert len({q.category for q in scope.questions}) == 57
    algebra = opened(f"mmlu:{DATA / 'mmlu'}#abstract_algebra")
    # "Find the degree for the given field extension Q(sqrt(2), sqrt(3), sqrt(18)) over Q": sqrt(18) = 3 sqrt(2), so it is 4.
    assert algebra.questions[0].options[ord(algebra.questions[0].accepted[0]) - ord("A")] == "4"


def test_big_bench_hard_has_its_published_size_and_its_targets_are_read() -> None:
    scope = opened(f"bbh:{DATA / 'bbh'}")
    # 6,511 examples in 27 task files (Suzgun et al. 2022).
    assert scope.size == len(scope.by_id) == 6_511
    assert len({q.category for q in scope.questions}) == 27
    free = Counter(q.category for q in scope.questions if not q.options)
    # All of four tasks; in the published files three option lists are broken at commas, and one is cut short ("(A) The NB").
    assert free == {
        "dyck_languages": 250,
        "multistep_arithmetic_two": 250,
        "object_counting": 250,
        "word_sorting": 250,
        "movie_recommendation": 1,
        "ruin_names": 2,
        "snarks": 1,
    }
    for path in sorted((DATA / "bbh").glob("*.json")):
        for number, example in enumerate(json.loads(path.read_text(encoding="utf-8"))["examples"], start=1):
            question = scope.by_id[f"{path.stem}/{number}"]
            assert scope.grade(question, Reply(f"Answer: {example['target']}")).score == 1, example
            assert scope.grade(question, Reply(f"So the answer is {example['target']}.")).score == 1, example
            assert scope.grade(question, Reply("Answer: nonsense")).score == 0


def test_the_published_development_questions_are_five_a_task() -> None:
    scope = open_scope(f"mmlu:{DATA / 'mmlu'}?shots=5")
    assert isinstance(scope, ListedScope)
    assert len(scope.examples) == 285
    assert all(len(scope.prompt(question).shown) == 5 for question in scope.questions[::500])
    assert not {example.text for example in scope.examples} & {question.text for question in scope.questions[:100]}
