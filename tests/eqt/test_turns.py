"""Who may ask next."""

from __future__ import annotations

import asyncio

import pytest

from vivavoce.eqt.examine import Turns
from vivavoce.errors import BadInput


async def test_turns_survive_those_who_leave() -> None:
    turns, order = Turns(1), list[int]()
    begun = asyncio.Event()

    async def one(concept: int) -> None:
        async with turns.taken(concept):
            order.append(concept)
            await begun.wait()

    tasks = [asyncio.create_task(one(concept)) for concept in (5, 4, 3, 2)]
    await asyncio.sleep(0)
    tasks[3].cancel()  # it waits, and would be next
    begun.set()
    await asyncio.sleep(0)
    tasks[2].cancel()  # by now it has been called, or is about to be
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.wait_for(one(1), 1)
    assert order[0] == 5
    assert order[-2:] == [4, 1]


@pytest.mark.parametrize("concurrency", [0, -1])
def test_none_at_once_would_wait_for_ever_and_is_refused(concurrency: int) -> None:
    with pytest.raises(BadInput, match=f"concurrency is {concurrency}"):
        Turns(concurrency)
