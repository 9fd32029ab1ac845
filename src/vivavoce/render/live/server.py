"""The server of the page of a running examination: on this machine alone, in a thread of its own.

Its address has a random part, and only those who know it see the page. A host by another name is refused, so that no other name
can be made to lead here; nothing is taken, nothing is loaded from elsewhere, and no other page may read it or frame it.
Connections are few, so that the examination has files left to open.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Final, Self

from aiohttp import web

from vivavoce.errors import BadInput
from vivavoce.render.live.watch import Watch
from vivavoce.render.page import environment

HOST: Final = "127.0.0.1"
RENEWED: Final = 2.0
"""Seconds after which a page looks again; as in the script."""
FAREWELL: Final = 2 * RENEWED
"""Seconds in which a page that is looked at sees the end."""
MOST_CONNECTIONS: Final = 20
"""At once; a page needs two."""
IDLE_SECONDS: Final = 10.0
"""After which a connection that asks nothing is closed."""
ENDED: Final = "X-Ended"
"""Header of what does not change any more."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_SCRIPT: Final = Path(__file__).parent / "live.js"
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class LivePage:
    """Serves what is watched until it is left; a context manager.

    port: 0: any that is free.

    Raises `BadInput` on entering where the port cannot be served.
    """

    def __init__(self, watch: Watch, port: int) -> None:
        self._watch = watch
        self._port = port
        self._token = secrets.token_urlsafe(16)
        self._started, self._over, self._seen_end = Event(), Event(), Event()
        self._problem = ""
        self._looked_at = float("-inf")
        self._thread = Thread(target=lambda: asyncio.run(self._serve()), daemon=True, name="live page")

    @property
    def address(self) -> str:
        """Where it is seen."""
        return f"http://{HOST}:{self._port}/{self._token}/"

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        if self._problem:
            raise BadInput(
                f"port {self._port} cannot be served ({self._problem}): give another one, or none for any that is free"
            )
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if not self._watch.ended:
            self._watch.over(None, "Stopped. The same command goes on, if it keeps a transcript.")
        if kind is None and time.monotonic() - self._looked_at < FAREWELL:
            self._seen_end.wait(FAREWELL)
        self._over.set()
        self._thread.join()

    async def _serve(self) -> None:
        app = web.Application(middlewares=[self._guarded])
        app.router.add_get("/{token}/", self._page)
        app.router.add_get("/{token}/now", self._now)
        app.router.add_get("/{token}/live.js", _script)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1, keepalive_timeout=IDLE_SECONDS)
        await runner.setup()
        assert runner.server is not None
        listening = None
        try:
            listening = await asyncio.get_running_loop().create_server(partial(_protocol, runner.server), HOST, self._port)
            self._port = listening.sockets[0].getsockname()[1]
        except OSError as error:
            self._problem = error.strerror or str(error)
            self._over.set()
        self._started.set()
        try:
            await asyncio.to_thread(self._over.wait)
        finally:
            if listening is not None:
                listening.close()
            await runner.cleanup()

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.headers.get("Host", "") not in (f"{HOST}:{self._port}", f"localhost:{self._port}"):
            return web.Response(status=403, text="This page has another address.", headers=_HEADERS)
        try:
            token = request.path.removeprefix("/").partition("/")[0]
            if not hmac.compare_digest(token.encode(), self._token.encode()):
                raise web.HTTPNotFound
            response = await handler(request)
        except web.HTTPException as error:
            error.headers.update(_HEADERS)
            raise
        response.headers.update(_HEADERS)
        return response

    async def _page(self, _: web.Request) -> web.Response:
        body = self._looked()
        text = environment().get_template("live.html.j2").render(title=self._watch.title, body=body, again=int(RENEWED))
        return web.Response(text=text, content_type="text/html")

    async def _now(self, _: web.Request) -> web.Response:
        ended = self._watch.ended  # before the body, which then is the last one
        response = web.Response(text=str(self._looked()), content_type="text/html", headers={ENDED: "yes"} if ended else {})
        if ended:
            self._seen_end.set()
        return response

    def _looked(self) -> object:
        self._looked_at = time.monotonic()
        return self._watch.body()


class _Refusal(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


def _protocol(server: web.Server) -> asyncio.BaseProtocol:
    """For one more connection, which is closed at once where there are too many."""
    return server() if len(server.connections) < MOST_CONNECTIONS else _Refusal()


async def _script(_: web.Request) -> web.Response:
    return web.Response(text=_SCRIPT.read_text(encoding="utf-8"), content_type="text/javascript")
