"""The published answers that `silver2016` predicts ratings from, and the errors that it prints."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from math import fsum
from pathlib import Path
from typing import Final

from vivavoce.errors import BadFile
from vivavoce.formats.lines import text_lines
from vivavoce.luna.predict.answers import PeopleTable, PersonAnswer, people_of

_HEADER: Final = ("student", "Q#", "answer", "G1", "G2", "G3")
_NOT_GRADED: Final = "-1"


@cache
def published_errors() -> Mapping[str, float]:
    """Root mean squared errors of Figure 5.3 on these data, by predictor.

    >>> published_errors()["cbg"]
    0.144
    """
    return tomllib.loads(files("vivavoce.luna.predict").joinpath("published.toml").read_text(encoding="utf-8"))


def read_powergrading(path: Path) -> PeopleTable:
    """The answers of a file of Powergrading (`basu2013`) that were graded; a grade is the mean of three graders' 0 or 1.

    The file holds 20 questions about the United States, of which ten were graded; the thesis has 698 people, the file at hand
    548. Their rating is the mean grade.

    Parameters
    ----------
    path: a table with tabs and no quotation marks: student, Q#, answer, G1, G2, G3; -1 stands for no grade.

    Raises `BadFile`.
    """
    lines = (line.rstrip("\r\n").split("\t") for line in text_lines(path))
    if tuple(next(lines, ())) != _HEADER:
        raise BadFile(path, f"its first line is not {' '.join(_HEADER)}, with tabs between", line=1)
    answers = []
    for number, cells in enumerate(lines, start=2):
        if len(cells) != len(_HEADER):
            raise BadFile(path, f"{len(cells)} cells where {len(_HEADER)} should be, with tabs between", line=number)
        person, question, text, *grades = cells
        if any(grade not in ("0", "1", _NOT_GRADED) for grade in grades):
            raise BadFile(path, f"the grades are {', '.join(grades)[:40]}: each is 0, 1 or -1", line=number)
        if _NOT_GRADED not in grades:
            answers.append(PersonAnswer(person, question, text, fsum(map(float, grades)) / len(grades)))
    return people_of(answers)
