"""No more questions a second than were allowed."""

from __future__ import annotations

import asyncio


class Pace:
    """Lets those who wait for their turn through one after the other.

    rate: turns a second at most; None: no limit.
    """

    def __init__(self, rate: float | None) -> None:
        self._gap = 0.0 if rate is None else 1 / rate
        self._next = 0.0

    async def turn(self) -> None:
        """Return when it is one's turn."""
        if not self._gap:
            return
        now = asyncio.get_running_loop().time()
        mine = max(now, self._next)
        self._next = mine + self._gap
        if mine > now:
            await asyncio.sleep(mine - now)
