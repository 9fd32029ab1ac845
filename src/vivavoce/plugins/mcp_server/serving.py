"""Serves the tools over standard input and output, or over HTTP on this machine."""

from __future__ import annotations

import asyncio
import hmac
import os
import signal
from asyncio import Transport
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from contextlib import suppress
from socket import AF_INET, create_server, socket
from typing import TYPE_CHECKING, Any, Final, NoReturn

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from vivavoce.errors import BadInput

if TYPE_CHECKING:
    from vivavoce.plugins.mcp_server.server import McpServer

HOST: Final = "127.0.0.1"
PATH: Final = "/mcp"
TOKEN: Final = "VIVA_MCP_TOKEN"  # noqa: S105 -- the name of a variable
SHORTEST_TOKEN: Final = 20
"""Characters."""
MOST_BYTES: Final = 4_000_000
"""Bytes of one HTTP request."""
MOST_SESSIONS: Final = 32
MOST_CONNECTIONS: Final = 128
"""HTTP connections at once: four for each session."""
_FULL: Final = "Too many connections: close some, or try again later.\n"
GRACE_SECONDS: Final = 5
ENDED_BY_SIGNAL: Final = 128
"""Added to a signal's number for the exit code."""
"""Exit code."""

Asgi = Callable[[MutableMapping[str, Any], Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]


async def serve_stdio(server: Server[Any]) -> None:
    """Serve the program that started this one, until it closes the input. Standard output is only for the protocol: candidates'
    output goes to standard error.
    """
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def listening(port: int) -> socket:
    """A port of this machine, 0 for any free one. Raises `BadInput` if it is taken."""
    try:
        return create_server((HOST, port), family=AF_INET)
    except OSError as error:
        problem = error.strerror or error
        raise BadInput(f"the server can't listen on {HOST}:{port}: {problem}; choose another --http") from None


def token_of(given: str) -> str:
    """The token that every request must carry. Raises `BadInput` for a weak one, without repeating it."""
    if len(given) < SHORTEST_TOKEN or not (given.isascii() and given.isprintable() and " " not in given):
        raise BadInput(
            f"${TOKEN} must hold a secret of {SHORTEST_TOKEN} or more letters and digits, which clients send as "
            "'Authorization: Bearer ...': python -c 'import secrets; print(secrets.token_urlsafe())' makes one"
        )
    return given


async def serve_http(server: Server[Any], at: socket, token: str) -> None:
    """Serve clients on this machine that have the token, until the program stops. Requests from pages of other sites are
    refused by their Host and Origin.
    """
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class LimitedProtocol(H11Protocol):
        """Answers a connection beyond the limit with status 503, and closes it."""

        def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > MOST_CONNECTIONS:
                transport.write(
                    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\n"
                    b"content-length: %d\r\nconnection: close\r\n\r\n%s" % (len(_FULL), _FULL.encode())
                )
                transport.close()

    app = server.streamable_http_app(
        streamable_http_path=PATH, host=HOST, max_request_body_size=MOST_BYTES, max_sessions=MOST_SESSIONS
    )
    config = uvicorn.Config(
        _TokenGuard(app, token),
        http=LimitedProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    await uvicorn.Server(config).serve(sockets=[at])


class _TokenGuard:
    """An application that only clients with the token can reach."""

    def __init__(self, app: Asgi, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Let it through, or answer 401."""
        given = next((value for name, value in scope.get("headers", ()) if name == b"authorization"), b"")
        if scope["type"] != "http" or hmac.compare_digest(given, self._expected):
            await self._app(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": f"Send the token of ${TOKEN} as a bearer.\n".encode()})


def run(serving: Coroutine[Any, Any, None], door: McpServer) -> int:
    """Serve until the client disconnects or a signal comes; returns the number of the first signal, or 0. Everything is then on
    record. After a signal the loop is not closed: one of its threads may wait for input that never comes.
    """
    loop = asyncio.new_event_loop()
    signals: list[int] = []
    interrupted = asyncio.Event()

    def interrupt(number: int) -> None:
        signals.append(number)
        interrupted.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(number, interrupt, number)

    async def served() -> int:
        task, stop = asyncio.ensure_future(serving), asyncio.ensure_future(interrupted.wait())
        try:
            await asyncio.wait((task, stop), return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                stop.cancel()
                task.result()
        finally:
            await door.close()
        return 0 if task.done() else signals[0]

    count = loop.run_until_complete(served())
    if not count:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
    return count


def end_at_once(number: int) -> NoReturn:
    """End this process as by this signal, although a thread may wait for input; everything is on record."""
    os._exit(ENDED_BY_SIGNAL + number)
