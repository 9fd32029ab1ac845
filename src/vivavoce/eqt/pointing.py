"""Words of a question that point at a text which its answerer does not see, found without a model.

A question has to stand on its own. "According to the passage" and "as described above" give away that it does not; "as
described by Newton's second law" and "in the text of the treaty" do not. Found is what names the text that questions are made
from (explanation, passage, text, excerpt ...) as if it were at hand, and what points upwards or backwards without naming
anything. What points downwards ("the following", "listed below") points within the question.
"""

from __future__ import annotations

import re
from typing import Final

from vivavoce.interview.forms.written_question import MultipleChoice

LOOKED_AT: Final = 20_000
"""Characters of a question."""

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
"""Not "the text of the treaty", "the explanation by Darwin": somebody's text that a question may well be about."""
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


def pointing(question: MultipleChoice) -> str:
    """The first words of the stem, or else of an option, that point at a text; empty where there are none.

    Meant to have few false alarms rather than to find all: what it leaves is the checker's to find.

    >>> pointing(MultipleChoice("According to the passage, what is a tree?", ("a graph", "a plant"), frozenset([0])))
    'According to the passage'
    >>> pointing(MultipleChoice("How fast does it fall, as described by Newton's law?", ("fast", "slowly"), frozenset([0])))
    ''
    """
    return next((words for text in (question.stem, *question.options) if (words := pointing_words(text))), "")


def pointing_words(text: str) -> str:
    """The first words of a text that point at another text; empty where there are none.

    >>> pointing_words("Which of these holds, as stated in the explanation?")
    'stated in the explanation'
    """
    line = " ".join(text[:LOOKED_AT].split())
    found = [match for pattern in _POINTERS if (match := pattern.search(line))]
    return min(found, key=lambda match: match.start())[0].strip(" ,;:(") if found else ""
