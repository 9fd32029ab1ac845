"""A quantity: one number, perhaps with its unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.formats.numbers import as_number
from vivavoce.interview.forms import ending, number_context, statements
from vivavoce.interview.forms.figures import (
    A_RANGE,
    LONGEST_STATEMENT,
    NO_NUMBER,
    RANGE,
    SEVERAL,
    UNCLEAR,
    bare,
    read_stated,
)
from vivavoce.interview.forms.form import Reading, Way, answered, unreadable
from vivavoce.interview.forms.number_rewriting import rewritten
from vivavoce.interview.forms.plain import normalized
from vivavoce.interview.forms.probability import reasoned
from vivavoce.interview.forms.written_number import number_in

LARGEST: Final = 1e150
"""Beyond it, squares of numbers are no numbers any more."""
_WHAT: Final = "one number in plain digits"
_PROBLEMS: Final = {number_context.UNCLEAR: UNCLEAR, number_context.BOUND: RANGE, statements.SEVERAL: SEVERAL}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with or without thousands separators, a sign, a power of ten, a word of size, a currency, and a unit.

    The unit is not looked at: `9.58 seconds`, `1,200 people`, `45%` as 45. Decimal commas, clock times, abbreviations that may
    be a unit or a size (`8M`), and numbers beyond 1e150 are not read.

    >>> [Quantity().read(f"Answer: {said}").value for said in ("9.58 seconds", "3 million", "3M", "5 to 10")]
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
    number, problem = number_in(rewritten(normalized(said)))
    if problem:
        return unreadable(_PROBLEMS.get(problem, NO_NUMBER))
    value = as_number(number)
    return answered(float(value)) if value is not None and abs(value) <= LARGEST else unreadable(NO_NUMBER)
