"""How an interview tells the time, and how it waits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """The time as it is, unless something else is handed in.

    >>> Clock(seconds=lambda: 7.0).seconds()
    7.0
    """

    seconds: Callable[[], float] = time.monotonic
    """From any moment on; they only go up."""
    now: Callable[[], datetime] = _utc_now
    """The time of day, with its zone."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    """Waits this many seconds, between attempts."""
