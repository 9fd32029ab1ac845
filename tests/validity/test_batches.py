"""How much is asked by batch that a verdict does not need, as `batches` measures it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.validity.batches import SCORES, batches, blocks_of, certificate
from vivavoce.interview.drawing import FIRST_BLOCK


@given(st.integers(1, 100_000))
def test_at_most_a_third_is_not_needed_or_the_rest_of_a_first_block(needed: int) -> None:
    asked, rounds = blocks_of(needed)
    assert 0 <= asked - needed < max(FIRST_BLOCK, asked / 3)
    assert rounds <= 25  # 1.5 ** 22 * 20 is 149,000


def test_sizes_worked_out_by_hand() -> None:
    # 20, 20, 20, then 30 after 60, 45 after 90, 68 after 135
    by_hand = {1: (20, 1), 20: (20, 1), 21: (40, 2), 61: (90, 4), 91: (135, 5), 136: (203, 6)}
    assert {needed: blocks_of(needed) for needed in by_hand} == by_hand


@pytest.mark.slow
@pytest.mark.study
def test_a_fifth_is_not_needed() -> None:
    for score in SCORES:
        counts = batches([certificate(score, seed) for seed in range(300)])
        assert 0.15 < counts.unneeded < 0.25
        assert counts.of_price < 0.67  # at half the price
        assert counts.rounds.mean() < 10
