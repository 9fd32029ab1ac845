"""Time that passes at once."""

from __future__ import annotations

import asyncio


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next moment at which anything is due, instead of waiting for it."""

    _jumped = 0.0

    def time(self) -> float:
        """Seconds since it began, by its own clock."""
        return self._jumped

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            self._jumped = max(self._jumped, self._scheduled[0].when())  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]
