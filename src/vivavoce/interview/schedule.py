"""The clock, the slots for questions in flight, and the times at which questions are due."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from vivavoce.interview.record import Key
from vivavoce.interview.recorder import Recorder


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """The time of the system, unless other functions are given.

    >>> Clock(seconds=lambda: 7.0).seconds()
    7.0
    """

    seconds: Callable[[], float] = time.monotonic
    """A monotonic count of seconds."""
    now: Callable[[], datetime] = _utc_now
    """The time of day, with its zone."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    """Waits this many seconds, between attempts."""

    def stamp(self) -> str:
        """The time of day in UTC, as the record writes it (ISO 8601)."""
        return self.now().astimezone(UTC).isoformat()


class Slots:
    """A semaphore whose size can change while it is in use: first come, first served.

    wished: how many slots there should be, at least 1; called at every entry and exit.
    """

    def __init__(self, wished: Callable[[], int]) -> None:
        self._wished = wished
        self.count = wished()
        """How many can be in flight now; a slot in use is never taken away."""
        self._free = asyncio.Semaphore(self.count)
        self._surplus = 0
        """How many of them disappear once they are free."""

    async def __aenter__(self) -> None:
        self._fit()
        await self._free.acquire()

    async def __aexit__(self, *_: object) -> None:
        self._fit()
        if self._surplus:
            self._surplus -= 1
            self.count -= 1
        else:
            self._free.release()

    def _fit(self) -> None:
        more = max(1, self._wished()) - (self.count - self._surplus)
        kept = min(self._surplus, max(0, more))
        self._surplus += max(0, -more) - kept
        for _ in range(more - kept):
            self.count += 1
            self._free.release()


LONGEST_WAIT: Final = 10.0
"""Seconds until the clock is checked again, so that a machine that slept is late by at most this."""


class Schedule:
    """Waits for the due time of each question that is not on record, in the order of drawing.

    Parameters
    ----------
    recorder: where answers are looked up.
    clock: tells the time, and waits.
    tell: called at the start of each wait, so that progress can be shown.
    """

    def __init__(self, recorder: Recorder, clock: Clock, *, tell: Callable[[], None]) -> None:
        self.early = 0
        """Answers on record from before the due time of their question."""
        self._recorder = recorder
        self._clock = clock
        self._tell = tell
        self._turn = asyncio.Lock()
        self._next: datetime | None = None

    @property
    def seconds_to_next(self) -> float | None:
        """Until the next question is due; None while nothing waits."""
        return None if self._next is None else self._seconds_to(self._next)

    async def wait(self, due: datetime, key: Key, *, look_up: bool, from_record: bool) -> None:
        """Return when the question of this key may be asked: at once if it is on record, or if only the record is read."""
        async with self._turn:
            record = await self._recorder.find(key) if look_up else None
            if record is not None:
                self.early += datetime.fromisoformat(record.asked_at) < due
            if record is not None or from_record:
                return
            await self._recorder.claim(key.candidate)  # slow preparation happens before the due time
            try:
                self._next = due
                while left := self._seconds_to(due):
                    self._tell()
                    await self._clock.sleep(min(left, LONGEST_WAIT))
            finally:
                self._next = None

    def _seconds_to(self, due: datetime) -> float:
        return max(0.0, (due - self._clock.now()).total_seconds())
