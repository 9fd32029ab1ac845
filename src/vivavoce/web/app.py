"""The site's application: its parts, and its background tasks."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from functools import partial
from importlib.resources import files
from typing import Final

from fastapi import FastAPI
from sqlalchemy import Engine
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from vivavoce.version import __version__
from vivavoce.web import api, events, mail
from vivavoce.web.api import describe
from vivavoce.web.database import DatabaseProblem, migrate, open_database, reading, transaction
from vivavoce.web.events import Streams
from vivavoce.web.pages import accounts, error_pages, games, home, operator, survey
from vivavoce.web.pages.game_texts import check_version
from vivavoce.web.pages.request_context import Site, utc_now
from vivavoce.web.security.http import PATIENCE, BodyLimits, Cookies, HeadRequests, SecurityHeaders, largest
from vivavoce.web.security.limits import Limiter
from vivavoce.web.settings import SiteSettings
from vivavoce.web.store import queue
from vivavoce.web.store.site import last_address, remember_address

PAGES: Final = (home, accounts, games, operator, survey, events)
LAST_SWEEP: Final = 2.0
"""Seconds to wait for a running sweep when the site stops."""
LONG: Final = "public, max-age=31536000, immutable"
"""A file's address changes when the file does."""

_log = logging.getLogger(__name__)


class Files(StaticFiles):
    """Our own files, which browsers may keep."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file."""
        response = await super().get_response(path, scope)
        if response.status_code in (200, 304):
            response.headers["Cache-Control"] = LONG
        return response


def create_app(settings: SiteSettings, *, clock: Callable[[], datetime] = utc_now, body_seconds: float = PATIENCE) -> FastAPI:
    """The site as an ASGI application; its tables are created or updated when it starts.

    Parameters
    ----------
    body_seconds: within which the body of a request must have come.

    Raises `BadInput` for settings that cannot be, before anything is opened.
    """
    check_version(settings.consent_version)
    engine = open_database(settings.database)
    streams = Streams(partial(events.remember_gone, engine), most=settings.open_pages)
    site = Site(settings=settings, engine=engine, cookies=Cookies(settings), limiter=Limiter(), clock=clock)
    app = FastAPI(
        title="Vivavoce: the Luna game",
        version=__version__,
        lifespan=lambda _: _running(site, streams),
        docs_url=None,  # the usual pages for this load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        redirect_slashes=False,
    )
    app.state.site = site
    app.state.streams = streams
    for pages in PAGES:
        app.include_router(pages.router, include_in_schema=False)
    app.include_router(api.router)
    openapi = app.openapi
    app.openapi = lambda: describe(openapi(), settings.terms)  # type: ignore[method-assign]
    app.mount("/static", Files(directory=str(files("vivavoce.web") / "static")))
    error_pages.install(app)
    app.add_middleware(BodyLimits, refuse=error_pages.answer, patience=body_seconds, largest=largest(settings.terms))
    app.add_middleware(SecurityHeaders, https=settings.https)
    app.add_middleware(HeadRequests, but="/events")
    return app


def from_environment() -> FastAPI:
    """The site as configured by the environment, for servers that start it themselves."""
    return create_app(SiteSettings.from_environment(os.environ))


@asynccontextmanager
async def _running(site: Site, streams: Streams) -> AsyncIterator[None]:
    """Background tasks that run as long as the site."""
    engine, settings, clock = site.engine, site.settings, site.clock
    await run_in_threadpool(_prepare, engine, settings)
    ending = asyncio.Event()
    sweeping = asyncio.create_task(_sweep(engine, clock, settings, ending))
    telling = asyncio.create_task(streams.keep_told(partial(events.look, site), ending))
    sender = mail.MailSender(engine, settings, clock)
    yield
    ending.set()
    sender.stop()
    with suppress(TimeoutError):
        await asyncio.wait_for(asyncio.gather(sweeping, telling), LAST_SWEEP)
    await streams.settle()
    engine.dispose()


def _prepare(engine: Engine, settings: SiteSettings) -> None:
    migrate(engine)
    with reading(engine) as c:
        known = last_address(c)
    if known != settings.base_url:
        with transaction(engine) as c:
            remember_address(c, settings.base_url)


async def _sweep(engine: Engine, clock: Callable[[], datetime], settings: SiteSettings, ending: asyncio.Event) -> None:
    """At each tick, start games, make due moves, and end expired games; any number of processes may do so."""
    while not ending.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(ending.wait(), settings.tick - clock().timestamp() % settings.tick)
            return
        try:
            await run_in_threadpool(_sweep_once, engine, clock(), settings)
        except DatabaseProblem as problem:
            _log.warning("the queue could not be read: %s", problem)


def _sweep_once(engine: Engine, now: datetime, settings: SiteSettings) -> None:
    with transaction(engine) as c:
        queue.sweep(c, now, tick=settings.tick, terms=settings.terms)
