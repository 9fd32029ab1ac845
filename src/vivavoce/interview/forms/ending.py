"""How a reply that ends with an answer is asked for: words and a schema that hold nothing to be copied as an answer.

With `End your reply with a line "Answer: N", where N is a number.` a model of .5 billion weights gave back `Answer: N` to all
of 40 sums, and had 29 right with these words; one of 1.5 billion had 29 right, and 34 with these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from vivavoce.interview.forms.alphanumeric import alphanumeric
from vivavoce.interview.forms.closed import closed

if TYPE_CHECKING:
    from vivavoce.interview.forms.form import Way

DONT_KNOW: Final = "I don't know"
ADMIT: Final = "If you do not know, say so."
"""Says that ignorance may be admitted, without a sentence that could be copied for it."""
LARGEST: Final = 10**100
"""A larger number in a field is none: no answer needs it."""
_Run = tuple[str, ...]
RUN: Final = 4
"""Words in a row by which a line is known to say an instruction back."""
_WORD = re.compile(r"\S+")
_ANSWER = re.compile(r"(?<![\"\w])answer\s{0,2}:", re.IGNORECASE)


def ending(what: str, *, dont_know: bool) -> str:
    """The instruction to end a reply with an answer.

    >>> ending("the number", dont_know=False)
    'End your reply with a line that begins with "Answer:" and gives the number alone.'
    """
    asked = f'End your reply with a line that begins with "Answer:" and gives {what} alone.'
    return f"{asked}\n{ADMIT}" if dont_know else asked


def further(what: str) -> str:
    """What the further turn says."""
    return f"What is your final answer? Reply with {what} alone."


def schema_ending(what: str, *, dont_know: bool) -> str:
    """The instruction where the server enforces the schema."""
    asked = f'Reply with a JSON object whose field "answer" holds {what} alone.'
    return f"{asked}\n{ADMIT}" if dont_know else asked


def answer_schema(*values: Mapping[str, Any]) -> Mapping[str, Any]:
    """JSON Schema of an object whose field `answer` is one of these kinds."""
    value = values[0] if len(values) == 1 else {"anyOf": list(values)}
    return closed({"answer": value})


def written(answer: str) -> str:
    """An answer in the form that was asked for."""
    return f"Answer: {answer}"


def digits(value: object) -> str:
    """A number of JSON in digits; empty for anything else, and for one that no answer needs.

    >>> digits(0.5), digits(True), digits(10**5000)
    ('0.5', '', '')
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        return ""
    return repr(value)


def own_words(text: str, *instructions: str) -> str:
    """A reply without the lines that say an instruction back, but for an answer that follows on the same line.

    >>> own_words("End your reply with a line\\nAnswer: 12", ending("the number", dont_know=False))
    'Answer: 12'
    """
    asked = frozenset[_Run]().union(*map(_asked, instructions))
    return "\n".join(own for line in text.split("\n") if (own := _own(line, asked)) is not None)


@lru_cache(maxsize=64)
def _asked(instruction: str) -> frozenset[_Run]:
    """The runs of an instruction, which many replies are held against."""
    return frozenset(_runs([word for word, _ in _words(instruction)]))


def _own(line: str, asked: frozenset[_Run]) -> str | None:
    """A line, or what follows an instruction on it; None where it says nothing of its own."""
    if len(line.split()) < RUN:
        return line
    words = _words(line)
    back = [number for number, run in enumerate(_runs([word for word, _ in words])) if run in asked]
    if not back or 2 * len(back) <= len(words) - RUN + 1:
        return line
    rest = line[words[back[-1] + RUN - 1][1] :]
    return rest if _ANSWER.search(rest) else None


def _runs(words: list[str]) -> Iterator[_Run]:
    return zip(*(words[start:] for start in range(RUN)), strict=False)


def _words(text: str) -> list[tuple[str, int]]:
    """The words of a text, without case and marks, each with where it ends."""
    found = ((alphanumeric(m[0].casefold()), m.end()) for m in _WORD.finditer(text))
    return [(word, end) for word, end in found if word]


class LastLineForm:
    """A form that asks for its answer alone on a last line; it says what that is (`what`), its schema, and how it is read."""

    __slots__ = ()
    dont_know: bool = False
    """Whether the instruction says that ignorance may be admitted; it is read in any case."""
    if TYPE_CHECKING:

        @property
        def what(self) -> str:
            """What the line holds, such as `the number`."""
            ...

    @property
    def way(self) -> Way:
        """One follow-up turn for a reply that can't be parsed."""
        return "turn"

    @property
    def instruction(self) -> str:
        """Asks for the last line."""
        return ending(self.what, dont_know=self.dont_know)

    @property
    def further(self) -> str:
        """Asks for the answer alone."""
        return further(self.what)

    @property
    def schema_instruction(self) -> str:
        """Asks for one field."""
        return schema_ending(self.what, dont_know=self.dont_know)

    def write(self, value: str, /) -> str:
        """The last line."""
        return written(value)
