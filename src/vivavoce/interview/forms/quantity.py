"""A quantity: one number, perhaps with its unit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.interview.forms import ending
from vivavoce.interview.forms.figures import (
    A_FIGURE,
    A_RANGE,
    FIGURE,
    LONGEST_STATEMENT,
    NO_NUMBER,
    RANGE,
    SEVERAL,
    SPACE,
    UNCLEAR,
    bare,
    digits,
    read_stated,
)
from vivavoce.interview.forms.form import Reading, Way, answered, unreadable
from vivavoce.interview.forms.probability import reasoned

LARGEST: Final = 1e150
"""Beyond it, squares of numbers are no numbers any more."""
_WHAT: Final = "one number in plain digits"
_SAID = re.compile(rf"(?P<number>[-+]?{FIGURE})(?P<unit>(?![0-9,.:]).*)", re.DOTALL)
_UNIT = re.compile(rf"[{SPACE} ]?[^\W\d_%°](?:[^\W\d_]|[ {SPACE}/.'’%°²³-]){{0,60}}|[ ]?[%°][^\W\d_]?")
_SCALES: Final = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_ABBREVIATED: Final = frozenset(("k", "m", "mm", "mn", "mln", "mio", "b", "bn", "bln", "t", "tn", "trn"))
"""Thousand, million, billion, trillion, or kelvin, metre, byte, tonne: only its author knows."""
_LEAVES_OPEN = re.compile(
    r"\b(?:or|to|and|plus|minus|more|fewer|less|maybe|perhaps|not|dozen|lakh|crore|score)\b|hundred|thousand|(?:m|b|tr)illion"
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in digits, with or without thousands separators, a decimal point, a sign, a power of ten.

    After it may stand one of the words hundred to trillion, by which it is multiplied, and a unit in words, which is not looked
    at: `9.58 seconds`, `1,200 people`, `45%` as 45. A decimal comma is not read, nor are clock times, currency signs,
    abbreviations that may be a unit or a multiple (`8 m`, `3 bn`), and numbers beyond 1e150.

    >>> [Quantity().read(f"Answer: {said}").value for said in ("9.58 seconds", "3 million", "3 bn", "5 to 10")]
    [9.58, 3000000.0, None, None]
    """

    way: Way = "turn"

    @property
    def instruction(self) -> str:
        """The last paragraph of the prompt."""
        return ending.ending(_WHAT, dont_know=False)

    @property
    def further(self) -> str:
        """What the further turn says."""
        return ending.further(_WHAT)

    @property
    def schema(self) -> Mapping[str, Any]:
        """The reasoning first, so that the number can rest on it."""
        return reasoned("answer", {"type": "number"})

    @property
    def schema_instruction(self) -> str:
        """The last paragraph of the prompt where the server enforces the schema."""
        return f'Reply in JSON: your "reasoning" first, then as "answer" {_WHAT}.'

    def write(self, value: float, /) -> str:
        """The line that is asked for."""
        return ending.written(repr(float(value)))

    def read(self, text: str, /) -> Reading[float]:
        """The one quantity that a reply states."""
        return read_stated(text, (self.instruction, self.further, self.schema_instruction), _read_statement)

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[float]:
        """The number under the schema, which may be written as a string."""
        said = fields.get("answer")
        if isinstance(said, bool) or not isinstance(said, int | float | str):
            return unreadable(NO_NUMBER)
        if isinstance(said, str):
            return _read_statement(bare(said[:LONGEST_STATEMENT]))
        return answered(float(said), strict=True) if abs(said) <= LARGEST else unreadable(NO_NUMBER)


def _read_statement(said: str) -> Reading[float]:
    if A_RANGE.search(said):
        return unreadable(RANGE)
    found = _SAID.fullmatch(said)
    if found is None or A_FIGURE.search(found["unit"]):
        return unreadable(SEVERAL if len(A_FIGURE.findall(said)) > 1 else NO_NUMBER)
    scale = _scale(found["unit"])
    if scale is None:
        return unreadable(UNCLEAR)
    value = digits(found["number"]) * scale
    return answered(value) if abs(value) <= LARGEST else unreadable(NO_NUMBER)


def _scale(unit: str) -> float | None:
    """By what a quantity is multiplied; None where the words after it leave that open."""
    if not unit:
        return 1.0
    first, *others = unit.lower().split()
    further = " ".join(others if first in _SCALES else [first, *others])
    if not _UNIT.fullmatch(unit) or first in _ABBREVIATED or _LEAVES_OPEN.search(further):
        return None
    return _SCALES.get(first, 1.0)
