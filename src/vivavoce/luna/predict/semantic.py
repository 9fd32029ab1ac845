"""Likeness of sentences by their words' places in WordNet and their order (SNL of `silver2016`, section 5.2.2; `li2006`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import exp, log, sqrt, tanh
from typing import Final

import numpy as np
from pydantic import NonNegativeInt

from vivavoce.luna.predict.base import FloatArray
from vivavoce.luna.predict.features import by_text
from vivavoce.luna.predict.key import Key
from vivavoce.luna.predict.texts import Sheet, content_words
from vivavoce.luna.predict.wordnet import Synset, WordNet, open_wordnet

ALPHA: Final = 0.2
"""Of the length of the path between two meanings."""
BETA: Final = 0.45
"""Of the depth of what both are kinds of."""
LEAST: Final = 0.2
"""Likeness of words below which they count as unlike."""
LEAST_IN_ORDER: Final = 0.4
DELTA: Final = 0.85
"""Weight of meaning against order. All five are those of `li2006`."""

Words = tuple[str, ...]
Likeness = Callable[[str, str], float]


@dataclass(frozen=True, slots=True)
class SemanticNets:
    """One column a question: likeness of the answer to the right one, from 0 to 1. WordNet is needed to apply it, too.

    How rare a word is, is counted in the answers at hand, where `li2006` counts in the Brown corpus; and the commonest words
    are left out, as for all features here.
    """

    wordnet: str
    """Its folder; empty for where it usually is."""
    key: Key = ()
    counts: tuple[tuple[str, NonNegativeInt], ...] = ()
    """How often each word came."""
    others: tuple[Key, ...] = ()
    """Further right answers: the nearest counts."""

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> SemanticNets:
        """Takes the key, and counts words. Raises `BadInput` without WordNet."""
        open_wordnet(self.wordnet)
        counted = Counter(word for texts in sheet for text in texts for word in content_words(text))
        return replace(self, key=key, counts=tuple(sorted(counted.items())))

    def columns(self, sheet: Sheet) -> FloatArray:
        """Likeness, from 0 to 1. Raises `BadInput` without WordNet."""
        alike, known = WordLikeness(open_wordnet(self.wordnet)), dict(self.counts)
        total = sum(known.values())

        def information(word: str) -> float:
            return 1 - log(known.get(word, 0) + 1) / log(total + 1) if total else 1.0

        def nearest(question: int, text: str) -> float:
            words = content_words(text)
            return max(likeness(words, key[question], alike, information) for key in (self.key, *self.others))

        return by_text(sheet, nearest)


class WordLikeness:
    """How like two words are in WordNet: equation 6 of `li2006`, of those two of their meanings that are nearest.

    A path goes up to what both are kinds of, and down; words without a common broader one are unlike.
    """

    def __init__(self, wordnet: WordNet) -> None:
        self._wordnet = wordnet
        self._known: dict[tuple[str, str], float] = {}
        self._above: dict[Synset, Mapping[Synset, int]] = {}

    def __call__(self, one: str, other: str) -> float:
        if one == other:
            return 1.0
        pair = min((one, other), (other, one))
        if pair not in self._known:
            self._known[pair] = self._likeness(*pair)
        return self._known[pair]

    def _likeness(self, one: str, other: str) -> float:
        paths = [
            (self._length(first, second, meeting, above[meeting] + beyond[meeting]), -self._depth(meeting))
            for first in self._wordnet.synsets(one)
            for second in self._wordnet.synsets(other)
            for above, beyond in ((self.above(first), self.above(second)),)
            for meeting in above.keys() & beyond.keys()
        ]
        if not paths:
            return 0.0
        length, depth = min(paths)
        return exp(-ALPHA * length) * tanh(-BETA * depth)

    def _length(self, first: Synset, second: Synset, meeting: Synset, steps: int) -> int:
        """Steps of a path; 1 between synsets that share a word."""
        shared = first != second and set(self._wordnet.words(first)) & set(self._wordnet.words(second))
        return min(steps, 1) if shared else steps

    def _depth(self, synset: Synset) -> int:
        return max(self.above(synset).values())

    def above(self, synset: Synset) -> Mapping[Synset, int]:
        """The synset and all that it is a kind of, each with the fewest steps up to it."""
        if synset not in self._above:
            found, at = {synset: 0}, [synset]
            for one in at:
                for other in self._wordnet.broader(one):
                    if other not in found:
                        found[other] = found[one] + 1
                        at.append(other)
            self._above[synset] = found
        return self._above[synset]


def likeness(one: Words, other: Words, alike: Likeness, information: Callable[[str], float]) -> float:
    """Likeness of two texts in meaning and order (equations 8 to 11 of `li2006`); 0 where either is empty.

    >>> round(likeness(("rise", "sun"), ("sun", "rise"), lambda one, other: float(one == other), lambda word: 1.0), 3)
    0.95
    """
    if not one or not other:
        return 0.0
    joint = tuple(dict.fromkeys((*one, *other)))
    meanings = [_meaning(joint, words, alike, information) for words in (one, other)]
    lengths = sqrt(float((meanings[0] @ meanings[0]) * (meanings[1] @ meanings[1])))
    meant = float(meanings[0] @ meanings[1]) / lengths if lengths else 0.0
    orders = [_order(joint, words, alike) for words in (one, other)]
    apart, together = (float(np.linalg.norm(vector)) for vector in (orders[0] - orders[1], orders[0] + orders[1]))
    return DELTA * meant + (1 - DELTA) * (1 - apart / together)


def _nearest(word: str, words: Words, alike: Likeness) -> tuple[int, float]:
    if word in words:
        return words.index(word), 1.0
    values = [alike(word, other) for other in words]
    return values.index(max(values)), max(values)


def _meaning(joint: Words, words: Words, alike: Likeness, information: Callable[[str], float]) -> FloatArray:
    found = []
    for word in joint:
        place, value = _nearest(word, words, alike)
        found.append(value * information(word) * information(words[place]) if value > LEAST else 0.0)
    return np.array(found)


def _order(joint: Words, words: Words, alike: Likeness) -> FloatArray:
    found = []
    for word in joint:
        place, value = _nearest(word, words, alike)
        found.append(place + 1.0 if value > LEAST_IN_ORDER else 0.0)
    return np.array(found)
