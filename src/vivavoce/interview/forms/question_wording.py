"""Words of written questions: references to a text that readers do not see, and how alike two questions are.

"According to the passage" and "as described above" show that a question is not understandable alone; "as described by Newton's
second law" and "in the text of the treaty" are fine. The patterns match references to a text (passage, excerpt ...) as if it
were visible, and references upwards or backwards ("as stated above"). References downwards ("the following", "listed below")
stay within the question and are fine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from vivavoce.interview.forms.spellings import words_of

LOOKED_AT: Final = 20_000
"""Maximum number of characters of a question that are searched."""
ALIKE: Final = 0.7
"""Two questions with the same right options and numbers are duplicates if they share this part of their word triples.

In a question with 12 words in its stem and 8 in each of 4 options, exchanging one word keeps 0.87 of the triples. Among all
3,791 pairs of MMLU-Pro questions of one subject with the same right option, the limit finds 87 that are not literally equal.
We read the 40 least similar of these, and all are copies of one question. Between 0.5 and 0.7, every second pair is.
"""

_MATERIAL: Final = (
    r"(?:explanations?|passages?|texts?|excerpts?|paragraphs?|descriptions?|readings?"
    r"|(?:reading|source|study|provided|given) materials?|(?:provided|given|supplied) (?:information|context|content)|handout)"
)
_GIVEN: Final = r"(?:(?:above|provided|given|preceding|previous|accompanying|earlier|original|supplied) )?"
_TOLD: Final = "described|explained|stated|mentioned|discussed|outlined|noted|presented"
_TELLS: Final = (
    "says?|states?|mentions?|describes?|explains?|notes?|highlights?|emphasi[sz]es?|suggests?|lists?|presents?|provides?|gives?"
    "|covers?|discusses|outlines|identifies|claims?|implies|refers?"
)
_AT_HAND: Final = r"(?! of (?!this |these )\w)(?! by \w)(?!['’]s)(?!-)"
"""Excludes texts that a question may be about: "the text of the treaty", "the explanation by Darwin"."""
_FACTS: Final = "(?:information|context|content|details|facts)"

_POINTERS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:according to|based (?:up)?on|as per|judging (?:by|from)|going by|drawing on) (?:the|this|that|our|your) "
        rf"{_GIVEN}{_MATERIAL}\b{_AT_HAND}",
        rf"\b(?:according to|based (?:up)?on) the {_FACTS}(?: (?:provided|given|stated|mentioned))?(?: above)?(?=[,?:]|$)",
        rf"\b(?:{_TOLD}|defined|given|listed|shown|provided|indicated) in (?:the|this|that) {_GIVEN}{_MATERIAL}\b{_AT_HAND}",
        rf"\bas (?:{_TOLD}|defined|given|listed|shown|indicated) (?:above|earlier|previously|before)\b",
        r"\b(?:was|were|is|are|been) (?:described|explained|mentioned|discussed|outlined) (?:above|earlier)\b",
        rf"(?:^|, ?|\()as (?:{_TOLD})(?=[,;?)]|$)",
        rf"\b(?:above|preceding|aforementioned|foregoing) {_MATERIAL}\b",
        rf"\b(?:the|this) {_GIVEN}{_MATERIAL} (?:(?:also|explicitly|specifically|clearly) )?(?:{_TELLS})\b",
        rf"\bin (?:this|the above|the given|the provided|the preceding) {_MATERIAL}\b{_AT_HAND}",
        rf"\bin the (?:passage|excerpt|explanation)\b{_AT_HAND}",
        rf"\bwhat (?:does|do|did) (?:the|this) {_GIVEN}{_MATERIAL} (?:say|state|mention|describe|explain|suggest|imply)\b",
        r"\bthe author(?:['’]s)? (?:of (?:the|this) (?:passage|text|excerpt|explanation)|states|says|argues|claims|mentions)\b",
    )
)


def pointing_words(text: str) -> str:
    """The first words of a text that refer to another text; empty if there are none.

    >>> pointing_words("Which of these holds, as stated in the explanation?")
    'stated in the explanation'
    """
    line = " ".join(text[:LOOKED_AT].split())
    matches = [match for pattern in _POINTERS if (match := pattern.search(line))]
    return min(matches, key=lambda match: match.start())[0].strip(" ,;:(") if matches else ""


def triples_of(texts: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """All triples of consecutive words; the ends of a text count as words."""
    rows = (("", *words_of(text), "") for text in texts)
    return frozenset(row[index : index + 3] for row in rows for index in range(max(1, len(row) - 2)))
