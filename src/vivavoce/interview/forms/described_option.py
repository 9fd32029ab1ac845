"""Sentences that describe an option, and other options that a reply names without choosing them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Final

from vivavoce.interview.forms.option_letters import BY_OTHERS, denied, judgement
from vivavoce.interview.forms.option_texts import folded, text_behind
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.forms.statements import NEGATION

_DESCRIBES = re.compile(r"\s{1,2}(?:is|are|was|were|has|have)\s[^.;:!?\n]{1,300}(?:[.;!](?=\s|$)|$)")
_TURNS = re.compile(
    r"\b(?:but|however|although|though|while|whereas|instead|rather|unlike|too|no|less|hardly|nor|or|mistaken|confused"
    r"|assumed|thought|believed|wrongly)\b"
)
_CONTRAST = re.compile(
    r",?\s(?:unlike|(?:and )?not|rather than|instead of|as opposed to|(?:while|whereas)(?: all)? the (?:others?|rest))\s"
    r"[^.;!?\n]{1,200}[.!]?\Z",
    re.IGNORECASE,
)
_THAN = re.compile(r"(?<!rather )(?<!other )\bthan\s(?:the\s)?\Z")
"""Ends before what an option is compared with, which does not deny it."""
CLAIMS: Final = re.compile(
    r"\b(?:also|too|as well|both|equally|likewise|answer|correct|right|actually|but|however|though|although|instead|rather"
    r"|or|better|best|so|it is|it's)\b"
)
"""Words of a sentence that may choose another option than the one that is described before."""


def is_described(rest: str, letter: str, options: Sequence[str]) -> bool:
    """Whether the words behind a letter repeat its option and describe it, and nothing there denies it or turns to another one.

    >>> replies = (". Paris is a capital, unlike Lyon.", ". Paris is large, but Lyon is old.")
    >>> [is_described(rest, "B", ("Lyon", "Paris")) for rest in replies]
    [True, False]
    """
    named = text_behind(rest, options, within_words=True)
    if not named or named[0] != letter or not (sentence := _DESCRIBES.match(named[1])):
        return False
    if judgement(sentence[0], letter, ())[0] != "open":
        return False
    words = fold(_CONTRAST.sub("", sentence[0]))
    if NEGATION.search(words) or _TURNS.search(words) or names_others(words, letter, options):
        return False
    later = re.split(r"[.;!?\n]", named[1][sentence.end() :])
    claims = (other for other in later if CLAIMS.search(fold(other)) and not re.search(BY_OTHERS, other, re.IGNORECASE))
    return not any(names_others(other, letter, options) for other in claims)


def names_others(said: str, letter: str, options: Sequence[str]) -> bool:
    """Whether words name the text of another option than this one, and do not deny it."""
    texts = dict(zip(ascii_uppercase, folded(tuple(options)), strict=False))
    words = fold(said)
    if len(own := texts.get(letter, "")) > 1:
        words = words.replace(own, "·")
    others = (text for other, text in texts.items() if other != letter and len(text) > 1)
    return any(
        _THAN.search(words[: found.start()]) or not denied(words[: found.start()])
        for text in others
        for found in re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", words)
    )
