"""Connections for news that are open: few for a player, and all of a process shared among where they come from."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import Final

from vivavoce.luna.matching import GONE

PER_PLAYER: Final = 4
PER_PROCESS: Final = 500
"""Connections; pages beyond that ask now and then."""


class Stream:
    """One open connection."""

    def __init__(self, player: str, where: str) -> None:
        self.player = player
        self.where = where
        self.displaced = asyncio.Event()

    async def rest(self, seconds: float) -> bool:
        """Wait so long; whether it may go on."""
        try:
            await asyncio.wait_for(self.displaced.wait(), seconds)
        except TimeoutError:
            return True
        return False


class Streams:
    """All open connections, the oldest first; used by the event loop alone.

    Where there is no room left, a new one takes the place of the oldest from where most of them come, as long as that leaves
    more there than the newcomers have: somebody with a hundred guest accounts keeps nobody else out.

    Parameters
    ----------
    gone: told, in a thread, of a player who closed the last connection, and when; unless another one opens within `GONE`.
    """

    def __init__(self, gone: Callable[[str, datetime], None], *, most: int = PER_PROCESS) -> None:
        self._most = most
        self._open: list[Stream] = []
        self._gone = gone
        self._going: dict[str, asyncio.TimerHandle] = {}
        self._writing: set[asyncio.Future[None]] = set()

    def has_room(self, player: str, where: str) -> bool:
        """Whether this player, who comes from there, may open one more."""
        if sum(one.player == player for one in self._open) >= PER_PLAYER:
            return False
        return len(self._open) < self._most or self._to_displace(where) is not None

    def opened(self, player: str, where: str) -> Stream | None:
        """One more; None where there is no room for it."""
        if not self.has_room(player, where):
            return None
        if len(self._open) >= self._most and (oldest := self._to_displace(where)):
            self._open.remove(oldest)
            oldest.displaced.set()
        self._open.append(stream := Stream(player, where))
        if (going := self._going.pop(player, None)) is not None:
            going.cancel()
        return stream

    def closed(self, stream: Stream, at: datetime | None) -> None:
        """One less, unless another took its place; at this time by the player's page, or None: by us, and the page goes on."""
        if stream in self._open:
            self._open.remove(stream)
        if at is not None and not any(one.player == stream.player for one in self._open):
            loop = asyncio.get_running_loop()
            self._going[stream.player] = loop.call_later(GONE.total_seconds(), self._has_gone, stream.player, at)

    async def settle(self) -> None:
        """Wait until what is being written is written; who closed a page just now is not written down any more."""
        for going in self._going.values():
            going.cancel()
        self._going.clear()
        await asyncio.gather(*self._writing)

    def _has_gone(self, player: str, at: datetime) -> None:
        self._going.pop(player, None)
        written = asyncio.get_running_loop().run_in_executor(None, self._gone, player, at)
        self._writing.add(written)
        written.add_done_callback(self._writing.discard)

    def _to_displace(self, newcomer: str) -> Stream | None:
        """The oldest from where most come; None where the newcomer's are as many as there would then be."""
        counts = Counter(one.where for one in self._open)
        ((greediest, most),) = counts.most_common(1)
        if most - 1 < counts[newcomer] + 1:
            return None
        return next(one for one in self._open if one.where == greediest)
