"""Checks of free text: refusals, copies of the prompt, preambles and quotation marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from vivavoce.interview.forms.spellings import alphanumeric

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
    """Whether a short text begins like a refusal.

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
    """Lines without a first line such as "Sure! Here is a question:", and without blank lines around them."""
    kept = list(lines)
    while kept and (not kept[0].strip() or _PREAMBLE.fullmatch(kept[0].replace("’", "'").strip(" *_"))):
        kept.pop(0)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept


_OPENING_REFUSAL = re.compile(
    r"\W{0,9}(?:(?:i'?m |i am |we are )?(?:very |so |really )?sorry|i apologi[sz]e|unfortunately|as an ai\b"
    r"|(?:i|we)(?: can ?not| can'?t| won'?t| will not| must decline| decline| do not feel|(?: am|'m) (?:unable|not able)))",
    re.IGNORECASE,
)


def begins_with_refusal(text: str) -> bool:
    """Whether a text begins as a refusal does.

    >>> begins_with_refusal("I’m sorry, I can't."), begins_with_refusal("He is sorry.")
    (True, False)
    """
    return _OPENING_REFUSAL.match(text[:200].replace("’", "'")) is not None


_Run = tuple[str, ...]
RUN: Final = 8
"""Length of the compared runs of words."""
MOST: Final = 0.5
"""A larger share of common runs makes a reply a copy."""
FEWEST: Final = 4
"""Fewest words of a text within a task that make it a copy: "photosynthesis" may well be an answer."""
LONGEST: Final = 20_000
"""Most characters of each text that are compared."""


def copied_share(reply: str, shown: Iterable[str]) -> float:
    """The share of a reply's runs of eight words that occur in the shown texts; 0 for a reply of fewer words.

    Eight words in a row are rarely the same by chance. Whether shorter replies are copies can be seen only from many of them
    (`repeated_answers`).

    Case, marks and white space do not matter.

    >>> copied_share("End your reply with a line that names one. Yes.", ["End your reply with a line that names one."])
    0.6666666666666666
    >>> copied_share("Answer: 12", ["Answer: 12"])
    0.0
    """
    own = list(_runs(reply))
    if not own:
        return 0.0
    known = frozenset[_Run]().union(*map(_known, shown))
    return sum(run in known for run in own) / len(own)


def is_copy(reply: str, shown: Iterable[str]) -> bool:
    """Whether more than half of a reply's runs of eight words occur in the shown texts."""
    return copied_share(reply, shown) > MOST


def repeats(text: str, prompt: str) -> bool:
    """Whether a text of four words or more occurs in its writer's instructions, or more than half of it does.

    >>> repeats("Ask what shows thought.", "- Be kind.\\n- Ask what shows thought. Whatever can be looked up may be.")
    True
    """
    words = _words(text)
    inside = f" {' '.join(words)} " in _one_line(prompt)
    return (len(words) >= FEWEST and inside) or is_copy(text, [prompt])


@lru_cache(maxsize=64)
def _one_line(prompt: str) -> str:
    return f" {' '.join(_words(prompt))} "


def _words(text: str) -> list[str]:
    return [bare for word in text[:LONGEST].casefold().split() if (bare := alphanumeric(word))]


@lru_cache(maxsize=64)
def _known(text: str) -> frozenset[_Run]:
    """The runs of a shown text, which is mostly the same for many replies."""
    return frozenset(_runs(text))


def _runs(text: str) -> Iterator[_Run]:
    words = _words(text)
    return zip(*(islice(words, start, None) for start in range(RUN)), strict=False)
