"""Forecasters with planted faults: what comes out is what was put in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from scipy.stats import binomtest

from tests.studies.forecasts.asked import TUPLES, examine, negation_gaps, of_law, spreads, values
from tests.studies.forecasts.forecasters import (
    RAMBLES,
    YEARS,
    coherent,
    probability_tuples,
    quantity_tuples,
    running,
)
from vivavoce.studies.forecasting.config import ForecastsConfig

# as many draws as a forecaster without noise needs: one a question, and the control
FEW = [*probability_tuples(4), *quantity_tuples(2)]
ONCE = ForecastsConfig(repeats=1)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running(0.002) as address:
        yield address


def test_a_steady_forecaster_gets_the_forecasts_that_it_gave(server: str) -> None:
    asked = examine(server, "steady", FEW)
    assert [row.id for row in asked.rows[: len(FEW)]] == [
        question_tuple.id for question_tuple in FEW
    ]  # in the order of the file
    first_questions = {question_tuple.questions["P"] for question_tuple in FEW if question_tuple.law != "increasing"}
    assert asked.planned == len(asked.rows) == len(FEW) + len(first_questions)
    for row in asked.rows:
        if row.law != "increasing":
            # the hidden distribution itself is the witness
            assert values(row) == pytest.approx([coherent(question) for question in row.questions.values()], abs=1e-6)
    assert max(negation_gaps(asked)) < 2e-6
    assert max(spreads(asked, "paraphrase")) == max(spreads(asked, "repeat")) == 0
    for row in of_law(asked, "increasing"):
        assert list(row.forecasts) == [str(year) for year in YEARS]
        assert values(row) == sorted(values(row))
    assert list(asked.outcomes) == ["read"]


def test_one_who_ignores_not_is_wrong_by_twice_the_distance_from_a_half(server: str) -> None:
    asked = examine(server, "deaf", FEW, config=ONCE)
    p = [coherent(row.questions["P"]) for row in of_law(asked, "neg")]
    assert negation_gaps(asked) == pytest.approx([abs(2 * value - 1) for value in p], abs=1e-5)
    for row in of_law(asked, "and-or"):
        forecasts = row.forecasts
        assert forecasts["P"] + forecasts["Q"] == pytest.approx(forecasts["P_and_Q"] + forecasts["P_or_Q"], abs=1e-5)  # type: ignore[operator]
    for row in of_law(asked, "bayes"):
        forecasts = row.forecasts
        assert forecasts["P_given_Q"] * forecasts["Q"] == pytest.approx(forecasts["Q_given_P"] * forecasts["P"], abs=1e-5)  # type: ignore[operator]
    assert max(spreads(asked, "paraphrase")) == 0


def test_one_who_rounds_is_off_by_the_rounding_alone(server: str) -> None:
    asked = examine(server, "rounder", FEW, config=ONCE)
    forecasts = {value for row in asked.rows if row.law != "increasing" for value in values(row)}
    assert len(forecasts) <= 21
    assert all(abs(20 * value - round(20 * value)) < 1e-9 for value in forecasts)
    # four numbers, each off by at most .025
    for row in of_law(asked, "and-or"):
        document = row.forecasts
        assert abs(document["P"] + document["Q"] - document["P_and_Q"] - document["P_or_Q"]) <= 0.1 + 1e-9  # type: ignore[operator]
    assert max(spreads(asked, "paraphrase")) == 0


def test_one_who_always_says_the_same_says_the_same(server: str) -> None:
    asked = examine(server, "constant", FEW, config=ONCE)
    assert {value for row in asked.rows if row.law != "increasing" for value in values(row)} == {0.4}


def test_one_who_declines_where_numbers_can_only_grow(server: str) -> None:
    asked = examine(server, "declining", list(quantity_tuples(6)))
    assert not of_law(asked, "repeat")  # quantities have no control
    assert all(values(row) == sorted(values(row), reverse=True) and len(set(values(row))) == 5 for row in asked.rows)


@pytest.mark.long
def test_jitter_shows_in_the_control_and_less_the_more_replies_there_are(server: str) -> None:
    tuples = [question_tuple for question_tuple in TUPLES if question_tuple.law == "paraphrase"]
    few, many = (examine(server, "noisy", tuples, config=ForecastsConfig(repeats=repeats)) for repeats in (1, 15))
    for law in ("repeat", "paraphrase"):
        # the range of four normal values has mean 2.059 sigma (Tippett's constant); clipping at 0 and 1 only lowers it,
        # and the median of 15 has about 1.25 / sqrt(15) = .32 of the deviation
        value, fifteen = (sum(spreads(asked, law)) / len(spreads(asked, law)) for asked in (few, many))
        assert 0.5 * 2.059 * 0.15 < value < 1.2 * 2.059 * 0.15
        assert fifteen < 0.6 * value  # which reply is whose is chance: seven standard deviations above that


def test_wordings_that_matter_show_in_paraphrases_but_not_in_the_control(server: str) -> None:
    asked = examine(
        server, "worded", [question_tuple for question_tuple in TUPLES if question_tuple.law == "paraphrase"], config=ONCE
    )
    assert max(spreads(asked, "repeat")) == 0
    # the range of four uniform values has mean 3/5
    assert 0.4 < sum(spreads(asked, "paraphrase")) / 12 < 0.8


def test_one_who_refuses_has_no_forecast_and_one_reason(server: str) -> None:
    asked = examine(server, "refuses", list(probability_tuples(2)))
    assert {value for row in asked.rows for value in row.forecasts.values()} == {None}
    assert list(asked.outcomes) == ["no stated answer"]


@pytest.mark.long
def test_the_share_of_unreadable_replies_is_what_was_planted(server: str) -> None:
    asked = examine(server, "rambler", config=ForecastsConfig(repeats=3, control=0), tuples=list(probability_tuples(6)))
    replies = sum(asked.outcomes.values())
    unreadable = replies - asked.outcomes["read"]
    lower, upper = binomtest(unreadable, replies).proportion_ci(0.99)
    assert lower <= RAMBLES <= upper
    assert set(asked.outcomes) == {
        "read",
        "empty",
        "no stated answer",
        "a range",
        "no plain number",
        "not between 0 and 1",
    }
    # P(all three unreadable) = .3 ** 3; forecasts are missing there and nowhere else
    forecasts = {row.questions[key]: value for row in asked.rows for key, value in row.forecasts.items()}
    missing = sum(value is None for value in forecasts.values())
    lower, upper = binomtest(missing, len(forecasts)).proportion_ci(0.99)
    assert lower <= RAMBLES**3 <= upper
    # and what could be read is not bent by what could not
    assert all(value is None or abs(value - coherent(question)) < 1e-6 for question, value in forecasts.items())
    assert sum(sum(row.replies.values()) for row in asked.rows) == replies
