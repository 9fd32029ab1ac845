"""The plot of values with their intervals below one another."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Final

from vivavoce.formats.wording import share
from vivavoce.render import canvas, rows
from vivavoce.render.drawing import Drawing
from vivavoce.report.figures import IntervalRow, IntervalRows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST: Final = 60
"""Rows in a figure; a table has more."""


def drawing(data: IntervalRows) -> Drawing | None:
    """Each value with its interval; None without rows, and for more rows than can be read."""
    if not data.rows or len(data.rows) > MOST:
        return None
    limits = data.limit is not None and bool(data.limit_label)
    plan = rows.layout(
        [(row.label, row.group) for row in data.rows], _axis(data), ends=data.ends, key=data.key, has_limits=limits
    )
    return Drawing(partial(_draw, data=data, plan=plan), data.alt or _in_words(data), plan.height)


def _in_words(data: IntervalRows) -> str:
    listed = ", ".join(f"{row.label} {row.text}" for row in data.rows)
    limit = "" if data.limit is None else f" The limit is {share(data.limit)}."
    return f"Share of {data.axis}: {listed}.{limit}"


def _axis(data: IntervalRows) -> str:
    return f"{data.axis[:1].upper()}{data.axis[1:]}{' (%)' if data.unit == 'percent' else ''}"


def _draw(figure: Figure, *, data: IntervalRows, plan: rows.Layout) -> None:
    span = data.span or rows.span_of(_values(data))
    axes = rows.axes_of(figure, plan, span, logarithmic=data.logarithmic)
    for place, row in zip(plan.places, data.rows, strict=True):
        _draw_row(axes, place, row, span)
    if data.limit is not None:
        rows.limit_line(axes, data.limit, data.limit_label)
    scale = 100 if data.unit == "percent" else 1
    if data.logarithmic:
        powers = range(math.ceil(math.log10(span[0]) - 1e-9), math.floor(math.log10(span[1]) + 1e-9) + 1)
        shown = [10.0**power for power in powers][:: -(-len(powers) // 5)]
        axes.set_xticks(shown, [f"{scale * place:.10g}" for place in shown])
        axes.minorticks_off()
    else:
        rows.ticks(axes, lambda value: f"{scale * value:.6g}".replace("-", "\N{MINUS SIGN}"))


def _values(data: IntervalRows) -> list[float]:
    limits = [limit for limit in (data.limit, *(row.limit for row in data.rows)) if limit is not None]
    ends = [end for row in data.rows for end in (row.interval.lower, row.interval.upper)]
    return [*limits, *ends, *(value for row in data.rows for value in (row.least, row.most) if value is not None)]


def _draw_row(axes: Axes, place: float, row: IntervalRow, span: tuple[float, float]) -> None:
    colour, mark = rows.LOOKS[row.kind]

    def within(value: float) -> float:
        return min(max(value, span[0]), span[1])

    if row.limit is not None:
        axes.plot([row.limit] * 2, [place - 0.12, place + 0.12], color=canvas.INK, linewidth=1.2, linestyle=(0, (2, 1)))
    ends = [within(row.interval.lower), within(row.interval.upper)]
    axes.plot(ends, [place] * 2, color=colour, linewidth=2.4, solid_capstyle="butt", clip_on=False)
    if row.least is None or row.most is None:
        return
    value = [within(end) for end in dict.fromkeys((row.least, row.most))]
    if len(value) > 1:
        axes.plot(value, [place] * 2, color=colour, linewidth=5, solid_capstyle="butt")
    axes.plot(value, [place] * len(value), mark, markersize=7, markeredgewidth=0, color=colour, clip_on=False)
