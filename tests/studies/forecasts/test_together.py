"""Cross-examination: each turn has the real replies before it, and a conversation that was stopped goes on in its midst."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.studies.forecasts.forecasters import probability_tuples
from tests.studies.forecasts.listeners import Listener, had, negations, question_of
from vivavoce.candidates import open_candidate
from vivavoce.errors import BadInput, CandidateUnreachable
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.transcript import Transcript
from vivavoce.studies.config import ForecastsConfig
from vivavoce.studies.forecasting.asking import ask_forecasts, cost_estimate
from vivavoce.studies.forecasting.forecast_files import QuestionTuple
from vivavoce.studies.forecasting.planning import AskedForecasts

TOGETHER = ForecastsConfig(together=True, repeats=2)


def asked(
    who: Any,
    tuples: Sequence[QuestionTuple],
    config: ForecastsConfig = TOGETHER,
    *,
    transcript: Path | None = None,
    concurrency: int = 3,
    budget: Budget = Budget(),  # noqa: B008 -- frozen
    time_out: float = 60.0,
) -> AskedForecasts:
    async def ask() -> AskedForecasts:
        with Transcript.open(transcript) as kept:
            interview = Interview(
                who,
                answers=Reply,
                transcript=kept,
                concurrency=concurrency,
                budget=budget,
                settings=AskSettings(time_out=time_out),
            )
            return await ask_forecasts(interview, tuples, config)

    return asyncio.run(ask())


def test_who_hears_itself_agrees_with_itself() -> None:
    tuples = negations(20)
    alone, together = (
        asked(Listener(), tuples, ForecastsConfig(together=together_option, control=0)) for together_option in (False, True)
    )
    gaps = [
        [abs(sum(value or 0 for value in row.forecasts.values()) - 1) for row in forecasts.rows]
        for forecasts in (alone, together)
    ]
    assert max(gaps[1]) < 1e-9
    assert sum(gap > 0.2 for gap in gaps[0]) > 5
    assert together.settings["together"] is True
    assert [row.forecaster for row in (alone.rows[0], together.rows[0])] == [
        "test:listener",
        "test:listener (in one conversation)",
    ]


def test_each_turn_has_the_real_replies_before_it_and_nothing_else() -> None:
    who, (question_tuple,) = (
        Listener(),
        [question_tuple for question_tuple in probability_tuples(1) if question_tuple.law == "bayes"],
    )
    forecasts = asked(who, [question_tuple], ForecastsConfig(together=True, repeats=1))
    assert sorted(question_of(prompt.text) for prompt in who.asked) == sorted(question_tuple.questions.values())
    replies: list[tuple[str, str]] = []
    for prompt in who.asked:
        assert [(question_of(exchange.asked), exchange.replied) for exchange in had(prompt)] == replies
        assert all("Answer:" in exchange.asked for exchange in had(prompt))  # as it was put, instruction and all
        replies.append((question_of(prompt.text), (asyncio.run(who.answer(prompt))).text))
        who.asked.pop()
    assert forecasts.outcomes == {"read": 4}


def test_the_order_is_drawn_by_the_seed_for_each_conversation() -> None:
    tuples = negations(30)

    def orders(seed: int) -> list[str]:
        who = Listener()
        asked(who, tuples, ForecastsConfig(together=True, repeats=2, seed=seed), concurrency=1)
        return [question_of(prompt.text) for prompt in who.asked if not had(prompt)]

    first = orders(0)
    assert first == orders(0) != orders(1)
    begins_with_not = sum(" not " in question for question in first)
    assert 0.25 * len(first) < begins_with_not < 0.75 * len(first)


def test_stopped_anywhere_it_goes_on_and_asks_nothing_twice(tmp_path: Path) -> None:
    tuples = list(probability_tuples(1))
    whole = Listener()
    expected = asked(whole, tuples, concurrency=1)
    for stop in (7, 17):
        where, prompts = tmp_path / f"{stop}.sqlite", list[Prompt]()
        while True:
            who = Listener(stops_after=stop)
            try:
                forecasts = asked(who, tuples, transcript=where, concurrency=2)
            except CandidateUnreachable:
                prompts += who.asked
                continue
            prompts += who.asked
            break
        assert len(prompts) == len(whole.asked)
        assert sorted(map(repr, prompts)) == sorted(map(repr, whole.asked))
        assert forecasts.rows == expected.rows
        assert not any("other words" in caveat for caveat in forecasts.asked_so)


def test_more_repeats_and_a_larger_limit_leave_what_was_held_as_it_is(tmp_path: Path) -> None:
    tuples, where = negations(12), tmp_path / "run.sqlite"
    asked(Listener(), tuples, ForecastsConfig(together=True, repeats=2, limit=5), transcript=where)
    who = Listener()
    more = asked(who, tuples, ForecastsConfig(together=True, repeats=3), transcript=where)
    assert len(who.asked) == sum(more.outcomes.values()) - 5 * 2 * 2


def test_the_first_turn_is_the_record_of_the_question_by_itself(tmp_path: Path) -> None:
    tuples, where = negations(10), tmp_path / "run.sqlite"
    alone, together = Listener(), Listener()
    asked(alone, tuples, ForecastsConfig(repeats=2, control=0), transcript=where)
    asked(together, tuples, TOGETHER, transcript=where)
    assert len(together.asked) == 10 * 2  # the second turn of each conversation alone
    assert all(had(prompt) for prompt in together.asked)


def test_what_it_will_take_is_told() -> None:
    tuples = [*negations(3), *(question_tuple for question_tuple in probability_tuples(1) if question_tuple.law == "bayes")]
    assert cost_estimate(tuples, TOGETHER).replies == 2 * (3 * 2 + 4)
    assert cost_estimate(tuples, TOGETHER).controls == 0


def test_a_budget_leaves_whole_tuples_whoever_was_faster() -> None:
    class SlowListener(Listener):
        async def answer(self, question: Prompt, /) -> Reply:
            await asyncio.sleep(0.03 if "event 3 " in question.text else 0)
            return await super().answer(question)

    tuples = negations(8)
    forecasts = asked(SlowListener(), tuples, ForecastsConfig(together=True, repeats=1), budget=Budget(questions=9))
    assert forecasts.exhausted == "questions"
    planned = [row.id for row in asked(Listener(), tuples, ForecastsConfig(together=True, repeats=1, limit=4)).rows]
    assert 0 < len(forecasts.rows) <= 4
    assert {row.id for row in forecasts.rows} <= set(planned)
    assert all(row.readable for row in forecasts.rows)
    nothing = asked(SlowListener(), tuples, ForecastsConfig(together=True, repeats=1), budget=Budget(questions=1))
    assert (nothing.rows, nothing.exhausted) == ((), "questions")


def test_one_s_own_words_are_no_copy_and_the_worked_example_s_are() -> None:
    class Parrot:
        """Says the same words each time: its own."""

        name = "test:parrot"

        async def answer(self, question: Prompt, /) -> Reply:
            return Reply("All in all I think that this is about as likely as not.\nAnswer: 50%")

    class Copycat:
        name = "test:copycat"

        async def answer(self, question: Prompt, /) -> Reply:
            return Reply(question.shown[0].replied)

    forecasts = asked(Parrot(), negations(3))
    assert forecasts.outcomes == {"read": 12}
    assert asked(Copycat(), negations(3)).outcomes == {"copied": 12}


def test_printed_prompts_say_how_many_replies_are_a_line_that_they_show() -> None:
    class Lazy:
        name = "test:lazy"

        async def answer(self, question: Prompt, /) -> Reply:
            return Reply("[Answer] 0.5" if " not " in question.text else "I think so.\n[Answer] 0.7")

    forecasts = asked(Lazy(), negations(3), ForecastsConfig(together=True, repeats=1, prompts="printed"))
    assert forecasts.shown == 3
    assert any("so for 3 of 6 replies" in caveat for caveat in forecasts.asked_so)


def test_what_did_not_come_is_not_in_the_conversation() -> None:
    class Mute(Listener):
        async def answer(self, question: Prompt, /) -> Reply:
            if " not " in question.text:
                await asyncio.sleep(60)
            return await super().answer(question)

    who = Mute()
    forecasts = asked(who, negations(2), ForecastsConfig(together=True, repeats=1), time_out=0.05)
    assert forecasts.outcomes == {"read": 2, "time-out": 2}
    assert forecasts.absence == "time-out after 0.05 s"
    assert all(row.forecasts["not_P"] is None for row in forecasts.rows)
    assert not any(had(prompt) for prompt in who.asked)


def test_a_further_turn_stands_in_the_conversation() -> None:
    class Vague(Listener):
        async def answer(self, question: Prompt, /) -> Reply:
            if not question.text.startswith("Question: "):
                return Reply("Answer: 40%")
            reply = await super().answer(question)
            return reply if had(question) else Reply("Somewhat likely, I should say, though hard to tell.")

    who = Vague()
    forecasts = asked(who, negations(1), ForecastsConfig(together=True, repeats=1))
    assert forecasts.outcomes == {"read": 1, "read after a further turn": 1}
    (last,) = [prompt for prompt in who.asked if had(prompt)]
    texts = [exchange.replied for exchange in last.earlier]
    assert texts == ["Somewhat likely, I should say, though hard to tell.", "Answer: 40%"]
    # it heard its own 40%, so that both go together
    assert sum(value or 0 for value in forecasts.rows[0].forecasts.values()) == pytest.approx(1)


def test_a_recording_holds_no_conversation_and_a_plain_function_may_not_hear_it(tmp_path: Path) -> None:
    (tmp_path / "said.csv").write_text("id,m\nx,40%\n")
    with pytest.raises(BadInput, match=r"is a recording: .* no conversations"):
        asked(open_candidate(f"replay:{tmp_path / 'said.csv'}#m"), negations(1))

    class ForecastBot:
        name = "bot:x"

        async def answer(self, question: Prompt, /) -> Reply:
            return Reply("Answer: 40%")

    assert any("heard the replies before is not known" in caveat for caveat in asked(ForecastBot(), negations(1)).asked_so)
    assert not any("heard" in caveat for caveat in asked(Listener(), negations(1)).asked_so)
