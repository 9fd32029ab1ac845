"""What a server's status code means for an examination, and how long it asks to wait."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from vivavoce.errors import CandidateMisconfigured, TransportFault

REMEDIES = {
    401: "the key is missing or wrong: put it in $VIVA_API_KEY, or name its variable by ?key=NAME",
    402: "the account has no credit left",
    404: "there is no such model or address: check both, the address often ends in /v1",
    405: "this address takes no questions: it often ends in /v1",
}
"""Statuses that no question can get past, with what to do. Not 403: some servers refuse a single prompt by it."""
TRANSIENT = frozenset({408, 409, 425, 429})
"""Statuses below 500 that another attempt may change (RFC 9110, RFC 8470, RFC 6585)."""


def fault_for(
    status: int, headers: Mapping[str, str], message: str, *, where: str, now: datetime | None = None
) -> TransportFault | CandidateMisconfigured:
    """The error for a status of 400 or more.

    >>> fault_for(429, {"Retry-After": "3"}, "slow down", where="http://localhost/v1").retry_after
    3.0
    """
    said = f": {message}" if message else ""
    if status in REMEDIES:
        return CandidateMisconfigured(f"{where} answers with status {status}; {REMEDIES[status]}{said}")
    return TransportFault(
        f"status {status}{said}",
        retry_after=retry_after(headers, now or datetime.now(UTC)),
        worth_retrying=status in TRANSIENT or status >= 500,
    )


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait: `Retry-After-Ms`, or `Retry-After` in seconds or as a date (RFC 9110); None if unsaid or nonsense.

    >>> retry_after({"Retry-After": "Wed, 01 Jan 2025 00:00:30 GMT"}, datetime(2025, 1, 1, tzinfo=UTC))
    30.0
    """
    milliseconds = _seconds(headers.get("Retry-After-Ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    said = headers.get("Retry-After", "")
    seconds = _seconds(said)
    if seconds is not None or not said:
        return seconds
    try:
        date = parsedate_to_datetime(said)
    except (ValueError, OverflowError):
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())


def _seconds(said: str) -> float | None:
    try:
        seconds = float(said)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
