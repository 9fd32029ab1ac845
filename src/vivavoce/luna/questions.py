"""Questions that are put in every game, where a machine writes none of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import text_lines
from vivavoce.formats.wording import counted, in_words
from vivavoce.luna.limits import LONGEST_TEXT, MOST_QUESTIONS, Terms

CONTROLS: Final = (
    "What color is the sky?",
    'What is the direct object in this sentence: "The boy threw the ball to the dog"?',
    "Why is 6 afraid of 7?",
    "Why does poverty exist?",
    "What is the capital of New York?",
)
"""What both machine players of `silver2016` asked in all their games (section 6.2.2), so that their games can be compared."""


def read_questions(file: Path) -> tuple[str, ...]:
    """Questions from a file, one a line; empty lines are skipped.

    Raises `BadFile` where there is none, or there are more than a game may have, or one is longer than a game allows.
    """
    found: list[str] = []
    for number, line in enumerate(text_lines(file), start=1):
        if line.strip():
            if len(found) == MOST_QUESTIONS:
                raise BadFile(file, f"more than {MOST_QUESTIONS} questions: one a line", line=number)
            if len(line.strip()) > LONGEST_TEXT:
                raise BadFile(file, f"the question has {len(line.strip())} characters: {LONGEST_TEXT} is the most", line=number)
            found.append(line.strip())
    if not found:
        raise BadFile(file, "there is no question in it: write one a line")
    return tuple(found)


def fitted(questions: Sequence[str], terms: Terms) -> tuple[tuple[str, ...], str]:
    """As many questions as a game has, and what had to be done for it; empty for nothing, or where the last ones are left out.

    Where there are too few they begin again, and what is too long is cut: a game has two players, and the other one waits.

    >>> fitted(["Why?", "How?"], Terms(questions=1)), fitted(["Why?", "How?"], Terms(questions=3))
    ((('Why?',), ''), (('Why?', 'How?', 'Why?'), 'one question is put again: the game has three'))
    """
    texts = [questions[place % len(questions)] for place in range(terms.questions)]
    again, longest = terms.questions - len(questions), terms.longest_text
    done = []
    if again > 0:
        are = "is" if again == 1 else "are"
        done.append(f"{counted(again, 'question')} {are} put again: the game has {in_words(terms.questions)}")
    if any(len(text) > longest for text in texts):
        done.append(f"cut at {longest} characters")
    return tuple(text[:longest] for text in texts), "; ".join(done)


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
    raise BadInput(f"no questions '{given[:80]}': write own, thesis, or a file with questions, one a line")
