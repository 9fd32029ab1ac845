"""The moments at which questions are asked that were spread over time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Final

from vivavoce.interview.clock import Clock
from vivavoce.interview.record import Key
from vivavoce.interview.recorder import Recorder

LONGEST_WAIT: Final = 10.0
"""Seconds until the clock is looked at again: a machine that slept is late, but not by all the time that it slept."""


class Schedule:
    """Waits for the moment of a question that is not on record, one after the other in the order of drawing.

    Parameters
    ----------
    recorder: where answers are looked up.
    clock: tells the time, and waits.
    tell: called whenever it begins to wait, so that progress can be shown.
    """

    def __init__(self, recorder: Recorder, clock: Clock, *, tell: Callable[[], None]) -> None:
        self.early = 0
        """Answers on record from before the moment of their question."""
        self._recorder = recorder
        self._clock = clock
        self._tell = tell
        self._turn = asyncio.Lock()
        self._next: datetime | None = None

    @property
    def seconds_to_next(self) -> float | None:
        """Until the next question comes, while that is waited for."""
        return None if self._next is None else self._seconds_to(self._next)

    async def wait(self, due: datetime, key: Key, *, look_up: bool, from_record: bool) -> None:
        """Return when the question of this key may be asked: now where it is on record, or where nobody is asked."""
        async with self._turn:
            record = await self._recorder.find(key) if look_up else None
            if record is not None:
                self.early += datetime.fromisoformat(record.asked_at) < due
            if record is not None or from_record:
                return
            await self._recorder.claim(key.candidate)  # what takes its time is done before the moment comes
            try:
                self._next = due
                while left := self._seconds_to(due):
                    self._tell()
                    await self._clock.sleep(min(left, LONGEST_WAIT))
            finally:
                self._next = None

    def _seconds_to(self, due: datetime) -> float:
        return max(0.0, (due - self._clock.now()).total_seconds())
