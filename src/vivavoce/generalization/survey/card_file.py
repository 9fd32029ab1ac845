"""The cards of a survey, pairs of questions with the shown answer, and the files that hold them.

Files are CSV with a header, or JSON Lines, also gzipped, with the columns `q1,q2,source1,source2,shown,previous_correct` in any
order. Optional columns are `by` (machine or person), `weight` (how many pairs it represents) and `stage`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Final, Literal

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import JSON_LINES, ending, json_lines, write_whole
from vivavoce.formats.tables import read_table
from vivavoce.generalization.pairs import HEAVIEST, flag, weight

LONGEST_QUESTION: Final = 20_000
"""Characters of a question or an answer on a card."""
By = Literal["machine", "person"]
"""The author of a shown answer."""


@dataclass(frozen=True, slots=True)
class SurveyCard:
    """A pair of questions with the answer to the first, which is shown between the two beliefs about the second."""

    number: int
    """In its survey, from 1."""
    q1: str
    """The question whose answer is shown."""
    q2: str
    """The question that the beliefs are about."""
    source1: str
    """Task of the first question."""
    source2: str
    shown: str
    """The answer to the first."""
    previous_correct: bool
    """Whether that answer is right; respondents see this."""
    by: By = "machine"
    weight: float = 1.0
    """How many pairs of the pool it represents, up to a factor."""
    stage: int | None = None

    def __post_init__(self) -> None:
        for name, text in (("q1", self.q1), ("q2", self.q2), ("the shown answer", self.shown)):
            if not text.strip() or len(text) > LONGEST_QUESTION:
                raise BadInput(f"{name} has {len(text)} characters: a card needs 1 to {LONGEST_QUESTION}")
        if self.by not in ("machine", "person"):
            raise BadInput(f"an answer is by {str(self.by)[:40]!r}: write 'machine' or 'person'")
        if not 1 / HEAVIEST <= self.weight <= HEAVIEST:
            raise BadInput(f"the weight is {self.weight}: give a number from {1 / HEAVIEST:g} to {HEAVIEST:g}")


def checked_belief(belief: float) -> float:
    """The belief as a float. Raises `BadInput` unless it is from 0 to 1."""
    if not isfinite(belief) or not 0 <= belief <= 1:
        raise BadInput(f"a belief is {belief}: give a number from 0 to 1")
    return float(belief)


NEEDED: Final = ("q1", "q2", "source1", "source2", "shown", "previous_correct")
_MOST: Final = 1_000_000


def read_cards(file: Path) -> list[SurveyCard]:
    """Read the cards of a file, numbered from 1. Raises `BadFile`, with the line."""
    rows = json_lines(file) if ending(file) in JSON_LINES else read_table(file, NEEDED).rows
    cards: list[SurveyCard] = []
    for line, row in rows:
        if len(cards) == _MOST:
            raise BadFile(file, f"more than {_MOST} pairs: split the file", line=line)
        try:
            cards.append(_card(len(cards) + 1, row))
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None
    if not cards:
        raise BadFile(file, f"has no pairs: write rows with the columns {','.join(NEEDED)}")
    return cards


def write_cards(file: Path, cards: Iterable[SurveyCard]) -> None:
    """Write cards as JSON Lines, as `read_cards` reads them. Raises `BadFile`."""
    names = [name for name in SurveyCard.__dataclass_fields__ if name != "number"]
    rows = ({name: getattr(card, name) for name in names} for card in cards)
    known = ({name: value for name, value in row.items() if value is not None} for row in rows)
    write_whole(file, "".join(json.dumps(row) + "\n" for row in known))


def _card(number_: int, row: Mapping[str, Any]) -> SurveyCard:
    missing = [name for name in NEEDED if row.get(name) is None]
    if missing:
        raise BadInput(f"'{missing[0]}' is missing: write the columns {','.join(NEEDED)}")
    cells = {name: _as_text(value, name) for name, value in row.items() if name in SurveyCard.__dataclass_fields__}
    values: dict[str, Any] = {name: cells[name] for name in ("q1", "q2", "source1", "source2", "shown")}
    values |= {name: read(cells[name].strip(), name) for name, read in _READ.items() if cells.get(name, "").strip()}
    if "previous_correct" not in values:
        raise BadInput("previous_correct is empty: write 1 if the shown answer is right, else 0")
    return SurveyCard(number_, **values)


def _as_text(value: Any, name: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, str | int | float):
        return str(value)
    raise BadInput(f"{name} is a list or an object: write a text or a number")


def _stage(cell: str, name: str) -> int:
    if not (cell.isascii() and cell.isdigit() and len(cell) <= 6 and int(cell)):
        raise BadInput(f"{name} is {cell[:40]!r}: write a whole number from 1")
    return int(cell)


def _by(cell: str, name: str) -> str:
    if cell not in ("machine", "person"):
        raise BadInput(f"{name} is {cell[:40]!r}: write 'machine' or 'person'")
    return cell


_READ: Final[dict[str, Callable[[str, str], Any]]] = {
    "previous_correct": flag, "weight": weight, "stage": _stage, "by": _by,
}  # fmt: skip
