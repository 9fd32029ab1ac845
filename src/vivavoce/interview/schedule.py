"""The clock, the slots for questions in flight, and the times at which questions are due.

Reads and writes the transcript for an interview: many answers per transaction, without blocking the event loop.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Generic, TypeVar

from vivavoce.errors import TranscriptBusy
from vivavoce.interview.record import Entry, Key, OpenQuestion, Record
from vivavoce.interview.transcript import Transcript

Item = TypeVar("Item")
Result = TypeVar("Result")

Noted = asyncio.Future[Record | None]
"""An asking that is being written to the record."""
GATHERING: Final = 0.002
"""Seconds that a first answer waits for others, if a commit per record would cost more than the request. An asking that is not
about to be sent waits as long for answers to be written with it."""


class Recorder:
    """Reads and writes a transcript.

    A thread waits for a server, or for a lock of another program. A free local file is read and written in the event loop
    itself, which takes a fraction of a millisecond. A thread would have to win Python's lock from a busy loop at each step
    (measured: a quarter longer for 2,000 questions, 100 in flight).
    """

    def __init__(self, transcript: Transcript, in_flight: Callable[[], int]) -> None:
        self._transcript = transcript
        self._claim: asyncio.Future[None] | None = None
        self._claiming: deque[object] = deque()
        self._lookups: _Batches[Key, Record | None] = _Batches(transcript.find_all, lambda: 0, at_once=transcript.local)
        self._writes: _Batches[Entry | OpenQuestion, Record | None] = _Batches(
            self._write_mixed, in_flight, at_once=transcript.local
        )

    async def claim(self, candidate: str) -> None:
        """Become the only run that asks this candidate; raises `TranscriptBusy` if another run is.

        All callers continue in the order of their calls, so that questions are asked in the order of drawing.
        """
        if self._claim is None:
            self._claim = asyncio.ensure_future(asyncio.to_thread(self._transcript.claim, candidate))
        if self._claim.done() and not self._claiming:
            return self._claim.result()
        value = object()
        self._claiming.append(value)
        try:
            await asyncio.shield(self._claim)
            while self._claiming[0] is not value:  # noqa: ASYNC110 -- for a turn or two of the loop
                await asyncio.sleep(0)
        finally:
            self._claiming.remove(value)

    def find(self, key: Key) -> Awaitable[Record | None]:
        return self._lookups.put_soon(key)

    async def write(self, entry: Entry) -> Record:
        """Write durably, and return the record that counts. The entry is written even if the caller is cancelled."""
        record = await self._writes.put_soon(entry)
        assert record is not None
        return record

    async def note(self, asking: OpenQuestion) -> None:
        """Write an asking durably, with the current answers; does nothing for a record without askings."""
        await self.noted(self.note_soon(asking))

    def note_soon(self, asking: OpenQuestion, *, early: bool = False) -> Noted | None:
        """Start to write an asking durably; `noted` waits for it. None for a record without askings.

        early: its question is not about to be sent, so it may wait briefly for the next answers.
        """
        if not self._transcript.outlasts_the_program:
            return None
        return self._writes.put_soon(asking, delay=GATHERING if early else 0.0)

    async def noted(self, asking: Noted | None) -> None:
        if asking is not None:
            if not asking.done():
                self._writes.begin()
            await asking

    async def find_all(self, keys: Sequence[Key]) -> list[Record | None]:
        return await asyncio.to_thread(self._transcript.find_all, keys)

    async def write_all(self, entries: Sequence[Entry], askings: Sequence[OpenQuestion] = ()) -> list[Record]:
        """Write askings and entries durably in one transaction; returns the records that count."""
        items: list[Entry | OpenQuestion] = [*(askings if self._transcript.outlasts_the_program else ()), *entries]
        return [record for record in await self._writes.done(items) if record is not None]

    def _write_mixed(self, items: Sequence[Entry | OpenQuestion], *, wait: bool = True) -> list[Record | None]:
        entries = [item for item in items if isinstance(item, Entry)]
        askings = [item for item in items if isinstance(item, OpenQuestion)]
        records = iter(self._transcript.append(entries, askings=askings, wait=wait))
        return [next(records) if isinstance(item, Entry) else None for item in items]

    async def answers(self, candidate: str) -> int:
        return await asyncio.to_thread(self._transcript.answers, candidate)

    async def knows(self, candidate: str) -> bool:
        return await asyncio.to_thread(self._transcript.knows, candidate)

    async def settled(self) -> None:
        await self._lookups.settled()
        await self._writes.settled()


class _Batches(Generic[Item, Result]):
    """Does one piece of work for many items: items that come while it is busy go together next time.

    work: what is to be done; raises `TranscriptBusy` if it would have to wait although `wait` is false.
    others: how many further items may come soon.
    at_once: whether to try it without waiting; else, and if it must wait, it runs in a thread.
    """

    def __init__(self, work: Callable[..., Sequence[Result]], others: Callable[[], int], *, at_once: bool) -> None:
        self._work = work
        self._at_once = at_once
        self._others = others
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._turns: asyncio.Task[None] | None = None

    async def done(self, items: Sequence[Item]) -> Sequence[Result]:
        """Do the work for these items now."""
        if self._at_once:
            with suppress(TranscriptBusy):
                return self._work(items, wait=False)
        return await asyncio.to_thread(self._work, items)

    def put_soon(self, item: Item, *, delay: float = 0.0) -> asyncio.Future[Result]:
        """The future result for one more item, which may wait this many seconds for others."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        self._waiting.append((item, future))
        if not delay:
            self.begin()
        elif len(self._waiting) == 1:
            loop.call_later(delay, self.begin)
        return future

    def begin(self) -> None:
        """Start the work for all waiting items now."""
        if self._waiting and (self._turns is None or self._turns.done()):
            self._turns = asyncio.create_task(self._work_off())

    async def settled(self) -> None:
        self.begin()
        if self._turns is not None:
            await asyncio.wait([self._turns])

    async def _work_off(self) -> None:
        while self._waiting:
            if len(self._waiting) < self._others():
                await asyncio.sleep(0 if self._at_once else GATHERING)
            batch, self._waiting = self._waiting, []
            try:
                results = await self.done([item for item, _ in batch])
            except Exception as error:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                        future.exception()  # its caller may have been cancelled meanwhile; then no one else retrieves it
            else:
                for (_, future), result in zip(batch, results, strict=True):
                    if not future.done():
                        future.set_result(result)


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
