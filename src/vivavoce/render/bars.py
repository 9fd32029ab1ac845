"""The plot of bars below one another."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from vivavoce.formats.wording import count
from vivavoce.render import canvas, rows
from vivavoce.render.drawing import Drawing
from vivavoce.report.figures import Bar, Bars

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 60
"""Bars in a figure; a table has more."""
THICK = 0.16
"""Inches."""
HATCHES = {"control": "////", "reference": "///", "bad": "xxx"}
"""Bars of these kinds are told from others without colours, too."""


def drawing(data: Bars) -> Drawing | None:
    """Each bar from 0; None without bars, and for more than can be read."""
    if not data.rows or len(data.rows) > MOST:
        return None
    axis = f"{data.axis} (%)" if data.unit == "percent" else data.axis
    plan = rows.layout(
        [(bar.label, bar.group) for bar in data.rows], axis, ends=data.ends, key=data.key, has_limits=bool(data.limits)
    )
    return Drawing(partial(_draw, data=data, plan=plan), data.alt, plan.height)


def _draw(figure: Figure, *, data: Bars, plan: rows.Layout) -> None:
    span = data.span or rows.span_of([0.0, *_values(data)])
    axes = rows.axes_of(figure, plan, span)
    axes.axvline(0, color=canvas.INK, linewidth=0.8)
    for place, bar in zip(plan.places, data.rows, strict=True):
        _draw_bar(axes, place, bar, span)
    for value, name in data.limits:
        rows.limit_line(axes, value, name)
    match data.unit:
        case "percent":
            rows.ticks(axes, lambda value: f"{100 * value:.6g}".replace("-", "\N{MINUS SIGN}"))
        case "powers":
            step = max(1, round((span[1] - span[0]) / 5))
            powers = [power for power in range(-step * 9, step * 9 + 1, step) if span[0] <= power <= span[1]]
            axes.set_xticks(powers, [count(10 ** abs(power)) if abs(power) < 4 else f"1e{abs(power)}" for power in powers])
        case "number":
            rows.ticks(axes, lambda value: f"{value:.6g}".replace("-", "\N{MINUS SIGN}"))


def _values(data: Bars) -> list[float]:
    ends = [end for bar in data.rows if bar.interval for end in (bar.interval.lower, bar.interval.upper)]
    return [*(bar.value for bar in data.rows), *ends, *(value for value, _ in data.limits)]


def _draw_bar(axes: Axes, place: float, bar: Bar, span: tuple[float, float]) -> None:
    colour, mark = rows.LOOKS[bar.kind]
    low, high = span
    end = min(max(bar.value, low), high)
    axes.barh(
        place, end, height=THICK, color=colour, hatch=HATCHES.get(bar.kind), edgecolor=canvas.PAPER, linewidth=0, zorder=2
    )
    if bar.interval is not None:
        ends = [min(max(value, low), high) for value in (bar.interval.lower, bar.interval.upper)]
        axes.plot(ends, [place] * 2, color=canvas.INK, linewidth=1.2, zorder=3, solid_capstyle="butt")
    axes.plot([end], [place], mark, markersize=9, color=colour, markeredgecolor=canvas.PAPER, clip_on=False, zorder=4)
