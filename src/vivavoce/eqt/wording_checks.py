"""Faults of a question that its words show, found without a model: it points at a text, or it repeats another question.

A question has to stand on its own. "According to the passage" and "as described above" give away that it does not; "as
described by Newton's second law" and "in the text of the treaty" do not. Found is what names the text that questions are made
from (explanation, passage, text, excerpt ...) as if it were at hand, and what points upwards or backwards without naming
anything. What points downwards ("the following", "listed below") points within the question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from vivavoce.interview.forms.spellings import folded, words_of
from vivavoce.interview.forms.written_question import MultipleChoice

LOOKED_AT: Final = 20_000
"""Characters of a question."""
ALIKE: Final = 0.7
"""Share of equal word triples from which on two questions with the same right options and numbers ask the same.

Of a question with 12 words in its stem and 8 in each of 4 options, exchanging a word in the middle leaves 0.87 of the triples.
Among all 3,791 pairs of MMLU-Pro questions of one subject with the same right option this finds 87 that are not equal to the
letter; the 40 least alike of them were read, and all are one question in two copies. Between 0.5 and 0.7 every second pair is.
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


def duplicates(questions: Sequence[tuple[int, MultipleChoice]]) -> dict[int, int]:
    """Number of a question -> number of the first earlier one that asks the same, where there is one.

    Parameters
    ----------
    questions: of one concept, with their numbers, in order.

    >>> tree = MultipleChoice("What is a tree?", ("A graph without cycles", "A plant"), frozenset([0]))
    >>> again = MultipleChoice("what is a Tree", ("a plant.", "a graph without cycles"), frozenset([1]))
    >>> other = MultipleChoice("What is a path?", ("A row of edges", "A way"), frozenset([0]))
    >>> duplicates([(1, tree), (2, other), (4, again)])
    {4: 1}
    """
    seen: list[tuple[int, Gist]] = []
    found = {}
    for number, question in questions:
        gist = Gist(question)
        twin = next((earlier for earlier, other in seen if gist.asks_the_same(other)), None)
        if twin is None:
            seen.append((number, gist))
        else:
            found[number] = twin
    return found


class Gist:
    """What of a question is compared: its words, three in a row, its numbers and its right options."""

    def __init__(self, question: MultipleChoice) -> None:
        options = [folded(option) for option in question.options]
        self.whole = (folded(question.stem), frozenset(options))
        self.right = frozenset(options[place] for place in question.key)
        texts = [question.stem, *question.options]
        self.numbers = Counter(word for text in texts for word in words_of(text) if any(map(str.isdigit, word)))
        self.triples = triples_of(texts)

    def asks_the_same(self, other: Gist) -> bool:
        """Whether both ask the same: equal to the letter, or alike with the same right options and numbers."""
        if self.whole == other.whole:
            return True  # even with another key: then one of the two keys is wrong
        if self.right != other.right or self.numbers != other.numbers:
            return False
        return len(self.triples & other.triples) >= ALIKE * len(self.triples | other.triples)


def triples_of(texts: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """Three words in a row, the edges of a text counting as words."""
    rows = (("", *words_of(text), "") for text in texts)
    return frozenset(row[place : place + 3] for row in rows for place in range(max(1, len(row) - 2)))
