"""The numbers of `bench/score_bets.py`, against closed forms, Wald's bound and a simulation by the planner."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from bench.score_bets import DELTA, ENOUGH, even, exact_means, few, fewest_right, least_ratio, means_of, simulated
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.plan import estimate_power


def test_a_bet_on_all_right_needs_three_of_them() -> None:
    """Against one half, each right answer doubles the capital, a wrong one ends it: 8 after three, or never."""
    fewest = fewest_right(0.5, (np.array([1.0]), np.ones(1)), most=5, enough=log(8))
    questions, undecided = exact_means(fewest, np.array([0.6, 1.0]))
    assert undecided == pytest.approx([1 - 0.6**3, 0])
    assert questions == pytest.approx([3 * 0.6**3 + 5 * (1 - 0.6**3), 3])


def test_exact_means_are_those_of_the_planner() -> None:
    planned = estimate_power(Criterion(0.7, None, DELTA), score=0.9).mean
    assert exact_means(fewest_right(0.7, few(0.7), most=500), np.array([0.9])).questions == pytest.approx(planned, rel=0.03)


def test_the_least_lies_between_walds_bound_and_a_test() -> None:
    """No test has a mean below ln(1/delta) / KL (Wald), and a bet on the true score is a test."""
    score = np.array([0.9])
    wald = ENOUGH / (0.9 * log(0.9 / 0.7) + 0.1 * log(0.1 / 0.3))
    bet = exact_means(fewest_right(0.7, (score, np.ones(1)), most=500), score).questions
    least = max(least_ratio(0.7, score, np.ones(1), factor * wald, horizon=200) for factor in (2, 4, 8, 16))
    assert 0.95 * wald < least < bet


def test_few_bets_ask_less_where_they_are_and_at_most_three_percent_more_elsewhere() -> None:
    scores = np.array([0.75, 0.8, 0.82, 0.85, 0.9, 0.95, 0.98, 1.0])
    assert few(0.7)[1].sum() == pytest.approx(1)
    change = means_of(0.7, few(0.7), scores).questions / means_of(0.7, even(0.7), scores).questions - 1
    assert change[0] < -0.06
    assert change.max() < 0.03


def test_bets_no_larger_than_needed_ask_less() -> None:
    """A fail at a passing grade of .7 of a candidate with half of the answers right."""
    plain, enough = (simulated(0.3, 0.5, 1_000, enough=enough) for enough in (False, True))
    exact = exact_means(fewest_right(0.3, even(0.3), most=500), np.array([0.5])).questions
    assert exact == pytest.approx(plain, rel=0.08)
    assert enough < 0.95 * plain
