"""What a search for contradictions reports: how many boards by method, its course, the largest differences, the method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from vivavoce.consistency.chess.comparison import Comparison
from vivavoce.consistency.chess.config import THRESHOLDS, Method, SearchConfig
from vivavoce.consistency.chess.describe import board_pair
from vivavoce.consistency.chess.search.runs import Counted, Point, Run, Spread, methods_of, spread, spread_of
from vivavoce.formats.interval import Interval
from vivavoce.formats.wording import count
from vivavoce.report import figures
from vivavoce.report.blocks import Block, Column, Figure, Fold, InFull, InShort, Paragraph, Row, Section, Table
from vivavoce.report.cells import Cell
from vivavoce.report.figures import Axis, Line, Lines
from vivavoce.report.parts import method_of, paragraphs

MOST_IN_SHORT: Final = 3
"""Boards in a terminal."""
_HEADINGS: Final[dict[Counted, str]] = {
    "raw": "Boards as they were asked",
    "distinct": "Boards up to symmetry and the swap of colours",
    "families": "Families: boards with the same pieces and kings",
}
_HOW: Final[dict[Method, str]] = {
    "random": "Random search draws every board afresh.",
    "genetic": "Genetic search breeds: the fittest of a tenth of the population become parents, pairs exchange a pair of "
    "pieces, and every child is mutated in one of seven ways.",
    "archive": "Archive search keeps the fittest board for each set of pieces, distance of the kings and distance from "
    "the edge of the king to move, and mutates boards drawn from all of these alike. A mutant that is an image of a board seen "
    "before is drawn again.",
}


def tables(runs: Sequence[Run]) -> tuple[Section, ...]:
    """For each way of counting the boards above each threshold by method: their mean over the seeds, the least and the most."""
    return tuple(Section(heading, (_table(runs, what),)) for what, heading in _HEADINGS.items())


def courses(runs: Sequence[Run], config: SearchConfig) -> tuple[Figure, ...]:
    """The number of distinct finds and the largest difference by evaluations: means over seeds, from least to most."""
    after = f"After {count(config.evaluations)} evaluations, on average"
    distinct = f"Distinct boards with a difference above {config.threshold:g}"
    return (
        _course(runs, distinct, after, lambda point: point.distinct, lambda value: count(round(value))),
        _course(runs, "Largest difference so far", after, lambda point: point.largest, "{:.2f}".format),
    )


def _course(
    runs: Sequence[Run], what: str, after: str, height: Callable[[Point], float], write: Callable[[float], str]
) -> Figure:
    lines, ends = [], []
    for method in methods_of(runs):
        by_look = zip(*(run.course for run in runs if run.method == method), strict=True)
        points = tuple(_mean(look, height) for look in by_look)
        lines.append(Line(f"{method} search", points, marked=False, band=True))
        ends.append(f"{method} search {write(points[-1].y)}")
    most = max(point.x for line in lines for point in line.points)
    top = max(point.interval.upper for line in lines for point in line.points if point.interval)
    alt = f"{what}. {after}: {', '.join(ends)}. Bands reach from the least run to the greatest."
    upwards = Axis(what, span=(0.0, max(1.05 * top, 0.1)))
    return Figure(Lines(Axis("Evaluations", span=(0.0, most), whole=True), upwards, tuple(lines), alt, height_inches=2.6))


def _mean(look: Sequence[Point], height: Callable[[Point], float]) -> figures.Point:
    found = spread([height(point) for point in look])
    return figures.Point(look[0].evaluations, found.mean, Interval(found.least, found.most))


def largest_differences(examples: Sequence[Comparison], threshold: float) -> Section:
    """The largest differences on boards; in a terminal as positions."""
    boards: tuple[Block, ...] = tuple(map(board_pair, examples)) or paragraphs(f"No difference was above {threshold}.")
    lines = paragraphs(*map(_line, examples[:MOST_IN_SHORT]))
    about = "One of each family. Arrows show the engine’s best moves, bars its evaluations from −1 (lost) to 1 (won)."
    return Section("The largest differences", (InFull((Paragraph(about, quiet=True), *boards)), InShort(lines)))


def method(runs: Sequence[Run], config: SearchConfig) -> Fold:
    """How boards were searched."""
    images = "its rotation by 180°" if config.half_turn_only else "its seven other orientations"
    return method_of(
        (
            "Each side has its king and the same three pieces, drawn from one set of chessmen; there are no pawns and no "
            f"castling, so a turned board is worth the same. A board costs {config.cost} evaluations: itself and {images}. "
            "What a run asks again costs nothing.",
            *(_HOW[way] for way in methods_of(runs)),
            f"Largest and smallest of {config.seeds} runs are given with each mean."
            if config.seeds > 1
            else "There was one run a method.",
            f"Children that were not wanted, mostly not legal, were drawn again: {count(sum(run.redrawn for run in runs))} "
            f"times in all. Where that failed for good, {count(sum(run.given_up for run in runs))} times, a fresh board or "
            "the parents took their place.",
        )
    )


def _table(runs: Sequence[Run], what: Counted) -> Table:
    return Table(
        (Column("Difference"), *(Column(f"> {threshold:g}") for threshold in THRESHOLDS)),
        tuple(
            Row(Cell(way), tuple(_cell(spread_of(runs, way, what, threshold)) for threshold in THRESHOLDS))
            for way in methods_of(runs)
        ),
    )


def _cell(spread: Spread) -> Cell:
    mean = count(round(spread.mean)) if spread.mean >= 10 or spread.mean == round(spread.mean) else f"{spread.mean:.1f}"
    if spread.least == spread.most:
        return Cell(mean, spread.mean)
    ends = f"{count(round(spread.least))}–{count(round(spread.most))}"
    return Cell(mean, spread.mean, below=(ends,), short=f"{mean} ({ends})")


def _line(comparison: Comparison) -> str:
    first, second = comparison.first, comparison.second
    return f"{first.evaluation.q:+.3f} and {second.evaluation.q:+.3f}: {first.fen} · {comparison.label}"
