"""Planning, leaning and multiple testing."""

from itertools import islice
from math import comb, exp, inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.statistics.clean import chance_of_clean
from vivavoce.errors import BadInput
from vivavoce.statistics.confidence_sequences import (
    LEAN,
    LeaningTest,
    clean_answers,
    clean_answers_of_finite,
    few_bets_above,
    growth_rate,
    limit_from_test_length,
    mean_passes,
    rate_boundary,
)
from vivavoce.statistics.multiple import e_bh, false_discovery_threshold, family_wise


def test_the_limit_from_a_test_length() -> None:
    """The paper prints .00052 and .000052; its own formula rounds to .00051 and .000051."""
    # 1 - exp(ln(.95)/100) = 1 - exp(-.000512933) = .00051280; for 1,000: .000051292
    assert limit_from_test_length(100, 0.05) == pytest.approx(0.00051280, abs=5e-9)
    assert limit_from_test_length(1_000, 0.05) == pytest.approx(0.00005129, abs=5e-9)
    # and it keeps its promise: a test of that length stays clean with probability .95
    assert (1 - limit_from_test_length(100, 0.05)) ** 100 == pytest.approx(0.95)


@pytest.mark.parametrize(("population", "needed"), [(1_000, 950), (5_000, 3_158), (10_000, 3_930)])
def test_finite_scopes_by_counting(population: int, needed: int) -> None:
    d = int(0.00052 * population) + 1
    assert clean_answers_of_finite(0.00052, 0.05, population) == needed
    # the chance to miss all d events in n draws, counted with whole numbers
    assert 20 * comb(population - d, needed) <= comb(population, needed)
    assert 20 * comb(population - d, needed - 1) > comb(population, needed - 1)


def test_clean_answers() -> None:
    assert clean_answers(0.00052, 0.05) == 5_760
    assert (1 - 0.00052) ** 5_760 <= 0.05 < (1 - 0.00052) ** 5_759


def test_the_boundary() -> None:
    assert list(islice(rate_boundary(0.00052, 0.05), 5)) == [6_282, 13_640, 18_141, 22_238, 26_034]


def test_where_one_answer_is_enough_the_boundary_begins_with_it() -> None:
    # nine answers in ten may be unacceptable, or 99 in 100: one that is not is evidence of up to 10, or 100, against that
    assert next(rate_boundary(0.9, 0.05)) > 1
    assert next(rate_boundary(0.99, 0.05)) == 1


def test_chance_of_clean_against_simulation() -> None:
    """20,000 seeded runs: the times of the first events decide where a run stands at each point of the boundary."""
    rate, budget = 0.0002, 20_000
    rng = np.random.default_rng(5)
    times = np.cumsum(rng.geometric(rate, size=(20_000, 4)), axis=1)
    passed = np.zeros(20_000, dtype=bool)
    for events, n in enumerate([6_282, 13_640, 18_141]):
        passed |= times[:, events] > n  # at most that many events among the first n
    exact = chance_of_clean(rate, 0.00052, 0.05, budget)
    assert exact == pytest.approx(passed.mean(), abs=3 * np.sqrt(0.25 / 20_000))


def test_chance_of_clean_before_the_first_point() -> None:
    assert chance_of_clean(0.0, 0.00052, 0.05, 6_281) == 0


def test_growth_rate_of_right_or_wrong_is_the_divergence() -> None:
    # d(.9, .7) = .9 ln(9/7) + .1 ln(1/3) = .226183 - .109861
    assert growth_rate([0, 1], [0.1, 0.9], 0.7) == pytest.approx(0.116322, abs=1e-6)
    assert growth_rate([0, 1], [0.3, 0.7], 0.7) == growth_rate([0, 1], [0.5, 0.5], 0.7) == 0


@each_case(("score", "limit"), [(0.75, 486), (0.8, 116), (0.9, 26), (0.95, 15)])
def test_what_no_test_can_beat(score: float, limit: int) -> None:
    assert round(log(20) / growth_rate([0, 1], [1 - score, score], 0.7)) == limit


def test_nonsense_is_refused() -> None:
    with pytest.raises(BadInput, match="at least 1"):
        limit_from_test_length(0, 0.05)


GOAL = log(20)
values = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 1.0]), st.booleans()), min_size=1, max_size=40)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=60), st.booleans())
def test_with_all_values_known_it_is_the_mixture(known: list[float], finite: bool) -> None:
    population = len(known) + 1 if finite else None
    update = LeaningTest(0.7, goal=GOAL, population=population).update(known, [False] * len(known))
    assert update == pytest.approx(mean_passes(0.7, population=population).update(known))


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
    # after a 1 and a 0 the capital of an alternative p is p/.7 (1 - p)/.3 of what it was
    p, shares = few_bets_above(0.7, once=False)
    shares = shares * p * (1 - p) / (shares * p * (1 - p)).sum()
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


@pytest.mark.long
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


LISTS = st.lists(st.floats(-20, 20) | st.just(-inf) | st.just(inf), max_size=30)


def plainly(log_e: list[float], delta: float) -> set[int]:
    """e-BH by its definition, counting for every k."""
    total = len(log_e)
    for k in range(total, 0, -1):
        needed = log(total / (k * delta)) - 1e-9
        large = {i for i, value in enumerate(log_e) if value >= needed}
        if len(large) >= k:
            return large
    return set()


@given(LISTS, st.floats(0.001, 0.5))
def test_e_bh_is_what_its_definition_says(log_e: list[float], delta: float) -> None:
    assert set(e_bh(log_e, delta)) == plainly(log_e, delta)


@given(LISTS, st.floats(0.001, 0.5))
def test_family_wise_rejects_no_more_than_e_bh(log_e: list[float], delta: float) -> None:
    assert set(family_wise(log_e, delta)) <= set(e_bh(log_e, delta))


def test_one_test_alone_needs_one_over_delta() -> None:
    assert e_bh([log(20)], 0.05) == family_wise([log(20)], 0.05) == (0,)
    assert e_bh([log(19.9)], 0.05) == family_wise([log(19.9)], 0.05) == ()


def test_by_hand() -> None:
    # J = 5, delta = .05: 100, 50, 33.3, 25, 20 for the largest ... the fifth largest
    assert e_bh([log(e) for e in (99, 21, 34, 3, 34)], 0.05) == (0, 2, 4)
    assert e_bh([log(e) for e in (99, 21, 33, 3, 34)], 0.05) == ()
    assert e_bh([log(e) for e in (20, 20, 20, 20, 20)], 0.05) == (0, 1, 2, 3, 4)
    assert family_wise([log(e) for e in (99, 101, 34, 3, 34)], 0.05) == (1,)
    assert exp(false_discovery_threshold(5, 0, 0.05)) == pytest.approx(100)  # none yet: what the first would need alone


def test_nothing_to_test_rejects_nothing() -> None:
    assert e_bh([], 0.05) == ()


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1])
def test_delta_must_be_a_share(delta: float) -> None:
    with pytest.raises(BadInput, match="delta"):
        e_bh([1.0], delta)
