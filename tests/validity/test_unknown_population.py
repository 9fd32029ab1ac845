"""Draws without replacement from a list of unknown length, tested as if they were independent, at whatever number they stop.

All chances are exact: of the number of events among the first n of N values, of which D are events, in random order.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vivavoce.statistics.betting import BettingTest
from vivavoce.statistics.confidence_sequences import rate_above, rate_below

DELTA = 0.05
LIMITS = (0.01, 0.05, 0.1, 0.2, 0.5)


def ever(test: BettingTest, size: int, events: int) -> tuple[float, float]:
    """The chance that the e-value is ever 1/delta, and its largest expectation at any number of draws."""
    chance, crossed, largest = np.zeros(events + 1), 0.0, 0.0
    chance[0] = 1.0
    total = chance.copy()
    counts = np.arange(events + 1)
    for n in range(1, size + 1):
        chance, total = (_drawn_once_more(values, size, events, n) for values in (chance, total))
        log_e = np.array([test.after(np.array([0.0, 1.0]), np.array([n - k, k])) if k <= n else -np.inf for k in counts])
        largest = max(largest, float(total @ np.exp(np.minimum(log_e, 700.0))))
        over = log_e >= -np.log(DELTA)
        crossed += float(chance[over].sum())
        chance = np.where(over, 0.0, chance)
    return crossed, largest


def _drawn_once_more(chance: NDArray[np.float64], size: int, events: int, n: int) -> NDArray[np.float64]:
    """From n - 1 draws to n: the chances of each number of events."""
    counts = np.arange(events + 1)
    hit = np.clip((events - counts) / (size - n + 1), 0.0, 1.0)
    return np.asarray(chance * (1 - hit) + np.append(0.0, (chance * hit)[:-1]))


def cases(size: int) -> list[tuple[float, BettingTest, int]]:
    """At the boundary: one event more than the limit allows, and as many as it allows."""
    result: list[tuple[float, BettingTest, int]] = []
    for limit in LIMITS:
        allowed = int(limit * size + 1e-9)
        result += [(limit, rate_below(limit), allowed + 1), (limit, rate_above(limit), allowed)]
    return result


@pytest.mark.parametrize("size", [20, 60])
def test_it_holds_at_each_number_of_draws_and_at_any(size: int) -> None:
    for limit, test, events in cases(size):
        crossed, largest = ever(test, size, events)
        assert largest <= 1 + 1e-9, (limit, events, largest)  # theorem 4 of Hoeffding, 1963
        assert crossed <= DELTA, (limit, events, crossed)


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("size", [200, 600])
def test_it_holds_for_longer_lists(size: int) -> None:
    for limit, test, events in cases(size):
        crossed, largest = ever(test, size, events)
        print(size, limit, events, round(crossed, 4), round(largest, 4))
        assert largest <= 1 + 1e-9, (limit, events, largest)
        assert crossed <= DELTA, (limit, events, crossed)


def test_the_study_can_tell() -> None:
    """More events than the null allows: then it is passed far more often."""
    assert ever(rate_below(0.5), 60, 15)[0] > 0.5
