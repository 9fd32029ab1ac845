"""What the arms of a survey report: means, differences with intervals, with everybody and without the flagged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vivavoce.formats.wording import signed, signed_interval
from vivavoce.generalization.survey.effects import MEASURES, ArmFigures, BeliefMeasure
from vivavoce.report.blocks import Column, Row, Table
from vivavoce.report.cells import Cell, count_cell, score_cell, share_cell, signed_cell
from vivavoce.report.figures import IntervalRow, IntervalRows

HEADS: Final[dict[BeliefMeasure, str]] = {
    "before": "Belief before",
    "after": "Belief after",
    "change": "Change",
    "misplaced_trust": "Misplaced trust",
}
NAMES: Final = {
    "plain": "one answer alone",
    "explanation": "an explanation",
    "confidence": "the stated confidence",
    "card": "a model card",
}


def effect_rows(arms: Sequence[ArmFigures]) -> IntervalRows:
    """Differences of the arms from the first one, by measure."""
    reference, *others = arms
    rows = [
        IntervalRow.of(one.arm, signed(found.value), found, group=HEADS[measure])
        for measure in MEASURES
        for one in others
        if (found := one.differences[measure]).value is not None
    ]
    told = "; ".join(
        f"{one.arm} {signed(found.value)} {signed_interval(found.interval)}"
        for one in others
        if (found := one.differences["after"]).value is not None
    )
    alt = f"Differences from the arm {reference.arm} in four measures, with 95% intervals; of the belief after: {told}."
    axis = f"difference from the arm {reference.arm}"
    return IntervalRows(axis, rows, 0.0, "", alt, span=None)


def shown_in(arm: str) -> str:
    """What participants of an arm were shown, in words.

    >>> shown_in("card"), shown_in("answers:3")
    ('a model card', '3 answers')
    """
    return NAMES.get(arm) or f"{arm.removeprefix('answers:')} answers"


def means_table(arms: Sequence[ArmFigures]) -> Table:
    """Each arm's means over participants."""
    columns = (Column("Arm"), Column("Participants"), *(Column(HEADS[measure]) for measure in MEASURES))
    rows = (
        Row(Cell(one.arm), (count_cell(one.people), *(_cell(one, measure, signed=measure == "change") for measure in MEASURES)))
        for one in arms
    )
    return Table(columns, tuple(rows), name="Means of the arms")


def differences_table(arms: Sequence[ArmFigures]) -> Table:
    """Each arm's differences from the reference."""
    reference, *others = arms
    columns = (Column(f"Less {reference.arm}"), *(Column(HEADS[measure]) for measure in MEASURES))
    rows = (Row(Cell(one.arm), tuple(signed_cell(one.differences[measure]) for measure in MEASURES)) for one in others)
    return Table(columns, tuple(rows), name="Differences between arms")


def _cell(one: ArmFigures, measure: BeliefMeasure, *, signed: bool) -> Cell:
    if signed:
        return signed_cell(one.means[measure])
    return (share_cell if measure == "misplaced_trust" else score_cell)(one.means[measure])
