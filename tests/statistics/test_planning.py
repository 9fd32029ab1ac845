"""The planner's formulas against the paper's figures, exact distributions and simulation."""

from itertools import islice
from math import comb, log

import numpy as np
import pytest

from tests.statistics.clean import chance_of_clean
from vivavoce.errors import BadInput
from vivavoce.statistics.planning import (
    clean_answers,
    clean_answers_of_finite,
    growth_rate,
    limit_from_test_length,
    rate_boundary,
)


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


@pytest.mark.parametrize(("score", "limit"), [(0.75, 486), (0.8, 116), (0.9, 26), (0.95, 15)])
def test_what_no_test_can_beat(score: float, limit: int) -> None:
    assert round(log(20) / growth_rate([0, 1], [1 - score, score], 0.7)) == limit


def test_nonsense_is_refused() -> None:
    with pytest.raises(BadInput, match="at least 1"):
        limit_from_test_length(0, 0.05)
