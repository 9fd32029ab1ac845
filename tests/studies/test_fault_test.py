"""Tests for faults: p-values against hand calculations, and how small they are where there is no fault."""

from __future__ import annotations

import numpy as np
import pytest

from vivavoce.errors import BadInput
from vivavoce.statistics.bounds import permuted_sum, upper_tail
from vivavoce.studies.comparisons import fault_test
from vivavoce.studies.effects import Case, Event, Treatment

HINT, PUSH = Treatment("hint", control="again"), Treatment("push", control="again")
AGAIN = Treatment("again", is_control=True)
RUNS = 2_000


def case(unit: int, **events: Event) -> Case:
    return Case((unit,), {name: {"flipped": event} for name, event in events.items()})


def p_of(cases: list[Case], *treatments: Treatment, guessing: float | None = None) -> float:
    test = fault_test(cases, [*treatments, AGAIN], "flipped", guessing)
    assert test is not None
    return test.p


def test_all_treatments_together_are_compared_with_the_control() -> None:
    cases = [case(n, hint=True, push=True, again=False) for n in range(4)] + [case(9, hint=True, push=False, again=False)]
    # together: the control is the one of three without an event in four cases, and one of two in the fifth
    together, alone = (1 / 3) ** 4 * (2 / 3), 0.5**5
    assert p_of(cases, HINT, PUSH) == pytest.approx(3 * min(together, alone))


def test_the_treatment_with_the_strongest_evidence_is_named() -> None:
    cases = [case(n, hint=False, push=n < 8, again=False) for n in range(9)]
    test = fault_test(cases, [HINT, PUSH, AGAIN], "flipped")
    assert test is not None
    assert (test.treatment, test.events, test.n) == ("push", 8, 18)
    assert test.p == pytest.approx(3 * 0.5**8)


def test_unknown_events_count_against_the_fault() -> None:
    known = [case(n, hint=True, again=False) for n in range(6)]
    assert p_of([*known, case(7, hint=None, again=False), case(8, hint=True, again=None)], HINT) == pytest.approx(0.5**6)
    assert p_of([*known, case(7, hint=False, again=None)], HINT) > p_of(known, HINT)


def test_cases_of_a_unit_count_once() -> None:
    alike = [case(n // 3, hint=True, again=False) for n in range(9)]
    assert p_of(alike, HINT) == pytest.approx(0.5**3)


def test_guesses_are_compared_with_a_binomial_tail() -> None:
    cases = [case(n, hint=n > 0, push=True, again=False) for n in range(5)]
    # nine of ten: (10 + 1) / 1,024
    assert p_of(cases, HINT, PUSH, guessing=0.5) == pytest.approx(11 / 1024)


def test_nothing_is_tested_without_a_control() -> None:
    assert fault_test([case(1, hint=True)], [HINT, AGAIN], "flipped") is None
    assert fault_test([], [HINT, AGAIN], "flipped", 0.5) is None


def test_events_that_differ_in_their_chances_are_bounded_by_the_binomial_tail() -> None:
    # one certain event and nine that never happen have the mean .1; two events can't be, and the tail is above 0
    assert upper_tail(2, 10, 0.1) == pytest.approx(1 - 0.9**10 - 10 * 0.1 * 0.9**9)
    assert upper_tail(1, 10, 0.1) == 1.0
    with pytest.raises(BadInput, match="3 events in 2 trials"):
        upper_tail(3, 2, 0.5)


def test_a_sum_of_draws_is_counted_out() -> None:
    assert permuted_sum([np.array([0, 1]), np.array([0, 1]), np.array([2, 0, 0])], 1) == pytest.approx(0.75 * 2 / 3)
    assert permuted_sum([], 0) == 1.0


@pytest.mark.parametrize("noise", [0.05, 0.3])
def test_without_a_fault_small_p_values_are_rare(noise: float) -> None:
    """Every question flips with its own chance, with treatments as often as in the control."""
    rng, below = np.random.default_rng(3), {0.05: 0, 0.2: 0}
    for _ in range(RUNS):
        chances = np.minimum(1.0, rng.exponential(noise, 20))
        flips = rng.random((20, 3)) < chances[:, None]
        cases = [case(n, hint=bool(a), push=bool(b), again=bool(c)) for n, (a, b, c) in enumerate(flips)]
        p = p_of(cases, HINT, PUSH)
        below = {level: number + (p <= level) for level, number in below.items()}
    # three standard errors above the level
    assert all(number <= RUNS * level + 3 * (RUNS * level * (1 - level)) ** 0.5 for level, number in below.items()), below
