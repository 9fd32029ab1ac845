"""A number.

The last explicit statement decides ("The answer is 42.", "Answer: 42", a boxed 42); where there is none, what stands alone
does: the last or the first line, or the only number. Two numbers without a decision are unreadable, and never guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.formats.numbers import NUMBER, as_number
from vivavoce.interview.forms import ending
from vivavoce.interview.forms.form import Outcome, Reading, Way, answered, unreadable
from vivavoce.interview.forms.last_line import read_last_line
from vivavoce.interview.forms.plain import AROUND, lines
from vivavoce.interview.forms.statements import (
    BEST,
    DONT_KNOW,
    IGNORANCE,
    LINK,
    NOTHING_STATED,
    SEVERAL,
    admits_ignorance,
    last_said,
    statements,
)

_WHAT: Final = "the number"
_NUMBER_IS = re.compile(
    rf"(?<![\"\w])(?:answer|result|solution|sum|total|difference|product|quotient|remainder|{BEST}){LINK}", re.IGNORECASE
)
_END_OF_NUMBER = re.compile(r"[.;!?](?:\s|$)|,\s(?!\d)|\b(?:because|since)\b|\s\((?=[a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Number:
    """A number, in plain digits as it was written: `1,234.50` is read as `1234.50`.

    >>> [Number().read(r).value for r in ("The result is 1,234.", "x = 12 + 30 = 42", "-17", "12 or 13", "Answer: N")]
    ['1234', '42', '-17', None, None]
    """

    dont_know: bool = False
    """Whether the instruction says that ignorance may be admitted; it is read in any case."""

    @property
    def way(self) -> Way:
        """One further turn."""
        return "turn"

    @property
    def instruction(self) -> str:
        """Asks for a last line."""
        return ending.ending(_WHAT, dont_know=self.dont_know)

    @property
    def further(self) -> str:
        """Asks for the number alone."""
        return ending.further(_WHAT)

    @property
    def schema(self) -> Mapping[str, Any]:
        """A number, or "I don't know"."""
        return ending.answer_schema({"type": "number"}, {"type": "string", "enum": [ending.DONT_KNOW]})

    @property
    def schema_instruction(self) -> str:
        """Asks for one field."""
        return ending.schema_ending(_WHAT, dont_know=self.dont_know)

    def read(self, text: str, /) -> Reading[str]:
        """The number that is stated last, or stands alone."""
        return read_last_line(self, text, _number_of)

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[str]:
        """The number in the field, which may be written as a string."""
        said = fields.get("answer")
        if isinstance(said, str):
            return self.read(said)
        value = ending.digits(said)
        return unreadable(NOTHING_STATED) if as_number(value) is None else answered(value, strict=True)

    def write(self, value: str, /) -> str:
        """The last line that is asked for."""
        return ending.written(value)


def _number_of(text: str) -> Reading[str]:
    if said := last_said(statements(text, _NUMBER_IS), _number_in):
        return said
    for line in lines(text)[:-2:-1] + lines(text)[:1]:
        if NUMBER.fullmatch(line.strip(AROUND)) or "=" in line:
            return _number_in(line) or unreadable(NOTHING_STATED)
    if admits_ignorance(text):
        return DONT_KNOW
    found = {as_number(m[0]): m[0] for m in NUMBER.finditer(text)}
    if len(found) > 1:
        return unreadable(SEVERAL)
    return (_number_in(found.popitem()[1]) if found else None) or unreadable(NOTHING_STATED)


def _number_in(statement: str) -> Reading[str] | None:
    """The only number up to the end of the clause, or after its last "="; unreadable if there are several."""
    if IGNORANCE.match(statement):
        return DONT_KNOW
    clause = _END_OF_NUMBER.split(statement.lstrip(" ("), maxsplit=1)[0].rpartition("=")[2]
    found = [m[0] for m in NUMBER.finditer(clause)]
    if not found:
        return None
    # "- 17" may be a list item or minus seventeen.
    if len(found) > 1 or re.search(r"\s", found[0]):
        return unreadable(SEVERAL)
    return Reading(Outcome.ANSWER, found[0].replace(",", "").removeprefix("+"))
