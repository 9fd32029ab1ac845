"""A probability, or "I don't know": what a question of an examination asks for whose law is one of probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.interview.forms import ending
from vivavoce.interview.forms.figures import NO_NUMBER, NOT_STATED
from vivavoce.interview.forms.form import READ, Reading, Way, answered
from vivavoce.interview.forms.plain import plain
from vivavoce.interview.forms.probability import Probability
from vivavoce.interview.forms.statements import DONT_KNOW, IGNORANCE, admits_ignorance, last_said, statements

_ASKED: Final = Probability()
_FIELD: Final = "per_cent"


@dataclass(frozen=True, slots=True)
class ProbabilityIfKnown:
    """A probability as `Probability` asks for it and reads it, in digits from 0 to 1; ignorance is no probability, but read.

    >>> form = ProbabilityIfKnown()
    >>> [form.read(said).value for said in ("Answer: 70%", "Answer: 0.25", "Answer: 20% or 30%")]
    ['0.7', '0.25', None]
    >>> form.read("Answer: I don't know").outcome
    <Outcome.DONT_KNOW: "I don't know">
    """

    dont_know: bool = False
    """Whether the instruction says that ignorance may be admitted; it is read in any case."""

    @property
    def way(self) -> Way:
        """One further turn."""
        return _ASKED.way

    @property
    def instruction(self) -> str:
        """Asks for a last line."""
        return self._admitting(_ASKED.instruction)

    @property
    def further(self) -> str:
        """Asks for the probability alone."""
        return _ASKED.further

    @property
    def schema(self) -> Mapping[str, Any]:
        """The same, or "I don't know" in place of the number."""
        properties = _ASKED.schema["properties"]
        unknown = {"type": "string", "enum": [ending.DONT_KNOW]}
        return {**_ASKED.schema, "properties": {**properties, _FIELD: {"anyOf": [properties[_FIELD], unknown]}}}

    @property
    def schema_instruction(self) -> str:
        """Says what the fields hold."""
        return self._admitting(_ASKED.schema_instruction)

    def read(self, text: str, /) -> Reading[str]:
        """The one probability that a reply states."""
        reading = _ASKED.read(text)
        if reading.value is not None or reading.problem not in (NOT_STATED, NO_NUMBER):
            return _in_digits(reading)
        own = ending.own_words(plain(text[-READ:]), self.instruction, self.further, self.schema_instruction)
        stated = last_said(statements(own), lambda statement: DONT_KNOW if IGNORANCE.match(statement) else None)
        return DONT_KNOW if stated or admits_ignorance(own) else _in_digits(reading)

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[str]:
        """The number in the field, which may be written as a string."""
        said = fields.get(_FIELD)
        return DONT_KNOW if isinstance(said, str) and IGNORANCE.match(said) else _in_digits(_ASKED.read_fields(fields))

    def write(self, value: str, /) -> str:
        """The last line that is asked for."""
        return _ASKED.write(float(value))

    def _admitting(self, asked: str) -> str:
        return f"{asked}\n{ending.ADMIT}" if self.dont_know else asked


def _in_digits(reading: Reading[float]) -> Reading[str]:
    if reading.value is None:
        return Reading(reading.outcome, problem=reading.problem)
    return answered(repr(reading.value), strict=reading.strict)
