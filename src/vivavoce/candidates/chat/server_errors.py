"""Interprets a server's errors: the cause by codes and words, the remedy, how long to wait, and the refused parameter."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, Literal, NamedTuple

from vivavoce.candidates.chat.reply import ServerError
from vivavoce.errors import CandidateError, CandidateMisconfigured, CandidateUnreachable, Hearing, ServiceFault, TransportFault

Cause = Literal["", "content", "credit", "key", "model", "permission", "length", "scheme", "address"]
"""The cause that an error names; empty: unknown."""

LIMITED: Final = 429
"""Too many requests: the model is assumed never to have received a refused request."""
TRANSIENT: Final = frozenset({408, 409, 425, LIMITED})
"""Statuses below 500 that another attempt may change (RFC 9110, RFC 8470, RFC 6585)."""
_BY_STATUS: Final[Mapping[int, Cause]] = {401: "key", 402: "credit", 404: "model", 405: "address"}
"""Statuses that name their cause. Not 403: some servers refuse a single prompt by it."""
_LOOKED_AT: Final = 2_000
"""Characters of a message that are examined; some servers append the whole request."""


def any_of(*patterns: str) -> re.Pattern[str]:
    """A pattern for any of these, in upper or lower case."""
    return re.compile("|".join(patterns), re.IGNORECASE)


class _Signs(NamedTuple):
    cause: Cause
    codes: re.Pattern[str]
    """Whole codes of their errors."""
    words: re.Pattern[str]
    """Parts of their messages."""


TOO_LONG: Final = any_of(
    r"context[ _](?:length|window|size)|maximum context|max_model_len|reduce the length",
    r"(?:prompt|input|messages?|request) (?:is |are )?too (?:long|large)",
)
"""Errors about the length of this prompt; they mention a limit of tokens, or the model."""
_SIGNS: Final = (
    _Signs("length", any_of(r"context_length_exceeded"), TOO_LONG),
    _Signs(
        "content",
        any_of(
            r"(?:prompt_|input_|request_)?content_?(?:filter(?:ed)?|policy(?:_violation)?|management_policy|moderation|blocked)",
            r"responsible_?ai_?policy_?violation|data_?inspection_?failed|(?:input_|prompt_)?moderation(?:_blocked|_error)?",
            r"prohibited_content|invalid_prompt|prompt_blocked|unsafe_(?:content|prompt)|sensitive_(?:content|words?)",
        ),
        any_of(r"\b(?:prompt|input)\b[^.]{0,60}\b(?:was|were|is|been) flagged", r"content management policy"),
    ),
    _Signs(
        "credit",
        any_of(
            r"insufficient_?(?:quota|balance|credits?|funds)|billing_?(?:hard_?limit_?reached|not_?active|disabled|error)",
            r"(?:quota|credits?|budget|balance)_?(?:exceeded|exhausted|depleted)|payment_?(?:required|failed)",
            r"account_?(?:overdue|arrears)|arrearage",
        ),
        any_of(
            r"\b(?:balance|credits?|funds)\b[^.]{0,40}\b(?:insufficient|too low|exhausted|depleted|used up|negative|expired)\b",
            r"\b(?:insufficient|not enough|negative|out of|add|buy|purchase)\b[^.]{0,30}\b(?:balance|credits?|funds)\b",
            r"\binsufficient quota\b|\b(?:top up|recharge)\b|\bin arrears\b|\bpayment (?:is )?(?:required|overdue|failed)\b",
            r"\b(?:hard|spend(?:ing)?|usage|budget) limit (?:has been |was )?(?:reached|exceeded)\b",
        ),
    ),
    _Signs(
        "key",
        any_of(
            r"(?:invalid|expired|wrong|missing)_?(?:api_?)?(?:key|token|credentials?)",
            r"(?:api_?key|token|credentials?)_?(?:invalid|expired|not_?found|missing)",
            r"(?:un|not_?)?authenticat\w+|unauthori[sz]ed",
        ),
        any_of(
            r"\bapi[ _-]?keys?\b|\b(?:access|auth(?:entication|orization)?|bearer) (?:token|key)\b|\bcredentials?\b",
            r"\b(?:un|not )?authenticat\w+\b|\bunauthori[sz]ed\b",
            r"\b(?:invalid|expired|missing|wrong|revoked|incorrect|disabled) (?:token|key)\b",
            r"\b(?:token|key) (?:(?:is|has|was) )?(?:been )?(?:invalid|expired|missing|wrong|revoked|incorrect|disabled)\b",
        ),
    ),
    _Signs(
        "model",
        any_of(
            r"(?:invalid|unknown|unsupported|no_such)_?model(?:_error|_id|_name)?",
            r"model_?(?:id_|name_)?(?:not_?\w+|deprecated|retired|decommissioned|invalid|unavailable|unsupported|removed|disabled)",
        ),
        any_of(
            r"\b(?:models?|deployment|engine)\b[^.\n]{0,80}?\b(?:does(?: not|n't) exist|no longer|retired|deprecated"
            r"|decommissioned|discontinued|removed|unknown|shut down|disabled"
            r"|not (?:be )?(?:found|available|supported|valid|allowed|deployed|loaded|an? (?:valid|known|supported)))\b",
            r"\b(?:unknown|invalid|unsupported|no such|not a valid|(?:can|could) ?(?:not|n't) find(?: the| a)?) "
            r"(?:model|deployment|engine)\b",
        ),
    ),
    _Signs(
        "permission",
        any_of(
            r"permission_?(?:denied|error)|access_?denied|insufficient_?(?:permissions?|scope)|account_?(?:disabled|suspended)"
        ),
        any_of(
            r"\bpermissions?\b|\baccess (?:to [^.]{0,60})?(?:is |was )?(?:denied|forbidden|restricted|disabled)",
            r"(?:\bnot|n't) have access\b",
            r"\b(?:account|organi[sz]ation|project|user|workspace)\b[^.]{0,60}"
            r"\b(?:disabled|deactivated|suspended|terminated|blocked|restricted|banned)\b",
            r"\b(?:country|region|territory)\b[^.]{0,60}\bnot (?:supported|available|allowed)",
            r"\bnot (?:supported|available) in your (?:country|region)",
        ),
    ),
    # rate limits mention quotas as well, so these come last, and never after a rate limit
    _Signs("credit", any_of(r"$^"), any_of(r"\bquota\b|\bbilling\b|\bkey limit exceeded\b")),
    _Signs("scheme", any_of(r"$^"), any_of(r"\bHTTP\b[^.]{0,30}\b(?:to|an?) (?:an? )?(?:HTTPS|SSL)")),
)
_STATUSES: Final = (
    (LIMITED, any_of(r"rate_?limit\w*|too_?many_?requests|resource_?exhausted|throttl\w+")),
    (404, any_of(r"not_?found\w*")),
    (529, any_of(r"overloaded\w*")),
    (503, any_of(r"(?:service_?)?unavailable\w*")),
    (504, any_of(r"deadline_?exceeded|(?:gateway_?)?time_?out\w*")),
    (400, any_of(r"invalid_?(?:request|argument)\w*|bad_?request\w*")),
)
"""Statuses by the codes of errors that come without one."""
_LIMITED_IN_WORDS: Final = any_of(r"rate[ _-]?limit|too[ _]many[ _](?:requests|tokens)|\bthrottl")


def cause_of(status: int, message: str, codes: Collection[str]) -> Cause:
    """The cause of an error: by its codes, else its status, else its words.

    The words of a server that limits the rate, or that is down, count only if they name credit.

    >>> cause_of(400, "API key expired. Please renew the API key.", ["INVALID_ARGUMENT"]), cause_of(503, "no such model", [])
    ('key', '')
    >>> cause_of(400, "Your prompt was flagged", []), cause_of(429, "You exceeded your quota of 20 requests a minute", [])
    ('content', '')
    """
    for signs in _SIGNS:
        if any(signs.codes.fullmatch(code) for code in codes):
            return signs.cause
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    text = message[:_LOOKED_AT]
    for signs in _SIGNS:
        believed = signs is _OUT_OF_CREDIT or (status < 500 and status not in TRANSIENT)
        if believed and signs.words.search(text):
            return signs.cause
    return ""


_OUT_OF_CREDIT: Final = next(signs for signs in _SIGNS if signs.cause == "credit")


def status_of(codes: Collection[str], message: str) -> int:
    """The status of an error that came with status 200, by its codes and its words; 500 if these say nothing.

    >>> status_of(["429"], ""), status_of(["overloaded_error"], ""), status_of([], "Rate limit reached"), status_of([], "oops")
    (429, 529, 429, 500)
    """
    for code in codes:
        if code.isdecimal() and 400 <= int(code) <= 599:
            return int(code)
    for status, pattern in _STATUSES:
        if any(pattern.fullmatch(code) for code in codes):
            return status
    if _LIMITED_IN_WORDS.search(message[:_LOOKED_AT]):
        return LIMITED
    return 400 if cause_of(400, message, codes) else 500


REMEDIES: Final[Mapping[Cause, str]] = {
    "key": "the key is missing or wrong: put it in $VIVA_API_KEY, or name its variable by ?key=NAME",
    "model": "there is no such model or address: check both, the address often ends in /v1",
    "address": "this address does not accept questions: it often ends in /v1",
    "scheme": "this port speaks https: write https:// in the address",
    "permission": "the key has no permission for it",
}
"""Remedies for errors that stop every question."""
AWAY: Final = frozenset({LIMITED, 502, 503, 529})
"""Statuses of a missing model: too many questions, or no server behind the gateway (529: overloaded). Except for the first,
only the server says so. A server that lies would gain a second try, because it may have received the question.
"""

NOT_OWN: Final = frozenset({401, 404, 405, LIMITED})
"""Statuses that are never a bot's own error: its key or address is wrong, or it was asked too much at once."""


def fault_for(
    status: int, headers: Mapping[str, str], message: str, *, codes: Collection[str] = (), where: str, answer: str = ""
) -> TransportFault | CandidateError:
    """The error for a status of 400 or more, given the server's message and the codes of its error.

    A filter on the prompt is the model's refusal, an outcome. All other errors say nothing about the candidate: without credit
    it is `CandidateUnreachable` until it is paid for; with a wrong key, model or address it is `CandidateMisconfigured`.

    answer: the server's answer, if it is not the status.

    >>> fault_for(429, {"Retry-After": "3"}, "slow down", where="http://localhost/v1").retry_after
    3.0
    >>> fault_for(429, {}, "You exceeded your quota", codes=["insufficient_quota"], where="http://localhost/v1")
    CandidateUnreachable('http://localhost/v1 answers with status 429; the account has no credit left: You exceeded your quota')
    """
    answer = answer or f"status {status}"
    text = f": {message}" if message else ""
    cause = cause_of(status, message, codes)
    if cause == "content":
        return TransportFault(f"refused by a filter on the prompt, {answer}{text}", worth_retrying=False, status=status)
    if cause == "credit":
        hearing: Hearing = "turned away" if status == LIMITED else "refused"
        problem = f"{where} answers with {answer}; the account has no credit left{text}"
        return CandidateUnreachable(problem, hearing=hearing, by_service=True)
    if cause in REMEDIES:
        problem = f"{where} answers with {answer}; {REMEDIES[cause]}{text}"
        return CandidateMisconfigured(problem, hearing="refused", by_service=True)
    return ServiceFault(
        f"{answer}{text}",
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
    text = headers.get("Retry-After", "")
    seconds = _seconds(text)
    if seconds is not None or not text:
        return seconds
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


STATUSES: Final = frozenset({400, 422})
"""Statuses with which servers refuse a parameter: those of OpenAI's protocol, and of FastAPI's checks."""
_UNSUPPORTED: Final = frozenset({"unsupported_parameter", "unsupported_value"})
"""Error codes for a refused parameter (OpenAI)."""
_SEARCHED: Final = 2_000
"""Characters of a message that are examined; some servers append the whole request."""
_REFUSING: Final = re.compile(
    r"unsupported|unavailable|unrecogni[sz]ed|unknown|unexpected|invalid|deprecated|forbidden|removed|extra_|\berror at\b|fail"
    r"|n[o']t (?:\w+ )?(?:support|allow|permit|accept|enabl|available|recogni[sz]|implement|compatible|valid|take|find|be)"
    r"|cannot|must be|should be|expected|only",
    re.IGNORECASE,
)
"""How servers word a refusal."""
_OTHER_NAMES: Final = {
    "response_format": r"response[ _]format|json[ _]?schema|structured outputs?|grammar",
    "logprobs": r"(?:top_)?log_?probs",
}
"""Other names that servers use for a parameter."""
_MESSAGES: Final = "messages"


def refused(error: ServerError, sent: Collection[str]) -> str:
    """The sent parameter that the server refuses, by its error; empty if there is none.

    It is the one in `param`, else the first in the message. An error about the prompt's length does not count, although it may
    name the limit of tokens.

    >>> refused(ServerError("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."), {"max_tokens"})
    'max_tokens'
    >>> refused(ServerError("The maximum context length is 4096 tokens, reduce max_tokens"), {"max_tokens"})
    ''
    """
    message = error.message[:_SEARCHED]
    if TOO_LONG.search(message) or "context_length_exceeded" in error.codes:
        return ""
    if error.param:
        parts = re.split(r"[.\[\]/]", error.param)
        if parts[0] in (_MESSAGES, "model"):
            return ""
        named = next((name for part in parts for name in sent if re.fullmatch(_names(name), part)), "")
        if named:
            return named
    if not (_UNSUPPORTED.intersection(error.codes) or _REFUSING.search(message)):
        return ""
    values = {name: _mention(name).search(message) for name in (*sorted(sent), _MESSAGES)}
    first = min((mention.start(), name) for name, mention in values.items() if mention) if any(values.values()) else (0, "")
    return "" if first[1] == _MESSAGES else first[1]


def _names(name: str) -> str:
    return _OTHER_NAMES.get(name, re.escape(name))


def _mention(name: str) -> re.Pattern[str]:
    """The place where a message names a parameter; a name that is an ordinary word must be in quotes, or called a parameter."""
    if "_" in name or name in _OTHER_NAMES:
        return re.compile(rf"(?<!\w)(?:{_names(name)})(?!\w)", re.IGNORECASE)
    word = re.escape(name)
    return re.compile(
        rf"['\"`]{word}['\"`]"
        rf"|\b(?:parameters?|fields?|arguments?|options?|unsupported|unknown|invalid|set)(?: value)?(?: for)?:? {word}\b"
        rf"|(?:^|[.:] ){word} (?:is|are|must|should|cannot|does|has|and)\b|(?:^|[.:] ){word}:",
        re.IGNORECASE,
    )
