"""What a server's error names as its cause, by its codes and words."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final, Literal, NamedTuple

Cause = Literal["", "content", "credit", "key", "model", "permission", "length", "scheme", "address"]
"""What an error names; empty: nothing that is known here."""

LIMITED: Final = 429
"""Too many requests: it is taken that the model never heard the one that is turned away."""
TRANSIENT: Final = frozenset({408, 409, 425, LIMITED})
"""Statuses below 500 that another attempt may change (RFC 9110, RFC 8470, RFC 6585)."""
_BY_STATUS: Final[Mapping[int, Cause]] = {401: "key", 402: "credit", 404: "model", 405: "address"}
"""Statuses that name their cause. Not 403: some servers refuse a single prompt by it."""
_LOOKED_AT: Final = 2_000
"""Characters of a message; some servers repeat the whole request behind what they say."""


def any_of(*patterns: str) -> re.Pattern[str]:
    """Any of these, in letters of any case."""
    return re.compile("|".join(patterns), re.IGNORECASE)


class _Signs(NamedTuple):
    """How servers name a cause."""

    cause: Cause
    codes: re.Pattern[str]
    """Whole codes of their errors."""
    words: re.Pattern[str]
    """Parts of their messages."""


TOO_LONG: Final = any_of(
    r"context[ _](?:length|window|size)|maximum context|max_model_len|reduce the length",
    r"(?:prompt|input|messages?|request) (?:is |are )?too (?:long|large)",
)
"""Complaints about the length of this prompt; they name a limit of tokens, or the model."""
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
    # limits on the rate speak of quotas as well, so these come last, and never where one was reached
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
    """What an error names as its cause: by its codes, else its status, else its words.

    A server that limits the rate, or that is down, is believed for its words only where it names credit.

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
    said = message[:_LOOKED_AT]
    for signs in _SIGNS:
        believed = signs is _OUT_OF_CREDIT or (status < 500 and status not in TRANSIENT)
        if believed and signs.words.search(said):
            return signs.cause
    return ""


_OUT_OF_CREDIT: Final = next(signs for signs in _SIGNS if signs.cause == "credit")


def status_of(codes: Collection[str], message: str) -> int:
    """The status of an error that came with status 200, by its codes and its words; 500 where these say nothing.

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
