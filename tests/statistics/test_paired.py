"""Paired tests against scipy, all flips by hand, and their error rate where there is no difference."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.statistics.paired import mcnemar, sign_flip


def seeded() -> np.random.Generator:
    return np.random.default_rng(0)


@settings(max_examples=30)
@given(values=st.lists(st.integers(-9, 9), min_size=6, max_size=9))
def test_alone_it_is_scipys_permutation_test(values: list[int]) -> None:
    theirs = stats.permutation_test(
        (np.array(values, dtype=float), np.zeros(len(values))),
        lambda one, other: abs(np.mean(one - other)),
        permutation_type="samples",
        alternative="greater",
        n_resamples=2**10,  # all of them
        vectorized=False,
    )
    assert sign_flip(values, [()] * len(values), rng=seeded()).p == pytest.approx(theirs.pvalue)


def test_what_shares_a_group_is_flipped_together() -> None:
    # six groups of two with sums 2, 2, 2, 2, 2, -2: |sum| = 8; of 64 flips 2 reach 12 and 12 reach 8
    values = [1.0] * 10 + [-1.0] * 2
    test = sign_flip(values, [str(i // 2) for i in range(12)], rng=seeded())
    assert test == (14 / 64, "sign flips", 6)


def test_drawn_flips_come_near_to_all_flips() -> None:
    values = np.random.default_rng(5).normal(0.4, 1, 16)
    exact = sign_flip(values, [()] * 16, rng=seeded(), rounds=2**16).p
    drawn = sign_flip(values, [()] * 16, rng=seeded(), rounds=20_000).p
    assert drawn == pytest.approx(exact, abs=4 * (exact / 20_000) ** 0.5)
    assert sign_flip(np.ones(40), [()] * 40, rng=seeded(), rounds=999).p == 1 / 1000  # never 0


def test_what_hangs_together_is_left_to_t() -> None:
    values = np.random.default_rng(5).normal(1, 1, 45)
    test = sign_flip(values, list(combinations(range(10), 2)), rng=seeded())
    assert (test.method, test.pieces) == ("t", 1)
    assert 0 < test.p < 1
    # five pairs: too few coins; groups of equal size are the t test of their means
    means = values[:10].reshape(5, 2).mean(axis=1)
    few = sign_flip(values[:10], [str(i // 2) for i in range(10)], rng=seeded())
    assert few.method == "t"
    within = np.var(values[:10], ddof=1) / 10 > np.var(means, ddof=1) / 5
    assert within or few.p == pytest.approx(stats.ttest_1samp(means, 0).pvalue)


def test_equal_differences_are_no_certainty() -> None:
    assert sign_flip([0, 0, 0], [(), (), ()], rng=seeded()).p == 1
    # three coins that all fall one way, or the other: 2 of 8; two that share a group are one coin
    assert sign_flip([2, 2, 2], [(), (), ()], rng=seeded()) == (2 / 8, "sign flips", 3)
    assert sign_flip([0.1 + 0.2, 0.3, 0.3], ["a", "a", "b"], rng=seeded()).p == 2 / 4


def test_no_difference_is_no_evidence() -> None:
    assert sign_flip([0] * 10, [()] * 10, rng=seeded()).p == 1
    with pytest.raises(NotEnoughEvidence):
        sign_flip([1], [()], rng=seeded())
    with pytest.raises(BadInput, match="rounds"):
        sign_flip([1], [()], rng=seeded(), rounds=0)


def test_it_errs_as_often_as_it_says() -> None:
    """Twenty groups of four with strong effects and no difference: flipping each alone would reject half of the time."""
    rng, groups = np.random.default_rng(2), [str(i // 4) for i in range(80)]
    together, alone = 0, 0
    for _ in range(400):
        values = np.repeat(rng.normal(0, 3, 20), 4) + rng.normal(0, 1, 80)
        together += sign_flip(values, groups, rng=rng, rounds=199).p <= 0.05
        alone += sign_flip(values, [()] * 80, rng=rng, rounds=199).p <= 0.05
    assert together / 400 <= 0.05 + 2.6 * (0.05 * 0.95 / 400) ** 0.5
    assert alone / 400 > 0.2


@given(pairs=st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60))
def test_mcnemar_is_the_binomial_test_of_the_discordant(pairs: list[tuple[bool, bool]]) -> None:
    one, other = sum(a > b for a, b in pairs), sum(b > a for a, b in pairs)
    theirs = stats.binomtest(one, one + other).pvalue if one + other else 1.0
    assert mcnemar([a for a, _ in pairs], [b for _, b in pairs]) == pytest.approx(theirs)


def test_mcnemar_needs_pairs() -> None:
    with pytest.raises(BadInput, match="2 and 1 truth values"):
        mcnemar([True, False], [True])
