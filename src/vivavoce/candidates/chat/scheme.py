"""Whether a port that gave no reply speaks the other one of http and https."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from typing import Final

from yarl import URL

SECONDS: Final = 3.0
"""How long one look may take."""
_NOTHING: Final = b"HEAD / HTTP/1.0\r\n\r\n"
"""A request that says nothing about anyone."""


async def speaks_other_scheme(where: URL) -> bool:
    """Whether something at this host and port speaks https where the address says http, or the other way round."""
    with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, ValueError):
        async with asyncio.timeout(SECONDS):
            return await (_speaks_tls(where) if where.scheme == "http" else _speaks_http(where))
    return False


def wrong_scheme(where: URL) -> str:
    """What to say of an address with the wrong scheme, and what to write.

    >>> wrong_scheme(URL("https://localhost:8000/v1"))
    'https://localhost:8000/v1 speaks http, not https: write http://localhost:8000 in the address'
    """
    other = "http" if where.scheme == "https" else "https"
    authority = where.authority if where.explicit_port else where.host
    return f"{where} speaks {other}, not {where.scheme}: write {other}://{authority} in the address"


async def _speaks_tls(where: URL) -> bool:
    """A handshake with whoever is there, to whom nothing else is said."""
    anyone = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
    _, writer = await asyncio.open_connection(where.host, where.port, ssl=anyone)
    writer.transport.abort()
    return True


async def _speaks_http(where: URL) -> bool:
    reader, writer = await asyncio.open_connection(where.host, where.port)
    try:
        writer.write(_NOTHING)
        return await reader.readexactly(5) == b"HTTP/"
    finally:
        writer.transport.abort()
