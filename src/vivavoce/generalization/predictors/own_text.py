"""What a question's text is made of, for our own predictor: words and groups of three characters, weighted by rarity."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import unescape
from math import fsum
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vivavoce.generalization.beliefs import Floats

Integers = NDArray[np.int64]

LONGEST_READ: Final = 4_000
"""Characters of a question that are looked at; those of `vafa2024` have 750 at most."""
MOST_WORDS: Final = 20_000
BUCKETS: Final = 1 << 14
"""Into which the groups of three characters fall by a fixed hash, so that none needs to be kept by name."""

_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_TEXT_WORD: Final = re.compile(r"[^\W\d_]{2,40}|\d+")
_OPTION: Final = re.compile(r"\(([A-Z])\)")
_MIX: Final = np.array([2_654_435_761, 2_246_822_519, 3_266_489_917], dtype=np.uint64)


def plain(question: str) -> str:
    """The question as somebody reads it: without tags and entities, on one line, in small letters.

    >>> plain("<b>Is 3 &lt; 4?<br></b>(A) Yes")
    'is 3 < 4? (a) yes'
    """
    return " ".join(unescape(_TAG.sub(" ", question[: 2 * LONGEST_READ])).lower().split())[:LONGEST_READ]


def words_of(text: str) -> list[str]:
    """Words of plain text; every number is the same word, since people see that there are numbers rather than which.

    >>> words_of("what is 12 over 7.5, roughly?")
    ['what', 'is', '#', 'over', '#', '#', 'roughly']
    """
    return ["#" if word.isdigit() else word for word in _TEXT_WORD.findall(text)]


def options_of(question: str) -> int:
    """How many options (A), (B), ... the question offers, counted in their order; 0 where it offers none.

    >>> options_of("Which? (A) one (B) two (C) three"), options_of("((-4 * 4)) =")
    (3, 0)
    """
    letters = _OPTION.findall(question[: 2 * LONGEST_READ].upper())
    ordered = [letter for letter, expected in zip(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", strict=False) if letter == expected]
    return len(ordered)


def threes_of(text: str) -> tuple[Integers, Integers]:
    """Buckets of a text's groups of three characters, and how often each came, both sorted by bucket."""
    codes = np.frombuffer(f" {text} ".encode("utf-32-le", errors="replace"), dtype=np.uint32).astype(np.uint64)
    mixed = (codes[:-2] * _MIX[0] + codes[1:-1] * _MIX[1] + codes[2:] * _MIX[2]) & np.uint64(0xFFFFFFFF)
    found, counts = np.unique(mixed >> np.uint64(33 - BUCKETS.bit_length()), return_counts=True)
    return found.astype(np.int64), counts.astype(np.int64)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words and groups of three characters with their rarity (inverse document frequency) among the questions known.

    >>> known = Vocabulary.of(["Which bird is red?", "Which bird is blue?", "What is 3 + 4?"])
    >>> words, threes = known.vectors(["Which bird is green?", "3 + 4 - 1"])
    >>> words.shape == (2, len(known.words)), threes.shape == (2, BUCKETS)
    (True, True)
    """

    words: tuple[str, ...]
    """In the order of the alphabet."""
    rarity: Floats
    """Of each word, at least 1."""
    rarity_of_threes: Floats
    """Of each bucket."""

    @classmethod
    def of(cls, questions: Iterable[str]) -> Vocabulary:
        """Learn from questions; labels have no part in it, nor has the order or repetition of questions."""
        texts = sorted({plain(question) for question in questions})
        in_texts, in_threes = Counter[str](), np.zeros(BUCKETS)
        for text in texts:
            in_texts.update(set(words_of(text)))
            in_threes[threes_of(text)[0]] += 1
        kept = sorted(sorted(in_texts), key=lambda word: -in_texts[word])[:MOST_WORDS]
        words = tuple(sorted(kept))
        counts = np.array([in_texts[word] for word in words], dtype=float)
        return cls(words, 1 + np.log((1 + len(texts)) / (1 + counts)), 1 + np.log((1 + len(texts)) / (1 + in_threes)))

    def vectors(self, questions: Sequence[str]) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Two matrices of unit rows, a question a row: by words, and by groups of three characters.

        A question without any known word has a row of zeros.
        """
        place = {word: index for index, word in enumerate(self.words)}
        texts = [plain(question) for question in questions]
        words = []
        for text in texts:
            counted = Counter(place[word] for word in words_of(text) if word in place)
            words.append((np.array(list(counted), dtype=np.int64), np.array(list(counted.values()), dtype=np.int64)))
        return _unit_rows(words, self.rarity), _unit_rows([threes_of(text) for text in texts], self.rarity_of_threes)

    def rarities(self, questions: Sequence[str]) -> Floats:
        """Mean rarity of each question's words; unknown ones are as rare as the rarest known, a question of none has 0."""
        known = dict(zip(self.words, self.rarity.tolist(), strict=True))
        rarest = max(known.values(), default=1.0)
        means = []
        for question in questions:
            words = sorted(set(words_of(plain(question))))
            means.append(fsum(known.get(word, rarest) for word in words) / max(len(words), 1))
        return np.array(means, dtype=float)


def _unit_rows(rows: Sequence[tuple[Integers, Integers]], rarity: Floats) -> sparse.csr_array:
    """Rows of (places, counts) as (1 + log count) * rarity, scaled to length 1."""
    starts = np.cumsum([0, *(len(places) for places, _ in rows)])
    places = np.concatenate([np.zeros(0, dtype=np.int64), *(places for places, _ in rows)])
    counts = np.concatenate([np.ones(0, dtype=np.int64), *(counts for _, counts in rows)])
    values = (1 + np.log(counts)) * rarity[places]
    squares = np.concatenate([[0.0], np.cumsum(values**2)])
    lengths = np.sqrt(np.maximum(squares[starts[1:]] - squares[starts[:-1]], 1e-12))
    return sparse.csr_array((values / np.repeat(lengths, np.diff(starts)), places, starts), shape=(len(rows), len(rarity)))
