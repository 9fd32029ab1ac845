"""A probability, asked for in per cent.

Asked for a number between 0 and 1, a model of .5 billion weights wrote `0.000...` until it was cut off, in reply to 27 of 39
questions at temperature 0; asked for per cent, it answered all of 30.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from vivavoce.interview.forms import ending
from vivavoce.interview.forms.closed import closed
from vivavoce.interview.forms.figures import (
    A_FIGURE,
    A_RANGE,
    FIGURE,
    LONGEST_REASONING,
    LONGEST_STATEMENT,
    NO_NUMBER,
    OUT_OF_RANGE,
    RANGE,
    SEVERAL,
    bare,
    digits,
    plain_digits,
    read_stated,
)
from vivavoce.interview.forms.form import Reading, Way, answered, unreadable

_WHAT: Final = "the probability in per cent"
_ONE: Final = "1 without a sign: certain, or one per cent"
SMALL: Final = 1e-9
"""Smaller probabilities are written with a power of ten."""
_SAID = re.compile(
    rf"(?P<number>[-+]?{FIGURE})(?P<percent>[ ]?(?:%|percent\b|per cent\b))?[*_`]{{0,4}}"
    r"(?:[.,;:!]?(?:\s|$)(?![0-9]).{0,200})?",
    re.IGNORECASE | re.DOTALL,
)
"""A number, and perhaps words after it."""
_SAME_AGAIN = re.compile(rf"(?P<number>{FIGURE})\s?\(?(?:or|=|i\.e\.,?)?\s?\(?(?P<percent>{FIGURE})[ ]?%\)?", re.IGNORECASE)
_MORE = re.compile(r"\b(?:or|to|plus|minus|out of|in|times|hundred|thousand|(?:m|b|tr)illion)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Probability:
    """A probability, never a range.

    A number without a sign is a probability below 1, and per cent where it is a whole number above 1; `1` may be either.

    >>> form = Probability()
    >>> [form.read(said).value for said in ("Likely.\\nAnswer: 80%", "[Answer] 0.3", "Answer: 45", "Answer: 1", "30-50%")]
    [0.8, 0.3, 0.45, None, None]
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
        return reasoned("per_cent", {"type": "number", "minimum": 0, "maximum": 100})

    @property
    def schema_instruction(self) -> str:
        """The last paragraph of the prompt where the server enforces the schema."""
        return f'Reply in JSON: your "reasoning" first, then as "per_cent" {_WHAT}.'

    def write(self, value: float, /) -> str:
        """The line that is asked for."""
        per_cent = Decimal(repr(float(value))).scaleb(2)
        return ending.written(f"{per_cent:f}%" if value > SMALL or not value else f"{per_cent}%")

    def read(self, text: str, /) -> Reading[float]:
        """The one probability that a reply states."""
        return read_stated(text, (self.instruction, self.further, self.schema_instruction), _read_statement)

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[float]:
        """The number under the schema, which may be written as a string."""
        said = fields.get("per_cent")
        if isinstance(said, str):
            return _read_statement(bare(said[:LONGEST_STATEMENT]))
        per_cent = ending.digits(said)
        if not per_cent:
            return unreadable(NO_NUMBER)
        return _between(Decimal(per_cent) / 100, strict=True)


def reasoned(name: str, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """JSON Schema of an answer after its reasoning."""
    return closed({"reasoning": {"type": "string", "maxLength": LONGEST_REASONING}, name: answer})


def _read_statement(said: str) -> Reading[float]:
    if (twice := _SAME_AGAIN.fullmatch(said)) and abs(digits(twice["number"]) - digits(twice["percent"]) / 100) < 1e-9:
        said = twice["number"]
    if A_RANGE.search(said):
        return unreadable(RANGE)
    found = _SAID.fullmatch(said)
    numbers = A_FIGURE.findall(said)
    if found is None or len(numbers) > 1 or _MORE.search(said):
        return unreadable(SEVERAL if len(numbers) > 1 else NO_NUMBER)
    value = Decimal(plain_digits(found["number"]))
    if found["percent"] or (value > 1 and value == value.to_integral_value()):
        return _between(value / 100)
    return unreadable(_ONE) if found["number"] == "1" else _between(value)


def _between(value: Decimal, *, strict: bool = False) -> Reading[float]:
    return answered(float(value), strict=strict) if 0 <= value <= 1 else unreadable(OUT_OF_RANGE)
