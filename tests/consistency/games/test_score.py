"""Counting, by hand."""

from __future__ import annotations

import pytest

from vivavoce.consistency.chess.counting import Tally
from vivavoce.consistency.games.comparison import Comparison, EvaluatedPosition


def pair(game: str, first: float, second: float) -> Comparison:
    judged = EvaluatedPosition("a", first, "Black", ""), EvaluatedPosition("b", second, "White", "")
    return Comparison("colours", game, "the colours were exchanged", *judged)


def test_shares_and_means_are_those_of_a_count_by_hand() -> None:
    # .65 - .6 is not over .05, whatever the last binary digit says; .06 is; 1.2 is over 1
    values = [(0.65, 0.6), (0.06, 0.0), (-0.6, 0.6), (0.0, 0.0)]
    tally: Tally[Comparison] = Tally("colours", seed=0)
    for number, (first, second) in enumerate(values):
        tally.add(pair(f"game {number}", first, second))
    found = tally.summary()
    assert [share.value for share in found.over] == [number / 4 for number in (2, 1, 1, 1, 1, 1)]
    assert found.mean_difference.value == pytest.approx(1.31 / 4)
    assert found.mean_signed.value == pytest.approx(sum(a - b for a, b in values) / 4)
    assert found.largest == pytest.approx(1.2)
    for share in (*found.over, found.mean_difference):
        assert share.value is not None
        assert share.interval.lower <= share.value <= share.interval.upper
    assert (found.n, found.games) == (4, 4)
