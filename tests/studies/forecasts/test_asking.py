from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.studies.forecasts.asked import TUPLES, examine, of_law
from tests.studies.forecasts.forecasters import (
    probability_tuples,
    report,
    running,
)
from vivavoce.interview import Budget, Interview, Prompt, Reply
from vivavoce.interview.asker import AskSettings
from vivavoce.studies.forecasting.asking import ask_forecasts
from vivavoce.studies.forecasting.config import ForecastsConfig
from vivavoce.studies.forecasting.planning import AskedForecasts, forecaster_of
from vivavoce.studies.forecasting.tuples import QuestionTuple


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running(0.002) as address:
        yield address


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

    class Counting:
        name = "bot:counting"

        async def answer(self, question: Prompt, /) -> Reply:
            return Reply(f"[Answer] {next(count) / 1000}")

    async def ask() -> AskedForecasts:
        return await ask_forecasts(Interview(Counting(), answers=Reply, concurrency=1), TUPLES[:1], ForecastsConfig(control=1))

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
    assert forecasts.rows[0].forecaster == "bot:speaker, printed prompts, median of 2"
