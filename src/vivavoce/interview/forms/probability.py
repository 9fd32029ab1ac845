"""A probability: one number from 0 to 1, or in percent."""

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
    LONGEST_REASONING,
    LONGEST_STATEMENT,
    NO_NUMBER,
    NOT_STATED,
    OUT_OF_RANGE,
    RANGE,
    SEVERAL,
    bare,
    digits,
    statement,
    to_the_letter,
)
from vivavoce.interview.forms.form import READ, Reading, Way, answered, unreadable

_WHAT: Final = "the probability, a number between 0 and 1,"
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

    >>> form = Probability()
    >>> [form.read(said).value for said in ("Likely.\\nAnswer: 80%", "[Answer] 0.3", "Answer: 0.3-0.5", "I see 0.2 or 0.3.")]
    [0.8, 0.3, None, None]
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
        return reasoned({"type": "number", "minimum": 0, "maximum": 1})

    @property
    def schema_instruction(self) -> str:
        """The last paragraph of the prompt where the server enforces the schema."""
        return f'Reply in JSON: your "reasoning" first, then as "answer" {_WHAT} alone.'

    def write(self, value: float, /) -> str:
        """The line that is asked for."""
        return ending.written(repr(float(value)))

    def read(self, text: str, /) -> Reading[float]:
        """The one probability that a reply states."""
        text = text[-READ:].rstrip()
        said = statement(ending.own_words(text, self.instruction, self.further, self.schema_instruction))
        if not said:
            return unreadable(NOT_STATED)
        reading = _read_statement(said) if len(said) <= LONGEST_STATEMENT else unreadable(NO_NUMBER)
        if reading.value is None:
            return reading
        return answered(reading.value, strict=to_the_letter(text, said))

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[float]:
        """The number under the schema, which may be written as a string."""
        said = fields.get("answer")
        if isinstance(said, bool) or not isinstance(said, int | float | str):
            return unreadable(NO_NUMBER)
        if isinstance(said, str):
            return _read_statement(bare(said[:LONGEST_STATEMENT]))
        return answered(float(said), strict=True) if 0 <= said <= 1 else unreadable(OUT_OF_RANGE)


def reasoned(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """JSON Schema of an answer after its reasoning."""
    return {
        "type": "object",
        "properties": {"reasoning": {"type": "string", "maxLength": LONGEST_REASONING}, "answer": answer},
        "required": ["reasoning", "answer"],
        "additionalProperties": False,
    }


def _read_statement(said: str) -> Reading[float]:
    if (twice := _SAME_AGAIN.fullmatch(said)) and abs(digits(twice["number"]) - digits(twice["percent"]) / 100) < 1e-9:
        said = twice["number"]
    if A_RANGE.search(said):
        return unreadable(RANGE)
    found = _SAID.fullmatch(said)
    numbers = A_FIGURE.findall(said)
    if found is None or len(numbers) > 1 or _MORE.search(said):
        return unreadable(SEVERAL if len(numbers) > 1 else NO_NUMBER)
    value = digits(found["number"]) / (100 if found["percent"] else 1)
    return answered(value) if 0 <= value <= 1 else unreadable(OUT_OF_RANGE)
