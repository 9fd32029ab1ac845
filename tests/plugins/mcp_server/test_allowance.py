"""One budget for the life of a server: no sequence of calls has more asked, and what is on record costs nothing."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plugins.mcp_server.clients import CallCounter, client_of, error_of, examiner, values_of
from vivavoce.errors import BudgetExhausted
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.progress import Progress
from vivavoce.plugins.mcp_server.limits import Allowance, AllowanceConfig
from vivavoce.plugins.mcp_server.messages import CertifyArguments

CERTIFY = {"candidate": "one", "scope": "sums"}


async def test_the_budget_is_used_up_across_calls_and_then_nothing_is_asked() -> None:
    candidate = CallCounter("bot:calculator")  # right always, so that a verdict takes some 350 questions
    async with client_of(examiner({"one": candidate}, questions=30, per_call=20)) as client:
        first = values_of(await client.call_tool("certify", CERTIFY))
        assert (first["verdict"], first["finding"]["figures"]["questions"]) == ("undecided", 20)
        assert first["budget_left"]["questions"] == 30 - candidate.asked
        again = values_of(await client.call_tool("certify", CERTIFY))
        assert again["finding"]["figures"]["questions"] == 20  # all of it was on record
        assert candidate.asked == 20
        assert again["budget_left"]["questions"] == 10
        other = values_of(await client.call_tool("certify", CERTIFY | {"seed": 1, "new_attempt": True}))
        assert other["finding"]["figures"]["questions"] <= 10
        assert "the budget for questions is used up" in other["statement"]
        assert other["budget_left"]["questions"] == 0
        text = error_of(await client.call_tool("certify", CERTIFY | {"seed": 2, "new_attempt": True}))
    assert text == ("the budget of this server is used up (0 questions left): only its operator can restart it with more")
    assert candidate.asked == 30


async def test_a_client_may_ask_for_less_and_not_for_more() -> None:
    candidate = CallCounter("bot:calculator")
    async with client_of(examiner({"one": candidate}, questions=100, per_call=50, money=1.0, delta=0.05)) as client:
        for more, problem in (
            ({"questions": 51}, "questions is 51: one call may ask at most 50"),
            ({"money": 1.5}, "money is 1.5: all calls together may cost at most 1"),
            ({"delta": 0.06}, "delta is 0.06: this server takes at most 0.05"),
        ):
            assert error_of(await client.call_tool("certify", CERTIFY | more)) == problem
        assert candidate.asked == 0
        values = values_of(await client.call_tool("certify", CERTIFY | {"questions": 7, "delta": 0.01}))
    assert candidate.asked == values["finding"]["figures"]["questions"] == 7
    assert values["finding"]["figures"]["delta"] == 0.01


async def test_each_candidate_of_a_comparison_counts() -> None:
    entry, two = CallCounter("bot:calculator", "a"), CallCounter("bot:calculator?wrong=0.01", "b")
    async with client_of(examiner({"a": entry, "b": two}, questions=40)) as client:
        values = values_of(await client.call_tool("compare", {"candidates": ["a", "b"], "scope": "sums"}))
    assert entry.asked + two.asked <= 40
    assert 0 <= values["budget_left"]["questions"] <= 40 - entry.asked - two.asked


class PricedCandidate(CallCounter):
    """Each answer costs .25."""

    async def answer(self, question: Prompt, /) -> Reply:
        """It."""
        reply = await super().answer(question)
        return Reply(reply.text, usage=Usage(3, 2, 0.25))


async def test_money_is_counted_over_all_calls() -> None:
    candidate = PricedCandidate("bot:calculator")
    async with client_of(examiner({"one": candidate}, money=3.0, tokens=1000, concurrency=1)) as client:
        first = values_of(await client.call_tool("certify", CERTIFY | {"money": 1.0}))
        assert "the budget for money is used up" in first["statement"]
        assert 1.0 <= first["finding"]["figures"]["money"] <= 1.5  # two may have been drawn ahead
        used = candidate.asked
        assert first["budget_left"]["money"] == pytest.approx(3.0 - used * 0.25)
        assert first["budget_left"]["tokens"] == 1000 - used * 5
        values_of(await client.call_tool("certify", CERTIFY))
        assert "0 of money left" in error_of(await client.call_tool("certify", CERTIFY | {"seed": 5, "new_attempt": True}))
    # two drawn ahead of the one that is answered, and that one
    assert 12 <= candidate.asked <= 12 + 3


async def test_what_was_sent_and_withdrawn_counts() -> None:
    candidate = CallCounter(held_from=1)
    examined = examiner({"one": candidate}, questions=10, concurrency=4)
    for number in range(3):
        given = CertifyArguments.model_validate(CERTIFY | {"seed": number, "new_attempt": True})
        call = asyncio.create_task(examined.certify(given, lambda _: None))
        await candidate.is_held.wait()
        await asyncio.sleep(0.01)  # all that may be in flight are
        call.cancel()
        with suppress(asyncio.CancelledError, BudgetExhausted):
            await call
        candidate.is_held.clear()
        if candidate.asked >= 10:
            break
        candidate.is_held = asyncio.Event()
    assert candidate.asked <= 10
    assert examined.allowance.left.questions <= 10 - candidate.asked


_CALLS = st.lists(
    st.fixed_dictionaries(
        {
            "questions": st.integers(1, 12),
            "seed": st.none() | st.integers(0, 2),
            "passing_grade": st.sampled_from([0.5, 0.7]),
            "new_attempt": st.booleans(),
            "cancelled_at": st.none() | st.integers(1, 8),
        }
    ),
    max_size=6,
)


@given(calls=_CALLS, budget=st.integers(1, 30))
@settings(max_examples=25, deadline=None)
def test_no_sequence_of_calls_has_more_asked_than_the_budget(calls: list[dict[str, Any]], budget: int) -> None:
    async def called() -> None:
        candidate = CallCounter("bot:calculator")
        examined = examiner({"one": candidate}, questions=budget, concurrency=3)
        for call in calls:
            stop_at = call.pop("cancelled_at")
            given = CertifyArguments.model_validate(CERTIFY | call | {"questions": min(call["questions"], budget)})
            tasks: list[asyncio.Task[Any]] = []

            def told(progress: Progress, tasks: list[asyncio.Task[Any]] = tasks, at: int | None = stop_at) -> None:
                if at is not None and progress.answered >= at:
                    tasks[0].cancel()

            tasks.append(asyncio.create_task(examined.certify(given, told)))
            await asyncio.gather(*tasks, return_exceptions=True)
            assert candidate.asked <= budget
            assert examined.allowance.left.questions <= budget - candidate.asked

    asyncio.run(called())


def test_a_meter_adds_up_by_hand() -> None:
    allowance = Allowance(AllowanceConfig(questions=10, money=5.0))
    with allowance.call():
        first = allowance.meter(Budget(), at_once=1)
        second = allowance.meter(Budget(money=1.0), at_once=1)
        assert first.reached(questions=4, usage=Usage()) == ""
        # 3 of the 4 have come: one at .5 from the record, two at 1.0 and .5 that are new
        first.told(Progress(4, 1, 1, 0, 0, 3, Usage(money=0.5), 0.0, None))
        first.told(Progress(4, 2, 1, 0, 0, 2, Usage(money=1.5), 0.0, None))
        first.told(Progress(4, 3, 1, 0, 0, 1, Usage(money=2.0), 0.0, None))
        assert (first.questions, first.usage.money) == (3, 1.5)
        assert (allowance.left.questions, allowance.left.money) == (7, 3.5)
        # the fourth is withdrawn: it was on its way, and counts
        assert first.reached(questions=3, usage=Usage(money=2.0)) == ""
        assert first.questions == 3
        second.told(Progress(1, 1, 0, 0, 0, 0, Usage(money=1.0), 0.0, None))
        assert second.reached(questions=1, usage=Usage(money=1.0)) == "money"
        assert (allowance.left.questions, allowance.left.money) == (6, 2.5)
        assert second.reached(questions=7, usage=Usage(money=1.0)) == "questions"
    assert (allowance.left.questions, allowance.left.money) == (0, 2.5)
    with pytest.raises(BudgetExhausted, match=r"0 questions, 2\.5 of money left"), allowance.call():
        pass


async def test_attempts_that_are_begun_and_cancelled_come_to_an_end() -> None:
    candidate = CallCounter(held_from=1)
    examined = examiner({"one": candidate}, questions=5)
    begun = 0
    for seed in range(20):
        given = CertifyArguments.model_validate(CERTIFY | {"seed": seed, "new_attempt": True})
        call = asyncio.create_task(examined.certify(given, lambda _: None))
        await asyncio.sleep(0.01)
        call.cancel()
        try:
            await call
        except asyncio.CancelledError:
            begun += 1
        except BudgetExhausted:
            break
    assert begun <= 5
    assert candidate.asked <= 5
