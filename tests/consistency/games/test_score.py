"""Counting, by hand."""

from __future__ import annotations

import pytest

from vivavoce.consistency.games.comparison import Comparison, Judged, compare
from vivavoce.consistency.games.score import Tally
from vivavoce.interview.boards import Measure


def pair(game: str, first: float, second: float) -> Comparison:
    return Comparison("colours", game, "the colours were exchanged", Judged("a", first, "Black"), Judged("b", second, "White"))


@pytest.mark.parametrize(
    ("measure", "values", "over", "mean"),
    [
        # .65 - .6 is not over .05, whatever the last binary digit says; .06 is; 1.2 is over 1
        ("outcome", [(0.65, 0.6), (0.06, 0.0), (-0.6, 0.6), (0.0, 0.0)], [2, 1, 1, 1, 1, 1], 1.31 / 4),
        ("points", [(7.5, 6.5), (7.5, 6.0), (-20.0, 31.0), (3.0, -3.0)], [3, 2, 2, 1, 1, 1], 59.5 / 4),
        ("equity", [(0.5, 0.49), (0.0, 0.06), (-1.0, 1.0), (0.2, 0.0)], [3, 3, 2, 1, 1, 1], 2.27 / 4),
    ],
)
def test_shares_and_means_are_those_of_a_count_by_hand(
    measure: Measure, values: list[tuple[float, float]], over: list[int], mean: float
) -> None:
    tally = Tally("colours", measure, seed=0)
    for number, (first, second) in enumerate(values):
        tally.add(pair(f"game {number}", first, second))
    found = tally.summary()
    assert [share.value for share in found.over] == [number / 4 for number in over]
    assert found.mean_difference.value == pytest.approx(mean)
    assert found.mean_signed.value == pytest.approx(sum(a - b for a, b in values) / 4)
    assert found.largest == pytest.approx(max(abs(a - b) for a, b in values))
    for share in (*found.over, found.mean_difference):
        assert share.value is not None
        assert share.interval.lower <= share.value <= share.interval.upper
    assert (found.n, found.games) == (4, 4)


def test_a_value_at_the_end_of_the_scale_is_counted_where_there_is_one() -> None:
    for measure, share in (("outcome", 0.5), ("points", 0.0)):
        tally = Tally("colours", measure, seed=0)  # type: ignore[arg-type]  # of the literal
        for number in range(4):
            tally.add(pair(f"game {number}", 1.0 if number % 2 else 0.0, 0.0))
        assert tally.summary().saturated.value == share


def test_two_games_are_too_few_for_an_interval_and_none_for_a_value() -> None:
    tally = Tally("colours", "points", seed=0)
    nothing = tally.summary()
    assert (nothing.n, nothing.largest, nothing.over[0].value, nothing.mean_signed.value) == (0, None, None, None)
    tally.add(pair("game 1", 5.0, 0.0))
    tally.add(pair("game 2", 5.0, 0.0))
    found = tally.summary()
    assert (found.over[0].interval.lower, found.over[0].interval.upper) == (0, 1)
    assert found.mean_signed.interval.upper == 2_000


def test_of_several_the_two_that_differ_most_are_compared() -> None:
    judged = [(label, Judged(label, value, "Black")) for label, value in (("", 1.0), ("x", 3.0), ("y", -2.0), ("z", 0.0))]
    found = compare("orientations", "game 1", judged)
    assert (found.label, found.signed) == ("x against y", 5.0)
    assert compare("orientations", "game 1", judged[:2]).label == "x"
    same = compare("orientations", "game 1", [judged[0], judged[0]])
    assert same.difference == 0
