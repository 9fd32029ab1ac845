"""@@@
How a participant's texts came about: signals of the page's own script, a check that is planted, and what is flagged.

A flag is a sign, never a verdict: nobody is left out for it. Findings are given with everybody, and beside that without those
who are flagged. Each rule is fixed beforehand:

- `planted`: the closing text holds a word that the page asks for in a sentence which only a machine reads, or who looks for it.
  The sentence is out of sight and hidden from screen readers, but is copied with the page's text, and says that it is meant
  for AI models. Somebody who writes a text of their own does not know the word.
- `pasted`: of some text of 20 characters or more at least half was pasted.
- `fast`: half of the pairs took less than 4 seconds each, by the server's clock.

What a machine wrote and somebody typed off by hand is not found, nor is one that passes over the sentence.

---
Answers of participants with all that an export tells of them: arm, wave, own answer, what is flagged."""

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
from vivavoce.generalization.pairs import NEEDED, Pair, flag, read_pairs
from vivavoce.generalization.survey.plan import Arm

Flag = Literal["planted", "pasted", "fast"]
FLAGS: Final[Mapping[Flag, str]] = {
    "planted": "wrote the planted word",
    "pasted": "pasted at least half of a text",
    "fast": "took less than 4 seconds for half of the pairs",
}
LONGEST: Final = 400
"""Characters of what the script sends."""
MOST: Final = 1_000_000
"""Of any count."""
SHORT: Final = 20
"""Characters; less than this is pasted for many reasons."""
FAST: Final = 4.0
"""Seconds for a pair: two pages to read, and two numbers to give."""
PLANTED: Final = (
    "quillwort", "hornbeam", "saltmarsh", "lodestar", "spindrift", "cloudberry", "whinchat", "foxglove",
    "tamarack", "gorsebush", "limpet", "marigold", "peregrine", "sundew", "thistledown", "yarrow",
)  # fmt: skip
"""Words that hardly anybody writes about a survey."""


@dataclass(frozen=True, slots=True)
class FormSignals:
    """What the page's script counted while a form was open."""

    pastes: int = 0
    """How often something was pasted into a text."""
    pasted: int = 0
    """Characters of all that."""
    keys: int = 0
    """Keys that were pressed in a text."""
    hidden: int = 0
    """How often the page went out of sight."""
    away: int = 0
    """Seconds that it was out of sight."""

    @classmethod
    def read(cls, text: str) -> Self | None:
        """What a form says; None without a script, and for anything that the script does not send.

        >>> Signals.read('{"pastes": 1, "pasted": 80, "keys": 2, "hidden": 0, "away": 0}')
        FormSignals(pastes=1, pasted=80, keys=2, hidden=0, away=0)
        >>> Signals.read(""), Signals.read("[1]"), Signals.read('{"pastes": -1}'), Signals.read('{"pastes": 1e9}')
        (None, None, None, None)
        """
        if not text or len(text) > LONGEST:
            return None
        try:
            given = json.loads(text)
        except (ValueError, RecursionError):
            return None
        names = [one.name for one in fields(cls)]
        if not isinstance(given, dict) or not given.keys() <= set(names):
            return None
        if any(type(value) is not int or not 0 <= value <= MOST for value in given.values()):
            return None
        return cls(**given)

    def as_json(self) -> dict[str, int]:
        """As it is kept."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


def planted_word(participant: str) -> str:
    """The word that is planted for somebody, by their random id.

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
    """What about a participant is flagged.

    Parameters
    ----------
    closing: their closing text.
    texts: all that they wrote, each with the signals that came with it; None without a script.
    seconds: that each pair took, of which both numbers are there.

    >>> word = planted_word("one")
    >>> flags_of("one", closing=f"By {word.upper()}, mostly."), flags_of("one", closing=f"{word}y", seconds=[3, 3.9, 60])
    (('planted',), ('fast',))
    >>> flags_of("one", texts=[("x" * 40, {"pasted": 20}), ("x" * 19, {"pasted": 19}), ("x" * 40, None)])
    ('pasted',)
    """
    rules: dict[Flag, bool] = {
        "planted": bool(re.search(rf"\b{planted_word(participant)}\b", closing, re.IGNORECASE)),
        "pasted": any(len(text) >= SHORT and 2 * (told or {}).get("pasted", 0) >= len(text) for text, told in texts),
        "fast": bool(seconds) and median(seconds) < FAST,
    }
    return tuple(flag for flag, holds in rules.items() if holds)


MOST_WAVE: Final = 9_999


@dataclass(frozen=True, slots=True)
class SurveyResponse:
    """One answer: what somebody believed about a pair, before and after."""

    pair: Pair
    arm: str = ""
    """Empty where the survey has no arms."""
    wave: int = 1
    second_correct: bool | None = None
    """Whether the second question is answered right; None where that is not known."""
    own_asked: bool = False
    """Whether the survey asks participants for own answers."""
    own_right: bool | None = None
    """Whether the participant's own answer to the second question is right; None where that is not known."""
    flags: frozenset[str] = frozenset()
    """About the participant."""

    @property
    def change(self) -> float:
        """How far the belief moved; 0 where one of the two is not there."""
        pair = self.pair
        return 0.0 if pair.prior is None or pair.posterior is None else pair.posterior - pair.prior

    @property
    def misplaced(self) -> bool | None:
        """Whether trust rose after a right answer although the second is wrong; None where that is not known."""
        if self.second_correct is None:
            return None
        return self.pair.previous_correct and not self.second_correct and self.change > 0


def read_responses(file: Path) -> list[SurveyResponse]:
    """The answers of an export's table, in its order; columns that are missing say nothing. Raises `BadFile`, with the line."""
    pairs, table = read_pairs(file), read_table(file, NEEDED)
    asked = "own_right" in table.names
    found = []
    for pair, (line, row) in zip(pairs, table.rows, strict=True):
        try:
            said = {name: read(row[name].strip()) for name, read in _READ.items() if row.get(name)}
            found.append(SurveyResponse(pair, own_asked=asked, **said))
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None
    return found


def with_both_beliefs(responses: Sequence[SurveyResponse]) -> list[SurveyResponse]:
    """Those with both beliefs."""
    return [one for one in responses if one.pair.prior is not None and one.pair.posterior is not None]


def _flags(cell: str) -> frozenset[str]:
    flags = frozenset(cell.split())
    if unknown := flags - FLAGS.keys():
        raise BadInput(f"flags are {', '.join(FLAGS)}, not {sorted(unknown)[0][:40]!r}")
    return flags


def _wave(cell: str) -> int:
    if not (cell.isascii() and cell.isdigit() and 1 <= int(cell[:9]) <= MOST_WAVE):
        raise BadInput(f"wave is {cell[:40]!r}: it is a whole number from 1")
    return int(cell)


_READ: Final[dict[str, Callable[[str], Any]]] = {
    "arm": lambda cell: str(Arm.named(cell)) if cell else "",
    "wave": _wave,
    "second_correct": lambda cell: flag(cell, "second_correct") if cell else None,
    "own_right": lambda cell: flag(cell, "own_right") if cell else None,
    "flags": _flags,
}
