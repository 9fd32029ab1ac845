"""In which order options are put: drawn by the seed, since writers and answerers like some places more than others."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Final

from vivavoce.eqt.questions import Concept
from vivavoce.interview.forms.written_question import MultipleChoice

_PLACES: Final = re.compile(
    r"\b(?i:all|none|both|neither|any|two|three) of the (?i:above|previous|preceding|others?)\b"
    r"|^(?i:both |either |neither |only )?(?i:options? |choices? |answers? |statements? )?\(?[A-J]\)?(?:, ?\(?[A-J]\)?){0,9}"
    r",? (?i:and|&|or|nor) (?i:options? )?\(?[A-J]\)?(?: (?i:only|both|together|are|is)\b.{0,60})?\.?$"
    r"|\b(?i:options?|choices?) \(?[A-J]\)?(?=[\s,.;]|$)"
)


def put_in_order(question: MultipleChoice, concept: Concept, number: int, *, seed: int) -> MultipleChoice:
    """The same question with its options in an order that depends on seed, concept and number alone; the key follows.

    Options that speak of others by their place or letter ("both A and C", "none of the above") would change their meaning: such
    a question stays as it is.

    >>> tree = MultipleChoice("What is a tree?", ("A graph", "A plant", "A path", "A set"), frozenset([0, 1]))
    >>> put = put_in_order(tree, Concept("Graph theory", "math"), 1, seed=0)
    >>> sorted(put.options[place] for place in put.key), sorted(put.options) == sorted(tree.options)
    (['A graph', 'A plant'], True)
    """
    if speaks_of_places(question.options):
        return question
    order = drawn_order(len(question.options), concept, number, seed=seed)
    key = frozenset(place for place, written in enumerate(order) if written in question.key)
    return MultipleChoice(question.stem, tuple(question.options[written] for written in order), key)


def drawn_order(options: int, concept: Concept, number: int, *, seed: int) -> list[int]:
    """Which of the writer's options stands first, second and so on."""
    return sorted(range(options), key=lambda place: drawn(seed, "order", concept.category, concept.name, number, place))


def speaks_of_places(options: Sequence[str]) -> bool:
    """Whether an option speaks of others by their place or letter.

    >>> speaks_of_places(["Iron", "Zinc", "Both A and B"]), speaks_of_places(["Iron", "None of the above"])
    (True, True)
    >>> speaks_of_places(["Vitamin A and vitamin C", "Only a graph", "Hepatitis B"])
    False
    """
    return any(_PLACES.search(option[:1_000]) for option in options)


def drawn(*parts: object) -> bytes:
    """A digest that serves as chance: the same for the same parts, whatever machine or run draws it."""
    return hashlib.sha256("\x1f".join(map(str, parts)).encode("utf-8", "replace")).digest()
