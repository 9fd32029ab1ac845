"""Plots of forecasts: how large contradictions are by law, pairs that should fit each other, and series over the years."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from vivavoce.consistency.forecasts.each import Scored
from vivavoce.consistency.forecasts.report.histograms import LawHistogram
from vivavoce.consistency.forecasts.report.shapes import ForecastPairs, ForecastSeries
from vivavoce.consistency.forecasts.report.worst import quantity
from vivavoce.consistency.forecasts.spread import has_spread
from vivavoce.consistency.forecasts.summary import BINS, Point, Summary
from vivavoce.consistency.forecasts.wording import law_name
from vivavoce.formats.wording import clipped, count, name_of, percent, score
from vivavoce.laws.metrics import FORMULA, STRONG
from vivavoce.laws.spread import box_of
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


WIDTH_INCHES, HEIGHT_INCHES = 2.4, 1.3
"""Of a panel: two stand side by side on a telephone."""


def law_histogram_drawing(data: LawHistogram) -> Drawing:
    row = data.summary
    return Drawing(partial(_draw, row=row, most=data.most), in_words(row), HEIGHT_INCHES, WIDTH_INCHES)


def in_words(row: Summary) -> str:
    """What the histogram shows."""
    least, most = (percent(row.histogram[place] / row.n) for place in (0, -1))
    at_least = "above" if row.law in FORMULA else "at least"
    return (
        f"{law_name(row.law)}, {name_of(row.forecaster)}: the metric is {at_least} {STRONG:g} in "
        f"{percent(row.strong.value or 0.0)} of {count(row.n)} tuples, {score(row.mean.value or 0.0)} on average; up to "
        f"{1 / BINS:g} in {least}, above {1 - 1 / BINS:g} in {most}."
    )


def _draw(figure: Figure, *, row: Summary, most: float) -> None:
    axes = figure.add_axes((0.17, 0.17, 0.8, 0.79))
    edges, shares = [place / BINS for place in range(BINS + 1)], [number / row.n for number in row.histogram]
    first = round(STRONG * BINS)
    axes.stairs(shares[:first], edges[: first + 1], fill=True, color=canvas.BLUE, linewidth=0)
    axes.stairs(shares[first:], edges[first:], fill=True, color=canvas.VERMILION, linewidth=0)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, most * 1.28)
    axes.grid(visible=False, axis="x")
    axes.axvline(STRONG, color=canvas.INK, linewidth=1, linestyle=(0, (4, 3)))
    axes.annotate(
        f"strong: {percent(row.strong.value or 0.0)}", (STRONG, 0.92), (4, 0), xycoords=("data", "axes fraction"),
        textcoords="offset points", size=TEXT, va="center", bbox=HALO,
    )  # fmt: skip
    step = 0.5 if most > 0.6 else 0.2 if most > 0.25 else 0.1
    ticks = [place * step for place in range(int(most / step + 1e-9) + 1)] or [0.0]
    axes.set_yticks(ticks, [percent(round(tick, 6)) for tick in ticks], size=TEXT)
    axes.set_xticks([0, STRONG, 0.6, 1], ["0", f"{STRONG:g}", "0.6", "1"], size=TEXT)
    axes.tick_params(length=0)


WIDTH_INCHES = 2.4
"""Of a panel: two stand side by side on a telephone."""
PAIRS_INCHES, SERIES_INCHES = 2.3, 1.7
TEXT = 9.5
"""Points; a panel is shown at about its own size."""
SIZES = (3.0, 5.0, 7.0, 9.0)
"""Diameters of marks in points, by how often a pair was given; so few, since marks of one size cost a tenth of the bytes."""
LONGEST_YEAR = 8
"""Characters below the axis."""
BOX = 0.6
"""Width of a box, as a share of the least distance of two years."""


def forecast_pairs_drawing(data: ForecastPairs) -> Drawing:
    row = data.summary
    return Drawing(partial(_draw_pairs, row=row), pairs_in_words(row), PAIRS_INCHES, WIDTH_INCHES)


def forecast_series_drawing(data: ForecastSeries) -> Drawing:
    return Drawing(partial(_draw_series, scored=data.scored), series_in_words(data.scored), SERIES_INCHES, WIDTH_INCHES)


def gap(row: Summary, point: Point) -> float:
    """How far a pair is from the line on which the two fit."""
    wanted = 1 - point.first if row.law == "neg" else point.first
    return round(abs(point.second - wanted), 9)


def pairs_in_words(row: Summary) -> str:
    """What a scatter shows."""
    total = sum(point.times for point in row.points)
    far = sum(point.times for point in row.points if gap(row, point) > STRONG)
    both = "an event and its negation" if row.law == "neg" else "two wordings of a question"
    return (
        f"{law_name(row.law)}, {name_of(row.forecaster)}: {count(total)} pairs of forecasts of {both}; {percent(far / total)} "
        f"are further than {STRONG:g} from the line on which they fit."
    )


def series_in_words(scored: Scored) -> str:
    """What a series shows."""
    said = ", ".join(f"{year}: {quantity(value)}" for year, value in _by_year(scored))
    return f"{law_name(scored.row.law)}, {name_of(scored.row.forecaster)}: {said}; metric {score(scored.metric or 0.0)}."


def _by_year(scored: Scored) -> list[tuple[str, float]]:
    by_year = sorted(scored.row.forecasts.items(), key=lambda one: float(one[0]))
    return [(year, value) for year, value in by_year if value is not None]


def _draw_pairs(figure: Figure, *, row: Summary) -> None:
    axes = figure.add_axes((0.28, 0.22, 0.62, 0.74))
    ends = (1.0, 0.0) if row.law == "neg" else (0.0, 1.0)
    lower, upper = ([end + side for end in ends] for side in (-STRONG, STRONG))
    axes.fill_between((0, 1), lower, upper, color=canvas.BLUE, alpha=0.1, linewidth=0)
    axes.plot((0, 1), ends, color=canvas.INK, linewidth=1, linestyle=(0, (4, 3)))
    most = max(point.times for point in row.points)
    for far, colour in ((False, canvas.BLUE), (True, canvas.VERMILION)):
        for level, size in enumerate(SIZES):
            points = [point for point in row.points if (gap(row, point) > STRONG) is far and _level(point.times, most) == level]
            across_upwards = [point.first for point in points], [point.second for point in points]
            axes.plot(*across_upwards, "o", color=colour, markersize=size, alpha=0.6, markeredgewidth=0)
    axes.set_xlim(-0.04, 1.04)
    axes.set_ylim(-0.04, 1.04)
    ticks = [0.0, 0.5, 1.0]
    axes.set_xticks(ticks, [percent(tick) for tick in ticks], size=TEXT)
    axes.set_yticks(ticks, [percent(tick) for tick in ticks], size=TEXT)
    axes.tick_params(length=0)
    across, upwards = ("event", "negation") if row.law == "neg" else ("first wording", "other wordings")
    axes.set_xlabel(across, size=TEXT)
    axes.set_ylabel(upwards, size=TEXT, labelpad=1)


def _level(times: int, most: int) -> int:
    """The size of a mark, so that its area grows with the number of pairs."""
    if most == 1:  # the smallest ones are to be told from larger ones, and hard to see alone
        return 1
    return round((len(SIZES) - 1) * math.sqrt((times - 1) / (most - 1)))


def _draw_series(figure: Figure, *, scored: Scored) -> None:
    axes = figure.add_axes((0.24, 0.15, 0.7, 0.8))
    told = _by_year(scored)
    years, values = [float(year) for year, _ in told], [value for _, value in told]
    repair = scored.repair or {}
    colour = canvas.VERMILION if scored.strong else canvas.BLUE
    if has_spread(scored):
        _boxes(axes, scored, years)
    axes.plot(years, [repair[year] for year, _ in told], color=canvas.INK, linewidth=1, linestyle=(0, (4, 3)))
    axes.plot(years, values, "o-", color=colour, linewidth=1.6, markersize=4)
    labelled = sorted({0, len(told) // 2, len(told) - 1})  # all five of a series would touch each other
    axes.set_xticks([years[place] for place in labelled], [clipped(told[place][0], LONGEST_YEAR) for place in labelled])
    axes.tick_params(length=0, labelsize=TEXT - 1)
    axes.margins(x=0.08, y=0.12)
    axes.grid(visible=False, axis="x")


def _boxes(axes: Axes, scored: Scored, years: list[float]) -> None:
    width = BOX * min(second - first for first, second in pairwise(years))
    for year, (key, _) in zip(years, _by_year(scored), strict=True):
        box = box_of(scored.row.draws[key])
        axes.vlines(year, box.low, box.high, color=canvas.INK, linewidth=0.8)
        axes.bar(year, box.third - box.first, width, box.first, color=canvas.BLUE, alpha=0.35, linewidth=0)
