"""Finds names of people in texts: those that a user lists, and those that give themselves away.

A name gives itself away by what stands before it ("My name is", "Mrs", "Kind regards,"), or as a common first name, alone or
with a surname; in small letters, it needs both. First names and surnames are those of `faker` (extra `traces`) for 17
countries of Europe, America and Asia. Rare names and texts in other scripts need a list.

All searches take time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Final
from unicodedata import normalize

from vivavoce.errors import BadFile, MissingExtra
from vivavoce.formats.lines import text_lines

MOST_NAMES: Final = 100_000
LONGEST_NAME: Final = 200
_COUNTRIES: Final = (
    *("en_US", "en_GB", "en_IE", "en_IN", "de_DE", "de_AT", "de_CH", "fr_FR", "es_ES", "es_MX"),
    *("it_IT", "pt_BR", "pt_PT", "nl_NL", "pl_PL", "sv_SE", "da_DK"),
)
_WORD: Final = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+")
_UNSPACED: Final = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts in which a name may touch other words."""
_APART: Final = re.compile(r"[^\w\n]{0,3}")
"""Signs between the words of a listed name."""
_TOKEN: Final = re.compile(r"[^\W\d_][\u0300-\u036f]*(?:[^\W\d_]|[\u0300-\u036f]|-(?=[^\W\d_])|['’](?=[^\W\d_]{2}))*")
"""A word of a name, such as Anne-Marie or O'Brien."""
_JOINED: Final = re.compile(r"[ \u00a0]|\. ?")
_SURE: Final = re.compile(
    r"(?:\b(?:my|the|his|her|customer|full|last|first) name(?: is|:)|\bname(?: is)?:|\bmein name ist|\bich hei(?:ß|ss)e"
    r"|\bje m['’]appelle|\bme llamo|\bmi nombre es|\bmi chiamo"
    r"|\b(?:mrs?|ms|mx|miss|dr|prof|mme|mlle|sra?|sig|señora?|herr|frau|monsieur|madame)\b\.?)\s*\Z",
    re.IGNORECASE,
)
"""What stands before a name, whatever the name."""
_GREETING: Final = re.compile(
    r"(?:\bdear|\bhi|\bhello|\bhey|\bhallo|\bliebe[r]?|\bbonjour|\bhola|\bciao"
    r"|\b(?:regards|wishes|thanks|thank you|cheers|sincerely|gr(?:ü|u)(?:ß|ss)e?n?|cordialement|saludos|saluti|yours),?)\s*\Z",
    re.IGNORECASE,
)
"""What stands before a known name or another word."""
_INTRODUCTION: Final = re.compile(r"(?:\bi am|\bi['’]m|\bthis is|\bich bin|\bje suis|\bsoy|\bsono)\s*\Z", re.IGNORECASE)
"""What stands before any two capitalised words, a known name or another word."""
_BEFORE: Final = 40
"""The characters before a word in which its cue is looked for."""
_LONGEST_FOUND: Final = 4
"""Words of a name."""
_PARTICLES: Final = frozenset(
    "van von der den de la del della da dos di du le ten ter bin al el zu y".split()  # noqa: SIM905 -- as below
)
_NEVER: Final = frozenset(
    """
    i is can could please the and but what how where when why who do does did my your our we you he she it they this
    that not no yes if as at in on for from to with about of so are am was were have has would should order mr mrs ms
    miss dr prof herr frau mme hi hello dear ich ist und aber wie wo wann warum der die das mein meine bitte je est et
    que el la los team all everyone there sir madam
    """.split()  # noqa: SIM905 -- a list would fill a screen
)
"""Capitalised words that belong to no name, although they may follow one."""
_ALSO_WORDS: Final = frozenset(
    """
    an can may line german english french danish norman roman per luna una else el floor don peer said einer edit grant
    my del beat constant tea job summer sol lies joke love lo faith uno mark dries rose dev tore gene nada greet durante
    bill harm ties autumn pero dulce sys mar bas miel drew luz sole cristal lucky lot mile maxi juni flor bent lone lean
    odd puck domingo vide tone cord estrella sep beau april june august will art joy hope grace chase dale penny ray
    rich pat rob sue jack frank ernst wolf heide linde amber ruby pearl jade iris violet olive ivy daisy lily heather
    holly hazel poppy ginger sandy misty stormy sky dawn eve gay earl duke king prince dean paris austin jordan virginia
    georgia chelsea florence sydney savannah dallas houston lincoln madison brooklyn kent chester troy ireland india
    china israel america carolina dakota montana cheyenne phoenix orlando lorraine vienna milan siena verona roma asia
    africa london denver jackson washington van in as so les star max
    """.split()  # noqa: SIM905 -- a list would fill a screen
)
"""First names that are words, months or places more often: found only with a cue or a known surname."""


class NameFinder:
    """Where names of people stand in a text.

    Parameters
    ----------
    listed: names to find wherever they stand, each of one or more words; upper and lower case are alike.

    Raises `MissingExtra` without `faker`.

    >>> text = "I'm Anna Schmidt. Can Grace Period Ltd ring Mr Nowitzki, or ACME?"
    >>> [text[start:stop] for start, stop in NameFinder(["acme"]).places(text)]
    ['Anna Schmidt', 'Nowitzki', 'ACME']
    """

    def __init__(self, listed: Sequence[str] = ()) -> None:
        self._first, self._last = _known_names()
        self._listed: dict[str, list[tuple[str, ...]]] = {}
        self._unspaced: dict[str, list[str]] = {}
        unspaced = {name.strip() for name in listed if _UNSPACED.search(name)}
        for name in unspaced:
            self._unspaced.setdefault(name[0], []).append(name)
        for words in {tuple(map(_folded, _WORD.findall(name))) for name in listed} - {()}:
            self._listed.setdefault(words[0], []).append(words)
        for names in self._listed.values():
            names.sort(key=len, reverse=True)
        for touching in self._unspaced.values():
            touching.sort(key=len, reverse=True)

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Begin and end of each name, in order of their beginning, the longer first; they may overlap."""
        spans = (*self._listed_places(text), *self._unspaced_places(text), *self._other_places(text))
        return iter(sorted(spans, key=lambda span: (span[0], -span[1])))

    def _listed_places(self, text: str) -> Iterator[tuple[int, int]]:
        if not self._listed:
            return
        words = list(_WORD.finditer(text))
        for index, word in enumerate(words):
            for name in self._listed.get(_folded(word[0]), ()):
                part_words = words[index : index + len(name)]
                if [_folded(part[0]) for part in part_words] == list(name) and _adjacent(text, part_words):
                    yield word.start(), part_words[-1].end()
                    break

    def _unspaced_places(self, text: str) -> Iterator[tuple[int, int]]:
        for index, sign in enumerate(text) if self._unspaced else ():
            for name in self._unspaced.get(sign, ()):
                if text.startswith(name, index):
                    yield index, index + len(name)
                    break

    def _other_places(self, text: str) -> Iterator[tuple[int, int]]:
        """Names that are not listed."""
        words = list(_TOKEN.finditer(text))
        done = 0
        for index, word in enumerate(words):
            if index >= done and _folded(word[0]) not in _NEVER:
                length = self._extent(text, words[index : index + _LONGEST_FOUND])
                if self._is_name(text, words[index : index + length]):
                    done = index + length
                    yield word.start(), words[done - 1].end()

    def _is_name(self, text: str, words: Sequence[re.Match[str]]) -> bool:
        """Whether these words, which follow each other, are a name where they stand."""
        first, last = _folded(words[0][0]), _folded(words[-1][0])
        parts = (first, *first.split("-"))
        is_first, is_word = any(part in self._first for part in parts), any(part in _ALSO_WORDS for part in parts)
        is_full = len(words) > 1 and last in self._last and last not in _ALSO_WORDS and (is_first or len(first) == 1)
        is_likely, is_capitalised = is_full or (is_first and not is_word), words[0][0][0].isupper()
        if is_likely == is_capitalised:
            return is_likely
        before = text[max(0, words[0].start() - _BEFORE) : words[0].start()]
        sure, greeting, introduction = (bool(cue.search(before)) for cue in (_SURE, _GREETING, _INTRODUCTION))
        if not is_capitalised:
            return sure or introduction or (greeting and not is_full)
        if greeting or introduction:
            return last in self._last or (is_first if greeting else len(words) > 1)
        return sure

    def _extent(self, text: str, words: Sequence[re.Match[str]]) -> int:
        """How many of these words are one name, if the first is of a name: capitalised ones, and particles between them."""
        length = 1
        for number, (before, word) in enumerate(pairwise(words), 1):
            folded, gap = _folded(word[0]), text[before.end() : word.start()]
            if not _JOINED.fullmatch(gap) or (gap[0] == "." and len(before[0]) > 1):
                break
            if folded not in _NEVER and (word[0][0].isupper() or (words[0][0][0].islower() and folded in self._last)):
                length = number + 1
            elif folded not in _PARTICLES:
                break
        return length


@cache
def _known_names() -> tuple[frozenset[str], frozenset[str]]:
    """First names and surnames, folded. Raises `MissingExtra`."""
    if find_spec("faker") is None:
        raise MissingExtra("faker", extra="traces")
    persons = [import_module(f"faker.providers.person.{country}").Provider for country in _COUNTRIES]
    first = {_folded(name) for person in persons for name in person.first_names if " " not in name and len(name) > 1}
    last = {_folded(name.split()[-1]) for person in persons for name in person.last_names}
    return frozenset(first - _NEVER), frozenset(last - _NEVER)


def _folded(word: str) -> str:
    return normalize("NFC", word).casefold()


def _adjacent(text: str, words: list[re.Match[str]]) -> bool:
    """Whether only a few signs are between these words."""
    return all(_APART.fullmatch(text, before.end(), after.start()) for before, after in pairwise(words))


def read_names(file: Path) -> tuple[str, ...]:
    """The names of a file, one a line. Raises `BadFile` for one that is too long, and for too many."""
    names = []
    for line, text in enumerate(text_lines(file), 1):
        if len(text.strip()) > LONGEST_NAME:
            raise BadFile(file, f"a name of more than {LONGEST_NAME} characters: write one name a line", line=line)
        if not _WORD.search(text):
            continue
        names.append(text.strip())
        if len(names) > MOST_NAMES:
            raise BadFile(file, f"more than {MOST_NAMES:,} names: list fewer", line=line)
    return tuple(names)
