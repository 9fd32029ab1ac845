"""Pairs of questions: a person has seen the model's answer to the first, and has a belief about the second.

Also the files that hold pairs, the average beliefs of `vafa2024`, and the origin of predictions for signatures. Graded answers
of all models are in one file, and are matched to the questions of pairs by a normalised key.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from html import unescape
from math import isfinite
from pathlib import Path
from typing import Any, Final
from unicodedata import normalize

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.formats.lines import write_whole
from vivavoce.formats.tables import read_table
from vivavoce.interview.scope import Signature
from vivavoce.version import __version__

FLAGS: Final = {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False}
"""Lower-case cells that mean yes or no."""
HEAVIEST: Final = 1e100
"""The largest weight; the smallest above 0 is 1 / `HEAVIEST`. The square of any other would overflow or underflow."""
LAST_STAGE: Final = 999_999


def flag(cell: str, name: str) -> bool:
    """Yes or no, as 1 or 0."""
    if cell.lower() not in FLAGS:
        raise BadInput(f"{name} is {cell[:40]!r}: write 0 or 1")
    return FLAGS[cell.lower()]


def number(cell: str, name: str) -> float:
    """A finite number that is not below 0."""
    try:
        value = float(cell)
    except ValueError:
        raise BadInput(f"{name} is {cell[:40]!r}: write a number") from None
    if not isfinite(value) or value < 0:
        raise BadInput(f"{name} is {cell[:40]!r}: write a finite number, 0 or more")
    return value


def chance(cell: str, name: str) -> float:
    """A number from 0 to 1."""
    value = number(cell, name)
    if value > 1:
        raise BadInput(f"{name} is {cell[:40]!r}: write a number from 0 to 1")
    return value


def weight(cell: str, name: str) -> float:
    """A weight: 0, or a number whose square a computer can hold."""
    value = number(cell, name)
    if value and not 1 / HEAVIEST <= value <= HEAVIEST:
        raise BadInput(f"{name} is {cell[:40]!r}: write 0, or a number from {1 / HEAVIEST:g} to {HEAVIEST:g}")
    return value


NEEDED: Final = ("q1", "q2", "source1", "source2")
LONGEST: Final = 100_000
"""Characters of a question."""


@dataclass(frozen=True, slots=True)
class TaskQuestion:
    """A question and the task that it is from."""

    text: str
    """With its options, if it has any."""
    source: str = ""
    """Name of the task."""


@dataclass(frozen=True, slots=True)
class QuestionPair:
    """A question whose answer was shown, and a question that a belief is about."""

    q1: str
    """The question whose answer was shown."""
    q2: str
    """The question that the belief is about."""
    source1: str
    """Task of the first question."""
    source2: str


@dataclass(frozen=True, slots=True)
class BeliefPair(QuestionPair):
    """A pair of questions with a belief about the second, and how that belief changed.

    >>> BeliefPair("2 + 2?", "3 + 4?", "sums", "sums", previous_correct=True, prior=0.5, posterior=0.8).changed
    True
    """

    previous_correct: bool
    """Whether the first was answered right."""
    belief_change: bool | None = None
    """Whether the belief changed; None if no person was asked."""
    person: str = ""
    """Pseudonym of the person who was asked; empty if unknown, or if the label comes from several people."""
    stage: int | None = None
    """Stage of the survey, counted from 1."""
    weight: float = 1.0
    """How many pairs of the pool this one represents: 1 / its sampling probability, up to a factor."""
    prior: float | None = None
    """Belief before, from 0 to 1, that the second is answered right."""
    posterior: float | None = None
    """Belief after."""
    pred: float | None = None
    """Predicted chance of a change."""

    @property
    def questions(self) -> QuestionPair:
        """The questions and their tasks alone."""
        return QuestionPair(self.q1, self.q2, self.source1, self.source2)

    @property
    def changed(self) -> bool | None:
        """Whether the belief changed: the label, or else a comparison of the raw beliefs; None without both."""
        if self.belief_change is not None or self.prior is None or self.posterior is None:
            return self.belief_change
        return self.prior != self.posterior


def read_pairs(file: Path) -> list[BeliefPair]:
    """Read pairs from a CSV file, gzipped if its name ends in `.gz`. Columns may be in any order; unknown ones are ignored.

    Without a column `previous_correct`, the file's name decides: `correct...` holds pairs after a right answer, and
    `incorrect...` pairs after a wrong one, as in the files of `vafa2024`. Raises `BadFile`, with the line.
    """
    table = read_table(file, NEEDED)
    defaults: dict[str, Any] = {} if "previous_correct" in table.names else {"previous_correct": _correct_by_file_name(file)}
    pairs = []
    for line, row in table.rows:
        try:
            pairs.append(_pair(row, defaults))
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None
    if not pairs:
        raise BadFile(file, "no pairs below the first line")
    return pairs


def write_pairs(file: Path, pairs: Iterable[BeliefPair]) -> None:
    """Write pairs as `read_pairs` reads them, without optional columns in which no pair has a value."""
    rows = [{name: _as_cell(getattr(pair, name)) for name in _NAMES} for pair in pairs]
    plain = {"stage": "", "person": "", "weight": "1.0"}
    kept = [name for name in _NAMES if name in _ALWAYS or any(row[name] != plain.get(name, "") for row in rows)]
    out = io.StringIO()
    table = csv.DictWriter(out, kept, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    write_whole(file, out.getvalue())


def labelled(pairs: Iterable[BeliefPair]) -> list[BeliefPair]:
    """The pairs that say whether the belief changed."""
    return [pair for pair in pairs if pair.changed is not None]


_NAMES: Final = tuple(field.name for field in fields(BeliefPair))
_ALWAYS: Final = (*NEEDED, "previous_correct", "belief_change")


def _pair(cells: dict[str, str], defaults: dict[str, Any]) -> BeliefPair:
    for name in ("q1", "q2"):
        if not cells[name].strip() or len(cells[name]) > LONGEST:
            raise BadInput(f"{name} has {len(cells[name])} characters: a question has 1 to {LONGEST}")
    read = {name: _READ[name](cells[name].strip(), name) for name in _READ if cells.get(name, "").strip()}
    texts = {name: cells[name] for name in NEEDED} | {"person": cells.get("person", "").strip()}
    values: dict[str, Any] = texts | defaults | read
    if "previous_correct" not in values:
        raise BadInput("previous_correct is empty: write 1 if the first question was answered right, else 0")
    return BeliefPair(**values)


def _correct_by_file_name(file: Path) -> bool:
    for start, right in (("correct", True), ("incorrect", False)):
        if file.name.startswith(start):
            return right
    raise BadFile(
        file,
        "the column 'previous_correct' is missing: add it, 1 where the first question was answered right and 0 where wrong",
        line=1,
    )


def _stage(cell: str, name: str) -> int:
    value = number(cell, name)
    if value != int(value) or value > LAST_STAGE:
        raise BadInput(f"{name} is {cell[:40]!r}: write a whole number up to {LAST_STAGE}")
    return int(value)


_READ: Final[dict[str, Callable[[str, str], Any]]] = {
    "previous_correct": flag, "belief_change": flag, "stage": _stage, "weight": weight,
    "prior": chance, "posterior": chance, "pred": chance,
}  # fmt: skip


def _as_cell(value: Any) -> str:
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool) else str(value)


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Beliefs:
    """Average beliefs that a question will be answered right, as in Appendix C of `vafa2024`.

    The paper does not print them; with these values its Tables 2 and 5 are reproduced to the last digit.

    >>> [round(float(b), 4) for b in Beliefs().after([0.0, 1.0, 0.5], [True, True, False])]
    [0.629, 0.663, 0.59]
    """

    prior: float = 0.629
    after_right: float = 0.663
    """Mean belief about a second question after a right answer to the first."""
    after_wrong: float = 0.551

    def __post_init__(self) -> None:
        for name, value in (("prior", self.prior), ("after right", self.after_right), ("after wrong", self.after_wrong)):
            if not 0 <= value <= 1:
                raise BadInput(f"the belief {name} is {value}: give a number from 0 to 1")

    def after(self, change: ArrayLike, previous_correct: ArrayLike) -> Floats:
        """Posterior beliefs: a mixture of the prior (no change) and the mean belief after such an answer (change).

        Parameters
        ----------
        change: predicted chance that the belief changes, one per pair.
        previous_correct: whether the shown answer was right, one per pair.
        """
        chance = np.asarray(change, dtype=float)
        mean_after = np.where(np.asarray(previous_correct, dtype=bool), self.after_right, self.after_wrong)
        return np.asarray((1 - chance) * self.prior + chance * mean_after, dtype=float)


@dataclass(frozen=True, slots=True)
class PredictionOrigin:
    """The predictor behind predicted chances, and the file of the pairs."""

    predictor: str = ""
    source: str = ""
    """Name of the file of pairs."""
    digest: str = ""
    """Its SHA-256 in hex."""
    seed: int = 0
    in_sample: bool = False
    """Whether the predictor was fitted to these same pairs."""
    unlabelled: int = 0
    """Pairs that were left out earlier because they have no label."""
    notes: tuple[str, ...] = ()
    """How the chances were obtained, a sentence each."""

    def signature(self, examination: str, settings: Mapping[str, Any]) -> Signature:
        """The signature of a finding on these predictions."""
        return Signature(
            version=__version__,
            examination=examination,
            candidate=self.predictor or "chances",
            scope=self.source or "pairs",
            scope_digest=self.digest,
            seed=self.seed,
            settings=settings,
        )


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
    """One grade per model, in the order of `models`, by key of the question."""
    contradicting: Mapping[str, int]
    """Questions that occur more than once with different grades, by model; they count as not answered."""

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
    right = {key: tuple(next(iter(given)) if len(given) == 1 else None for given in grades) for key, grades in by_key.items()}
    counts = {model: sum(len(grades[column]) > 1 for grades in by_key.values()) for column, model in enumerate(models)}
    return GradedAnswers(models, right, {model: number for model, number in counts.items() if number})


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
