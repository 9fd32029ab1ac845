"""What a server's status code means for an examination, and how long it asks to wait."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from vivavoce.errors import CandidateError, CandidateMisconfigured, CandidateUnreachable, Hearing, TransportFault

REMEDIES: Final = {
    401: "the key is missing or wrong: put it in $VIVA_API_KEY, or name its variable by ?key=NAME",
    404: "there is no such model or address: check both, the address often ends in /v1",
    405: "this address takes no questions: it often ends in /v1",
}
"""Statuses that no question can get past, with what to do. Not 403: some servers refuse a single prompt by it."""
TRANSIENT: Final = frozenset({408, 409, 425, 429})
"""Statuses below 500 that another attempt may change (RFC 9110, RFC 8470, RFC 6585)."""
LIMITED: Final = 429
"""Too many requests: it is taken that the model never heard the one that is turned away."""
AWAY: Final = frozenset({LIMITED, 502, 503, 529})
"""Statuses by which the model is not there: too many questions, or nobody behind the gateway (529: overloaded). But for the
first that is the server's word alone, and one who lies gains a second try: it may have heard the question."""
NO_CREDIT: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""Error codes of an account that cannot pay; servers send them with status 429, like any limit on the rate, or 400."""
_NO_CREDIT_IN_WORDS: Final = "credit balance is too low"
"""What is said where there is no such code (Anthropic, with status 400)."""


def fault_for(
    status: int, headers: Mapping[str, str], message: str, *, codes: Collection[str] = (), where: str
) -> TransportFault | CandidateError:
    """The error for a status of 400 or more, given the server's message and the codes of its error.

    No question gets through without credit, but that is no matter of the candidate's: it is `CandidateUnreachable` until
    somebody pays.

    >>> fault_for(429, {"Retry-After": "3"}, "slow down", where="http://localhost/v1").retry_after
    3.0
    >>> fault_for(429, {}, "You exceeded your quota", codes=["insufficient_quota"], where="http://localhost/v1")
    CandidateUnreachable('http://localhost/v1 answers with status 429; the account has no credit left: You exceeded your quota')
    """
    said = f": {message}" if message else ""
    if status == 402 or NO_CREDIT.intersection(codes) or _NO_CREDIT_IN_WORDS in message:
        hearing: Hearing = "turned away" if status == LIMITED else "refused"
        return CandidateUnreachable(
            f"{where} answers with status {status}; the account has no credit left{said}", hearing=hearing
        )
    if status in REMEDIES:
        return CandidateMisconfigured(f"{where} answers with status {status}; {REMEDIES[status]}{said}", hearing="refused")
    return TransportFault(
        f"status {status}{said}",
        retry_after=retry_after(headers, datetime.now(UTC)),
        reached=status not in AWAY,
        worth_retrying=status in TRANSIENT or status >= 500,
        hearing="turned away" if status == LIMITED else "heard",
        status=status,
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
