"""Graded answers one by one, no matter who gave them: the input of grading."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vivavoce.luna.predict.csv_file import LONGEST_NAME, answers_in

NEEDED: Final = ("question", "answer", "grade")
HIGHEST: Final = 1_000.0
"""Grade of any scale."""


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """An answer and what it was found to be worth."""

    question: str
    """Its text, or a name that is the same for all answers to it."""
    text: str
    grade: float
    """From 0, on any scale that is the same for all answers."""
    reference: str = ""
    """What an answer should say; empty where nobody has written that down."""


def read_graded(path: Path) -> tuple[GradedAnswer, ...]:
    """Graded answers from a CSV table with the columns `question`, `answer`, `grade` and, if you like, `reference`.

    Grades may be on any scale from 0. Other columns, such as the grades of single graders, are left alone.

    Raises `BadFile`, with the line where there is one.
    """
    return tuple(
        GradedAnswer(
            row.name("question", LONGEST_NAME),
            row.cells["answer"],
            row.number("grade", HIGHEST),
            row.cells.get("reference", "").strip(),
        )
        for row in answers_in(path, NEEDED)
    )
