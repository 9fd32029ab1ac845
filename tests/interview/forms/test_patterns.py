"""One answer given whatever is asked, against the keys."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from vivavoce.interview.forms.repeated_answers import most_frequent

SETS = ("A", "B", "C", "D", "AB", "AC", "AD", "BC", "BD", "CD", "ABC", "ABD", "ACD", "BCD")


def test_fourteen_of_fourteen_and_three_keys() -> None:
    """By scipy: Fisher's exact test of 14 in 14 against 3 in 14, times the eight different answers and keys."""
    keys = ["AC"] * 3 + ["A"] * 3 + ["B"] * 2 + ["C", "D", "BD", "AB", "BC", "A"]
    answer = most_frequent([(["AC"], key) for key in keys])
    assert answer is not None
    assert (answer.value, answer.answers, answer.questions, answer.keys, answer.best) == ("AC", 14, 14, 3, 4)
    p = fisher_exact(np.array([[14, 0], [3, 11]]), alternative="greater").pvalue
    assert answer.p == pytest.approx(len(set(keys)) * p)
    assert answer.prevails


def test_few_questions_tell_nothing() -> None:
    """Four of four against none: C(4,4) C(4,0) / C(8,4) = 1/70, times five different answers and keys, .071."""
    answer = most_frequent([(["AC"], key) for key in "ABCD"])
    assert answer is not None
    assert answer.p == pytest.approx(5 / 70)
    assert (answer.repeated, answer.prevails, answer.untold) == (False, False, True)


def test_who_knows_the_answers_repeats_no_more_than_the_keys_do() -> None:
    answer = most_frequent([(["AC"] * 4, "AC")] * 50 + [(["B"] * 4, "B")] * 3)
    assert answer is not None
    assert (answer.value, answer.repeated, answer.untold, answer.best) == ("AC", False, False, 50)


def test_one_question_in_many_wordings_is_one_question() -> None:
    answer = most_frequent([(["B"] * 40, "A"), (["C"], "C"), (["D"], "D")])
    assert answer is not None
    assert (answer.value, answer.answers, answer.questions, answer.of_questions) == ("B", 40, 1, 3)
    assert not answer.repeated


def test_a_frequent_answer_that_does_not_prevail() -> None:
    """Forty of a hundred, where five keys have it: part of the answers rest on nothing, the others may."""
    others = [(["B"], "B")] * 55 + [(["C"], "C")] * 5
    answer = most_frequent([(["A"], "A")] * 5 + [(["A"], "B")] * 35 + others)
    assert answer is not None
    assert (answer.value, answer.questions) == ("B", 55)
    assert not answer.repeated  # it is the key of 90
    answer = most_frequent([(["A"], "A")] * 5 + [(["A"], key) for key in SETS[1:] for _ in range(2)] + [(["B"], "B")] * 20)
    assert answer is not None
    assert (answer.value, answer.questions, answer.repeated, answer.prevails) == ("A", 31, True, True)


@given(st.lists(st.tuples(st.lists(st.sampled_from(SETS), max_size=4), st.sampled_from(SETS)), max_size=30))
def test_order_matters_for_nothing_that_is_told_and_counts_are_counts(given: list[tuple[list[str], str]]) -> None:
    repeated_answer = most_frequent(given)
    answers = Counter(answer for texts, _ in given for answer in texts)
    if repeated_answer is None:
        assert not answers
        return
    assert repeated_answer.answers == answers[repeated_answer.value]
    assert repeated_answer.of_answers == answers.total()
    assert 0 <= repeated_answer.keys <= repeated_answer.best <= repeated_answer.of_questions
    assert 0 < repeated_answer.p <= 1
    again = most_frequent([(texts[::-1], key) for texts, key in given[::-1]])
    assert again is not None
    assert (again.prevails, again.questions) == (repeated_answer.prevails, repeated_answer.questions)


@pytest.mark.parametrize("recall", [0.0, 0.3, 0.8])
def test_an_honest_candidate_is_seldom_said_to_repeat(recall: float) -> None:
    """Knows some, else answers as the keys are distributed: 2,000 candidates of 16 questions, at most 5% and three errors."""
    rng = np.random.default_rng(5)
    keys, known = rng.integers(0, 14, (2_000, 16)), rng.random((2_000, 16)) < recall
    where = np.where(known, keys, rng.integers(0, 14, (2_000, 16)))
    answers = [
        most_frequent([([a], k) for a, k in zip(*rows, strict=True)])
        for rows in zip(where.tolist(), keys.tolist(), strict=True)
    ]
    repeated = np.mean([answer is not None and answer.repeated for answer in answers])
    assert repeated <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2_000)
    assert not any(answer is not None and answer.prevails for answer in answers)
