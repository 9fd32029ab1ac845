"""A list of unacceptable answers that is extended in view of the answers: scored again, all verdicts may be wrong."""

import pytest

from tests.validity.extended import DELTA, by_choice, by_draws, by_what_was_seen


@pytest.mark.slow
@pytest.mark.study
def test_listing_what_was_seen_decides_nothing() -> None:
    errors = by_what_was_seen(runs=300)
    assert errors.naive > 0.95
    assert errors.ours <= DELTA


@pytest.mark.slow
@pytest.mark.study
def test_choosing_the_list_decides_nothing() -> None:
    errors = by_choice(runs=300)
    assert errors.naive > 0.1  # more than three standard errors above delta
    assert errors.ours <= DELTA


@pytest.mark.slow
@pytest.mark.study
def test_rolls_that_were_seen_decide_nothing() -> None:
    errors = by_draws(runs=2_000)
    assert errors.naive > 0.5
    assert errors.ours <= DELTA
