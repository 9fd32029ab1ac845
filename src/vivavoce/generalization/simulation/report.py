"""What a rehearsal of a survey reports: stages, the generalisation function, and the method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, percent
from vivavoce.generalization.simulation.rehearse import ANSWERS_EACH, HELD_OUT, Stage
from vivavoce.generalization.simulation.rehearse import Cell as Sort
from vivavoce.report.blocks import Column, Fold, Row, Table
from vivavoce.report.cells import Cell, share_cell
from vivavoce.report.parts import method_of

ABOUT_CELLS: Final = (
    "All stages together: what is true of each sort of pair, what the weighted answers say of it, and what they would say "
    "without weights."
)


@dataclass(frozen=True, slots=True)
class YieldFigure:
    """Share of changes by stage: as they come, and weighted, beside what is true of all pairs."""

    plot: ClassVar[str] = "vivavoce.generalization.simulation.plots:yield_drawing"
    stages: tuple[Stage, ...]
    truth: float


@dataclass(frozen=True, slots=True)
class RankingFigure:
    """Share of changes by tenth of the ranking, for the first, the middle and the last predictor (Figure 3 of `vafa2024`)."""

    plot: ClassVar[str] = "vivavoce.generalization.simulation.plots:ranking_drawing"
    stages: tuple[Stage, ...]


def by_stage(stages: Sequence[Stage]) -> Table:
    """What each stage yields, and how well the predictor that is fitted after it ranks pairs."""
    columns = (Column("Stage"), Column("Changes"), Column("Weighted"), Column("AUC after it"))
    rows = tuple(
        Row(
            Cell(str(stage.number), stage.number),
            (share_cell(stage.changed), share_cell(stage.weighted), Cell(f"{stage.auc:.2f}", stage.auc)),
        )
        for stage in stages
    )
    return Table(columns, rows)


def by_cell(sorts: Sequence[Sort]) -> Table:
    """What is true of each sort of pairs, and what all stages say."""
    columns = (Column("Pairs"), Column("True"), Column("Weighted"), Column("Unweighted"))
    return Table(
        columns,
        tuple(Row(Cell(of.name), (_plain(of.truth), share_cell(of.weighted), _plain(of.unweighted))) for of in sorts),
    )


def of_test(test: Estimate) -> str:
    """How often beliefs changed in the test stage, in a sentence."""
    share = share_cell(test)
    return f"Test stage: {share.text} of its pairs {share.interval} changed most people's belief."


def method(settings: Mapping[str, Any], predictor: str) -> Fold:
    """How the numbers were found."""
    return method_of(
        (
            f"From a pool of {count(settings['pool'])} random pairs each stage draws {count(settings['answers'])}: the first "
            f"uniformly, each later one {percent(1 - settings['epsilon'])} from the top {percent(settings['top'])} of the "
            f"ranking of the predictor “{predictor}”, refitted to all answers so far, and the rest from below it. Each pair's "
            "weight is the number of pairs of the pool that it stands for.",
            f"AUC and rankings are those of the predictor fitted after the stage, on {count(HELD_OUT)} other pairs.",
            f"The test stage draws {count(settings['test'])} pairs, two thirds from the top hundredth of the last ranking and "
            f"one third from the bottom hundredth, and puts each to {ANSWERS_EACH} people; the majority counts.",
        )
    )


def _plain(share: float) -> Cell:
    return Cell(percent(share), share)
