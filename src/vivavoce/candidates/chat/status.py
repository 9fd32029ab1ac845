"""What a server's status code and words mean for an examination, and how long it asks to wait."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from vivavoce.candidates.chat.causes import LIMITED, TRANSIENT, Cause, cause_of
from vivavoce.errors import CandidateError, CandidateMisconfigured, CandidateUnreachable, Hearing, ServiceFault, TransportFault

REMEDIES: Final[Mapping[Cause, str]] = {
    "key": "the key is missing or wrong: put it in $VIVA_API_KEY, or name its variable by ?key=NAME",
    "model": "there is no such model or address: check both, the address often ends in /v1",
    "address": "this address takes no questions: it often ends in /v1",
    "scheme": "this port speaks https: write https:// in the address",
    "permission": "the key has no permission for it",
}
"""What to do about errors that no question can get past."""
AWAY: Final = frozenset({LIMITED, 502, 503, 529})
"""Statuses by which the model is not there: too many questions, or no server behind the gateway (529: overloaded). Apart from
the first that is the server's word alone, and one that lies gains a second try: it may have heard the question."""

NOT_OWN: Final = frozenset({401, 404, 405, LIMITED})
"""Statuses that are never a bot's own: its key or address is wrong, or it was asked too much at once."""


def fault_for(
    status: int, headers: Mapping[str, str], message: str, *, codes: Collection[str] = (), where: str, answer: str = ""
) -> TransportFault | CandidateError:
    """The error for a status of 400 or more, given the server's message and the codes of its error.

    A filter on the prompt is the model's refusal, an outcome. All else says nothing about the candidate: without credit it
    is `CandidateUnreachable` until it is paid for, with a wrong key, model or address `CandidateMisconfigured`.

    answer: how the server answered, where that is not the status.

    >>> fault_for(429, {"Retry-After": "3"}, "slow down", where="http://localhost/v1").retry_after
    3.0
    >>> fault_for(429, {}, "You exceeded your quota", codes=["insufficient_quota"], where="http://localhost/v1")
    CandidateUnreachable('http://localhost/v1 answers with status 429; the account has no credit left: You exceeded your quota')
    """
    answer = answer or f"status {status}"
    said = f": {message}" if message else ""
    cause = cause_of(status, message, codes)
    if cause == "content":
        return TransportFault(f"refused by a filter on the prompt, {answer}{said}", worth_retrying=False, status=status)
    if cause == "credit":
        hearing: Hearing = "turned away" if status == LIMITED else "refused"
        problem = f"{where} answers with {answer}; the account has no credit left{said}"
        return CandidateUnreachable(problem, hearing=hearing, by_service=True)
    if cause in REMEDIES:
        problem = f"{where} answers with {answer}; {REMEDIES[cause]}{said}"
        return CandidateMisconfigured(problem, hearing="refused", by_service=True)
    return ServiceFault(
        f"{answer}{said}",
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
