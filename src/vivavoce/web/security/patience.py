"""How long a connection may take to say what it wants. uvicorn itself waits for ever, and has room for so many connections."""

from __future__ import annotations

import asyncio
from typing import ClassVar, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from vivavoce.web.settings import HEADROOM

HEAD_SECONDS: Final = 10.0
"""Within which the head of a request must have come: a browser on a bad line takes one."""


class PatientProtocol(H11Protocol):
    """Closes a connection whose request has not been asked for in time, however slowly its head trickles in.

    The time is counted from when the connection is made, or from the first byte of a further request; between requests
    uvicorn's own limit holds. How long the body may take is decided in `vivavoce.web.security.bodies`.
    """

    seconds: ClassVar[float] = HEAD_SECONDS
    _closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the head of a request."""
        super().connection_made(transport)
        if self.limit_concurrency is not None and len(self.connections) > HEADROOM * self.limit_concurrency:
            transport.close()
        else:
            self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Take what has come; wait on where the head is not whole yet."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self._wait_for_head()
        else:
            self._wait_no_longer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._wait_no_longer()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        if self._closing is None:
            self._closing = self.loop.call_later(self.seconds, self.transport.close)

    def _wait_no_longer(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
