"""The interview's hand on the transcript."""

from __future__ import annotations

import asyncio

import pytest

from vivavoce.interview.recorder import Recorder
from vivavoce.interview.transcript import Transcript

AFTERWARDS = 20
"""Turns of the event loop after the claim, in which whoever waited for it goes on."""


async def test_all_go_on_in_their_order_once_it_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    transcript, claimed, order = Transcript.open(None), False, list[int]()
    claim = transcript.claim

    def claiming(candidate: str) -> None:
        nonlocal claimed
        claim(candidate)
        claimed = True

    monkeypatch.setattr(transcript, "claim", claiming)
    recorder = Recorder(transcript, lambda: 0)

    async def go(number: int) -> None:
        await recorder.claim("bot:echo")
        order.append(number)

    tasks, left = list[asyncio.Task[None]](), AFTERWARDS
    while left:
        left -= claimed
        tasks.append(asyncio.create_task(go(len(tasks))))
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert order == sorted(order)
