"""What a rehearsal of a survey reports: stages, the generalisation function, and the method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, percent
from vivavoce.generalization.simulation.rehearse import ANSWERS_EACH, HELD_OUT, TENTHS, RehearsedStage
from vivavoce.generalization.simulation.rehearse import PairGroup
from vivavoce.report.blocks import Column, Fold, Row, Table
from vivavoce.report.cells import Cell, share_cell
from vivavoce.report.figures import Axis, Line, Lines, Point
from vivavoce.report.parts import method_of

ABOUT_CELLS: Final = (
    "All stages together: what is true of each sort of pair, what the weighted answers say of it, and what they would say "
    "without weights."
)


def yield_lines(stages: Sequence[RehearsedStage], truth: float) -> Lines:
    """Share of changes by stage: as they come, and weighted, beside what is true of all pairs."""
    came = ", ".join(percent(stage.changed.value or 0.0) for stage in stages)
    alt = (
        f"Share of answers that are a change of belief, by stage: {came}. Weighted shares stay about the true one of "
        f"{percent(truth)}. Bars are 95% intervals."
    )
    lines = (
        Line("as drawn", Point.all_of((one.number - 0.08 for one in stages), (one.changed for one in stages))),
        Line("weighted", Point.all_of((one.number + 0.08 for one in stages), (one.weighted for one in stages))),
    )
    top = max(point.interval.upper for line in lines for point in line.points if point.interval)
    across = Axis("RehearsedStage", span=(0.5, len(stages) + 0.5), ticks=tuple((one.number, str(one.number)) for one in stages))
    upwards = Axis("Answers that are a change (%)", "percent", span=(0.0, 1.1 * top))
    return Lines(across, upwards, lines, alt, (truth, "true of all pairs"))


def ranking_lines(stages: Sequence[RehearsedStage]) -> Lines:
    """Share of changes by tenth of the ranking, for the first, the middle and the last predictor (Figure 3 of `vafa2024`)."""
    first, last = stages[0], stages[-1]
    alt = (
        f"Share of changes among pairs nobody was asked about, by tenth of the predictor's ranking, the likeliest first: "
        f"after stage {first.number} from {percent(first.tenths[0])} in the top tenth to {percent(first.tenths[-1])} in the "
        f"bottom tenth, after stage {last.number} from {percent(last.tenths[0])} to {percent(last.tenths[-1])}."
    )
    shown = [stages[place] for place in sorted({0, len(stages) // 2, len(stages) - 1}, reverse=True)]
    lines = tuple(
        Line(
            f"after stage {stage.number}",
            tuple(Point((place + 0.5) / TENTHS, share) for place, share in enumerate(stage.tenths)),
            marked=False,
        )
        for stage in shown
    )
    top = max(point.y for line in lines for point in line.points)
    across = Axis("Place in the ranking (%), the likeliest first", "percent", span=(0.0, 1.0))
    return Lines(across, Axis("Held-out pairs that change a belief (%)", "percent", span=(0.0, 1.05 * top or 1.0)), lines, alt)


def stage_table(stages: Sequence[RehearsedStage]) -> Table:
    """What each stage yields, and how well the predictor that is fitted after it ranks pairs."""
    columns = (Column("RehearsedStage"), Column("Changes"), Column("Weighted"), Column("AUC after it"))
    rows = tuple(
        Row(
            Cell(str(stage.number), stage.number),
            (share_cell(stage.changed), share_cell(stage.weighted), Cell(f"{stage.auc:.2f}", stage.auc)),
        )
        for stage in stages
    )
    return Table(columns, rows)


def group_table(groups: Sequence[PairGroup]) -> Table:
    """What is true of each sort of pairs, and what all stages say."""
    columns = (Column("Pairs"), Column("True"), Column("Weighted"), Column("Unweighted"))
    return Table(
        columns,
        tuple(Row(Cell(of.name), (_plain(of.truth), share_cell(of.weighted), _plain(of.unweighted))) for of in groups),
    )


def test_in_words(test: Estimate) -> str:
    """How often beliefs changed in the test stage, in a sentence."""
    share = share_cell(test)
    return f"Test stage: {share.text} of its pairs {share.interval} changed most people's belief."


def rehearsal_method(settings: Mapping[str, Any], predictor: str) -> Fold:
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
