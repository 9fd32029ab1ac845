"""Server-sent events: open streams, and the changes that they report."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Final

from fastapi import APIRouter
from sqlalchemy import Connection, Engine
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from vivavoce.luna.matching import GONE
from vivavoce.web.database import DatabaseProblem, reading, transaction
from vivavoce.web.pages.request_context import AnyVisit, Site, Visit
from vivavoce.web.settings import OPEN_PAGES
from vivavoce.web.store import games, moves, people

PER_PLAYER: Final = 4
LOOK_EVERY: Final = 1.5
"""Seconds between two looks at the database."""

_log = logging.getLogger(__name__)


class Stream:
    """One open connection.

    Parameters
    ----------
    session: the hash of its token.
    changes: the player's number of changes when the page was requested.
    """

    def __init__(self, player: str, where: str, session: str = "", changes: int = 0) -> None:
        self.player = player
        self.where = where
        self.session = session
        self.is_displaced = False
        self.is_signed_out = False
        self.changes = changes
        self._told = asyncio.Event()

    def tell(self, changes: int | None) -> None:
        """Pass on the player's number of changes; None once the session is closed."""
        self.is_signed_out = changes is None
        self.changes = max(self.changes, changes or 0)
        self._told.set()

    def displace(self) -> None:
        """Make room for another connection."""
        self.is_displaced = True
        self._told.set()

    async def above(self, after: int, seconds: float) -> int | None:
        """The number of changes as soon as it is above `after`; None after this time, and if the connection has to end."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not (self.is_displaced or self.is_signed_out):
                    if self.changes > after:
                        return self.changes
                    self._told.clear()
                    await self._told.wait()
        return None


class Streams:
    """All open connections, the oldest first; for the event loop only.

    A new connection replaces the oldest one of the address with most connections, if that address keeps more than the newcomer
    has. So one visitor with a hundred guest accounts cannot keep others out.

    Parameters
    ----------
    gone: called in a thread when a player has closed the last connection and opens no other within `GONE`.
    """

    def __init__(self, gone: Callable[[str, datetime], None], *, most: int = OPEN_PAGES) -> None:
        self._most = most
        self._open: list[Stream] = []
        self._gone = gone
        self._going: dict[str, asyncio.TimerHandle] = {}
        self._writing: set[asyncio.Future[None]] = set()

    def has_room(self, player: str, where: str) -> bool:
        """Whether this player, from this address, may open another connection."""
        if sum(stream.player == player for stream in self._open) >= PER_PLAYER:
            return False
        return len(self._open) < self._most or self._to_displace(where) is not None

    def opened(self, stream: Stream) -> bool:
        """Add a connection; returns whether there is room for it."""
        if not self.has_room(stream.player, stream.where):
            return False
        if len(self._open) >= self._most and (oldest := self._to_displace(stream.where)):
            self._open.remove(oldest)
            oldest.displace()
        self._open.append(stream)
        if (going := self._going.pop(stream.player, None)) is not None:
            going.cancel()
        return True

    def closed(self, stream: Stream, at: datetime | None) -> None:
        """Remove a connection, unless another replaced it; `when` the player's page closed it, or None if the server did and
        the page continues.
        """
        if stream in self._open:
            self._open.remove(stream)
        if at is not None and not any(other.player == stream.player for other in self._open):
            loop = asyncio.get_running_loop()
            self._going[stream.player] = loop.call_later(GONE.total_seconds(), self._has_gone, stream.player, at)

    async def keep_told(self, look: Callable[[Collection[str]], Mapping[str, int]], ending: asyncio.Event) -> None:
        """Tell all connections of changes until the site ends: one look for all of them, every `LOOK_EVERY`.

        look: called in a thread with sessions; gives the number of changes of those that are still open.
        """
        while not ending.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(ending.wait(), LOOK_EVERY)
                return
            if not (streams := tuple(self._open)):
                continue
            try:
                numbers = await run_in_threadpool(look, {stream.session for stream in streams})
            except DatabaseProblem as problem:  # the next look may succeed
                _log.debug("changes could not be read: %s", problem)
                continue
            for stream in streams:
                if (number := numbers.get(stream.session)) != stream.changes:
                    stream.tell(number)

    async def settle(self) -> None:
        """Wait until pending writes are done; pages that close now are no longer recorded."""
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
        """The oldest connection of the address with the most; None if the newcomer's address would have as many."""
        counts = Counter(stream.where for stream in self._open)
        ((greediest, most),) = counts.most_common(1)
        if most - 1 < counts[newcomer] + 1:
            return None
        return next(stream for stream in self._open if stream.where == greediest)


router = APIRouter()
LONGEST: Final = 600.0
"""Seconds of a connection; the browser then opens another."""


def remember_gone(engine: Engine, player: str, at: datetime) -> None:
    """Record that a player has closed the last page."""
    try:
        with transaction(engine) as c:
            people.page_closed(c, player, at)
    except DatabaseProblem as problem:  # they count as here a little longer
        _log.debug("a closed page could not be recorded: %s", problem)


@router.get("/events/now")
def now(visit: AnyVisit) -> Response:
    """The current number."""
    return JSONResponse({"changes": visit.changes if visit.player else None})


@router.get("/events/turns")
def turns(visit: AnyVisit) -> Response:
    """The games that await this player, each with its phase."""
    if visit.player is None:
        return JSONResponse({"turns": {}})
    with visit.reading() as c:
        rows = games.games_of(c, visit.player, visit.now, open_only=True)
    return JSONResponse(
        {"turns": {game.id: game.phase(visit.now).value for game, position in rows if game.awaits(position, visit.now)}}
    )


@router.get("/events")
async def events(request: Request, visit: AnyVisit, after: int = 0) -> Response:
    """The number whenever it has grown, starting with `after`."""
    streams: Streams = request.app.state.streams
    if visit.player is None:
        return Response(status_code=204)  # tells a browser not to reconnect
    if not streams.has_room(visit.player.id, visit.neighbourhood):
        return Response(status_code=503, headers={"Retry-After": "60"})
    return EventSourceResponse(_news(visit, after, streams), ping=25)


async def _news(visit: Visit, after: int, streams: Streams) -> AsyncIterator[ServerSentEvent]:
    assert visit.player is not None
    assert visit.session is not None
    stream = Stream(visit.player.id, visit.neighbourhood, people.hashed(visit.session), visit.changes)
    if not streams.opened(stream):
        return  # others, requested at the same moment, were quicker
    loop = asyncio.get_running_loop()
    end, by_page = loop.time() + LONGEST, True
    try:
        while (number := await stream.above(after, end - loop.time())) is not None:
            after = number
            yield ServerSentEvent(event="changes", data=str(number))
        by_page = stream.is_signed_out
    finally:
        streams.closed(stream, visit.site.clock() if by_page else None)


def look(site: Site, sessions: Collection[str]) -> dict[str, int]:
    """The numbers of changes of players whose sessions are open, by the hash of the token. Makes due moves, and marks everyone
    with an open page as present. Raises `DatabaseProblem`.
    """
    now = site.clock()
    with reading(site.engine) as c:
        due = moves.any_due(c, None, now)
    if due:
        _try(site, lambda c: moves.release(c, now))
    with reading(site.engine) as c:
        rows = people.open_sessions(c, sessions, now)
    if away := {row.player for row in rows if row.is_away}:
        _try(site, lambda c: people.all_seen(c, away, now))
    return {row.token_hash: row.changes for row in rows}


def _try(site: Site, write: Callable[[Connection], object]) -> None:
    """Write what the next look may write, too."""
    try:
        with transaction(site.engine) as c:
            write(c)
    except DatabaseProblem as problem:
        _log.debug("a look could not write: %s", problem)
