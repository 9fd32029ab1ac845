"""Which questions each model answered right: one file for all models, found again for the questions of pairs."""

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
"""Whether an answer was right; None where there is none."""

_INSTRUCTION: Final = "Answer with a single"
"""How the last line of a prompt begins that says in which form to answer (`vafa2024`); it is no part of the question."""
_BREAKS = re.compile(r"<br ?/?>|</?p>", re.IGNORECASE)
_TAGS = re.compile(r"</?(?:b|i|u|em|strong|sub|sup)>", re.IGNORECASE)
"""No others: what stands between < and > in a formula is part of the question."""
_HEADING = re.compile(r"\n[ \t]*Options:[ \t]*(?=\n)")
_DASH = re.compile(r"\n[ \t]*-[ \t]+")
_LETTER = re.compile(r"\n[ \t]*\([A-Z]\)")
_EITHER: Final = (["yes", "no"], ["true", "false"])


@dataclass(frozen=True, slots=True)
class GradedAnswers:
    """The graded answers of some models."""

    models: tuple[str, ...]
    right: Mapping[str, tuple[Grade, ...]]
    """By the key of the question, one grade a model in the order of `models`."""
    contradicting: Mapping[str, int]
    """By model, questions that stand in the file more than once with different grades; they count as not answered."""

    def of(self, model: str) -> Mapping[str, Grade]:
        """One model's grades by key; raises `UnknownName`."""
        if model not in self.models:
            raise UnknownName("model", model, self.models)
        place = self.models.index(model)
        return {key: grades[place] for key, grades in self.right.items()}


def key_of(question: str) -> str:
    """The normal form by which the question of a pair and the prompt of an answer are known to be the same.

    White space counts as one blank, line breaks and the few tags of the survey's pages as such, HTML entities as what they
    stand for, and a last line that only says in which form to answer is left out. So is what only one of two files may have
    around the same options: a line "Options:", their letters or dashes, and the choice of yes and no, or true and false.

    >>> key_of("<b>2 &lt; 3?<br></b>(A) Yes<br>(B) No") == key_of(" 2 < 3?\\n(A) Yes\\n(B) No\\n Answer with a single letter:")
    True
    """
    body, _, last = question.rstrip().rpartition("\n")
    if body.strip() and last.strip().startswith(_INSTRUCTION):
        question = body
    return " ".join(normalize("NFC", _bare(plain(question))).split())


def _bare(question: str) -> str:
    """A question and the texts of its options, a line each."""
    asked, *listed = _HEADING.split(question)
    unmarked = _LETTER.sub("\n", asked + "".join(_DASH.sub("\n", options) for options in listed))
    lines = [line for line in unmarked.splitlines() if line.strip()]
    either = len(lines) > 2 and [line.strip().lower() for line in lines[-2:]] in _EITHER
    return "\n".join(lines[:-2] if either else lines)


def plain(question: str) -> str:
    """A question as text: the tags of the survey's pages as line breaks or nothing, HTML entities as what they stand for.

    >>> plain("<b>Is 2 &lt; 3?<br></b>(A) Yes<br>(B) No")
    'Is 2 < 3?\\n(A) Yes\\n(B) No'
    """
    return unescape(_TAGS.sub("", _BREAKS.sub("\n", question)))


def read_answers(file: Path) -> GradedAnswers:
    """The answers of a CSV file, gzipped if its name ends in `.gz`: `prompt,MODEL...`, one question a row.

    A cell is 1 where the model's answer is right, 0 where it is wrong, empty where there is none. A question may stand in the
    file more than once, as where models were asked in different words: what one row leaves empty another may fill, but where
    two rows contradict each other neither is believed. Raises `BadFile`, with the line.
    """
    table = read_table(file, [PROMPT])
    models = _models(file, table.names)
    found: dict[str, list[set[bool]]] = {}
    for line, row in table.rows:
        key = key_of(row[PROMPT])
        if not key:
            raise BadFile(file, f"{PROMPT} is empty", line=line)
        for given, model in zip(found.setdefault(key, [set() for _ in models]), models, strict=True):
            if row[model].strip():
                given.add(_grade(file, line, model, row[model].strip()))
    if not found:
        raise BadFile(file, "no questions are below its first line")
    return GradedAnswers(
        models, {key: tuple(map(_agreed, grades)) for key, grades in found.items()}, _contradicting(models, found)
    )


def write_answers(file: Path, prompts: Sequence[str], grades: Mapping[str, Sequence[Grade]]) -> None:
    """Write answers as `read_answers` reads them.

    Parameters
    ----------
    prompts: the questions, in the order of the rows.
    grades: by model, one a question. Raises `BadFile`, and `BadInput` for a model that no column can be named after.
    """
    for model in grades:
        if model == PROMPT or not 1 <= len(model) <= LONGEST_NAME:
            raise BadInput(f"'{model[:80]}' cannot name a column of answers: give a name of 1 to {LONGEST_NAME} characters")
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow([PROMPT, *grades])
    for place, prompt in enumerate(prompts):
        table.writerow([prompt, *("" if (one := told[place]) is None else int(one) for told in grades.values())])
    write_whole(file, out.getvalue())


def _models(file: Path, names: Sequence[str]) -> tuple[str, ...]:
    """The names of the other columns than the prompts'."""
    models = tuple(name for name in names if name != PROMPT)
    if not 1 <= len(models) <= MOST_MODELS:
        raise BadFile(file, f"{len(models)} models: there may be 1 to {MOST_MODELS}, a column each", line=1)
    odd = next((name for name in models if not 1 <= len(name) <= LONGEST_NAME), None)
    if odd is not None:
        raise BadFile(file, f"a column's name has {len(odd)} characters: a model's has 1 to {LONGEST_NAME}", line=1)
    return models


def _grade(file: Path, line: int, model: str, cell: str) -> bool:
    if cell.lower() not in FLAGS:
        raise BadFile(
            file, f"{model[:80]!r} has {cell[:40]!r}: 1 if its answer is right, 0 if wrong, empty if there is none", line=line
        )
    return FLAGS[cell.lower()]


def _agreed(grades: set[bool]) -> Grade:
    return next(iter(grades)) if len(grades) == 1 else None


def _contradicting(models: Iterable[str], found: Mapping[str, list[set[bool]]]) -> dict[str, int]:
    counts = {model: sum(len(grades[place]) > 1 for grades in found.values()) for place, model in enumerate(models)}
    return {model: number for model, number in counts.items() if number}
