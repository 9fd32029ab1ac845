"""@@@
What may stand in the cells of tables.
---
Pairs of questions: what somebody saw a model do with the first, and what that did to their belief about the second.
---
What people believe after they saw an answer, from the chance that their belief changed at all.
---
Where chances and pairs come from, for the record."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from math import isfinite
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import write_whole
from vivavoce.formats.tables import read_table
from vivavoce.interview.finding import Signature
from vivavoce.version import __version__

FLAGS: Final = {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False}
"""Cells in small letters that say yes or no."""
HEAVIEST: Final = 1e100
"""Of weights, and 1 / `HEAVIEST` is the lightest but 0: squares of others are beyond what a computer's numbers hold."""
LAST_STAGE: Final = 999_999


def flag(cell: str, name: str) -> bool:
    """Yes or no, as 1 or 0."""
    if cell.lower() not in FLAGS:
        raise BadInput(f"{name} is {cell[:40]!r}: it is 0 or 1")
    return FLAGS[cell.lower()]


def number(cell: str, name: str) -> float:
    """A finite number that is not below 0."""
    try:
        value = float(cell)
    except ValueError:
        raise BadInput(f"{name} is {cell[:40]!r}: it is a number") from None
    if not isfinite(value) or value < 0:
        raise BadInput(f"{name} is {cell[:40]!r}: it is a finite number, 0 or more")
    return value


def chance(cell: str, name: str) -> float:
    """A number from 0 to 1."""
    value = number(cell, name)
    if value > 1:
        raise BadInput(f"{name} is {cell[:40]!r}: it is from 0 to 1")
    return value


def weight(cell: str, name: str) -> float:
    """How many others something stands for."""
    value = number(cell, name)
    if value and not 1 / HEAVIEST <= value <= HEAVIEST:
        raise BadInput(f"{name} is {cell[:40]!r}: it is 0, or from {1 / HEAVIEST:g} to {HEAVIEST:g}")
    return value


NEEDED: Final = ("q1", "q2", "source1", "source2")
LONGEST: Final = 100_000
"""Characters of a question."""


@dataclass(frozen=True, slots=True)
class TaskQuestion:
    """A question by itself."""

    text: str
    """As it is read, with its options if it has any."""
    source: str = ""
    """The task that it is from."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One question whose answer was shown, another about which somebody had a belief, and what became of that belief.

    >>> Pair("2 + 2?", "3 + 4?", "sums", "sums", previous_correct=True, prior=0.5, posterior=0.8).changed
    True
    """

    q1: str
    """Whose answer was shown."""
    q2: str
    """Which the belief is about."""
    source1: str
    """Task that the first question is from."""
    source2: str
    previous_correct: bool
    """Whether the first was answered right."""
    belief_change: bool | None = None
    """Whether the belief changed; None where nobody was asked."""
    person: str = ""
    """Pseudonym of who was asked; empty where it is not known, or the label is of several people."""
    stage: int | None = None
    """Of the survey, counted from 1."""
    weight: float = 1.0
    """How many pairs of the pool this one stands for: 1 / its chance to be sampled, up to a factor."""
    prior: float | None = None
    """Belief before, from 0 to 1, that the second is answered right."""
    posterior: float | None = None
    """Belief after."""
    pred: float | None = None
    """Chance of a change that some predictor gave."""

    @property
    def changed(self) -> bool | None:
        """Whether the belief changed: as labelled, else by the raw beliefs; None where neither is there."""
        if self.belief_change is not None or self.prior is None or self.posterior is None:
            return self.belief_change
        return self.prior != self.posterior


def read_pairs(file: Path) -> list[Pair]:
    """The pairs of a CSV file, gzipped if its name ends in `.gz`, with columns in any order; others are left aside.

    A file without `previous_correct` is taken for pairs after a right answer if its name begins with `correct`, and after a
    wrong one if it begins with `incorrect`, as the files of `vafa2024` are named. Raises `BadFile`, with the line.
    """
    table = read_table(file, NEEDED)
    given: dict[str, Any] = {} if "previous_correct" in table.names else {"previous_correct": _told_by_name(file)}
    pairs = []
    for line, row in table.rows:
        try:
            pairs.append(_pair(row, given))
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None
    if not pairs:
        raise BadFile(file, "no pairs are below its first line")
    return pairs


def write_pairs(file: Path, pairs: Iterable[Pair]) -> None:
    """Write pairs as `read_pairs` reads them; columns beyond the needed ones are left out where no pair has a value."""
    rows = [{name: _as_cell(getattr(pair, name)) for name in _NAMES} for pair in pairs]
    plain = {"stage": "", "person": "", "weight": "1.0"}
    kept = [name for name in _NAMES if name in _ALWAYS or any(row[name] != plain.get(name, "") for row in rows)]
    out = io.StringIO()
    table = csv.DictWriter(out, kept, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    write_whole(file, out.getvalue())


def labelled(pairs: Iterable[Pair]) -> list[Pair]:
    """Those of which it is known whether the belief changed."""
    return [pair for pair in pairs if pair.changed is not None]


_NAMES: Final = tuple(field.name for field in fields(Pair))
_ALWAYS: Final = (*NEEDED, "previous_correct", "belief_change")


def _pair(cells: dict[str, str], given: dict[str, Any]) -> Pair:
    for name in ("q1", "q2"):
        if not cells[name].strip() or len(cells[name]) > LONGEST:
            raise BadInput(f"{name} has {len(cells[name])} characters; a question has 1 to {LONGEST}")
    read = {name: _READ[name](cells[name].strip(), name) for name in _READ if cells.get(name, "").strip()}
    values: dict[str, Any] = {name: cells[name] for name in NEEDED} | {"person": cells.get("person", "").strip()} | given | read
    if "previous_correct" not in values:
        raise BadInput("previous_correct is empty: 1 if the first question was answered right, else 0")
    return Pair(**values)


def _told_by_name(file: Path) -> bool:
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
        raise BadInput(f"{name} is {cell[:40]!r}: it is a whole number up to {LAST_STAGE}")
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
    """Average beliefs that a question is answered right, as in Appendix C of `vafa2024`.

    The paper's text gives no numbers; these are the ones under which its Tables 2 and 5 come out to the last digit.

    >>> [round(float(b), 4) for b in Beliefs().after([0.0, 1.0, 0.5], [True, True, False])]
    [0.629, 0.663, 0.59]
    """

    prior: float = 0.629
    after_right: float = 0.663
    """Mean belief about another question once one was seen answered right."""
    after_wrong: float = 0.551

    def __post_init__(self) -> None:
        for name, value in (("prior", self.prior), ("after right", self.after_right), ("after wrong", self.after_wrong)):
            if not 0 <= value <= 1:
                raise BadInput(f"the belief {name} is {value}: it is from 0 to 1")

    def after(self, change: ArrayLike, previous_correct: ArrayLike) -> Floats:
        """Posterior beliefs: a mixture of no change, which leaves the prior, and a change to the mean after such an answer.

        Parameters
        ----------
        change: predicted chance that the belief changes, one a pair.
        previous_correct: whether the answer that was shown was right, one a pair.
        """
        chance = np.asarray(change, dtype=float)
        reached = np.where(np.asarray(previous_correct, dtype=bool), self.after_right, self.after_wrong)
        return np.asarray((1 - chance) * self.prior + chance * reached, dtype=float)


@dataclass(frozen=True, slots=True)
class PredictionOrigin:
    """What gave the chances, and where the pairs are from."""

    predictor: str = ""
    source: str = ""
    """Name of the file of the pairs."""
    digest: str = ""
    """SHA-256 in hex of that file."""
    seed: int = 0
    in_sample: bool = False
    """Whether the predictor was fitted on these very pairs."""
    unlabelled: int = 0
    """Pairs that were left out before, because they have no label."""
    notes: tuple[str, ...] = ()
    """How the chances were obtained, where there is something to say about it; each in a sentence."""

    def signature(self, examination: str, settings: Mapping[str, Any]) -> Signature:
        """The signature of a finding on these."""
        return Signature(
            version=__version__,
            examination=examination,
            candidate=self.predictor or "chances",
            scope=self.source or "pairs",
            scope_digest=self.digest,
            seed=self.seed,
            settings=settings,
        )
