"""Room for questions in flight that becomes more and less: nobody is put out, nobody is forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.interview_settings import interview_settings
from vivavoce.interview.budget import Budget, BudgetEnd, SharedBudget
from vivavoce.interview.interview import LOOK_AHEAD, DrawPlan, Interview
from vivavoce.interview.schedule import Slots


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12))
def test_it_follows_what_is_wished(wishes: Sequence[int]) -> None:
    """30 questions; after each change one that is in flight leaves, by which the change is noticed."""

    async def check() -> None:
        wished = [wishes[0]]
        slots = Slots(lambda: wished[0])
        leave: list[asyncio.Event] = []

        async def question() -> None:
            async with slots:
                leave.append(asyncio.Event())
                await leave[-1].wait()

        tasks = [asyncio.create_task(question()) for _ in range(30)]
        await settled()
        left = 0
        for wish in wishes:
            before, wished[0] = len(leave) - left, wish
            leave[left].set()
            left += 1
            await settled()
            assert len(leave) - left == slots.count == max(wish, before - 1)  # no further one is let in, or as many as fit
        while left < 30:
            leave[left].set()
            left += 1
            await settled()
            assert len(leave) - left <= slots.count
        await asyncio.gather(*tasks)
        assert slots.count == wishes[-1]

    asyncio.run(check())


async def test_who_gives_up_waiting_takes_no_room() -> None:
    slots = Slots(lambda: 1)
    async with slots:
        waiting = asyncio.create_task(slots.__aenter__())
        await settled()
        waiting.cancel()
        await settled()
    async with asyncio.timeout(10), slots:
        assert slots.count == 1


class GrowingModel:
    """Wishes for two questions at once, and for ten once it has been asked."""

    name = "test:growing"

    def __init__(self) -> None:
        self.concurrency = 2

    async def answer(self, question: int, /) -> int:
        self.concurrency = 10
        return question


@pytest.mark.parametrize(
    ("settings", "steady", "drawn"),
    [
        ({}, False, LOOK_AHEAD * 10),
        ({}, True, LOOK_AHEAD * 2),
        ({"budget": Budget(questions=90)}, False, LOOK_AHEAD * 10),
        ({"budget": Budget(tokens=90)}, False, LOOK_AHEAD * 2),
        ({"budget": Budget(money=9.0)}, False, LOOK_AHEAD * 2),
        ({"budget": SharedBudget(Budget()).share()}, False, LOOK_AHEAD * 10),
        ({"budget": SharedBudget(Budget(questions=90)).share()}, False, LOOK_AHEAD * 2),
        ({"budget": BudgetEnd("tokens", 90)}, False, LOOK_AHEAD * 10),
        ({"concurrency": 3}, False, LOOK_AHEAD * 3),
    ],
)
async def test_as_many_are_drawn_ahead_as_fit_unless_that_decides_anything(
    settings: dict[str, object], steady: bool, drawn: int
) -> None:
    """What is drawn when the fifth answer is taken, of which four were handed out before."""
    numbers = iter(range(100))
    interview: Interview[int, int] = Interview(GrowingModel(), answers=int, **interview_settings(**settings))
    answers = interview.ask_in_order(numbers, plan=DrawPlan(steady=steady))
    for _ in range(5):
        await anext(answers)
    assert next(numbers) == 4 + drawn
    await answers.aclose()
