"""Questions that are put in every game, where a machine writes none of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import text_lines
from vivavoce.luna.rules import LONGEST, QUESTIONS

CONTROLS: Final = (
    "What color is the sky?",
    'What is the direct object in this sentence: "The boy threw the ball to the dog"?',
    "Why is 6 afraid of 7?",
    "Why does poverty exist?",
    "What is the capital of New York?",
)
"""What both machine players of `silver2016` asked in all their games (section 6.2.2), so that their games can be compared."""


def read_questions(file: Path) -> tuple[str, ...]:
    """Five questions from a file, one a line; empty lines are skipped.

    Raises `BadFile` where there are not five, or one is longer than 5,000 characters.
    """
    found: list[str] = []
    for number, line in enumerate(text_lines(file), start=1):
        if line.strip():
            if len(found) == QUESTIONS:
                raise BadFile(file, f"more than {QUESTIONS} questions: one a line", line=number)
            if len(line.strip()) > LONGEST:
                raise BadFile(file, f"the question has {len(line.strip())} characters: {LONGEST} is the most", line=number)
            found.append(line.strip())
    if len(found) != QUESTIONS:
        raise BadFile(file, f"{len(found)} questions: there must be {QUESTIONS}, one a line")
    return tuple(found)


def chosen_questions(given: str) -> tuple[str, ...] | None:
    """Questions by the word of a user: `own` (None: the candidate writes them), `thesis`, or a file.

    >>> chosen_questions("own") is None, chosen_questions("thesis")[0]
    (True, 'What color is the sky?')
    """
    match given:
        case "own":
            return None
        case "thesis":
            return CONTROLS
        case _ if Path(given).is_file():
            return read_questions(Path(given))
    raise BadInput(f"no questions '{given[:80]}': write own, thesis, or a file with {QUESTIONS} questions, one a line")
