"""Scopes that are listed: files, data sets and pools of several scopes."""

from __future__ import annotations

import csv
import gzip
import itertools
import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadFile, BadInput
from vivavoce.interview.candidate import Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import Grade, Scope
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.pool import length
from vivavoce.scopes.questions import Question
from vivavoce.scopes.score import unit_mean


def question(name: str, weight: float = 1.0, cluster: str = "") -> Question:
    return Question(name, f"What is {name}?", accepted=(name,), weight=weight, cluster=cluster)


EQUAL = ListedScope("equal", tuple(question(str(i)) for i in range(50)))
PAIRS = ListedScope("pairs", tuple(question(str(i), cluster=f"c{i % 10}") for i in range(20)))
UNEVEN = ListedScope("uneven", (question("a", 1), question("b", 3, "x"), question("c", 1, "x"), question("d", 5)))


def test_equal_questions_come_once_each() -> None:
    scope: Scope[Question] = EQUAL
    drawn = [unit[0].id for unit in scope.draw(np.random.default_rng(0))]
    assert scope.population == len(drawn) == 50
    assert sorted(drawn, key=int) == [str(i) for i in range(50)] != drawn
    assert drawn == [unit[0].id for unit in scope.draw(np.random.default_rng(0))]
    assert drawn != [unit[0].id for unit in scope.draw(np.random.default_rng(1))]


def test_the_first_question_is_any_with_the_same_probability() -> None:
    firsts = [next(EQUAL.draw(np.random.default_rng(seed)))[0].id for seed in range(5000)]
    # 100 expected of each, standard deviation sqrt(5000·.02·.98) = 9.9; five of them are 50.
    assert all(abs(firsts.count(str(i)) - 100) < 50 for i in range(50))


def test_equal_clusters_are_drawn_whole_and_once() -> None:
    assert PAIRS.population == 10
    units = list(PAIRS.draw(np.random.default_rng(0)))
    assert sorted(len(unit) for unit in units) == [2] * 10
    assert all(unit[0].cluster == unit[1].cluster for unit in units)


@pytest.mark.parametrize(
    "questions",
    [
        (question("a"), question("b", 2)),
        (question("a", cluster="x"), question("b", cluster="x"), question("c")),
        (question("a", 2, "x"), question("b", 1, "x"), question("c", 2, "y"), question("d", 1, "y")),
    ],
)
def test_unequal_questions_are_drawn_for_ever(questions: tuple[Question, ...]) -> None:
    scope = ListedScope("s", questions)
    assert scope.population is None
    assert len(list(itertools.islice(scope.draw(np.random.default_rng(0)), 3000))) == 3000
    assert scope.size == len(questions)


def test_weighted_draws_have_the_weighted_mean_as_expectation() -> None:
    # Scores a=0, b=1, c=.5, d=.2: weighted mean (1·0 + 3·1 + 1·.5 + 5·.2) / 10 = .45. Units {a}, {b, c}, {d} have
    # probabilities .1, .4, .5 and means 0, 3.5/4 = .875, .2: again .4·.875 + .5·.2 = .45.
    scores = {"a": 0.0, "b": 1.0, "c": 0.5, "d": 0.2}
    units = list(itertools.islice(UNEVEN.draw(np.random.default_rng(0)), 40_000))
    means = [unit_mean([Grade(scores[q.id], False) for q in unit], [q.weight for q in unit])[0] for unit in units]
    # Variance .4·.875² + .5·.04 - .45² = .124; standard error sqrt(.124/40,000) = .0018; four of them are .007.
    assert abs(np.mean(means) - 0.45) < 0.007
    # Unit {a} 4,000 times, standard deviation sqrt(40,000·.1·.9) = 60; five of them are 300.
    assert abs(sum(unit[0].id == "a" for unit in units) - 4000) < 300


def test_huge_weights_do_not_overflow() -> None:
    scope = ListedScope("s", (question("a", 1e308), question("b", 1e308), question("c", 1e-300)))
    assert {unit[0].id for unit in itertools.islice(scope.draw(np.random.default_rng(0)), 100)} == {"a", "b"}


def test_a_lone_question_is_not_in_a_cluster_named_like_it() -> None:
    scope = ListedScope("s", (question("x"), question("a", cluster="x"), question("b", cluster="x")))
    assert [tuple(q.id for q in unit) for unit in scope.units] == [("x",), ("a", "b")]


def test_questions_are_found_by_id() -> None:
    assert EQUAL.by_id["7"].text == "What is 7?"


@given(
    st.sampled_from(
        [
            {"id": "other"}, {"text": "?"}, {"options": ("1", "2"), "accepted": ("A",)},
            {"accepted": ("z",)}, {"category": "k"}, {"weight": 2.0},
            {"cluster": "k"}, {"dont_know_score": 0.5}, {"unacceptable": ("z",)}, {"plausible": (0, 1)},
        ]
    )
)  # fmt: skip
def test_the_digest_covers_all_that_defines_the_scope(change: dict[str, object]) -> None:
    changed = ListedScope("equal", (replace(EQUAL.questions[0], **change), *EQUAL.questions[1:]))  # type: ignore[arg-type]
    assert changed.digest != EQUAL.digest


def test_the_digest_is_of_the_content_and_the_scoring_not_of_the_name() -> None:
    assert ListedScope("another name", EQUAL.questions).digest == EQUAL.digest
    assert ListedScope("equal", EQUAL.questions, zero_is_unacceptable=True).digest != EQUAL.digest
    assert ListedScope("equal", EQUAL.questions[::-1]).digest != EQUAL.digest


DATA = Path(os.environ.get("VIVA_DATA", ""))


def folder(tmp_path: Path, text: str) -> str:
    for name, rows in {
        "a.jsonl": [
            ("a1", "1 + 1?", "2", "sums"),
            ("a2", "A long question " * 9, "2", "sums"),
            ("a3", "2 * 3?", "6", "products"),
        ],
        "b.jsonl": [("b1", "3 + 3?", "6", "more")],
        "c.jsonl": [("a1", "5 + 5?", "10", "again")],
    }.items():
        lines = (json.dumps({"id": i, "question": q, "answer": a, "category": c}) + "\n" for i, q, a, c in rows)
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "pool.toml").write_text(text)
    return f"pool:{tmp_path / 'pool.toml'}"


def test_tasks_and_long_questions_are_left_out(tmp_path: Path) -> None:
    name = folder(tmp_path, 'scopes = ["file:a.jsonl", "file:b.jsonl"]\nwithout = ["products"]\nlongest = 50\n')
    scope = open_scope(name)
    assert isinstance(scope, ListedScope)
    assert [question.id for question in scope.questions] == ["a1", "b1"]


@each_case(
    ("text", "message"),
    [
        ("scopes = [", "not TOML"),
        ("scopes = []", "scopes"),
        ('scopes = ["file:a.jsonl"]\nlong = 3', "long"),
        ('scopes = ["file:a.jsonl"]\nwithout = ["sum"]', "leaves out 'sum'"),
        ('scopes = ["file:a.jsonl", "file:c.jsonl"]', "two of its scopes have a question with the id 'a1'"),
        ('scopes = ["file:a.jsonl"]\nlongest = 1', "leaves no questions: leave out fewer"),
        ('scopes = ["pool:pool.toml"]', "is a pool itself"),
        ('scopes = ["arithmetic"]', "is not a scope with a file"),
        ('scopes = ["file:nowhere.jsonl"]', "nowhere.jsonl"),
    ],
)
def test_rubbish_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises((BadFile, BadInput), match=message):
        open_scope(folder(tmp_path, text))


@pytest.mark.data
@pytest.mark.skipif(not (DATA / "bbh").is_dir(), reason="$VIVA_DATA does not name the research data folder")
def test_the_papers_pool_has_79_tasks() -> None:
    """The paper counts 16,347 questions; the 98 others could not be explained by any rule that was tried."""
    scope = open_scope(f"pool:{DATA}")
    assert isinstance(scope, ListedScope)
    assert len({question.category for question in scope.questions}) == 79
    assert scope.size == 16_445
    assert max(map(length, scope.questions)) <= 750
    assert len({(question.text, question.options) for question in scope.questions}) == 16_338


def test_what_is_on_a_hub_stays_there_and_worked_examples_stay_out(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"question": "1 + 1?", "answer": 2}\n{"question": "2?", "answer": 2, "example": true}\n')
    (tmp_path / "pool.toml").write_text('scopes = ["file:q.jsonl?shots=1"]')
    with pytest.raises(BadInput, match="has worked examples, but a pool can't have any"):
        open_scope(f"pool:{tmp_path / 'pool.toml'}")
    (tmp_path / "pool.toml").write_text('scopes = ["hf:me/sums@main#test"]')
    with pytest.raises(BadInput, match="with the 40 digits of the commit"):
        open_scope(f"pool:{tmp_path / 'pool.toml'}")


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


@pytest.mark.long
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
