"""Features that need Princeton's WordNet (`fellbaum1998`): similarity of sentences (SNL; `li2006`) and bags of synonyms (SYN),
both of `silver2016`, section 5.2.2, and a reader of its files.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp, log, sqrt, tanh
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from pydantic import NonNegativeInt
from scipy import sparse

from vivavoce.errors import BadFile, BadInput
from vivavoce.luna.predict.answers import Key, Sheet, content_words
from vivavoce.luna.predict.features import WordBag, by_text, indicators
from vivavoce.luna.predict.predictor import FloatArray

DEFAULT: Final = Path("/usr/share/wordnet")
"""The folder of Debian's package wordnet-base."""
PARTS: Final = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_ENDINGS: Final = {
    "n": (("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"), ("s", "")),
    "v": (("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""), ("s", "")),
    "a": (("est", ""), ("er", ""), ("est", "e"), ("er", "e")),
    "r": (),
}
"""Endings of inflected words, and of their base forms (WordNet's rules)."""
_LONGEST_LINE: Final = 1 << 16


class Synset(NamedTuple):
    """Words with one meaning; two are equal if their place in the files is."""

    part: str
    place: int


class WordNet:
    """The files index.* and data.* of a folder; a synset is read on demand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._index = {part: _index(folder / f"index.{name}") for part, name in PARTS.items()}
        self._read: dict[Synset, tuple[tuple[str, ...], tuple[Synset, ...]]] = {}

    def synsets(self, word: str) -> tuple[Synset, ...]:
        """All meanings of a lower-case word, also with a common English ending; empty for an unknown word."""
        return tuple(
            Synset(part, index)
            for part in PARTS
            for base in dict.fromkeys(self._bases(part, word))
            for index in self._places(part, base)
        )

    def words(self, synset: Synset) -> tuple[str, ...]:
        """Its single words in lower case."""
        return self._entry(synset)[0]

    def broader(self, synset: Synset) -> tuple[Synset, ...]:
        """Synsets that this is a kind or an instance of."""
        return self._entry(synset)[1]

    def synonyms(self, word: str) -> frozenset[str]:
        """Words that share a meaning with this one, including itself."""
        return frozenset(other for synset in self.synsets(word) for other in self.words(synset)) | {word}

    def _bases(self, part: str, word: str) -> Iterator[str]:
        yield word
        for ending, instead in _ENDINGS[part]:
            if word.endswith(ending) and len(word) > len(ending):
                yield word[: -len(ending)] + instead

    def _places(self, part: str, word: str) -> list[int]:
        cells = self._index[part].get(word, "").split()
        try:
            return [int(cell) for cell in cells[len(cells) - int(cells[2]) :]] if cells else []
        except (ValueError, IndexError):
            raise BadFile(self.folder / f"index.{PARTS[part]}", f"not an entry of WordNet: '{' '.join(cells)[:60]}'") from None

    def _entry(self, synset: Synset) -> tuple[tuple[str, ...], tuple[Synset, ...]]:
        if synset not in self._read:
            file = self.folder / f"data.{PARTS[synset.part]}"
            try:
                with file.open("rb") as lines:
                    lines.seek(synset.place)
                    self._read[synset] = _entry(lines.readline(_LONGEST_LINE).decode("utf-8", errors="replace"), synset)
            except (ValueError, IndexError):
                raise BadFile(file, f"not an entry of WordNet at byte {synset.place}") from None
            except OSError as error:
                raise BadFile(file, f"cannot be read: {error.strerror or error}") from None
        return self._read[synset]


def open_wordnet(folder: str = "") -> WordNet:
    """WordNet in a folder; by default $WNSEARCHDIR, or else Debian's.

    Raises `BadInput` if it is missing.
    """
    where = Path(folder or os.environ.get("WNSEARCHDIR", "") or DEFAULT)
    if not (where / "index.noun").is_file():
        raise BadInput(
            f"WordNet is not in {where}: install Debian's wordnet-base, or give the folder of its files in "
            "$WNSEARCHDIR or as ?wordnet=FOLDER"
        )
    return _opened(where)


_opened = lru_cache(maxsize=2)(WordNet)


def _index(file: Path) -> dict[str, str]:
    """Lines by word, without the lines of the licence, which begin with a space."""
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            return {line.split(" ", 1)[0]: line for line in lines if not line.startswith(" ")}
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from None


def _entry(line: str, synset: Synset) -> tuple[tuple[str, ...], tuple[Synset, ...]]:
    cells = line.partition(" | ")[0].split()
    if int(cells[0]) != synset.place:
        raise ValueError(cells[0])
    pointers = 4 + 2 * int(cells[3], 16)
    words = [word.partition("(")[0].lower() for word in cells[4:pointers:2]]
    broader = [
        Synset(cells[at + 2], int(cells[at + 1]))
        for at in range(pointers + 1, pointers + 1 + 4 * int(cells[pointers]), 4)
        if cells[at] in ("@", "@i")
    ]
    if any(other.part not in PARTS for other in broader):
        raise ValueError(line)
    return tuple(word for word in words if "_" not in word), tuple(broader)


ALPHA: Final = 0.2
"""Weight of the length of the path between two meanings."""
BETA: Final = 0.45
"""Weight of the depth of their common broader meaning."""
LEAST: Final = 0.2
"""Words with less similarity count as unlike."""
LEAST_IN_ORDER: Final = 0.4
DELTA: Final = 0.85
"""Weight of meaning against order. All five are those of `li2006`."""

Words = tuple[str, ...]
Likeness = Callable[[str, str], float]


@dataclass(frozen=True, slots=True)
class SemanticNets:
    """One column for each question: similarity of the answer to the right one, from 0 to 1. It needs WordNet to apply too.

    The rarity of words is counted in these answers, where `li2006` uses the Brown corpus. The commonest words are left out, as
    in all features here.
    """

    wordnet: str
    """Its folder; empty for the default."""
    key: Key = ()
    counts: tuple[tuple[str, NonNegativeInt], ...] = ()
    """How often each word occurred."""
    others: tuple[Key, ...] = ()
    """Further right answers: the most similar counts."""

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> SemanticNets:
        """Uses the key, and counts words. Raises `BadInput` without WordNet."""
        open_wordnet(self.wordnet)
        counted = Counter(word for texts in sheet for text in texts for word in content_words(text))
        return replace(self, key=key, counts=tuple(sorted(counted.items())))

    def columns(self, sheet: Sheet) -> FloatArray:
        """Similarity, from 0 to 1. Raises `BadInput` without WordNet."""
        alike, known = WordLikeness(open_wordnet(self.wordnet)), dict(self.counts)
        total = sum(known.values())

        def information(word: str) -> float:
            return 1 - log(known.get(word, 0) + 1) / log(total + 1) if total else 1.0

        def nearest(question: int, text: str) -> float:
            words = content_words(text)
            return max(likeness(words, key[question], alike, information) for key in (self.key, *self.others))

        return by_text(sheet, nearest)


class WordLikeness:
    """Similarity of two words in WordNet: equation 6 of `li2006`, for their two nearest meanings.

    A path goes up to a common broader meaning, and down; words without one are unlike.
    """

    def __init__(self, wordnet: WordNet) -> None:
        self._wordnet = wordnet
        self._known: dict[tuple[str, str], float] = {}
        self._above: dict[Synset, Mapping[Synset, int]] = {}

    def __call__(self, first: str, second: str) -> float:
        if first == second:
            return 1.0
        pair = min((first, second), (second, first))
        if pair not in self._known:
            self._known[pair] = self._likeness(*pair)
        return self._known[pair]

    def _likeness(self, word: str, other_word: str) -> float:
        paths = [
            (self._length(first, second, meeting, above[meeting] + beyond[meeting]), -max(self.above(meeting).values()))
            for first in self._wordnet.synsets(word)
            for second in self._wordnet.synsets(other_word)
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

    def above(self, synset: Synset) -> Mapping[Synset, int]:
        """The synset and all broader ones, each with the fewest steps up to it."""
        if synset not in self._above:
            steps, at = {synset: 0}, [synset]
            for pair in at:
                for other in self._wordnet.broader(pair):
                    if other not in steps:
                        steps[other] = steps[pair] + 1
                        at.append(other)
            self._above[synset] = steps
        return self._above[synset]


def likeness(first: Words, second: Words, alike: Likeness, information: Callable[[str], float]) -> float:
    """Similarity of two texts in meaning and order (equations 8 to 11 of `li2006`); 0 if either is empty.

    >>> round(likeness(("rise", "sun"), ("sun", "rise"), lambda word, other: float(word == other), lambda word: 1.0), 3)
    0.95
    """
    if not first or not second:
        return 0.0
    joint = tuple(dict.fromkeys((*first, *second)))
    meanings = [_meaning(joint, words, alike, information) for words in (first, second)]
    lengths = sqrt(float((meanings[0] @ meanings[0]) * (meanings[1] @ meanings[1])))
    meant = float(meanings[0] @ meanings[1]) / lengths if lengths else 0.0
    orders = [_order(joint, words, alike) for words in (first, second)]
    apart, together = (float(np.linalg.norm(vector)) for vector in (orders[0] - orders[1], orders[0] + orders[1]))
    return DELTA * meant + (1 - DELTA) * (1 - apart / together)


def _nearest(word: str, words: Words, alike: Likeness) -> tuple[int, float]:
    if word in words:
        return words.index(word), 1.0
    values = [alike(word, other) for other in words]
    return values.index(max(values)), max(values)


def _meaning(joint: Words, words: Words, alike: Likeness, information: Callable[[str], float]) -> FloatArray:
    weights = []
    for word in joint:
        index, value = _nearest(word, words, alike)
        weights.append(value * information(word) * information(words[index]) if value > LEAST else 0.0)
    return np.array(weights)


def _order(joint: Words, words: Words, alike: Likeness) -> FloatArray:
    positions = []
    for word in joint:
        index, value = _nearest(word, words, alike)
        positions.append(index + 1.0 if value > LEAST_IN_ORDER else 0.0)
    return np.array(positions)


@dataclass(frozen=True, slots=True)
class Synsets:
    """One column for each word: whether the person has used it or a synonym. It needs WordNet to fit, not to apply."""

    wordnet: str
    """Its folder; empty for the default."""
    by_question: bool = False
    terms: tuple[tuple[int, str], ...] = ()
    """Question (0 for one bag) and word."""
    synonyms: tuple[tuple[str, ...], ...] = ()
    """The synonyms of each term, including itself."""

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> Synsets:
        """Uses every word of the answers. Raises `BadInput` without WordNet."""
        words = open_wordnet(self.wordnet)
        terms = WordBag("words", self.by_question).fit(sheet, ratings, key).terms
        return replace(self, terms=terms, synonyms=tuple(tuple(sorted(words.synonyms(word))) for _, word in terms))

    def columns(self, sheet: Sheet) -> sparse.csr_array:
        """1 for each word with a synonym in the person's answers."""
        meant: dict[tuple[int, str], list[int]] = defaultdict(list)
        for index, ((question, _), synonyms) in enumerate(zip(self.terms, self.synonyms, strict=True)):
            for word in synonyms:
                meant[question, word].append(index)
        rows = [
            [index for term in row for index in meant.get(term, ())] for row in WordBag("words", self.by_question).rows(sheet)
        ]
        return indicators(rows, {index: index for index in range(len(self.terms))})
