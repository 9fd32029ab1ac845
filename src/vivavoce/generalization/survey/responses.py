"""Responses of a survey's participants as exported: own answers, and flags about how texts were written.

A flag is a sign, not a verdict: it excludes no participant. Findings are given for all participants, and again without flagged
ones. The rules are fixed in advance:

- `planted`: the closing text contains a word that the page asks for in a sentence for AI models only. The sentence is invisible
  and hidden from screen readers, but is copied with the page's text. A person who writes their own text does not know the word.
- `pasted`: at least half of a text of 20 characters or more was pasted.
- `fast`: half of the pairs took less than 4 seconds each, by the server's clock.

A machine's text that was typed by hand is not detected, and a machine may ignore the sentence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any, Final, Literal, Self

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.tables import read_table
from vivavoce.generalization.pairs import NEEDED, BeliefPair, flag, read_pairs

Flag = Literal["planted", "pasted", "fast"]
FLAGS: Final[Mapping[Flag, str]] = {
    "planted": "wrote the planted word",
    "pasted": "pasted at least half of a text",
    "fast": "took less than 4 seconds for half of the pairs",
}
LONGEST: Final = 400
"""Characters that the script sends."""
MOST: Final = 1_000_000
"""The largest count."""
SHORT: Final = 20
"""Characters; shorter texts are pasted for many reasons."""
FAST: Final = 4.0
"""Seconds for a pair: two pages to read and two numbers to enter."""
PLANTED: Final = (
    "quillwort", "hornbeam", "saltmarsh", "lodestar", "spindrift", "cloudberry", "whinchat", "foxglove",
    "tamarack", "gorsebush", "limpet", "marigold", "peregrine", "sundew", "thistledown", "yarrow",
)  # fmt: skip
"""Words that are unlikely in a text about a survey."""


@dataclass(frozen=True, slots=True)
class FormSignals:
    """Counts by the page's script while a form was open."""

    pastes: int = 0
    """Number of pastes into a text."""
    pasted: int = 0
    """Pasted characters."""
    keys: int = 0
    """Keys pressed in a text."""
    hidden: int = 0
    """How often the page was hidden."""
    away: int = 0
    """Seconds for which it was hidden."""

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Parse a form's signals; None without a script, and for invalid input.

        >>> read = FormSignals.read
        >>> read('{"pastes": 1, "pasted": 80, "keys": 2, "hidden": 0, "away": 0}')
        FormSignals(pastes=1, pasted=80, keys=2, hidden=0, away=0)
        >>> read(""), read("[1]"), read('{"pastes": -1}'), read('{"pastes": 1e9}')
        (None, None, None, None)
        """
        if not text or len(text) > LONGEST:
            return None
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            return None
        names = {attribute.name for attribute in fields(cls)}
        if not isinstance(values, dict) or not values.keys() <= names:
            return None
        if any(type(value) is not int or not 0 <= value <= MOST for value in values.values()):
            return None
        return cls(**values)


def planted_word(participant: str) -> str:
    """The word that is planted for a participant, by their random id.

    >>> planted_word("one") in PLANTED
    True
    """
    return PLANTED[sha256(f"planted {participant}".encode()).digest()[0] % len(PLANTED)]


def flags_of(
    participant: str,
    *,
    closing: str = "",
    texts: Iterable[tuple[str, Mapping[str, Any] | None]] = (),
    seconds: Sequence[float] = (),
) -> tuple[Flag, ...]:
    """The flags of a participant.

    Parameters
    ----------
    closing: the closing text.
    texts: the participant's texts, each with its signals; None without a script.
    seconds: the time for each finished pair.

    >>> word = planted_word("one")
    >>> flags_of("one", closing=f"By {word.upper()}, mostly."), flags_of("one", closing=f"{word}y", seconds=[3, 3.9, 60])
    (('planted',), ('fast',))
    >>> flags_of("one", texts=[("x" * 40, {"pasted": 20}), ("x" * 19, {"pasted": 19}), ("x" * 40, None)])
    ('pasted',)
    """
    rules: dict[Flag, bool] = {
        "planted": bool(re.search(rf"\b{planted_word(participant)}\b", closing, re.IGNORECASE)),
        "pasted": any(len(text) >= SHORT and 2 * (document or {}).get("pasted", 0) >= len(text) for text, document in texts),
        "fast": bool(seconds) and median(seconds) < FAST,
    }
    return tuple(flag for flag, holds in rules.items() if holds)


@dataclass(frozen=True, slots=True)
class SurveyResponse:
    """A participant's beliefs about a pair, before and after."""

    pair: BeliefPair
    own_asked: bool = False
    """Whether the survey asks participants for their own answers."""
    own_right: bool | None = None
    """Whether the participant's own answer to the second question is right; None if unknown."""
    flags: frozenset[str] = frozenset()
    """The participant's flags."""

    @property
    def change(self) -> float:
        """The change of the belief; 0 if one of the two is missing."""
        pair = self.pair
        return 0.0 if pair.prior is None or pair.posterior is None else pair.posterior - pair.prior


def read_responses(file: Path) -> list[SurveyResponse]:
    """Read the responses of an exported table, in its order; columns may be missing. Raises `BadFile`, with the line."""
    pairs, table = read_pairs(file), read_table(file, NEEDED)
    own_asked = "own_right" in table.names
    responses = []
    for pair, (line, row) in zip(pairs, table.rows, strict=True):
        try:
            values = {name: read(row[name].strip()) for name, read in _READ.items() if row.get(name)}
            responses.append(SurveyResponse(pair, own_asked=own_asked, **values))
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None
    return responses


def _flags(cell: str) -> frozenset[str]:
    flags = frozenset(cell.split())
    if unknown := flags - FLAGS.keys():
        raise BadInput(f"unknown flag {sorted(unknown)[0][:40]!r}: the flags are {', '.join(FLAGS)}")
    return flags


_READ: Final[dict[str, Callable[[str], Any]]] = {
    "own_right": lambda cell: flag(cell, "own_right") if cell else None,
    "flags": _flags,
}
