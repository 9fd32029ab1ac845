"""Server-sent events: open streams, and the changes that they report."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import Final

from fastapi import APIRouter
from sqlalchemy import Engine
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from vivavoce.luna.matching import GONE
from vivavoce.web.database import DatabaseProblem, reading, transaction
from vivavoce.web.pages.request_context import AnyVisit, Site, Visit, opened
from vivavoce.web.security.limits import RateLimitedAction
from vivavoce.web.store import games, moves, people, tokens

PER_PLAYER: Final = 4
PER_PROCESS: Final = 500
"""Connections; further pages poll now and then."""


class Stream:
    """One open connection."""

    def __init__(self, player: str, where: str) -> None:
        self.player = player
        self.where = where
        self.displaced = asyncio.Event()

    async def rest(self, seconds: float) -> bool:
        """Wait this long; returns whether it may continue."""
        try:
            await asyncio.wait_for(self.displaced.wait(), seconds)
        except TimeoutError:
            return True
        return False


class Streams:
    """All open connections, the oldest first; for the event loop only.

    A new connection replaces the oldest one of the address with most connections, if that address keeps more than the newcomer
    has. So one visitor with a hundred guest accounts cannot keep others out.

    Parameters
    ----------
    gone: called in a thread when a player has closed the last connection and opens no other within `GONE`.
    """

    def __init__(self, gone: Callable[[str, datetime], None], *, most: int = PER_PROCESS) -> None:
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

    def opened(self, player: str, where: str) -> Stream | None:
        """Add a connection; None if there is no room for it."""
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
        """Remove a connection, unless another replaced it; `when` the player's page closed it, or None if the server did and
        the page continues.
        """
        if stream in self._open:
            self._open.remove(stream)
        if at is not None and not any(other.player == stream.player for other in self._open):
            loop = asyncio.get_running_loop()
            self._going[stream.player] = loop.call_later(GONE.total_seconds(), self._has_gone, stream.player, at)

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
LOOK_EVERY: Final = 1.5
"""Seconds between two checks of the database for one page."""
LONGEST: Final = 600.0
"""Seconds of a connection; the browser then opens another."""

_log = logging.getLogger(__name__)


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
    stream = streams.opened(visit.player.id, visit.neighbourhood)
    if stream is None:
        return  # others, requested at the same moment, were quicker
    by_page = True
    try:
        for _ in range(round(LONGEST / LOOK_EVERY)):
            number = await run_in_threadpool(_number, visit.site, visit.session)
            if number is None:
                return
            if number > after:
                after = number
                yield ServerSentEvent(event="changes", data=str(number))
            if not await stream.rest(LOOK_EVERY):
                by_page = False
                return
        by_page = False
    finally:
        streams.closed(stream, visit.site.clock() if by_page else None)


def _number(site: Site, session: str) -> int | None:
    """The player's state; None once the session is closed. Marks everyone with an open page as present."""
    try:
        now = site.clock()
        with reading(site.engine) as c:
            player = tokens.session_player(c, session, now)
            due = player is not None and moves.any_due(c, player, now)
            gone = player is not None and people.has_gone(c, player)
            number = None if player is None else games.changes(c, player, 0)
        if player is not None and number is not None and due:
            number = opened(site, player, now, number)
        if player is not None and (site.limiter.allows(RateLimitedAction.BE_SEEN, player.id) or gone):
            with transaction(site.engine) as c:
                people.seen(c, player, now)
        return number
    except DatabaseProblem:
        return 0  # the next check may succeed
