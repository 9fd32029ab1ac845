"""Asking: plans, forecasters with planted faults, and what an interview records."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.studies.forecasts.asked import TUPLES, examine, negation_gaps, of_law, spreads, values
from tests.studies.forecasts.forecasters import RAMBLES, YEARS, coherent, probability_tuples, quantity_tuples, report, running
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.retries import AskSettings
from vivavoce.studies.config import ForecastsConfig
from vivavoce.studies.forecasting.asking import ask_forecasts, cost_estimate
from vivavoce.studies.forecasting.forecast_files import QuestionTuple
from vivavoce.studies.forecasting.planning import AskedForecasts, all_series, forecaster_of, plan
from vivavoce.studies.forecasting.prompts import ForecastKind

PLANNED = [*probability_tuples(6), *quantity_tuples(6)]


def test_tuples_that_repeat_on_purpose_have_replies_of_their_own() -> None:
    own = QuestionTuple("repeat", {"P": "Will it?", "again_1": "Will it?"}, id="own")
    other = QuestionTuple("neg", {"P": "Will it?", "not_P": "Won't it?"}, id="other")
    planned = plan([own, other], control=5)
    assert sorted(planned_tuple.asked.law for planned_tuple in planned) == ["neg", "repeat"]  # it is controlled already
    assert Counter((series.question, series.number) for series in all_series(planned)) == {
        ("Will it?", 0): 1,
        ("Will it?", 1): 1,
        ("Won't it?", 0): 1,
    }


def test_one_text_as_probability_and_as_quantity_is_two_questions() -> None:
    as_quantity = QuestionTuple("increasing", {"2030": "How many?", "2040": "And later?", "2050": "And then?"})
    as_probability = QuestionTuple("paraphrase", {"P": "How many?", "para_P": "How many then?"})
    kinds = {(series.question, series.kind) for series in all_series(plan([as_quantity, as_probability]))}
    assert kinds >= {("How many?", ForecastKind.QUANTITY), ("How many?", ForecastKind.PROBABILITY)}
    assert cost_estimate([as_quantity, as_probability], ForecastsConfig(control=9)).replies == 3 * (5 + 3)


@given(st.integers(0, 80), st.integers(0, 30), st.integers(0, 99))
def test_a_plan_asks_what_it_should(limit: int, control: int, seed: int) -> None:
    planned = plan(PLANNED, limit=limit, control=control, seed=seed)
    own = [planned_tuple for planned_tuple in planned if planned_tuple.place < len(PLANNED)]
    controls = [planned_tuple for planned_tuple in planned if planned_tuple.place >= len(PLANNED)]
    assert [planned_tuple.place for planned_tuple in own] == [
        planned_tuple.place for planned_tuple in plan(PLANNED, limit=80, seed=seed)
    ][:limit]
    assert len(own) == min(limit, len(PLANNED))
    firsts = {
        next(iter(planned_tuple.asked.questions.values())) for planned_tuple in own if planned_tuple.asked.law != "increasing"
    }
    assert len(controls) == min(control, len(firsts))
    assert len({planned_tuple.asked.questions["P"] for planned_tuple in controls}) == len(controls)
    # whoever numbers the draws of a question by their order gives every series draws of its own
    before: Counter[str] = Counter()
    for series in all_series(planned):
        assert series.number == before[series.question]
        before[series.question] += 1


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
    lower, upper = scipy.stats.binomtest(unreadable, replies).proportion_ci(0.99)
    assert lower <= RAMBLES <= upper
    assert set(asked.outcomes) == {"read", "empty", "no stated answer", "a range", "no plain number", "not between 0 and 1"}
    # P(all three unreadable) = .3 ** 3; forecasts are missing there and nowhere else
    forecasts = {row.questions[key]: value for row in asked.rows for key, value in row.forecasts.items()}
    missing = sum(value is None for value in forecasts.values())
    lower, upper = scipy.stats.binomtest(missing, len(forecasts)).proportion_ci(0.99)
    assert lower <= RAMBLES**3 <= upper
    # and what could be read is not bent by what could not
    assert all(value is None or abs(value - coherent(question)) < 1e-6 for question, value in forecasts.items())
    assert sum(sum(row.replies.values()) for row in asked.rows) == replies


def test_the_set_up_reaches_the_server_as_it_is(server: str) -> None:
    examine(server, "steady", TUPLES[:1], config=ForecastsConfig(variant="opposite", temperature=0.25, repeats=1, control=0))
    request = report(server)["last"]["steady"]
    assert [message["role"] for message in request["messages"]] == ["system", "user", "assistant", "user"]
    assert request["temperature"] == 0.25
    assert "opposite" in request["messages"][0]["content"]
    assert request["messages"][2]["content"].splitlines()[-1].endswith("%")
    assert "max_tokens" not in request
    examine(server, "steady", TUPLES[:1], config=ForecastsConfig(temperature=None, repeats=1, control=0))
    assert "temperature" not in report(server)["last"]["steady"]


def test_a_question_is_asked_once_a_draw_however_many_tuples_hold_it(server: str) -> None:
    before = report(server)["requests"].get("steady", 0)
    tuples = list(probability_tuples(3))
    asked = examine(server, "steady", tuples, config=ForecastsConfig(control=2))
    different = {question for question_tuple in tuples for question in question_tuple.questions.values()}
    assert sum(asked.outcomes.values()) == 3 * len(different) + 2 * 3 * 3
    probe = 1  # whether the server takes the temperature that the room sets
    assert report(server)["requests"]["steady"] - before == sum(asked.outcomes.values()) + probe


def test_faults_of_the_transport_change_nothing(server: str) -> None:
    # every seventh request is answered with status 429 or 500, or cut in mid-reply
    tuples = list(probability_tuples(1))
    calm, moody = (examine(server, model, tuples, config=ForecastsConfig(control=3)) for model in ("steady", "steady+moody"))
    assert [row.forecasts for row in moody.rows] == [row.forecasts for row in calm.rows]
    assert moody.outcomes == calm.outcomes


@pytest.mark.parametrize(
    ("model", "outcome"),
    [
        ("long", "read"),
        ("endless", "no stated answer"),
        ("escapes", "read"),
        ("coloured", "several numbers"),
        ("page", "no plain number"),
        ("brackets", "no stated answer"),
    ],
)
def test_hostile_replies_are_outcomes(server: str, model: str, outcome: str) -> None:
    asked = examine(server, model, list(probability_tuples(1))[:2])
    assert list(asked.outcomes) == [outcome]


def test_resumed_it_asks_nothing_that_is_on_record(server: str, tmp_path: Path) -> None:
    tuples, where = list(probability_tuples(2)), tmp_path / "run.sqlite"
    part = examine(server, "noisy", tuples, config=ForecastsConfig(limit=5), transcript=where)
    before = report(server)["requests"]["noisy"]
    again = examine(server, "noisy", tuples, config=ForecastsConfig(limit=5), transcript=where)
    assert again == part
    assert report(server)["requests"]["noisy"] == before
    whole = examine(server, "noisy", tuples, transcript=where)
    assert {row.id: row.forecasts for row in part.rows}.items() <= {row.id: row.forecasts for row in whole.rows}.items()
    asked = report(server)["requests"]["noisy"] - before
    assert asked == sum(whole.outcomes.values()) - sum(part.outcomes.values())
    # more repeats: the draws that are there are used
    before = report(server)["requests"]["noisy"]
    more = examine(server, "noisy", tuples, config=ForecastsConfig(repeats=5), transcript=where)
    assert report(server)["requests"]["noisy"] - before == sum(more.outcomes.values()) - sum(whole.outcomes.values())


def test_a_budget_that_runs_out_leaves_whole_tuples_and_their_controls(server: str) -> None:
    # 10 tokens a reply: 60 replies, and what was in flight
    asked = examine(server, "noisy", budget=Budget(tokens=600))
    assert asked.exhausted == "tokens"
    assert 60 <= sum(asked.outcomes.values()) <= 60 + 32
    assert 0 < len(asked.rows) < asked.planned
    assert all(row.readable for row in asked.rows)
    assert of_law(asked, "repeat")
    # all replies of the rows were handed out, and no more than that
    assert sum(sum(row.replies.values()) for row in asked.rows) <= sum(asked.outcomes.values())
    nothing = examine(server, "noisy", budget=Budget(questions=2))
    assert (nothing.rows, nothing.exhausted, nothing.outcomes) == ((), "questions", {"read": 2})


def test_who_cannot_answer_is_counted_apart(tmp_path: Path) -> None:
    class SlowForecaster:
        name = "bot:slow"

        async def answer(self, question: Prompt, /) -> Reply:
            if "not" in question.text:
                await asyncio.sleep(60)
            return Reply("[Answer] 0.2")

    async def ask() -> AskedForecasts:
        interview = Interview(SlowForecaster(), answers=Reply, settings=AskSettings(time_out=0.05))
        return await ask_forecasts(interview, list(probability_tuples(1))[:1], ForecastsConfig(control=0))

    asked = asyncio.run(ask())
    assert dict(asked.outcomes) == {"read": 3, "time-out": 3}
    assert asked.absence == "time-out after 0.05 s"
    assert list(asked.rows[0].forecasts.values()) == [0.2, None]


def test_the_median_is_of_those_that_can_be_read() -> None:
    texts = iter(["[Answer] 0.2", "no", "[Answer] 0.3", "[Answer] 0.9", "[Answer] 1.5"])

    class ScriptedForecaster:
        name = "bot:speaker"

        async def answer(self, question: Prompt, /) -> Reply:
            return Reply(next(texts))

    async def ask() -> AskedForecasts:
        same = QuestionTuple("paraphrase", {"P": "Will it?", "para_P": "Will it?"}, id="1")
        return await ask_forecasts(
            Interview(ScriptedForecaster(), answers=Reply, concurrency=1), [same], ForecastsConfig(repeats=5, control=0)
        )

    (row,) = asyncio.run(ask()).rows
    # by hand: .2, .3, .9; one question in two statements is asked once
    assert row.forecasts == {"P": 0.3, "para_P": 0.3}
    assert row.replies == {"read": 3, "no stated answer": 1, "not between 0 and 1": 1}


def test_controls_share_no_reply_with_what_they_control(tmp_path: Path) -> None:
    """Each reply of a series is its own: the medians of the control are those of the draws in their order."""
    count = iter(range(1000))

    class CountingForecaster:
        name = "bot:counting"

        async def answer(self, question: Prompt, /) -> Reply:
            return Reply(f"[Answer] {next(count) / 1000}")

    async def ask() -> AskedForecasts:
        return await ask_forecasts(
            Interview(CountingForecaster(), answers=Reply, concurrency=1), TUPLES[:1], ForecastsConfig(control=1)
        )

    pair, control = asyncio.run(ask()).rows
    assert list(control.forecasts) == ["P", "again_1", "again_2", "again_3"]
    assert (control.id, control.base, set(control.questions.values())) == (pair.id, pair.base, {pair.questions["P"]})
    # asked in this order: P three times, not_P three times, then P nine times more
    medians = [median(n / 1000 for n in range(first, first + 3)) for first in (0, 3, 6, 9, 12)]
    assert [*pair.forecasts.values(), *list(control.forecasts.values())[1:]] == medians
    assert control.forecasts["P"] == pair.forecasts["P"]


def test_forecasters_that_were_asked_otherwise_have_other_names() -> None:
    given: list[dict[str, Any]] = [
        {}, {"variant": "opposite"}, {"variant": "canonical"}, {"temperature": 0.5}, {"temperature": None}, {"repeats": 9},
        {"prompts": "printed"},
    ]  # fmt: skip
    assert len({forecaster_of("bot:x", ForecastsConfig(**entry)) for entry in given}) == len(given)
    usual = forecaster_of("bot:x", ForecastsConfig(repeats=3))
    assert usual == forecaster_of("bot:x", ForecastsConfig(temperature=0.5, repeats=6))[:5] == "bot:x"
    long = [forecaster_of("chat:" + "x" * 400 + end, ForecastsConfig()) for end in "ab"]
    assert len(set(long)) == 2
    assert all(len(name) <= 300 for name in long)


@pytest.mark.long
def test_printed_prompts_reach_the_forecaster_and_numbers_that_they_show_are_counted() -> None:
    texts = iter(["[Answer] 0.5", "Perhaps.\n[Answer] 0.5", "[Answer] 0.9", "[Answer] 0.3"])
    asked: list[Prompt] = []

    class ListeningForecaster:
        name = "bot:speaker"

        async def answer(self, question: Prompt, /) -> Reply:
            asked.append(question)
            return Reply(next(texts))

    async def ask(config: ForecastsConfig) -> AskedForecasts:
        tuples = [QuestionTuple("neg", {"P": "Will it?", "not_P": "Will it not?"}, id="1")]
        return await ask_forecasts(Interview(ListeningForecaster(), answers=Reply, concurrency=1), tuples, config)

    forecasts = asyncio.run(ask(ForecastsConfig(repeats=2, control=0, prompts="printed")))
    assert [prompt.text for prompt in asked] == ["[Q] Will it?"] * 2 + ["[Q] Will it not?"] * 2
    # two of the four replies are a bare line of the prompt; all of them count, by hand: the median of .5 and .5, of .9 and .3
    assert forecasts.rows[0].forecasts == {"P": 0.5, "not_P": 0.6}
    assert forecasts.asked_so[-1].endswith("That is so for 2 of 4 replies; they count as forecasts.")
    assert forecasts.rows[0].forecaster == "bot:speaker (printed prompts, median of 2)"
