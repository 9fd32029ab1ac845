"""Graded answers of models: one file for all models, matched to the questions of pairs by a normalised key."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Final
from unicodedata import normalize

from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.formats.lines import write_whole
from vivavoce.formats.tables import read_table
from vivavoce.generalization.pairs import FLAGS

PROMPT: Final = "prompt"
MOST_MODELS: Final = 200
LONGEST_NAME: Final = 200

Grade = bool | None
"""Whether an answer was right; None without an answer."""

_INSTRUCTION: Final = "Answer with a single"
"""Start of a last line that only names the form of the answer (`vafa2024`); the key leaves it out."""
_BREAKS = re.compile(r"<br ?/?>|</?p>", re.IGNORECASE)
_TAGS = re.compile(r"</?(?:b|i|u|em|strong|sub|sup)>", re.IGNORECASE)
"""Other text between < and >, such as part of a formula, belongs to the question."""
_HEADING = re.compile(r"\n[ \t]*Options:[ \t]*(?=\n)")
_DASH = re.compile(r"\n[ \t]*-[ \t]+")
_LETTER = re.compile(r"\n[ \t]*\([A-Z]\)")
_EITHER: Final = (["yes", "no"], ["true", "false"])


@dataclass(frozen=True, slots=True)
class GradedAnswers:
    """The graded answers of some models."""

    models: tuple[str, ...]
    right: Mapping[str, tuple[Grade, ...]]
    """By key of the question: one grade per model, in the order of `models`."""
    contradicting: Mapping[str, int]
    """By model: questions that occur more than once with different grades, which count as not answered."""

    def of(self, model: str) -> Mapping[str, Grade]:
        """One model's grades by key; raises `UnknownName`."""
        if model not in self.models:
            raise UnknownName("model", model, self.models)
        column = self.models.index(model)
        return {key: grades[column] for key, grades in self.right.items()}


def key_of(question: str) -> str:
    """The normal form that matches the question of a pair with the prompt of an answer.

    White space becomes one blank, the few tags of the survey's pages become line breaks or nothing, and HTML entities become
    characters. A last line that only names the form of the answer is left out. So are the marks around options that only one
    of two files may have: a line "Options:", letters or dashes, and the choice of yes and no, or true and false.

    >>> key_of("<b>2 &lt; 3?<br></b>(A) Yes<br>(B) No") == key_of(" 2 < 3?\\n(A) Yes\\n(B) No\\n Answer with a single letter:")
    True
    """
    body, _, last = question.rstrip().rpartition("\n")
    if body.strip() and last.strip().startswith(_INSTRUCTION):
        question = body
    return " ".join(normalize("NFC", _bare(plain(question))).split())


def _bare(question: str) -> str:
    """A question and the texts of its options, a line each."""
    stem, *option_lists = _HEADING.split(question)
    unmarked = _LETTER.sub("\n", stem + "".join(_DASH.sub("\n", options) for options in option_lists))
    lines = [line for line in unmarked.splitlines() if line.strip()]
    either = len(lines) > 2 and [line.strip().lower() for line in lines[-2:]] in _EITHER
    return "\n".join(lines[:-2] if either else lines)


def plain(question: str) -> str:
    """A question as text: tags of the survey's pages become line breaks or nothing, HTML entities become characters.

    >>> plain("<b>Is 2 &lt; 3?<br></b>(A) Yes<br>(B) No")
    'Is 2 < 3?\\n(A) Yes\\n(B) No'
    """
    return unescape(_TAGS.sub("", _BREAKS.sub("\n", question)))


def read_answers(file: Path) -> GradedAnswers:
    """Read answers from a CSV file, gzipped if its name ends in `.gz`: `prompt,MODEL...`, one question per row.

    A cell is 1 if the model's answer is right, 0 if it is wrong, and empty without an answer. A question may have several
    rows: a grade may be in any of them, but grades that contradict each other count as no answer. Raises `BadFile`, with the
    line.
    """
    table = read_table(file, [PROMPT])
    models = _models(file, table.names)
    by_key: dict[str, list[set[bool]]] = {}
    for line, row in table.rows:
        key = key_of(row[PROMPT])
        if not key:
            raise BadFile(file, f"{PROMPT} is empty", line=line)
        for grades, model in zip(by_key.setdefault(key, [set() for _ in models]), models, strict=True):
            if row[model].strip():
                grades.add(_grade(file, line, model, row[model].strip()))
    if not by_key:
        raise BadFile(file, "no questions below the first line")
    right = {key: tuple(map(_agreed, grades)) for key, grades in by_key.items()}
    return GradedAnswers(models, right, _contradicting(models, by_key))


def write_answers(file: Path, prompts: Sequence[str], grades: Mapping[str, Sequence[Grade]]) -> None:
    """Write answers as `read_answers` reads them.

    Parameters
    ----------
    prompts: the questions, in the order of the rows.
    grades: by model, one per question. Raises `BadFile`, and `BadInput` for a model whose name cannot be a column.
    """
    for model in grades:
        if model == PROMPT or not 1 <= len(model) <= LONGEST_NAME:
            raise BadInput(f"'{model[:80]}' can't be a column's name: give a name of 1 to {LONGEST_NAME} characters")
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow([PROMPT, *grades])
    for prompt, *row in zip(prompts, *grades.values(), strict=True):
        table.writerow([prompt, *("" if grade is None else int(grade) for grade in row)])
    write_whole(file, out.getvalue())


def _models(file: Path, names: Sequence[str]) -> tuple[str, ...]:
    models = tuple(name for name in names if name != PROMPT)
    if not 1 <= len(models) <= MOST_MODELS:
        raise BadFile(file, f"{len(models)} models: give 1 to {MOST_MODELS}, a column each", line=1)
    odd = next((name for name in models if not 1 <= len(name) <= LONGEST_NAME), None)
    if odd is not None:
        raise BadFile(file, f"a column's name has {len(odd)} characters: a model's name has 1 to {LONGEST_NAME}", line=1)
    return models


def _grade(file: Path, line: int, model: str, cell: str) -> bool:
    if cell.lower() not in FLAGS:
        raise BadFile(
            file, f"{model[:80]!r} has {cell[:40]!r}: write 1 for a right answer, 0 for a wrong one, or nothing", line=line
        )
    return FLAGS[cell.lower()]


def _agreed(grades: set[bool]) -> Grade:
    return next(iter(grades)) if len(grades) == 1 else None


def _contradicting(models: Iterable[str], by_key: Mapping[str, list[set[bool]]]) -> dict[str, int]:
    counts = {model: sum(len(grades[column]) > 1 for grades in by_key.values()) for column, model in enumerate(models)}
    return {model: number for model, number in counts.items() if number}
