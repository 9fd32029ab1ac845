"""What stands around what is said: refusals, words that lead up to it, marks around the whole of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

REFUSED: Final = "refused"
TOO_LONG: Final = "too long"

_REFUSAL = re.compile(
    r"(?:(?:i'm|i am) (?:very |so )?sorry|sorry|unfortunately|i apologi[sz]e)?[,;. ]{0,3}(?:but )?"
    r"(?:i (?:cannot|can't|can not|won't|will not|must decline)|i(?:'m| am) (?:unable|not able)|as an ai\b)",
    re.IGNORECASE,
)
_PREAMBLE = re.compile(
    r"(?:sure|certainly|of course|okay|ok|absolutely|here(?:'s| is| are)|below is|the following is)\b.{0,200}[:!.]",
    re.IGNORECASE,
)


def refuses(text: str) -> bool:
    """Whether a short text begins as refusals do.

    >>> refuses("I'm sorry, but I cannot write this."), refuses("I cannot stress enough that ..." * 100)
    (True, False)
    """
    return len(text) < 400 and bool(_REFUSAL.match(text.replace("’", "'").lstrip(" *_\"'")))


def unquoted(text: str) -> str:
    """A text without emphasis or quotation marks around the whole of it.

    >>> unquoted('**"What is a tree?"**'), unquoted('"Tree" or "forest"')
    ('What is a tree?', '"Tree" or "forest"')
    """
    text = text.strip()
    for opening, closing in (("**", "**"), ("__", "__"), ('"', '"'), ("“", "”"), ("'", "'"), ("«", "»"), ("*", "*")):
        inner = text[len(opening) : -len(closing)]
        if (
            len(text) > 2 * len(opening)
            and text.startswith(opening)
            and text.endswith(closing)
            and not {*opening, *closing} & set(inner)
        ):
            text = inner.strip()
    return text


def without_preamble(lines: Sequence[str]) -> list[str]:
    """Lines without a first one such as "Sure! Here is a question:", and blank ones around them."""
    kept = list(lines)
    while kept and (not kept[0].strip() or _PREAMBLE.fullmatch(kept[0].replace("’", "'").strip(" *_"))):
        kept.pop(0)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept
