"""A program's ruling on one question, as a value and as the line that leaves the locked process.

Both sides of the pipe use this file, the inner one without the rest of the package.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

ANSWER_CHARACTERS = 10_000
"""The most characters of an answer."""
FAILURE_CHARACTERS = 200
LINE_BYTES = 100_000
"""The most characters of a line: no character takes more than six."""
OUT_OF_MEMORY = 77
"""Exit code if the process runs out of memory for its own work."""
_PARTS = [int, bool, str, str]


@dataclass(frozen=True, slots=True)
class ProgramReply:
    """A program's ruling on one question."""

    covers: bool
    answer: str
    """Numbers as Python writes them, whole ones without '.0'; "" where the question is not covered."""
    failure: str = ""
    """One line where `covers` or `answer` raised, or gave something of another type. In the program's words: escape it."""


def line_of(number: int, ruling: ProgramReply) -> str:
    """The ruling on that question, counted from 0, as a line.

    >>> line_of(3, ProgramReply(True, "42"))
    '[3, true, "42", ""]'
    """
    return json.dumps([number, ruling.covers, ruling.answer, ruling.failure], ensure_ascii=False)


def ruling_in(line: bytes, number: int) -> ProgramReply | None:
    """The ruling on that question; None for any other line.

    >>> ruling_in(b'[3, true, "42", ""]', 3), ruling_in(b'[3, true, NaN, ""]', 3)
    (ProgramReply(covers=True, answer='42', failure=''), None)
    """
    try:
        value = json.loads(line.decode())
        if not isinstance(value, list) or [type(part) for part in value] != _PARTS or value[0] != number:
            return None
        ruling = ProgramReply(*value[1:])
        ruling.answer.encode()
    except (ValueError, RecursionError):
        return None
    contradicts = ruling.answer and (ruling.failure or not ruling.covers)
    fits = len(ruling.answer) <= ANSWER_CHARACTERS and is_failure(ruling.failure)
    return ruling if fits and not contradicts else None


def is_failure(text: str) -> bool:
    """Whether it is one short line, as failures are.

    >>> is_failure("ValueError: 7"), is_failure("two\\nlines")
    (True, False)
    """
    return len(text) <= FAILURE_CHARACTERS and text.isprintable()
