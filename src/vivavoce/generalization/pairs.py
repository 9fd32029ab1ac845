"""Pairs of questions: what somebody saw a model do with the first, and what that did to their belief about the second."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import write_whole
from vivavoce.formats.tables import read_table
from vivavoce.generalization.tables import LAST_STAGE, chance, flag, number, weight

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
