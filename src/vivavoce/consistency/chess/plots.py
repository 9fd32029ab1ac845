"""The plots of the chess checks: how large differences are, how they become rarer with search, and the worst on boards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from vivavoce.consistency.chess.comparison import Comparison
from vivavoce.consistency.chess.config import THRESHOLDS
from vivavoce.consistency.chess.describe import in_words
from vivavoce.consistency.chess.fit import Fit
from vivavoce.consistency.chess.report.checks import NAME, DifferenceHistograms
from vivavoce.consistency.chess.report.nodes import OverNodes
from vivavoce.consistency.chess.summary import BINS, Summary
from vivavoce.errors import MissingExtra
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, percent, signed
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL_INCHES = 1.5
_FLOOR = 0.6
"""Where bars begin on the logarithmic axis: below one position."""


def difference_histograms_drawing(data: DifferenceHistograms) -> Drawing | None:
    """How many positions have how large a difference, one panel a check, on a logarithmic axis (Figure 8); None for no rows."""
    shown = [row for row in data.summaries if row.largest is not None]
    if not shown:
        return None
    largest = "; ".join(f"{NAME[row.check].lower()} {row.largest:.2f}" for row in shown)
    alt = f"How many positions have how large a difference, on a logarithmic scale. The largest: {largest}."
    height = 0.5 + _PANEL_INCHES * len(shown)
    return Drawing(partial(_draw_histograms, rows=shown, height=height), alt, height)


def over_nodes_drawing(data: OverNodes) -> Drawing:
    """Share of contradictions over nodes, both logarithmic, with intervals and fitted lines (Figure 7)."""
    slopes = ", ".join(f"more than {fit.threshold:g}: {signed(fit.slope.value or 0.0)}" for fit in data.fits)
    alt = "The share of positions with a contradiction over the number of nodes, both on logarithmic scales. " + (
        f"Slopes of the fitted lines: {slopes}." if slopes else "Too few contradictions for a line."
    )
    return Drawing(partial(_draw_over_nodes, data=data), alt, 4.2)


def comparison_drawing(data: Comparison) -> Picture:
    """Both positions on boards (Figures 2, 9 and 10)."""
    return Picture(partial(_draw_boards, data), in_words(data))


def _draw_boards(comparison: Comparison, name: str) -> str:
    try:
        from vivavoce.consistency.chess.board_pictures import boards
    except ModuleNotFoundError:
        raise MissingExtra("chess", extra="chess") from None
    return boards(comparison, name)


def _draw_histograms(figure: Figure, *, rows: Sequence[Summary], height: float) -> None:
    bins = min(BINS, math.ceil(BINS / 2 * (max(row.largest or 0.0 for row in rows) * 1.08 + 0.04)))
    edges = [2 * i / BINS for i in range(bins + 1)]
    for i, row in enumerate(rows):
        bottom = (0.5 + _PANEL_INCHES * (len(rows) - 1 - i)) / height
        axes = figure.add_axes((0.13, bottom, 0.84, (_PANEL_INCHES - 0.42) / height))
        axes.set_title(NAME[row.check], loc="left", size=11, pad=5)
        axes.set_yscale("log")
        axes.set_xlim(0, edges[-1])
        axes.set_ylim(_FLOOR, max(row.histogram) * 2)
        axes.stairs(row.histogram[:bins], edges, baseline=_FLOOR, fill=True, color=canvas.BLUE, linewidth=0)
        _mark_largest(axes, row.largest or 0.0, edges[-1])
        powers = [10**power for power in range(0, 7, 1 if max(row.histogram) < 1000 else 2) if 10**power <= max(row.histogram)]
        axes.set_yticks(powers, [count(power) for power in powers])
        axes.minorticks_off()
        if i < len(rows) - 1:
            axes.tick_params(labelbottom=False)
    axes.set_xlabel("Difference between the two evaluations")
    figure.text(0.0, 0.5, "Positions", rotation=90, va="center", ha="left", size=11)


def _mark_largest(axes: Axes, largest: float, end: float) -> None:
    axes.axvline(largest, color=canvas.VERMILION, linewidth=1.2, linestyle=(0, (4, 3)))
    axes.annotate(
        f"largest {largest:.2f}", (largest, 0.84), (-5 if largest > end / 3 else 5, 0), xycoords=("data", "axes fraction"),
        textcoords="offset points", size=10, va="center", ha="right" if largest > end / 3 else "left", bbox=HALO,
    )  # fmt: skip


def _draw_over_nodes(figure: Figure, *, data: OverNodes) -> None:
    fits = {fit.threshold: fit for fit in data.fits}
    axes = figure.add_axes((0.13, 0.13, 0.73, 0.84))
    least, most = data.summaries[0][0], data.summaries[-1][0]
    lowest = min((share.value for _, row in data.summaries for share in row.over if share.value), default=0.1) / 2
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(least / 1.3, most * 1.3)
    axes.set_ylim(lowest, 1)
    axes.set_autoscale_on(False)
    ending: dict[tuple[int, float], list[float]] = {}
    for which, threshold in enumerate(THRESHOLDS):
        found = [(nodes, row.over[which]) for nodes, row in data.summaries if row.over[which].value]
        if found:
            last = _draw_points(axes, found, fits.get(threshold))
            ending.setdefault(last, []).append(threshold)
    for last, together in ending.items():  # thresholds that end at the same point share a label
        label = "–".join(f"{threshold:g}" for threshold in dict.fromkeys((together[0], together[-1])))
        axes.annotate(f"> {label}", last, (8, 0), textcoords="offset points", size=10, va="center", annotation_clip=False)
    nodes_ticks = [10**power for power in range(13) if least <= 10**power <= most] or [least, most]
    axes.set_xticks(nodes_ticks, [count(tick) for tick in nodes_ticks])
    shares = [10.0**power for power in range(-7, 1) if lowest <= 10.0**power]
    axes.set_yticks(shares, [percent(share) for share in shares])
    axes.minorticks_off()
    axes.set_xlabel("Nodes searched")
    axes.set_ylabel("Positions with a larger difference")


def _draw_points(axes: Axes, found: Sequence[tuple[int, Estimate]], fit: Fit | None) -> tuple[int, float]:
    """The shares above one threshold with their intervals, and the fitted line; returns the last point."""
    for nodes, share in found:
        axes.vlines(nodes, max(share.interval.lower, 1e-9), share.interval.upper, color=canvas.BLUE, linewidth=3, alpha=0.4)
    values = [share.value or 0.0 for _, share in found]
    axes.plot([nodes for nodes, _ in found], values, "o", color=canvas.BLUE, markersize=4.5)
    if fit is not None:
        ends = [found[0][0], found[-1][0]]
        heights = [math.exp(fit.intercept) * nodes ** (fit.slope.value or 0.0) for nodes in ends]
        axes.plot(ends, heights, color=canvas.INK, linewidth=1, linestyle=(0, (4, 3)))
    return found[-1][0], values[-1]
