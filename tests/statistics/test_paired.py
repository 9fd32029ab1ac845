"""Paired tests against scipy and by hand, and their error rate where there is no difference."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.statistics.clustered import Groups
from vivavoce.statistics.paired import PairedTest, mcnemar, paired_test


def outcome(values: ArrayLike, groups: Groups | None = None, *, largest: float = 10.0, rounds: int = 10_000) -> PairedTest:
    """With a generator of its own, each time the same."""
    array = np.asarray(values, dtype=float)
    shared = [()] * array.size if groups is None else groups
    return paired_test(array, shared, largest=largest, rng=np.random.default_rng(0), rounds=rounds)


def test_of_normal_differences_it_is_about_students_t() -> None:
    values = np.random.default_rng(5).normal(0.25, 1, 200)
    pair = outcome(values)
    assert pair[1:] == ("bootstrap", 200)
    t = float(values.mean() / values.std(ddof=1) * 200**0.5) * 200 / 203
    assert pair.p == pytest.approx(2 * stats.t.sf(abs(t), 199), rel=0.3)


def test_the_smallest_p_is_that_of_the_rounds() -> None:
    assert outcome([0.5, 1.0] * 20, rounds=999).p == 2 / 1000  # never 0


def test_what_shares_a_group_is_drawn_together() -> None:
    values = np.random.default_rng(6).normal(0.3, 1, 40)
    copied, groups = np.repeat(values, 3), [(str(i // 3),) for i in range(120)]
    alone, together = outcome(values), outcome(copied, groups)
    assert together[1:] == alone[1:] == ("bootstrap", 40)
    assert together.p == alone.p
    assert outcome(copied).p < alone.p / 3


def test_few_sets_are_bet_on() -> None:
    # five differences of 1: bets of u = .025, .075, ... earn (1 + u)^5 on the one side and (1 - u)^5 on the other
    bets = (np.arange(20) + 0.5) / 20
    assert outcome([2.0] * 5, largest=2.0)[1:] == ("betting", 5)
    assert outcome([2.0] * 5, largest=2.0).p == pytest.approx(2 / (np.mean((1 + bets) ** 5) + np.mean((1 - bets) ** 5)))
    # a larger bound makes each of them say less, and differences of one set count as one
    assert outcome([2.0] * 5, largest=20.0).p > 0.9
    assert outcome([2.0] * 10, [(str(i // 2),) for i in range(10)], largest=2.0).p == outcome([2.0] * 5, largest=2.0).p
    # 22 sets, one of which holds 20 of 41 differences, tell no more than a few
    assert outcome(np.ones(41), [("one",)] * 20 + [()] * 21).method == "betting"


def test_what_hangs_together_is_left_to_t() -> None:
    values = np.random.default_rng(5).normal(1, 1, 45)
    pair = outcome(values, list(combinations(range(10), 2)))
    assert pair[1:] == ("t", 1)
    assert 0 < pair.p < 1


def test_equal_differences_are_no_certainty() -> None:
    assert outcome([0.0] * 30).p == 1
    assert outcome([0.1] * 30, largest=1.0).p > 0.01
    assert outcome([0.1] * 30, largest=1.0).method == "betting"


def test_what_cannot_be_tested_is_refused() -> None:
    with pytest.raises(NotEnoughEvidence):
        outcome([1.0])
    with pytest.raises(BadInput, match="rounds"):
        outcome([1.0, 2.0], rounds=0)
    for largest in (0.0, 1.0, np.inf):
        with pytest.raises(BadInput, match="largest"):
            outcome([1.0, 2.0], largest=largest)


@settings(max_examples=30)
@given(values=st.lists(st.floats(-1, 1), min_size=2, max_size=30))
def test_the_sign_of_all_differences_does_not_matter_to_bets(values: list[float]) -> None:
    if len(values) < 20:
        assert outcome(values, largest=1.0).p == pytest.approx(outcome([-value for value in values], largest=1.0).p)
    assert 0 < outcome(values, largest=1.0, rounds=99).p <= 1


@given(pairs=st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60))
def test_mcnemar_is_the_binomial_test_of_the_discordant(pairs: list[tuple[bool, bool]]) -> None:
    number, other = sum(a > b for a, b in pairs), sum(b > a for a, b in pairs)
    theirs = stats.binomtest(number, number + other).pvalue if number + other else 1.0
    assert mcnemar([a for a, _ in pairs], [b for _, b in pairs]) == pytest.approx(theirs)


def test_mcnemar_needs_pairs() -> None:
    with pytest.raises(BadInput, match="2 and 1 truth values"):
        mcnemar([True, False], [True])
