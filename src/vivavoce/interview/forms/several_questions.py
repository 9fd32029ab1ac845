"""A number of questions, written by the candidate, one a line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.interview.forms.closed import closed
from vivavoce.interview.forms.copies import repeats
from vivavoce.interview.forms.form import Reading, Way, answered, copied, unreadable

LOOKED_AT: Final = 60_000
"""Characters of a reply, from its beginning, or more: all questions at their longest, twice over."""
WRITTEN: Final = 500
"""Characters of a question under the schema: a weak model goes on without end inside a text."""

_ASKED = re.compile(r"Question (\d{1,2}): ?(\S.*)")
_NUMBERED = re.compile(r"[ \t>*_#-]{0,8}(?:Q(?:uestion)?\s?)?(\d{1,2})[*_]{0,3}\s?[.):][*_]{0,3}[ \t]{0,8}(.*)", re.IGNORECASE)
_BULLET = re.compile(r"^[ \t>]{0,8}(?:(?:[-*•]|\d{1,2}[.):])[ \t]{1,4})?")


@dataclass(frozen=True, slots=True)
class SeveralQuestions:
    """Lines `Question 1: ...` and so on.

    Also read are as many or more that are numbered from 1, of which the first are taken, each with the lines that follow it;
    and exactly this many lines that end in a question mark. Nothing within is altered; a question without a letter or digit is
    none.

    >>> form = SeveralQuestions(2, longest=100)
    >>> form.read("Sure!\\n1. Why?\\n2. How?").value
    ('Why?', 'How?')
    >>> form.read(form.instruction).problem
    'no 2 questions can be told from other words'
    """

    number: int
    longest: int
    """Characters of a question at most."""
    told: str = ""
    """What the player is told: a question that repeats it is a copy."""

    @property
    def way(self) -> Way:
        """Written in a form: under the schema."""
        return "schema"

    @property
    def instruction(self) -> str:
        """Its lines, with dots for the questions."""
        lines = "\n".join(f"Question {place}: ..." for place in range(1, self.number + 1))
        return f"Reply with {self._many('line')} in this form, and nothing else:\n{lines}"

    @property
    def further(self) -> str:
        """Asks for the lines alone."""
        if self.number == 1:
            return "Now write the question alone, on one line, with 1. before it."
        return f"Now write the {self.number} questions alone, one a line, each with its number before it."

    @property
    def schema(self) -> Mapping[str, Any]:
        """A list of texts."""
        questions = {
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": min(WRITTEN, self.longest)},
            "minItems": self.number,
            "maxItems": self.number,
        }
        return closed({"questions": questions})

    @property
    def schema_instruction(self) -> str:
        """What the list holds."""
        return f'Reply with a JSON object: "questions" is a list of your {self._many("question")}.'

    def read(self, text: str, /) -> Reading[tuple[str, ...]]:
        """The questions, if just this many can be told from other words."""
        text = text[: max(LOOKED_AT, 2 * self.number * self.longest)]
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        asked = [match for line in lines if (match := _ASKED.fullmatch(line))]
        if len(asked) == len(lines) and [int(match[1]) for match in asked] == list(range(1, self.number + 1)):
            return self._fit([match[2].strip() for match in asked], strict=True)
        return self._fit(self._numbered(text.splitlines()) or self._question_marks(lines))

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[tuple[str, ...]]:
        """The list, if it holds just this many texts."""
        found = fields.get("questions")
        texts = [one.strip() for one in found if isinstance(one, str)] if isinstance(found, list) else []
        return self._fit(texts if isinstance(found, list) and len(found) == self.number else None, strict=True)

    def write(self, value: tuple[str, ...], /) -> str:
        """The questions as lines."""
        return "\n".join(f"Question {place}: {text}" for place, text in enumerate(value, start=1))

    def _fit(self, texts: Sequence[str] | None, *, strict: bool = False) -> Reading[tuple[str, ...]]:
        if texts is None or len(texts) != self.number or not all(any(map(str.isalnum, text)) for text in texts):
            return unreadable(f"no {self._many('question')} can be told from other words")
        if any(len(text) > self.longest for text in texts):  # none is cut, since its end may be what it asks
            return unreadable(f"a question of more than {self.longest} characters")
        if any(repeats(text, self.told) for text in texts):
            return copied()
        return answered(tuple(texts), strict=strict)

    def _many(self, noun: str) -> str:
        return f"{self.number} {noun}{'' if self.number == 1 else 's'}"

    def _numbered(self, lines: Sequence[str]) -> list[str] | None:
        """The first of at least this many questions that are numbered from 1; the last ends where a blank line follows."""
        found: list[list[str]] = []
        for line in lines:
            marked = _NUMBERED.fullmatch(line)
            if marked and int(marked[1]) == len(found) + 1:
                found.append([marked[2]])
            elif found:
                found[-1].append(line.strip())
        if len(found) == self.number:
            found[-1] = "\n".join(found[-1]).split("\n\n", 1)[0].split("\n")
        texts = ["\n".join(filter(None, parts)).strip(" *_\t") for parts in found[: self.number]]
        return texts if len(texts) == self.number and all(texts) else None

    def _question_marks(self, lines: Sequence[str]) -> list[str] | None:
        """Lines that end in question marks, where there are just this many."""
        asking = [_BULLET.sub("", line) for line in lines if line.rstrip("*_\"'”").endswith("?")]
        return asking if len(asking) == self.number else None
