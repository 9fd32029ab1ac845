"""What batches waste and cost, as `batches` requires it; few runs here, and those of the documentation with `-m slow`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.validity.batches import MOST_OF_PRICE, MOST_WASTED, SCORES, against_server, batches, examined
from tests.validity.batches_of_several import COMPARISONS, LONG, comparisons, examinations


@pytest.mark.slow
@pytest.mark.study
def test_little_is_drawn_in_vain() -> None:
    found = [batches(score, 400) for score in SCORES]
    assert np.mean([one.wasted for one in found]) < MOST_WASTED
    assert np.mean([one.mean_wasted for one in found]) < MOST_WASTED
    assert max(one.of_price for one in found) <= MOST_OF_PRICE
    assert max(one.rounds.mean() for one in found) < 10


def test_little_is_in_a_small_study() -> None:
    found = batches(0.8, 12)
    assert found.wasted < 2 * MOST_WASTED
    assert found.rounds.mean() < 10  # blocks of one: as many as questions


def test_of_a_finite_scope_no_more_is_asked_than_there_is() -> None:
    needed, asked, rounds = examined(0.71, 0, population=60)
    assert needed <= asked <= 60
    assert rounds < needed


@pytest.mark.slow
async def test_the_server_bills_what_is_told(tmp_path: Path) -> None:
    found, of_price = await against_server(0.8, 10, tmp_path)
    assert of_price == pytest.approx(found.of_price)
    assert of_price < MOST_OF_PRICE + 0.05  # of ten


@pytest.mark.slow
def test_little_is_where_several_are_asked() -> None:
    found = [comparisons(two, 12) for two in COMPARISONS]
    long = [one.wasted for one in found if one.needed.mean() >= LONG]
    assert len(long) >= 3
    assert np.mean(long) < MOST_WASTED
    assert all((one.needed <= one.asked).all() for one in found)
    assert max(one.rounds.mean() for one in found) < 15


@pytest.mark.slow
def test_little_is_of_two_scopes_and_by_a_judge() -> None:
    for found in examinations(6).values():
        assert (found.needed <= found.asked).all()
        assert found.wasted < 2 * MOST_WASTED
