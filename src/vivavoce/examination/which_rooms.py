"""Which rooms fit a candidate and are wanted, the cheapest first, and why the others are skipped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from vivavoce.errors import BadInput
from vivavoce.examination.answer import SkippedRoom
from vivavoce.examination.part import CostEstimate, ExaminationConfig, Nature, Part
from vivavoce.examination.plan_file import files_of
from vivavoce.examination.rooms import PARTS

IN_WORDS: Final[Mapping[Nature, str]] = {
    "model": "a language model",
    "bot": "a built-in bot",
    "recording": "a recording",
    "engine": "a chess engine",
}
LEFT_OUT: Final = "left out by the plan"


@dataclass(frozen=True, slots=True)
class PlannedPart:
    """An examination that will run, and its cost."""

    part: Part
    cost_estimate: CostEstimate


@dataclass(frozen=True, slots=True)
class ExaminationOutlook:
    """What an examination will do, told before the first question."""

    rooms: tuple[PlannedPart, ...]
    """In the order in which they are examined: the cheapest first."""
    absent: tuple[SkippedRoom, ...]
    files: tuple[tuple[str, str], ...] = ()
    """Name and digest of each file and scope that the plan names."""


def look_ahead(examination: ExaminationConfig, candidate: object) -> ExaminationOutlook:
    """Which rooms will be examined, and at what cost.

    Raises `BadInput` for a plan that names what cannot be used, before anything is asked.
    """
    rooms, absent = [], []
    for part in PARTS:
        named = examination.plan.rooms is not None and part.room in examination.plan.rooms
        has_section = part.section is not None and examination.plan.section(part.section) is not None
        if not (part.always_listed or named or has_section):
            continue
        if examination.nature not in part.natures:
            absent.append(SkippedRoom(part.room, f"not for {IN_WORDS[examination.nature]}", fits=False))
            continue
        is_left_out = examination.plan.rooms is not None and not named
        if reason := LEFT_OUT if is_left_out else part.absent(examination):
            absent.append(SkippedRoom(part.room, reason))
        else:
            rooms.append(PlannedPart(part, part.cost_estimate(examination, candidate)))
    if not rooms:
        reasons = "; ".join(f"{one.room}: {one.reason}" for one in absent if one.reason != LEFT_OUT)
        raise BadInput(f"nothing to examine: {reasons}")
    rooms.sort(key=lambda one: (one.cost_estimate.money, one.cost_estimate.tokens, one.cost_estimate.calls))
    digests = {name: task.scope.digest for name, task in examination.tasks.items()}
    return ExaminationOutlook(tuple(rooms), tuple(absent), files_of(examination.plan, digests))
