"""Cards in a file: pairs of questions with the answer that is shown, from wherever, people included.

CSV (a header, then rows) or JSON Lines, also gzipped. Columns, in any order: `q1,q2,source1,source2,shown,previous_correct`;
where there is something to say also `by` (machine or person), `weight` (how many pairs it stands for), `stage`, and for arms
of a survey `explanation`, `confidence` (0 to 1) and `second_correct` (1 if the second question is answered right).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Final, Literal, Self

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import JSON_LINES, ending, json_lines, write_whole
from vivavoce.formats.tables import read_table
from vivavoce.generalization.pairs import HEAVIEST, chance, flag, weight

LONGEST_QUESTION: Final = 20_000
"""Characters of a question or an answer on a card."""
By = Literal["machine", "person"]
"""Who gave the answer that a card shows."""


@dataclass(frozen=True, slots=True)
class SeenAnswer:
    """A question, an answer to it, and whether that is right."""

    question: str
    answer: str
    right: bool


@dataclass(frozen=True, slots=True)
class CardExtras:
    """What some arms show beside a card's answer, and what nobody is shown."""

    explanation: str = ""
    """Why the answerer says that this is the answer; empty where it was not asked."""
    confidence: float | None = None
    """How sure the answerer says that it is, from 0 to 1; None where it was not asked."""
    more: tuple[SeenAnswer, ...] = ()
    """Answers of the same answerer to other questions."""
    second_correct: bool | None = None
    """Whether the second question is answered right; None where it was not put to the answerer. Nobody is shown it."""

    def __post_init__(self) -> None:
        if len(self.explanation) > LONGEST_QUESTION:
            raise BadInput(f"an explanation has {len(self.explanation)} characters: {LONGEST_QUESTION} are the most")
        if self.confidence is not None:
            checked_belief(self.confidence)

    def as_json(self) -> dict[str, Any]:
        """As it is kept."""
        return asdict(self)

    @classmethod
    def from_json(cls, kept: Mapping[str, Any] | None) -> Self:
        """What was kept; nothing where a survey was made without."""
        given = dict(kept or {})
        return cls(**{**given, "more": tuple(SeenAnswer(**one) for one in given.get("more", ()))})


@dataclass(frozen=True, slots=True)
class SurveyCard:
    """One pair of questions, with the answer to the first that is shown between the two beliefs about the second."""

    number: int
    """In its survey, from 1."""
    q1: str
    """Whose answer is shown."""
    q2: str
    """Which the beliefs are about."""
    source1: str
    """Task that the first question is from."""
    source2: str
    shown: str
    """The answer to the first."""
    previous_correct: bool
    """Whether that answer is right, as graded; respondents are told."""
    by: By = "machine"
    weight: float = 1.0
    """How many pairs of the pool it stands for, up to a factor."""
    stage: int | None = None
    extras: CardExtras = CardExtras()

    def __post_init__(self) -> None:
        for name, text in (("q1", self.q1), ("q2", self.q2), ("the shown answer", self.shown)):
            if not text.strip() or len(text) > LONGEST_QUESTION:
                raise BadInput(f"{name} has {len(text)} characters: on a card it has 1 to {LONGEST_QUESTION}")
        if self.by not in ("machine", "person"):
            raise BadInput(f"an answer is by 'machine' or 'person', not {str(self.by)[:40]!r}")
        if not 1 / HEAVIEST <= self.weight <= HEAVIEST:
            raise BadInput(f"the weight {self.weight} is none: it is above 0, from {1 / HEAVIEST:g} to {HEAVIEST:g}")


def checked_belief(belief: float) -> float:
    """A belief as it is kept, from 0 to 1. Raises `BadInput`."""
    if not isfinite(belief) or not 0 <= belief <= 1:
        raise BadInput(f"a belief is from 0 to 1, not {belief}")
    return float(belief)


NEEDED: Final = ("q1", "q2", "source1", "source2", "shown", "previous_correct")
_MOST: Final = 1_000_000


def read_cards(file: Path) -> list[SurveyCard]:
    """The cards of a file, numbered from 1. Raises `BadFile`, with the line."""
    rows = json_lines(file) if ending(file) in JSON_LINES else read_table(file, NEEDED).rows
    cards: list[SurveyCard] = []
    for line, row in rows:
        if len(cards) == _MOST:
            raise BadFile(file, f"more than {_MOST} pairs: split it", line=line)
        try:
            cards.append(_card(len(cards) + 1, row))
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None
    if not cards:
        raise BadFile(file, f"holds no pairs; it has the columns {','.join(NEEDED)}")
    return cards


def write_cards(file: Path, cards: Iterable[SurveyCard]) -> None:
    """Write cards as JSON Lines, as `read_cards` reads them. Raises `BadFile`."""
    names = [name for name in SurveyCard.__dataclass_fields__ if name not in ("number", "extras")]
    rows = (
        {name: getattr(card, name) for name in names}
        | {name: getattr(card.extras, name) or None for name in _TEXTS}
        | {name: getattr(card.extras, name) for name in _EXTRA}
        for card in cards
    )
    given = ({name: value for name, value in row.items() if value is not None} for row in rows)
    write_whole(file, "".join(json.dumps(row) + "\n" for row in given))


def _card(number_: int, row: Mapping[str, Any]) -> SurveyCard:
    missing = [name for name in NEEDED if row.get(name) is None]
    if missing:
        raise BadInput(f"'{missing[0]}' is missing: pairs have {','.join(NEEDED)}")
    known = {*SurveyCard.__dataclass_fields__, *_TEXTS, *_EXTRA}
    cells = {name: _as_text(value, name) for name, value in row.items() if name in known}
    values: dict[str, Any] = {name: cells[name] for name in ("q1", "q2", "source1", "source2", "shown")}
    values |= {name: read(cells[name].strip(), name) for name, read in _READ.items() if cells.get(name, "").strip()}
    if "previous_correct" not in values:
        raise BadInput("previous_correct is empty: 1 if the shown answer is right, else 0")
    extras: dict[str, Any] = {name: cells[name].strip() for name in _TEXTS if cells.get(name, "").strip()}
    extras |= {name: read(cells[name].strip(), name) for name, read in _EXTRA.items() if cells.get(name, "").strip()}
    return SurveyCard(number_, **values, extras=CardExtras(**extras))


def _as_text(value: Any, name: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, str | int | float):
        return str(value)
    raise BadInput(f"{name} is a list or an object: it is a text or a number")


def _stage(cell: str, name: str) -> int:
    if not (cell.isascii() and cell.isdigit() and len(cell) <= 6 and int(cell)):
        raise BadInput(f"{name} is {cell[:40]!r}: it is a whole number from 1")
    return int(cell)


def _by(cell: str, name: str) -> str:
    if cell not in ("machine", "person"):
        raise BadInput(f"{name} is {cell[:40]!r}: it is 'machine' or 'person'")
    return cell


_READ: Final[dict[str, Callable[[str, str], Any]]] = {
    "previous_correct": flag, "weight": weight, "stage": _stage, "by": _by,
}  # fmt: skip
_TEXTS: Final = ("explanation",)
_EXTRA: Final[dict[str, Callable[[str, str], Any]]] = {"confidence": chance, "second_correct": flag}
