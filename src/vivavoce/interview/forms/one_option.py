"""One of lettered options.

The last explicit statement decides ("Answer: C", "C is the answer"). Without one, the verdicts on single options decide
("A is wrong. C is right."), then a letter or an option's text that is alone on a line, then the only letter that is named for a
choice. Words that take an answer back ("Wait, no: B") count at each of these steps. "I" and "A" are also words, and an option's
text may hold the letter of another option ("Vitamin C"). A letter next to the text of another option is unreadable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, Final

from vivavoce.interview.forms import ending
from vivavoce.interview.forms.chosen_letter import chosen_letter
from vivavoce.interview.forms.form import Reading, unreadable
from vivavoce.interview.forms.last_line import read_last_line
from vivavoce.interview.forms.plain import calls_answer_wrong
from vivavoce.interview.forms.statements import NOTHING_STATED, TAKEN_BACK

_WHAT: Final = "the letter of one option"


@dataclass(frozen=True, slots=True)
class OneOption(ending.LastLineForm):
    """The capital letter of one of at most 26 options.

    >>> form = OneOption(("Lyon", "Paris", "Nice"))
    >>> [form.read(r).value for r in ("**(B)**", "The answer is Paris.", "Not A. Final answer: b", "A or B", "D")]
    ['B', 'B', 'B', None, None]
    """

    options: tuple[str, ...]
    dont_know: bool = False
    """Whether the instruction says that ignorance may be admitted; it is read in any case."""
    question: str = ""
    """What is asked, where its words help to read the reply; it is no part of the instruction."""

    @property
    def what(self) -> str:
        """What the line holds."""
        return _WHAT

    @property
    def schema(self) -> Mapping[str, Any]:
        """One of the letters, or "I don't know"."""
        letters = ascii_uppercase[: len(self.options)]
        return ending.answer_schema({"type": "string", "enum": [*letters, ending.DONT_KNOW]})

    def read(self, text: str, /) -> Reading[str]:
        """The letter of the option that is stated last, or stands alone."""
        return read_last_line(self, text, lambda own: chosen_letter(own, self.options, self.question))

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[str]:
        """The letter in the field, unless another field calls it wrong."""
        said = fields.get("answer")
        if calls_answer_wrong(fields):
            return unreadable(TAKEN_BACK)
        return self.read(said) if isinstance(said, str) else unreadable(NOTHING_STATED)
