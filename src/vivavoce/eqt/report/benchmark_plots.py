"""The plot of explain-query-test compared with a benchmark: a point a model and category, as in Figure 3a of the paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean as mean
from typing import TYPE_CHECKING, Final

from vivavoce.eqt.report.benchmark import BenchmarkScatter
from vivavoce.eqt.report.cells import called
from vivavoce.eqt.report.comparison_plots import KEY_INCHES, LINES, LONGEST_KEY, keys
from vivavoce.eqt.report.drop import BenchmarkBars
from vivavoce.eqt.report.plots import HEAD_INCHES, LEFT, LONGEST_LABEL, ROW_INCHES, bars_key, plain_rows, short, two_bars
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count, percent, signed, signed_interval
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_POINTS: Final = 2_000
"""Small ones, of all models together."""
UNKNOWN: Final = Interval(-math.inf, math.inf)
PLOT_INCHES, FOOT_INCHES = 3.6, 0.6


def benchmark_scatter_drawing(data: BenchmarkScatter) -> Drawing | None:
    points = sum(len(pairings) for _, pairings in data.pairings)
    if not points:
        return None
    pearson = data.pearson
    how = "unknown" if pearson.value is None else f"{signed(pearson.value)} {signed_interval(pearson.interval)}"
    told = "; ".join(
        f"{called(model)} {percent(across)} and {percent(upwards)}"
        for (model, _), (across, upwards) in zip(data.pairings, _means(data), strict=True)
    )
    alt = (
        f"{count(points)} pairs of model and category by their accuracy in {called(data.benchmark)} (across) "
        f"and in the explain-query-test (upwards); correlation {how}. Means: {told}."
    )
    few = len(data.pairings) <= len(LINES)
    height = PLOT_INCHES + FOOT_INCHES + (KEY_INCHES * len(data.pairings) + 0.25 if few else 0.1)
    return Drawing(lambda figure: _draw(figure, data, few=few, height=height), alt, height)


def benchmark_bars_drawing(data: BenchmarkBars) -> Drawing | None:
    if not data.pairings:
        return None
    told = "; ".join(f"{short(one.category)} {percent(one.benchmark)} and {percent(one.eqt)}" for one in data.pairings)
    alt = f"{called(data.model)}: accuracy in {called(data.benchmark)} and in the explain-query-test by category: {told}."
    height = HEAD_INCHES + FOOT_INCHES + 1.15 * ROW_INCHES * len(data.pairings)
    return Drawing(lambda figure: _draw_bars(figure, data, height), alt, height)


def _draw_bars(figure: Figure, data: BenchmarkBars, height: float) -> None:
    axes = figure.add_axes((LEFT, FOOT_INCHES / height, 0.665, (height - HEAD_INCHES - FOOT_INCHES) / height))
    plain_rows(axes, [short(one.category) for one in data.pairings])
    for y, one in enumerate(data.pairings):
        theirs, ours = (
            Estimate(one.benchmark, one.benchmark_interval or UNKNOWN, 1),
            Estimate(one.eqt, one.eqt_interval or UNKNOWN, 1),
        )
        two_bars(axes, y, theirs, ours, height=0.36)
    axes.set_xlabel("accuracy")
    bars_key(axes, (called(data.benchmark)[:LONGEST_LABEL], "explain-query-test"))


def _draw(figure: Figure, data: BenchmarkScatter, *, few: bool, height: float) -> None:
    axes = figure.add_axes((0.145, FOOT_INCHES / height, 0.82, PLOT_INCHES / height))
    for number, (_, pairings) in enumerate(data.pairings):
        colour, mark, _ = LINES[number] if few else (canvas.BLUE, "o", "-")
        shown = pairings[: MOST_POINTS // len(data.pairings)]
        axes.plot(
            [pairing.benchmark for pairing in shown], [pairing.eqt for pairing in shown], mark, color=colour, alpha=0.55,
            markersize=5, markeredgewidth=0,
        )  # fmt: skip
    means = _means(data)
    for number, (x, y) in enumerate(means):
        colour, mark, _ = LINES[number] if few else (canvas.BLUE, "o", "-")
        axes.plot([x], [y], mark, color=colour, markersize=10, markeredgecolor=canvas.INK, markeredgewidth=1.2, zorder=4)
        crowded = any(0 <= there - x < 0.06 and abs(up - y) < 0.04 for there, up in means[:number] + means[number + 1 :])
        axes.annotate(
            str(number + 1), (x, y), (-8 if crowded else 8, 0), textcoords="offset points", size=10.5, va="center",
            ha="right" if crowded else "left", bbox=HALO, zorder=5,
        )  # fmt: skip
    every = [pairing for _, pairings in data.pairings for pairing in pairings]
    _span(axes, [pairing.benchmark for pairing in every], [pairing.eqt for pairing in every])
    axes.tick_params(length=0)
    axes.set_xlabel(f"accuracy in {called(data.benchmark)[:LONGEST_KEY]}")
    axes.set_ylabel("accuracy in explain-query-test")
    if few:
        keys(figure, [called(model)[:LONGEST_KEY] for model, _ in data.pairings], lines=False)


def _means(data: BenchmarkScatter) -> list[tuple[float, float]]:
    """Each model's mean in the benchmark and in explain-query-test."""
    return [
        (mean([pairing.benchmark for pairing in pairings]), mean([pairing.eqt for pairing in pairings]))
        for _, pairings in data.pairings
    ]


def _span(axes: Axes, across: Sequence[float], upwards: Sequence[float]) -> None:
    """Both axes over what is there, in round percents."""
    for values, limit, ticks in ((across, axes.set_xlim, axes.set_xticks), (upwards, axes.set_ylim, axes.set_yticks)):
        low, high = math.floor(min(values) * 10) / 10, math.ceil(max(values) * 10) / 10
        low, high = (low, high) if high > low else (low - 0.1, high + 0.1)
        limit(low - 0.02, high + 0.02)
        step = 0.1 if high - low < 0.65 else 0.2 if high - low < 1.3 else (high - low) / 5
        places = [low + step * place for place in range(int((high - low) / step + 1e-6) + 1)]
        ticks(places, [percent(round(place, 6)) for place in places])
