"""Answers as the thesis reads them: words in small letters, without punctuation and without the commonest words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from vivavoce.luna.predict.answers import People

Sheet = Sequence[Sequence[str]]
"""Texts by question, then by person; somebody who left a question out has an empty text there."""

LONGEST_READ: Final = 5_000
"""Characters of an answer that are looked at: as many as the Luna game allows."""

_MARKS: Final = re.compile(r"[^\w\s]|_")
_PRONOUNS: Final = "i me my mine we us our ours you your yours he him his she her hers it its they them their theirs"
_SELVES: Final = "myself ourselves yourself yourselves himself herself itself themselves"
_POINTING: Final = "this that these those who whom whose which what the a an"
_VERBS: Final = "am is are was were be been being have has had having do does did doing can will should"
_JOINING: Final = "and but or nor if because as until while than so"
_PLACING: Final = (
    "of at by for with about against between into through during before after above below to from up down in out on off "
    "over under"
)
_ADVERBS: Final = "again further then once here there when where why how now not no only just very too"
_AMOUNTS: Final = "all any both each few more most other some such own same"
STOP_WORDS: Final = frozenset(" ".join((_PRONOUNS, _SELVES, _POINTING, _VERBS, _JOINING, _PLACING, _ADVERBS, _AMOUNTS)).split())
"""Words that carry no content, by part of speech. The thesis does not say which it leaves out."""


@lru_cache(maxsize=1 << 14)
def content_words(text: str) -> tuple[str, ...]:
    """The words of an answer that carry content.

    Marks vanish without leaving a gap: "don't" is "dont", and "taxes/war" one word. That is how the thesis' figures come about.

    >>> content_words("To declare War, and don't ask!")
    ('declare', 'war', 'dont', 'ask')
    """
    return tuple(word for word in _MARKS.sub("", text[:LONGEST_READ].lower()).split() if word not in STOP_WORDS)


def plain(text: str) -> str:
    """All words of an answer in small letters, one space between them, a gap for each mark.

    >>> plain("Freedom of  Speech.")
    'freedom of speech'
    """
    return " ".join(_MARKS.sub(" ", text[:LONGEST_READ].lower()).split())


def sheet_of(people: People, questions: Sequence[str]) -> Sheet:
    """Everybody's texts to these questions; other questions are left alone."""
    texts = {(answer.person, answer.question): answer.text for answer in people.answers}
    return [[texts.get((person, question), "") for person in people.people] for question in questions]


def distinct(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """Each text once, in order of first appearance, and for each of all texts its place among these.

    >>> distinct(["yes", "no", "yes"])
    (['yes', 'no'], [0, 1, 0])
    """
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    return list(places), [places[text] for text in texts]
