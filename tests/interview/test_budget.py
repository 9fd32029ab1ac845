"""Limits on questions, tokens and money, and what progress says about the rest."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

import pytest

from tests.each_case import each_case
from tests.interview.candidates import Actor, after_random_delays, at_once, questions
from vivavoce.errors import BadInput, BudgetExhausted, VivavoceError
from vivavoce.interview.budget import Budget, SharedBudget
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.interview import Interview, Monitor
from vivavoce.interview.progress import Progress
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.schedule import Clock
from vivavoce.interview.transcript import Transcript


async def ids(interview: Interview[Any, Any], number: int) -> list[int]:
    return [int(question.id) async for question, _ in interview.ask_in_order(questions(number))]


async def test_the_limit_on_questions_is_kept_to_the_letter() -> None:
    candidate = at_once()
    interview = Interview(candidate, answers=Reply, budget=Budget(questions=30))
    assert await ids(interview, 100) == list(range(30))
    assert len(candidate.asked) == 30
    assert interview.exhausted == "questions"


async def test_questions_that_end_just_at_the_limit_do_not_exhaust_it() -> None:
    interview = Interview(at_once(), answers=Reply, budget=Budget(questions=30))
    assert await ids(interview, 30) == list(range(30))
    assert interview.exhausted == ""


@pytest.mark.parametrize(
    ("budget", "message"),
    [(Budget(tokens=100), "tokens"), (Budget(money=5.0), "money"), (Budget(tokens=101, money=5.0), "money")],
)
async def test_tokens_and_money_stop_the_drawing_and_hand_out_what_is_in_flight(budget: Budget, message: str) -> None:
    interview = Interview(at_once(Usage(6, 4, 0.5)), answers=Reply, concurrency=2, budget=budget)
    # By hand: ten answers use 100 tokens and 5.0 of money; by then question 13 is drawn (four ahead of the tenth, number 9).
    assert await ids(interview, 100) == list(range(14 - 1))
    assert interview.exhausted == message
    assert interview.spending == Usage(78, 52, 6.5)


async def test_an_interrupted_run_stops_where_an_uninterrupted_one_does() -> None:
    async def behaviour(question: Prompt) -> str:
        return question.text

    class VariedReplies(Actor):
        async def answer(self, question: Prompt, /) -> Reply:
            reply = await super().answer(question)
            return Reply(reply.text, Usage(int(question.id) * 37 % 11, 1, 0.0))

    def interview(seed: int, transcript: Transcript | None = None) -> Interview[Prompt, Reply]:
        candidate = VariedReplies(after_random_delays(seed).behaviour)
        return Interview(candidate, answers=Reply, transcript=transcript, concurrency=5, budget=Budget(tokens=150))

    whole = interview(1)
    expected = await ids(whole, 1000)
    for stop in (1, 7, 20):
        with Transcript.open(None) as transcript:
            async with aclosing(interview(stop, transcript).ask_in_order(questions(1000))) as stream:
                for _ in range(stop):
                    await anext(stream)
            resumed = interview(stop + 1, transcript)
            assert await ids(resumed, 1000) == expected
            assert resumed.spending == whole.spending


async def test_ask_raises_when_the_budget_is_used_up() -> None:
    interview = Interview(at_once(Usage(6, 4, 0.5)), answers=Reply, budget=Budget(money=1.0))
    await interview.ask(Prompt("one"))
    await interview.ask(Prompt("two"))
    with pytest.raises(BudgetExhausted, match="the budget of money is used up: 2 questions, 20 tokens, 1 of money"):
        await interview.ask(Prompt("three"))
    assert issubclass(BudgetExhausted, VivavoceError)


async def test_leaving_early_gives_back_what_was_not_used() -> None:
    interview = Interview(at_once(), answers=Reply, budget=Budget(questions=10))
    async with aclosing(interview.ask_in_order(questions(100))) as stream:
        await anext(stream)
    assert interview.exhausted == ""
    assert await ids(interview, 100) == list(range(9))


async def test_a_purse_holds_to_the_letter_for_all_who_share_it() -> None:
    shared_budget = SharedBudget(Budget(questions=10))
    first, second, third = (Interview(at_once(), answers=Reply, budget=shared_budget.share()) for _ in range(3))
    assert await ids(first, 6) == list(range(6))
    async with aclosing(second.ask_in_order(questions(100))) as stream:
        await anext(stream)  # the other three that there is room for are given back
    await third.ask(Prompt("one"))
    assert await ids(second, 100) == [0, 1]  # by hand: 10 - 6 - 1 - 1
    with pytest.raises(BudgetExhausted, match="the budget of questions"):
        await third.ask(Prompt("two"))
    assert await ids(first, 100) == []


async def test_what_one_has_spent_of_a_shared_budget_the_other_knows_at_once() -> None:
    shared_budget = SharedBudget(Budget(money=1.0))
    first, second = (Interview(at_once(Usage(money=0.5)), answers=Reply, budget=shared_budget.share()) for _ in range(2))
    await first.ask(Prompt("one"))
    await first.ask(Prompt("two"))
    with pytest.raises(BudgetExhausted, match="the budget of money"):
        await second.ask(Prompt("three"))


@each_case("wrong", [{"questions": -1}, {"tokens": -1}, {"money": -0.1}, {"money": float("nan")}])
def test_an_impossible_budget_is_told(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="it must be 0 or more"):
        Budget(**wrong)


async def test_no_budget_at_all_asks_nothing() -> None:
    candidate = at_once()
    interview = Interview(candidate, answers=Reply, budget=Budget(questions=0))
    assert await ids(interview, 5) == []
    assert (candidate.asked, interview.exhausted) == ([], "questions")


async def test_progress_is_told_after_every_outcome() -> None:
    progress_reports: list[Progress] = []
    clock = iter(range(10**6))
    with Transcript.open(None) as transcript:
        await ids(Interview(at_once(Usage(1, 1, 0.1)), answers=Reply, transcript=transcript), 4)
        interview = Interview(
            at_once(Usage(1, 1, 0.1)),
            answers=Reply,
            transcript=transcript,
            concurrency=1,
            settings=AskSettings(clock=Clock(seconds=lambda: float(next(clock)))),
            monitor=Monitor(expected=10, on_progress=progress_reports.append),
        )
        await ids(interview, 8)
    assert [progress.answered for progress in progress_reports] == list(range(1, 9))
    last = progress_reports[-1]
    assert (last.asked, last.from_record, last.no_answers, last.retries, last.in_flight) == (8, 4, 0, 0, 0)
    assert last.usage.tokens == 16
    assert last.seconds > 0
    # By hand: four of eight came from the record, so four in that time; 0.8 for eight answers leaves 0.2 for two.
    assert last.rate == pytest.approx(4 / last.seconds)
    assert last.seconds_left == pytest.approx(2 / (4 / last.seconds))
    assert last.money_left == pytest.approx(0.2)


def test_what_is_unknown_is_none() -> None:
    nothing = Progress(0, 0, 0, 0, 0, 0, Usage(), 0.0, 100)
    assert (nothing.rate, nothing.seconds_left, nothing.money_left) == (0.0, None, None)
    endless = Progress(9, 9, 0, 0, 0, 0, Usage(money=1.0), 3.0, None)
    assert (endless.rate, endless.seconds_left, endless.money_left) == (3.0, None, None)
    more_than_expected = Progress(9, 9, 0, 0, 0, 0, Usage(money=1.0), 3.0, 5)
    assert (more_than_expected.seconds_left, more_than_expected.money_left) == (0.0, 0.0)
