"""One digit and nothing else, where a reply's first token counts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.interview.forms.alphanumeric import alphanumeric
from vivavoce.interview.forms.closed import closed
from vivavoce.interview.forms.form import READ, Reading, Way, answered, unreadable

_AROUND: Final = " \t\r\n.,:;!?*_`\"'()[]{}#>$\\-"
_STATED = re.compile(
    r"\b(?:answer|prediction)\b[^\n.:=\d]{0,40}(?::|=|\bis\b)[ \t*_`\"'(\[]{0,6}(\d{1,3})(?![\w%]|[.,]\d|\sif\b)", re.I
)


@dataclass(frozen=True, slots=True)
class Digit:
    """A digit that stands for one of several things, each with its meaning.

    In words and without a further turn: a caller reads the chances of the reply's first token, or takes the share of
    many replies, of which one that cannot be read is left out. The reply is the digit with marks around it, or has it alone on
    its first or last line, or says "the answer is" it; two that differ are none.

    >>> form = Digit({"1": "it changes", "0": "it stays"})
    >>> [form.read(said).value for said in (" 0.", "Answer: 1", "1\\n\\nBecause of 2 things.", "10", "0 or 1", "no change")]
    ['0', '1', '1', None, None, None]
    """

    meanings: Mapping[str, str]
    """By digit."""

    @property
    def way(self) -> Way:
        """In words."""
        return "text"

    @property
    def instruction(self) -> str:
        """All digits with their meanings: said back, it names several."""
        return f"Reply with a single digit and nothing else: {self._listed}."

    @property
    def further(self) -> str:
        """Asks for the digit alone."""
        return f"Now give the digit alone: {self._listed}."

    @property
    def schema(self) -> Mapping[str, Any]:
        """One of the digits, as a text."""
        return closed({"digit": {"type": "string", "enum": list(self.meanings)}})

    @property
    def schema_instruction(self) -> str:
        """What the field holds."""
        return f'Reply with a JSON object: "digit" is {self._listed}.'

    @property
    def _listed(self) -> str:
        return ", ".join(f"{digit} if {meaning}" for digit, meaning in self.meanings.items())

    def read(self, text: str, /) -> Reading[str]:
        """The digit that decides, if there is one."""
        lines = [line for part in text[-READ:].splitlines() if (line := part.strip(_AROUND))]
        said = {line for line in (lines[:1] + lines[-1:]) if line.isdecimal()} | set(_STATED.findall(text[-READ:]))
        if len(said) != 1:
            return unreadable("several digits" if said else "no digit can be told from other words")
        digit = said.pop()
        if digit not in self.meanings:
            return unreadable("another number")
        return answered(digit, strict=text.strip() == digit)

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[str]:
        """The digit, as a text or a number."""
        digit = fields.get("digit")
        known = isinstance(digit, str | int) and not isinstance(digit, bool) and str(digit) in self.meanings
        return answered(str(digit), strict=True) if known else unreadable("none of the digits")

    def write(self, value: str, /) -> str:
        """The digit."""
        return value

    def of_token(self, token: str) -> str | None:
        """The digit that a token is, with blanks and marks around it; None for any other.

        >>> [Digit({"1": "yes", "0": "no"}).of_token(token) for token in (" 1", "0.", "10", "one")]
        ['1', '0', None, None]
        """
        bare = alphanumeric(token)
        return bare if bare in self.meanings else None
