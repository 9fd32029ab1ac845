"""What the server over HTTP does beyond its limit on connections."""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from contextlib import suppress

import pytest

from tests.plugins.mcp_server.clients import examiner
from vivavoce.plugins.mcp_server import serving
from vivavoce.plugins.mcp_server.server import McpServer

TOKEN = "a token of more than twenty characters"
ASKED = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{{port}}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 2\r\n\r\n{{{{}}}}"


async def test_connections_beyond_the_limit_are_answered_and_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "MOST_CONNECTIONS", 3)
    at = serving.listening(0)
    port = at.getsockname()[1]
    server = asyncio.create_task(serving.serve_http(McpServer(examiner(["bot:calculator"])).server(), at, TOKEN))
    held: list[tuple[StreamReader, StreamWriter]] = []
    try:
        for _ in range(3):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert (await asked(reader, writer, port)).startswith(b"HTTP/1.1 4")  # it is no request of the protocol
            held.append((reader, writer))
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        refused = await asyncio.wait_for(reader.read(), 30)
        assert refused.startswith(b"HTTP/1.1 503 ")
        assert refused.endswith(b"\r\n\r\nToo many connections: close some, or try again later.\n")
        writer.close()
        held[0][1].close()
        await held[0][1].wait_closed()
        answer = b""
        while not answer.startswith(b"HTTP/1.1 4"):  # once the server has seen that one was closed
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            answer = await asked(reader, writer, port)
            held.append((reader, writer))
    finally:
        for _, writer in held:
            writer.close()
        server.cancel()
        with suppress(asyncio.CancelledError):
            await server
        at.close()


async def asked(reader: StreamReader, writer: StreamWriter, port: int) -> bytes:
    """The first line of the answer to a request."""
    with suppress(ConnectionError):
        writer.write(ASKED.format(port=port).encode())
        await writer.drain()
        return await asyncio.wait_for(reader.readline(), 30)
    return b""
