"""How a reply that ends with an answer is asked for: words and a schema that hold nothing to be copied as an answer.

With `End your reply with a line "Answer: N", where N is a number.` a model of .5 billion weights gave back `Answer: N` to all
of 40 sums, and had 29 right with these words; one of 1.5 billion had 29 right, and 34 with these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

DONT_KNOW: Final = "I don't know"
ADMIT: Final = "If you do not know, say so."
"""Says that ignorance may be admitted, without a sentence that could be copied for it."""
LARGEST: Final = 10**100
"""A larger number in a field is none: no answer needs it."""
_FEWEST: Final = 4
"""Words that a part of a line must have to be known for a part of the instruction."""


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
    return {"type": "object", "properties": {"answer": value}, "required": ["answer"], "additionalProperties": False}


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
    """A reply without the lines that only say an instruction back, the whole line or a part of it.

    >>> own_words("End your reply with a line\\nAnswer: 12", ending("the number", dont_know=False))
    'Answer: 12'
    """
    asked = [f" {_words(line)} " for instruction in instructions for line in instruction.splitlines()]
    return "\n".join(line for line in text.split("\n") if not _said_back(_words(line), asked))


def _said_back(line: str, asked: list[str]) -> bool:
    return any(f" {line} " == known or (line.count(" ") >= _FEWEST - 1 and f" {line} " in known) for known in asked)


def _words(line: str) -> str:
    """The words of a line, without case and marks."""
    return "".join(c if c.isalnum() else " " if c.isspace() else "" for c in line.casefold()).strip()
