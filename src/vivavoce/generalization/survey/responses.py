"""Answers of participants with all that an export tells of them: arm, wave, own answer, what is flagged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.tables import read_table
from vivavoce.generalization.pairs import NEEDED, Pair, read_pairs
from vivavoce.generalization.survey.arms import Arm
from vivavoce.generalization.survey.signals import FLAGS
from vivavoce.generalization.tables import flag
from vivavoce.statistics.clustered import Groups

MOST_WAVE: Final = 9_999


@dataclass(frozen=True, slots=True)
class SurveyResponse:
    """One answer: what somebody believed about a pair, before and after."""

    pair: Pair
    arm: str = ""
    """Empty where the survey has no arms."""
    wave: int = 1
    second_correct: bool | None = None
    """Whether the second question is answered right; None where that is not known."""
    own_asked: bool = False
    """Whether the survey asks participants for own answers."""
    own_right: bool | None = None
    """Whether the participant's own answer to the second question is right; None where that is not known."""
    flags: frozenset[str] = frozenset()
    """About the participant."""

    @property
    def change(self) -> float:
        """How far the belief moved; 0 where one of the two is not there."""
        pair = self.pair
        return 0.0 if pair.prior is None or pair.posterior is None else pair.posterior - pair.prior

    @property
    def misplaced(self) -> bool | None:
        """Whether trust rose after a right answer although the second is wrong; None where that is not known."""
        if self.second_correct is None:
            return None
        return self.pair.previous_correct and not self.second_correct and self.change > 0


def read_responses(file: Path) -> list[SurveyResponse]:
    """The answers of an export's table, in its order; columns that are missing say nothing. Raises `BadFile`, with the line."""
    pairs, table = read_pairs(file), read_table(file, NEEDED)
    asked = "own_right" in table.names
    found = []
    for pair, (line, row) in zip(pairs, table.rows, strict=True):
        try:
            said = {name: read(row[name].strip()) for name, read in _READ.items() if row.get(name)}
            found.append(SurveyResponse(pair, own_asked=asked, **said))
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None
    return found


def with_both_beliefs(responses: Sequence[SurveyResponse]) -> list[SurveyResponse]:
    """Those with both beliefs."""
    return [one for one in responses if one.pair.prior is not None and one.pair.posterior is not None]


def groups_of(pairs: Sequence[Pair]) -> Groups:
    """Answers go together by person, where that is known, and by pair."""
    return [
        {("pair", pair.q1, pair.q2, pair.previous_correct), *([("person", pair.person)] if pair.person else [])}
        for pair in pairs
    ]


def _flags(cell: str) -> frozenset[str]:
    flags = frozenset(cell.split())
    if unknown := flags - FLAGS.keys():
        raise BadInput(f"flags are {', '.join(FLAGS)}, not {sorted(unknown)[0][:40]!r}")
    return flags


def _wave(cell: str) -> int:
    if not (cell.isascii() and cell.isdigit() and 1 <= int(cell[:9]) <= MOST_WAVE):
        raise BadInput(f"wave is {cell[:40]!r}: it is a whole number from 1")
    return int(cell)


_READ: Final[dict[str, Callable[[str], Any]]] = {
    "arm": lambda cell: str(Arm.named(cell)) if cell else "",
    "wave": _wave,
    "second_correct": lambda cell: flag(cell, "second_correct") if cell else None,
    "own_right": lambda cell: flag(cell, "own_right") if cell else None,
    "flags": _flags,
}
