"""News for open pages: a number that grows when one of the player's games has changed, pushed, or asked for.

When a player's last page closes its connection, they are known to have gone, and are paired with nobody before they are back.
A page that cannot keep a connection open asks for the number now and then; a page without a script is loaded again by hand.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Final

from fastapi import APIRouter
from sqlalchemy import Engine
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from vivavoce.web.database import DatabaseProblem, reading, transaction
from vivavoce.web.pages.visit import AnyVisit, Site, Visit, opened
from vivavoce.web.security.limits import Deed
from vivavoce.web.store import games, moves, people, tokens
from vivavoce.web.streams import Streams

router = APIRouter()
LOOK_EVERY: Final = 1.5
"""Seconds between two looks at the database for one page."""
LONGEST: Final = 600.0
"""Seconds of a connection; the browser opens another."""

_log = logging.getLogger(__name__)


def remember_gone(engine: Engine, player: str, at: datetime) -> None:
    """Write down that a player has closed the last page."""
    try:
        with transaction(engine) as c:
            people.page_closed(c, player, at)
    except DatabaseProblem as problem:  # they count as here a little longer
        _log.debug("a page that was closed was not written down: %s", problem)


@router.get("/events/now")
def now(visit: AnyVisit) -> Response:
    """The number as it is."""
    return JSONResponse({"changes": visit.changes if visit.player else None})


@router.get("/events/turns")
def turns(visit: AnyVisit) -> Response:
    """The games that await this player, each with its phase."""
    if visit.player is None:
        return JSONResponse({"turns": {}})
    with visit.reading() as c:
        found = games.games_of(c, visit.player, visit.now, open_only=True)
    return JSONResponse(
        {"turns": {game.id: game.phase(visit.now).value for game, place in found if game.awaits(place, visit.now)}}
    )


@router.get("/events")
async def events(request: Request, visit: AnyVisit, after: int = 0) -> Response:
    """The number each time that it has grown, beginning with `after`."""
    streams: Streams = request.app.state.streams
    if visit.player is None:
        return Response(status_code=204)  # tells a browser not to come back
    if not streams.has_room(visit.player.id, visit.neighbourhood):
        return Response(status_code=503, headers={"Retry-After": "60"})
    return EventSourceResponse(_news(visit, after, streams), ping=25)


async def _news(visit: Visit, after: int, streams: Streams) -> AsyncIterator[ServerSentEvent]:
    assert visit.player is not None
    assert visit.session is not None
    stream = streams.opened(visit.player.id, visit.neighbourhood)
    if stream is None:
        return  # others, asked for at the same moment, were quicker
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
    """None once the session is closed. Everybody with a page open is here."""
    try:
        now = site.clock()
        with reading(site.engine) as c:
            player = tokens.session_player(c, session, now)
            due = player is not None and moves.any_due(c, player, now)
            gone = player is not None and people.has_gone(c, player)
            number = None if player is None else games.changes(c, player, 0)
        if player is not None and number is not None and due:
            number = opened(site, player, now, number)
        if player is not None and (site.limiter.allows(Deed.BE_SEEN, player.id) or gone):
            with transaction(site.engine) as c:
                people.seen(c, player, now)
        return number
    except DatabaseProblem:
        return 0  # the next look may go better
