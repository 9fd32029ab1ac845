"""Round numbers, kinds of failed negation, the spread of series, and the tables of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.studies.forecasts.finding import score
from vivavoce.errors import NotEnoughEvidence
from vivavoce.laws.monotone import box_of, notions
from vivavoce.studies.forecasting.forecast_files import Row, row_as_json
from vivavoce.studies.forecasting.scoring import Failure, failure, is_multiple
from vivavoce.studies.forecasting.sections import TUPLES, counted, published_laws, published_rows


def negation(event: float, opposite: float, index: int = 0, name: str = "model") -> Row:
    return Row(name, "neg", {"P": event, "not_P": opposite}, id=str(index))


def test_kinds_of_failed_negation_by_hand() -> None:
    rows = [
        (0.9, 0.9), (0.9, 0.85), (0.1, 0.1), (0.8, 0.65), (0.5, 0.9), (0.2, 0.3), (0.9, 0.4), (0.1, 0.6),
        (0.3, 0.7), (0.55, 0.55), (0.4, 0.8),  # coherent, |P + ~P - 1| = .1, and exactly .2: not strong
    ]  # fmt: skip
    finding = score([negation(event, opposite, index) for index, (event, opposite) in enumerate(rows)])
    (failed,) = finding.details.negations
    assert failed.n == 8
    assert {kind: round(8 * (share.value or 0)) for kind, share in failed.kinds.items()} == {
        Failure.SAME: 3, Failure.BOTH_HIGH: 2, Failure.BOTH_LOW: 1, Failure.NOT_ADDING_UP: 2,
    }  # fmt: skip
    expected = scipy.stats.binomtest(3, 8).proportion_ci(0.95, method="exact")
    interval = failed.kinds[Failure.SAME].interval
    assert (interval.lower, interval.upper) == pytest.approx((expected.low, expected.high))
    assert finding.as_json()["details"]["negations"][0]["kinds"]["same number"]["value"] == 3 / 8


def test_who_does_not_hear_the_negation_repeats_the_number() -> None:
    rng = np.random.default_rng(3)
    deaf = [negation(value, value, index) for index, value in enumerate(rng.uniform(0, 1, 300))]
    (failed,) = score(deaf).details.negations
    assert failed.kinds[Failure.SAME].value == 1
    # At random, u = P + ~P - 1 and v = P - ~P are uniform on |u| + |v| <= 1, of area 2. Strong is |u| > .2: .64 of it; of that,
    # |v| <= .05 takes 2 (.1 * .8 - .05^2) / 2 = .0775 of all. Mirrored, both high is as frequent as both low.
    tolist = rng.uniform(0, 1, (4000, 2)).tolist()
    at_random = [negation(event, opposite, index) for index, (event, opposite) in enumerate(tolist)]
    (failed,) = score(at_random).details.negations
    assert 0.0775 / 0.64 in failed.kinds[Failure.SAME].interval
    assert failed.kinds[Failure.SAME].value == pytest.approx(0.0775 / 0.64, abs=0.02)
    high, low = (failed.kinds[kind].value for kind in (Failure.BOTH_HIGH, Failure.BOTH_LOW))
    assert high == pytest.approx(low, abs=0.04)


@given(st.floats(0, 1), st.floats(0, 1))
def test_exchanging_event_and_negation_changes_no_kind_and_mirroring_exchanges_high_and_low(event: float, other: float) -> None:
    assert failure(event, other) is failure(other, event)
    mirrored = {Failure.BOTH_HIGH: Failure.BOTH_LOW, Failure.BOTH_LOW: Failure.BOTH_HIGH}
    kind = failure(event, other)
    if abs(abs(event - other) - 0.05) > 1e-6 and 0.5 not in (event, other) and min(event, other) > 1e-9:
        assert failure(1 - event, 1 - other) is mirrored.get(kind, kind)


def test_nobody_without_a_strong_contradiction_has_kinds() -> None:
    assert score([negation(0.3, 0.7)]).details.negations == ()


def test_multiples_of_five_and_ten_per_cent_by_hand() -> None:
    rows = [
        Row("model", "neg", {"P": 0.35, "not_P": 0.65}, id="1", questions={"P": "Will it?", "not_P": "Will it not?"}),
        # the question of before counts once
        Row("model", "paraphrase", {"P": 0.35, "para_P": 0.333}, id="2", questions={"P": "Will it?", "para_P": "Shall it?"}),
        Row("model", "neg", {"P": 0.1, "not_P": None}, id="3"),
        Row("model", "repeat", {"P": 0.11, "again_1": 0.12}, id="4"),  # a control counts for nothing
        Row("model", "increasing", {"2025": 5, "2028": 10, "2030": 15}, id="5"),  # nor do quantities
    ]
    (rounding,) = score(rows).details.rounding
    # .35, .65, .333, .1
    assert (rounding.multiples_of_5.value, rounding.multiples_of_10.value, rounding.multiples_of_5.n) == (3 / 4, 1 / 4, 4)


@each_case("whole", range(101))
def test_whole_percentages_are_told_by_their_remainder(whole: int) -> None:
    assert is_multiple(whole / 100, 5) == (whole % 5 == 0)
    assert is_multiple(whole / 100, 10) == (whole % 10 == 0)
    assert not is_multiple(whole / 100 + 0.0001, 5)


draws = st.lists(st.integers(-1000, 1000).map(float), min_size=2, max_size=12)


@given(draws)
def test_boxes_are_those_of_matplotlib(values: list[float]) -> None:
    from matplotlib.cbook import boxplot_stats

    (expected,) = boxplot_stats(values, whis=1.5)
    keys = ("whislo", "q1", "med", "q3", "whishi")
    assert tuple(box_of(values)) == pytest.approx(tuple(float(expected[key]) for key in keys))


@given(st.lists(draws, min_size=3, max_size=5), st.sampled_from(("increasing", "decreasing")))
def test_strong_implies_median_implies_weak_and_a_mirror_turns_the_direction(series: list[list[float]], law: str) -> None:
    document = {str(2025 + index): values for index, values in enumerate(series)}
    series_notions = notions(law, document)
    assert series_notions.median or not series_notions.strong
    assert series_notions.weak or not series_notions.median
    other = "increasing" if law == "decreasing" else "decreasing"
    assert notions(other, {year: [-value for value in values] for year, values in document.items()}) == series_notions
    # weak: no interval lies wholly above a later one
    boxes = [box_of(values) for values in series]
    sign = 1 if law == "increasing" else -1
    intervals = [(box.low, box.high) if sign > 0 else (-box.high, -box.low) for box in boxes]
    assert series_notions.weak == all(first[0] <= second[1] for first, second in combinations(intervals, 2))


@each_case(
    ("series", "expected"),
    [
        # years in any order; by hand
        ({"2030": [3, 4], "2025": [1, 2], "2035": [5, 6]}, (True, True, True)),
        ({"2025": [1, 9], "2030": [4, 8], "2035": [7, 8]}, (True, True, False)),  # medians 5, 6, 7.5; upper ends fall
        ({"2025": [5, 9], "2030": [4, 8], "2035": [7, 8]}, (True, False, False)),  # medians 7, 6, 7.5
        ({"2025": [5, 6], "2030": [3, 4], "2035": [7, 8]}, (False, False, False)),  # the second lies below the first
    ],
)
def test_notions_by_hand(series: dict[str, list[float]], expected: tuple[bool, bool, bool]) -> None:
    series_notions = notions("increasing", series)
    assert (series_notions.weak, series_notions.median, series_notions.strong) == expected


def test_series_are_counted_where_their_draws_are_known() -> None:
    def series(draws: Mapping[str, tuple[float, ...]], index: int) -> Row:
        return Row("model", "increasing", {"2025": 1, "2030": 2, "2035": 3}, id=str(index), draws=draws)

    strong = {"2025": (1.0, 2.0), "2030": (3.0, 4.0), "2035": (5.0, 6.0)}
    weak = {"2025": (5.0, 9.0), "2030": (4.0, 8.0), "2035": (7.0, 8.0)}
    rows = [series(strong, 0), series(strong, 1), series(weak, 2), series({}, 3), series(strong | {"2030": (3.0,)}, 4)]
    (monotone_series,) = score(rows).details.series
    assert (monotone_series.n, monotone_series.without_draws) == (3, 2)
    assert (monotone_series.strong.value, monotone_series.median.value, monotone_series.weak.value) == (2 / 3, 2 / 3, 1)
    assert score(rows[3:]).details.series == ()
    assert row_as_json(rows[0])["draws"] == {"2025": [1.0, 2.0], "2030": [3.0, 4.0], "2035": [5.0, 6.0]}


def test_one_draw_has_no_spread() -> None:
    with pytest.raises(NotEnoughEvidence, match="1 draws"):
        box_of([1.0])


# Table 3, read with the eye
TABLE_3 = {
    "GPT-3.5-turbo": {"neg": (52.6, 0.34), "paraphrase": (30.8, 0.21), "increasing": (42.0, 0.23), "bayes": (68.6, 0.28)},
    "GPT-4": {"neg": (10.9, 0.10), "paraphrase": (12.5, 0.13), "increasing": (16.0, 0.11), "bayes": (58.8, 0.25)},
}


def test_every_printed_share_is_that_of_one_count() -> None:
    assert len(published_rows()) == 12
    rows = [(check, entry) for row in published_rows() for check, entry in row.checks.items()]
    assert len(rows) == 4 * 4 + 8 * 3
    for check, entry in rows:
        assert entry.strong.n == TUPLES[check]
        assert entry.strong.value is not None
        count = round(entry.strong.value * entry.strong.n)
        expected = scipy.stats.binomtest(count, entry.strong.n).proportion_ci(0.95, method="exact")
        assert (entry.strong.interval.lower, entry.strong.interval.upper) == pytest.approx((expected.low, expected.high))
    # the counts of the note: 92 and 19 of 175, 32 of 104, 21 of 50, 35 and 30 of 51
    shares = ((52.6, 175), (10.9, 175), (30.8, 104), (42.0, 50), (68.6, 51), (58.8, 51))
    assert [counted(printed, n) for printed, n in shares] == [92, 19, 32, 21, 35, 30]


@pytest.mark.parametrize("model", TABLE_3)
def test_table_3_is_among_them(model: str) -> None:
    row = next(row for row in published_rows() if (row.model, row.temperature, row.variant) == (model, 0, "plain"))
    for law, (percent, mean) in TABLE_3[model].items():
        printed = row.of(law)
        assert printed is not None
        assert printed.strong.value is not None
        assert (round(100 * printed.strong.value, 1), printed.mean) == (percent, mean)


@each_case(
    ("variant", "model", "law", "percent", "mean"),
    [
        ("opposite", "GPT-4", "neg", 2.9, 0.06),  # Table 4
        ("canonical", "GPT-4", "bayes", 62.7, 0.27),  # Table 4
        ("opposite", "GPT-3.5-turbo", "paraphrase", 41.3, 0.28),  # Table 12
        ("canonical", "GPT-3.5-turbo", "neg", 44.0, 0.33),  # Table 13
    ],
)
def test_tables_4_12_and_13_are_among_them(variant: str, model: str, law: str, percent: float, mean: float) -> None:
    row = next(row for row in published_rows() if (row.model, row.temperature, row.variant) == (model, 0, variant))
    printed = row.of(law)
    assert printed is not None
    assert printed.strong.value is not None
    assert (round(100 * printed.strong.value, 1), printed.mean) == (percent, mean)
    assert row.of("increasing") is None


def test_a_share_that_no_count_gives_is_refused() -> None:
    with pytest.raises(ValueError, match="unpack"):
        counted(52.7, 50)
    assert published_laws(("and", "or")) == ()
