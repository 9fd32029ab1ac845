"""Synonyms and broader words from Princeton's WordNet, read from its own files where these are installed (`fellbaum1998`)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from vivavoce.errors import BadFile, BadInput

DEFAULT: Final = Path("/usr/share/wordnet")
"""Where Debian's package wordnet-base puts it."""
PARTS: Final = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_ENDINGS: Final = {
    "n": (("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"), ("s", "")),
    "v": (("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""), ("s", "")),
    "a": (("est", ""), ("er", ""), ("est", "e"), ("er", "e")),
    "r": (),
}
"""Of inflected words, and what stands there in the base form (WordNet's own rules)."""
_LONGEST_LINE: Final = 1 << 16


class Synset(NamedTuple):
    """Words with one meaning; two are the same if their place in the files is."""

    part: str
    place: int


class WordNet:
    """The files index.* and data.* of a folder; a synset is read when it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._index = {part: _index(folder / f"index.{name}") for part, name in PARTS.items()}
        self._read: dict[Synset, tuple[tuple[str, ...], tuple[Synset, ...]]] = {}

    def synsets(self, word: str) -> tuple[Synset, ...]:
        """All meanings of a word in small letters, also of one with a common English ending; none if it is not there."""
        return tuple(
            Synset(part, place)
            for part in PARTS
            for base in dict.fromkeys(self._bases(part, word))
            for place in self._places(part, base)
        )

    def words(self, synset: Synset) -> tuple[str, ...]:
        """Its single words, in small letters."""
        return self._entry(synset)[0]

    def broader(self, synset: Synset) -> tuple[Synset, ...]:
        """Synsets that this is a kind, or a case, of."""
        return self._entry(synset)[1]

    def synonyms(self, word: str) -> frozenset[str]:
        """Words that share a meaning with this one; itself in any case."""
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
            raise BadFile(self.folder / f"index.{PARTS[part]}", f"no entry of WordNet: '{' '.join(cells)[:60]}'") from None

    def _entry(self, synset: Synset) -> tuple[tuple[str, ...], tuple[Synset, ...]]:
        if synset not in self._read:
            file = self.folder / f"data.{PARTS[synset.part]}"
            try:
                with file.open("rb") as lines:
                    lines.seek(synset.place)
                    self._read[synset] = _entry(lines.readline(_LONGEST_LINE).decode("utf-8", errors="replace"), synset)
            except (ValueError, IndexError):
                raise BadFile(file, f"no entry of WordNet at byte {synset.place}") from None
            except OSError as error:
                raise BadFile(file, f"cannot be read: {error.strerror or error}") from None
        return self._read[synset]


def open_wordnet(folder: str = "") -> WordNet:
    """WordNet of a folder; without a name of $WNSEARCHDIR, and else of where Debian puts it.

    Raises `BadInput` where it is not.
    """
    where = Path(folder or os.environ.get("WNSEARCHDIR", "") or DEFAULT)
    if not (where / "index.noun").is_file():
        raise BadInput(
            f"WordNet is not in {where}: install Debian's wordnet-base, or name the folder of its files in $WNSEARCHDIR or as "
            "?wordnet=FOLDER"
        )
    return _opened(where)


@lru_cache(maxsize=2)
def _opened(folder: Path) -> WordNet:
    return WordNet(folder)


def _index(file: Path) -> dict[str, str]:
    """Lines by word; those that begin with a space are the licence."""
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
