"""How far accuracy drops from a benchmark to a model's own questions, by category and over models, as blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from vivavoce.eqt.drop import DropTrend
from vivavoce.eqt.pairing import Pairing
from vivavoce.eqt.report.cells import called, points_cell
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count, percent, percent_interval, signed, signed_interval
from vivavoce.report.blocks import Block, Column, Figure, Fold, InFull, InShort, Row, Section, Table
from vivavoce.report.cells import Cell, observations
from vivavoce.report.parts import notes
from vivavoce.report.wording import p_in_words

MOST_DRAWN: Final = 6
"""Models with a picture of their own."""
MOST_ROWS: Final = 24
"""Categories in a picture."""


@dataclass(frozen=True, slots=True)
class BenchmarkBars:
    """One model by category: the benchmark's accuracy solid, that on its own questions hatched (Figure 2 of the paper)."""

    plot: ClassVar[str] = "vivavoce.eqt.report.benchmark_plots:benchmark_bars_drawing"
    benchmark: str
    model: str
    pairings: tuple[Pairing, ...]


def bars(benchmark: str, pairings: Sequence[Pairing], models: Sequence[str]) -> tuple[Block, ...]:
    """A figure for each model that there is room for, and a table of all of them."""
    found = {model: tuple(one for one in pairings if one.model == model) for model in models}
    figures = tuple(
        Figure(BenchmarkBars(benchmark, model, own[:MOST_ROWS]), _BARS, title=called(model))
        for model, own in list(found.items())[:MOST_DRAWN]
    )
    every = [one for own in found.values() for one in own[:MOST_ROWS]]
    left = f"… and {count(len(pairings) - MOST_ROWS)} more on the page and in the JSON." if len(pairings) > MOST_ROWS else ""
    table = _table(tuple(_row(Cell(called(one.category), below=(called(one.model),)), one) for one in every))
    short = _table(tuple(_row(Cell(f"{called(one.model)}, {called(one.category)}"), one) for one in every[:MOST_ROWS]))
    in_full = Section("By category, in both tests", (*figures, Fold("The same in numbers", (table,), main=True)))
    return InFull((in_full,)), InShort((short, *notes(left)))


def dropping(trend: DropTrend | None) -> Section:
    """Whether better models drop more: the plain slope, and the one without regression to the mean."""
    if trend is None:
        return Section("Do better models drop more?", (InFull(notes(_NO_HALVES)),))
    rows = (
        Row(
            Cell("On the benchmark’s accuracy", below=("as the paper reads it; regression to the mean is in it",)),
            (_slope(trend.plain), Cell("not given", quiet=True, known=False)),
        ),
        Row(
            Cell("On the mean of both tests", below=("by split halves; regression to the mean is taken out",)),
            (_slope(trend.slope), Cell("unknown", known=False) if trend.p is None else Cell(p_in_words(trend.p), trend.p)),
        ),
    )
    columns = (
        Column("Slope of the drop", short="slope of the drop", percent=50),
        Column("Points a point"),
        Column("Of no slope"),
    )
    said = dropped_in_words(trend)
    return Section("Do better models drop more?", (*notes(said), Table(columns, rows), InFull(notes(_ABOUT))))


def dropped_in_words(trend: DropTrend | None) -> str:
    """Whether better models drop more, in a sentence; empty where it was not looked at."""
    if trend is None:
        return ""
    if trend.slope.value is None or trend.problem:
        return f"Whether better models drop more is not known: {trend.problem}."
    ends = trend.slope.interval
    verdict = (
        "Better models drop more"
        if ends.lower > 0
        else "Better models drop less"
        if ends.upper < 0
        else "That better models drop more is not shown"
    )
    slope = f"{signed(trend.slope.value)} {signed_interval(ends)}"
    return f"{verdict}: with regression to the mean removed, a point of ability goes with {slope} points of drop."


def _table(rows: tuple[Row, ...]) -> Table:
    """A row a model and category."""
    first = Column("Model and category", short="model and category", percent=34)
    columns = (first, Column("Benchmark"), Column("EQT"), Column("Drop"))
    return Table(columns, rows, name="Drop from the benchmark to explain-query-test")


def _row(name: Cell, one: Pairing) -> Row:
    cells = (_share(one.benchmark, one.benchmark_interval), _share(one.eqt, one.eqt_interval))
    drop = points_cell(one.drop)
    if one.eqt_interval is None or one.benchmark_interval is None:
        drop = Cell(drop.text, drop.value)
    else:
        drop = Cell(drop.text, drop.value, drop.bounds, drop.interval)
    return Row(name, (*cells, drop))


def _share(value: float, interval: Interval | None) -> Cell:
    return Cell(percent(value), value, interval, "" if interval is None else percent_interval(interval))


def _slope(estimate: Estimate) -> Cell:
    n = observations(estimate.n)
    if estimate.value is None:
        return Cell("unknown", n=n, known=False)
    bounded = math.isfinite(estimate.interval.lower) and math.isfinite(estimate.interval.upper)
    if not bounded:
        return Cell("unknown", below=("the interval has no end",), n=n, known=False)
    return Cell(signed(estimate.value), estimate.value, estimate.interval, signed_interval(estimate.interval), n)


_NO_HALVES: Final = (
    "That is not known: accuracies over halves of the questions are needed to tell it from regression to the mean. "
    "“viva eqt benchmark” writes them."
)
_BARS: Final = (
    "Accuracy in the benchmark, solid; on questions on its own explanations, hatched. Lines are 95% intervals, where known."
)
_ABOUT: Final = (
    "What is lucky in the benchmark is not lucky elsewhere: whoever sorts models by their benchmark sees the best drop most, "
    "even where neither test is harder for them. So ability is the mean of both tests, and each is split in halves: one orders "
    "the models, the other shows their drop."
)
