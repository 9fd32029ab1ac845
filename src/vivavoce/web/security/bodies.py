"""Bodies of requests: none larger than a move may be, and none that takes its time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vivavoce.luna.settings import GameTerms

LEAST: Final = 1_000_000
"""Bytes that are always taken, also for games that began when texts were longer."""
CHARACTER: Final = 12
"""Bytes of one at most, written as %F0%9F%98%80 or \\ud83d\\ude00."""
ROOM: Final = 50_000
"""Bytes for names of fields and what else goes with texts."""
BODY: Final = "vivavoce.body"
"""Where the scope of a request has its body, so that what was typed can be given back whatever goes wrong."""
PATIENCE: Final = 15.0
"""Seconds within which a body must have come."""


def largest(terms: GameTerms) -> int:
    """Bytes of the largest body: a draft, whose texts may be twice as long as in a move.

    >>> largest(GameTerms()), largest(GameTerms(10, 20_000))
    (1000000, 4850000)
    """
    return max(LEAST, 2 * terms.questions * terms.longest_text * CHARACTER + ROOM)


class TooLarge(Exception):
    """The body is larger than any that we would take."""


class Gone(Exception):
    """The sender of the body hung up in the middle of it."""


class Bodies:
    """Receives the whole body before anything is done with it; what is too large or too slow is refused.

    Parameters
    ----------
    refuse: the answer for a status: 408 or 413. The connection is closed after it: what is left of the body is nobody's
        next request.
    largest: bytes of a body.
    """

    def __init__(self, app: ASGIApp, *, refuse: Callable[[Scope, int], Response], patience: float, largest: int) -> None:
        self._app = app
        self._refuse = refuse
        self._patience = patience
        self._largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._patience):
                body = await _whole(scope, receive, self._largest)
        except Gone:
            return
        except (TimeoutError, TooLarge) as error:
            response = self._refuse(scope, 413 if isinstance(error, TooLarge) else 408)
            response.headers["Connection"] = "close"
            await response(scope, receive, send)
            return
        scope[BODY] = body
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return messages.pop() if messages else await receive()

        await self._app(scope, replay, send)


async def _whole(scope: Scope, receive: Receive, largest: int) -> bytes:
    """The body. Raises `TooLarge` before it is read to its end."""
    announced = dict(scope["headers"]).get(b"content-length", b"0")
    if len(announced) > len(str(largest)) or int(announced) > largest:
        raise TooLarge
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message.get("more_body", False)
        if size > largest:
            raise TooLarge
    return b"".join(parts)
