"""How large contradictions between forecasts are: one small histogram a law and forecaster (Figure 12 of `fluri2024`)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from vivavoce.consistency.forecasts.report.histograms import LawHistogram
from vivavoce.consistency.forecasts.summary import BINS, Summary
from vivavoce.consistency.forecasts.wording import law_name
from vivavoce.formats.wording import count, name_of, percent, score
from vivavoce.laws.metrics import FORMULA, STRONG
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH_INCHES, HEIGHT_INCHES = 2.4, 1.3
"""Of a panel: two stand side by side on a telephone."""
TEXT = 9.5
"""Points; a panel is shown at about its own size."""


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
