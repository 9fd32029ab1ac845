"""A short text: words, brackets, a name.

The last explicit statement decides ("The answer is Paris."), then a known answer at the end or after "is", then a reply of
one line. Which answers are known stands in no prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.interview.forms import ending
from vivavoce.interview.forms.form import Reading, Way, answered, unreadable
from vivavoce.interview.forms.known import known_in
from vivavoce.interview.forms.last_line import read_last_line
from vivavoce.interview.forms.plain import AROUND, fold, lines
from vivavoce.interview.forms.statements import (
    DONT_KNOW,
    IGNORANCE,
    NOTHING_STATED,
    SEVERAL,
    admits_ignorance,
    last_said,
    statements,
)

_WHAT: Final = "your answer"


@dataclass(frozen=True, slots=True)
class ShortText:
    """A short text.

    >>> form = ShortText(known=(("yes",), ("no",)))
    >>> [form.read(r).value for r in ("**Answer: Marie Curie.**", "Sure! yes", "The final answer is no", "one\\ntwo")]
    ['Marie Curie', 'yes', 'no', None]
    """

    known: tuple[tuple[str, ...], ...] = ()
    """Answers that are looked for, each with the spellings that mean the same; any other can be given, too.

    What is read is the reply's own spelling; `named` tells which answer it is.
    """
    anywhere: bool = False
    """Whether a known answer counts wherever it stands; else at the end, or after "is" or "answer"."""
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
        """Asks for the answer alone."""
        return ending.further(_WHAT)

    @property
    def schema(self) -> Mapping[str, Any]:
        """A text, which may be "I don't know"."""
        return ending.answer_schema({"type": "string"})

    @property
    def schema_instruction(self) -> str:
        """Asks for one field."""
        return ending.schema_ending(_WHAT, dont_know=self.dont_know)

    def read(self, text: str, /) -> Reading[str]:
        """The text that is stated last, that is known, or that is the only line."""
        return read_last_line(self, text, lambda own: last_said(statements(own), self._in_statement) or self._in_words(own))

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[str]:
        """The text in the field; a number is one, too."""
        said = fields.get("answer")
        if isinstance(said, str):
            return self.read(said)
        number = isinstance(said, float) or (
            isinstance(said, int) and not isinstance(said, bool) and abs(said) < ending.LARGEST
        )
        return self.read(repr(said)) if number else unreadable(NOTHING_STATED)

    def write(self, value: str, /) -> str:
        """The last line that is asked for."""
        return ending.written(value)

    def named(self, value: str) -> str:
        """A known answer in the first of its spellings; any other as it is.

        >>> ShortText(known=(("Rome", "Roma"),)).named("roma")
        'Rome'
        """
        return next((alike[0] for alike in self.known if fold(value) in map(fold, alike)), value)

    def _in_statement(self, statement: str) -> Reading[str] | None:
        if IGNORANCE.match(statement):
            return DONT_KNOW
        return self._known_in(ending.written(statement)) or _whole(statement)

    def _in_words(self, text: str) -> Reading[str]:
        if admits_ignorance(text):
            return DONT_KNOW
        said = lines(text)
        whole = _whole(said[0]) if len(said) == 1 else None
        return self._known_in(text) or whole or unreadable(NOTHING_STATED)

    def _known_in(self, text: str) -> Reading[str] | None:
        found = known_in(text, self.known, anywhere=self.anywhere)
        return unreadable(SEVERAL) if len(found) > 1 else answered(found[0]) if found else None


def _whole(said: str) -> Reading[str] | None:
    """All that is said, without marks around it; None where nothing is, or what only leads up to an answer."""
    if said.rstrip(" *_`\"'").endswith(":"):
        return None
    text = said.strip(AROUND) or said.strip()
    return answered(text) if text else None
