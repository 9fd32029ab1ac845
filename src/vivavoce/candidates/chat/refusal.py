"""Whether an error of a server's means: I do not take this parameter."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from vivavoce.candidates.chat.causes import TOO_LONG
from vivavoce.candidates.chat.reply import ServerError

STATUSES: Final = frozenset({400, 422})
"""Statuses by which servers refuse a parameter: of OpenAI's protocol, and of FastAPI's checks."""
_UNSUPPORTED: Final = frozenset({"unsupported_parameter", "unsupported_value"})
"""Error codes that say just that (OpenAI)."""
_LOOKED_AT: Final = 2_000
"""Characters of a message; some servers repeat the whole request behind what they say."""
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
"""Under which other names servers speak of a parameter."""
_MESSAGES: Final = "messages"


def refused(error: ServerError, sent: Collection[str]) -> str:
    """The parameter among those that were sent which the error says the server does not take; empty if it says no such thing.

    It is the one that `param` names, else the first that the message does. A complaint about the prompt's length is none,
    although it may name the limit of tokens.

    >>> refused(ServerError("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."), {"max_tokens"})
    'max_tokens'
    >>> refused(ServerError("The maximum context length is 4096 tokens, reduce max_tokens"), {"max_tokens"})
    ''
    """
    message = error.message[:_LOOKED_AT]
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
    found = {name: _mention(name).search(message) for name in (*sorted(sent), _MESSAGES)}
    first = min((mention.start(), name) for name, mention in found.items() if mention) if any(found.values()) else (0, "")
    return "" if first[1] == _MESSAGES else first[1]


def _names(name: str) -> str:
    return _OTHER_NAMES.get(name, re.escape(name))


def _mention(name: str) -> re.Pattern[str]:
    """Where a message speaks of a parameter: one that is a word as well must be in quotes, or be called one."""
    if "_" in name or name in _OTHER_NAMES:
        return re.compile(rf"(?<!\w)(?:{_names(name)})(?!\w)", re.IGNORECASE)
    word = re.escape(name)
    return re.compile(
        rf"['\"`]{word}['\"`]"
        rf"|\b(?:parameters?|fields?|arguments?|options?|unsupported|unknown|invalid|set)(?: value)?(?: for)?:? {word}\b"
        rf"|(?:^|[.:] ){word} (?:is|are|must|should|cannot|does|has|and)\b|(?:^|[.:] ){word}:",
        re.IGNORECASE,
    )
