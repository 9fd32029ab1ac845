"""Scopes that are lists: how they are drawn, and that drawing has the expectation it must have."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.interview.scope import Grade, Scope
from vivavoce.scopes.listed_and_endless import ListedScope
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
