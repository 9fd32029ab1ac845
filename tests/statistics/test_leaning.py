"""Bets that lean where some values are lower ends: valid whatever decides which, and the mixture's own until then."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.statistics.confidence_sequences import mean_above
from vivavoce.statistics.leaning import LEAN, LeaningTest

GOAL = log(20)
values = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 1.0]), st.booleans()), min_size=1, max_size=40)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=60), st.booleans())
def test_with_all_values_known_it_is_the_mixture(known: list[float], finite: bool) -> None:
    population = len(known) + 1 if finite else None
    update = LeaningTest(0.7, goal=GOAL, population=population).update(known, [False] * len(known))
    assert update == pytest.approx(mean_above(0.7, population=population).update(known))


@given(values, st.booleans())
def test_one_by_one_or_all_at_once(ends: list[tuple[float, bool]], finite: bool) -> None:
    population = len(ends) + 3 if finite else None
    together, single = (LeaningTest(0.6, goal=GOAL, population=population) for _ in range(2))
    path = together.update(*zip(*ends, strict=True))
    assert path == pytest.approx([single.update(value, unsure)[0] for value, unsure in ends])


@pytest.mark.parametrize("population", [None, 9])
def test_each_bet_is_fair_under_the_null(population: int | None) -> None:
    # A factor is linear in the value. So it is fair to every distribution with the null's mean m if m times that for a 1 and
    # 1 - m times that for a 0 add up to 1; m is .7, or what .7 of all leaves for the next one.
    ends = [(1, False), (1, False), (0, True), (1, False), (0.5, True), (1, False)]
    for taken in range(len(ends)):
        start = [LeaningTest(0.7, goal=GOAL, population=population) for _ in range(3)]
        for test in start:
            for value, unsure in ends[:taken]:
                test.update(value, unsure)
        drawn = sum(value for value, _ in ends[:taken])
        m = 0.7 if population is None else (0.7 * population - drawn) / (population - taken)
        at_one, at_nought, between = (
            float(np.exp(test.update(x, False)[0] - before))
            for test, x, before in zip(start, (1.0, 0.0, 0.3), [test.log_e for test in start], strict=True)
        )
        assert m * at_one + (1 - m) * at_nought == pytest.approx(1)
        if taken > 2:  # from here on it is one bet, not a sum of capitals
            assert between == pytest.approx(0.3 * at_one + 0.7 * at_nought)
        assert at_one >= 1


def test_the_bet_by_hand() -> None:
    # after a 1 and a 0 the capital of an alternative p is p/.7 (1 - p)/.3 of what it was; 60 of them from .7025 to .9975
    p = 0.7 + 0.3 * (np.arange(60) + 0.5) / 60
    shares = p * (1 - p) / (p * (1 - p)).sum()
    mean = float(shares @ p)
    bet = mean + LEAN * float(np.sqrt(shares @ (p - mean) ** 2))
    test = LeaningTest(0.7, goal=GOAL)
    before = test.update([1, 0], [False, True])[-1]
    assert np.exp(test.update(1, False)[0] - before) == pytest.approx(bet / 0.7)


def test_it_aims_at_the_goal() -> None:
    test = LeaningTest(0.7, goal=10.0)
    stands = test.update([1] * 12 + [0], [False] * 12 + [True])[-1]
    for further in (0.05, 0.2, 0.3):
        aiming = LeaningTest(0.7, goal=stands + further)
        aiming.update([1] * 12 + [0], [False] * 12 + [True])
        assert aiming.update(1, False)[0] == pytest.approx(stands + further)
        assert aiming.update(1, False)[0] > stands + further  # and it goes on beyond


def test_values_in_between_are_not_aimed_short_of_the_goal() -> None:
    ends = [0.9] * 12 + [0.0]
    unsure = [False] * 12 + [True]
    stands = LeaningTest(0.7, goal=10.0).update(ends, unsure)[-1]
    near = LeaningTest(0.7, goal=stands + 0.01)
    near.update(ends, unsure)
    far = LeaningTest(0.7, goal=10.0)
    far.update(ends, unsure)
    assert near.update(0.9, False)[0] == pytest.approx(far.update(0.9, False)[0])


def test_draws_that_settle_the_null() -> None:
    test = LeaningTest(0.5, goal=GOAL, population=6)
    path = test.update([1, 0, 1, 1, 1], [False, True, False, False, False])
    assert path[-1] == np.inf  # 4 of 6
    low = LeaningTest(0.5, goal=GOAL, population=4)
    assert np.isfinite(low.update([0, 0, 0, 0], [True] * 4)).any()


def test_it_errs_as_rarely_as_it_says() -> None:
    # an adversary hides each 1 while the evidence is below 1; lower ends have a mean of .7 at most. 200 runs: 20 errors of 5%
    # have a chance of .3%
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(200):
        test = LeaningTest(0.7, goal=GOAL)
        for x in rng.random(120) < 0.7:
            hidden = bool(x) and test.log_e < 0 and rng.random() < 0.3
            if test.update(float(x and not hidden), hidden)[0] >= GOAL - 1e-9:
                wrong += 1
                break
    assert 0 < wrong < 20
