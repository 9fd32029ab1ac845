"""The name of a concept in what a concept writer says: an entry of an index, or a sentence that does nothing but name one.

Small models say "The concept is the pigeonhole principle." where the name alone is wanted. Taken as it stands, every later
prompt would speak of «The concept is the pigeonhole principle».
"""

from __future__ import annotations

import re
from typing import Final

from vivavoce.interview.forms.folding import words_of

MOST_WORDS: Final = 8
LONGEST: Final = 80
"""Characters of a concept's name."""
LOOKED_AT: Final = 400
"""Characters of what is said."""
SENTENCE: Final = "no name but a sentence"
EXCUSE: Final = "no name but an excuse"
NO_NAME: Final = "no name"

_NAMES: Final = re.compile(
    r"(?:(?:the |an? )?(?:\w{1,12} )?concept(?: here| examined)? is(?: called)?:? |understanding (?=the concept of ))",
    re.IGNORECASE,
)
_OF: Final = re.compile(r"(?:.{1,300}\bunderstand )?the concept of ?(?P<name>.*)", re.IGNORECASE)
_IS_ONE: Final = re.compile(r"(?P<name>.{1,80}?) is (?:an?|the) (?:\w{1,12} )?concept\b.*", re.IGNORECASE)
_VERB: Final = re.compile(
    r"(?<![\w-])(?:is|are|was|were|has|have|does|must|should|refers|involves|describes|states|that)(?![\w-])", re.IGNORECASE
)
_EXCUSE: Final = re.compile(r"i\b|it\b|there\b|this (?:question|is)\b|none\b|unknown\b", re.IGNORECASE)


def name_in(said: str) -> tuple[str, str]:
    """The name, beginning with a capital; empty, and why there is none.

    >>> for said in ("opportunity cost", "The concept is the pigeonhole principle.", "Whales are mammals"):
    ...     print(name_in(said))
    ('Opportunity cost', '')
    ('Pigeonhole principle', '')
    ('', 'no name but a sentence')
    """
    name = _bare(" ".join(said[:LOOKED_AT].split()))
    if not any(map(str.isalnum, name)):
        return "", NO_NAME
    name = _unwrapped(name)
    if len(name) > LONGEST or not 0 < len(words_of(name)) <= MOST_WORDS or name.endswith("?") or _VERB.search(name):
        return "", SENTENCE
    if _EXCUSE.match(name):
        return "", EXCUSE
    return name[:1].upper() + name[1:], ""


def _unwrapped(said: str) -> str:
    """What a sentence about the concept calls it; other words as they are."""
    name = said
    while match := _NAMES.match(name):
        name = name[match.end() :]
    if match := _OF.fullmatch(name):
        name = _VERB.split(match["name"], maxsplit=1)[0]
    elif match := _IS_ONE.fullmatch(name):
        name = match["name"]
    name = _bare(name)
    return name if name == said else re.sub(r"^the ", "", name, flags=re.IGNORECASE)


def _bare(name: str) -> str:
    return name.strip(" .,:\"'")
