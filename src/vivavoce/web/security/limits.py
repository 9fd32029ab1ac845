"""Rate limits of actions, and time limits of slow connections."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import Enum
from ipaddress import IPv6Address, ip_address
from math import ceil
from typing import ClassVar, Final

import h11
from limits import RateLimitItem, RateLimitItemPerDay, RateLimitItemPerHour, RateLimitItemPerMinute, RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from uvicorn.protocols.http.h11_impl import H11Protocol

from vivavoce.errors import VivavoceError
from vivavoce.web.settings import HEADROOM


class RateLimitedAction(Enum):
    """An action with a limited rate."""

    SIGN_UP = "sign up"
    SIGN_IN = "sign in"
    """Attempts, by address."""
    SIGN_IN_AS = "sign in as"
    """Sign-in attempts, by e-mail address."""
    START = "start"
    WRITE = "write"
    """Moves and drafts, by player."""
    REPORT = "report"
    OVERSEE = "oversee"
    """Views of operator's pages that read all games, by operator."""
    BE_SEEN = "be seen"
    """Updates of a player's presence."""
    ENTER = "enter"
    """Visits to a survey, by address: respondents from a platform may share one."""
    CALL = "call"
    """Calls of a machine, by machine."""
    WRONG_TOKEN = "wrong token"  # noqa: S105  a deed
    """Wrong tokens per address."""
    ASK_FOR_KEY = "ask for key"
    """Requests for a mailed key, by address."""
    CONFIRM_AT = "confirm at"
    """Mails with a confirmation key, by e-mail address."""
    FORGET_PASSWORD_OF = "forget password of"  # noqa: S105  a deed
    """Mails with a key for a new password, by the e-mail address in the form, whether an account has it or not."""
    USE_KEY = "use key"
    """Uses of a key per address."""


LIMITS: Final[dict[RateLimitedAction, tuple[RateLimitItem, ...]]] = {
    RateLimitedAction.SIGN_UP: (RateLimitItemPerMinute(40), RateLimitItemPerHour(60)),
    RateLimitedAction.SIGN_IN: (RateLimitItemPerMinute(20), RateLimitItemPerHour(200)),
    RateLimitedAction.SIGN_IN_AS: (RateLimitItemPerMinute(10), RateLimitItemPerHour(50)),
    RateLimitedAction.START: (RateLimitItemPerMinute(20), RateLimitItemPerHour(200)),
    RateLimitedAction.WRITE: (RateLimitItemPerMinute(120),),
    RateLimitedAction.REPORT: (RateLimitItemPerMinute(5), RateLimitItemPerHour(30)),
    RateLimitedAction.OVERSEE: (RateLimitItemPerMinute(60),),
    RateLimitedAction.BE_SEEN: (RateLimitItemPerSecond(1, 30),),
    RateLimitedAction.ENTER: (RateLimitItemPerMinute(300), RateLimitItemPerHour(3000)),
    RateLimitedAction.CALL: (RateLimitItemPerMinute(300),),
    RateLimitedAction.WRONG_TOKEN: (RateLimitItemPerMinute(30), RateLimitItemPerHour(300)),
    RateLimitedAction.ASK_FOR_KEY: (RateLimitItemPerMinute(10), RateLimitItemPerHour(60)),
    RateLimitedAction.CONFIRM_AT: (RateLimitItemPerHour(3), RateLimitItemPerDay(6)),
    RateLimitedAction.FORGET_PASSWORD_OF: (RateLimitItemPerHour(3), RateLimitItemPerDay(6)),
    RateLimitedAction.USE_KEY: (RateLimitItemPerMinute(20), RateLimitItemPerHour(200)),
}
"""A class of 30 behind one address can sign up together; a flood can't."""


@dataclass(eq=False)
class TooOften(VivavoceError):
    """An action was repeated too often."""

    seconds: int
    """Seconds until it is allowed again."""

    def __post_init__(self) -> None:
        super().__init__(f"too many requests: try again in {self.seconds} s")


class Limiter:
    """Counts actions by the address or name that it is given."""

    def __init__(self) -> None:
        self._windows = MovingWindowRateLimiter(MemoryStorage())

    def count(self, deed: RateLimitedAction, who: str, *, now: float) -> None:
        """Count one action. Raises `TooOften` above the limit; the action is then not counted."""
        for item in LIMITS[deed]:
            if not self._windows.test(item, deed.value, who):
                reset = self._windows.get_window_stats(item, deed.value, who).reset_time
                raise TooOften(max(1, ceil(reset - now)))
        self.allows(deed, who)

    def allows(self, deed: RateLimitedAction, who: str) -> bool:
        """Count one action, and say whether it is within the limit."""
        within = [self._windows.hit(item, deed.value, who) for item in LIMITS[deed]]
        return all(within)


def neighbourhood(address: str | None) -> str:
    """An address as limits count it: all addresses of an IPv6 subscriber are one.

    >>> neighbourhood("192.0.2.7"), neighbourhood("2001:db8:1:2:3:4:5:6"), neighbourhood("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:1:2::/64', '192.0.2.7')
    """
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return "unknown"
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return f"{IPv6Address(int(parsed) >> 64 << 64)}/64"


HEAD_SECONDS: Final = 10.0
"""Seconds within which the head of a request must arrive; even a slow browser needs only one."""


class PatientProtocol(H11Protocol):
    """Closes a connection if the head of a request does not arrive in time. Time counts from the start of the connection, or
    from the first byte of a further request; between requests uvicorn's own limit applies. `vivavoce.web.security.http` limits
    the time for the body.
    """

    seconds: ClassVar[float] = HEAD_SECONDS
    _closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the head of a request."""
        super().connection_made(transport)
        if self.limit_concurrency is not None and len(self.connections) > HEADROOM * self.limit_concurrency:
            transport.close()
        else:
            self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Take received bytes; wait on if the head is not complete."""
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
