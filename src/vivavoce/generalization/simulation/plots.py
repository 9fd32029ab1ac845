"""Plots of a rehearsed survey: what each stage yields, and how well each refitted predictor ranks pairs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import percent
from vivavoce.generalization.simulation.rehearse import TENTHS, Stage
from vivavoce.generalization.simulation.report import RankingFigure, YieldFigure
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def yield_drawing(data: YieldFigure) -> Drawing:
    came = ", ".join(percent(stage.changed.value or 0.0) for stage in data.stages)
    alt = (
        f"Share of answers that are a change of belief, by stage: {came}. Weighted shares stay about the true one of "
        f"{percent(data.truth)}. Bars are 95% intervals."
    )
    return Drawing(partial(_draw_yields, stages=data.stages, truth=data.truth), alt, 3.1)


def ranking_drawing(data: RankingFigure) -> Drawing:
    first, last = data.stages[0], data.stages[-1]
    alt = (
        f"Share of changes among pairs nobody was asked about, by tenth of the predictor's ranking, the likeliest first: "
        f"after stage {first.number} from {percent(first.tenths[0])} in the top tenth to {percent(first.tenths[-1])} in the "
        f"bottom tenth, after stage {last.number} from {percent(last.tenths[0])} to {percent(last.tenths[-1])}."
    )
    return Drawing(partial(_draw_rankings, stages=data.stages), alt, 3.1)


def _draw_yields(figure: Figure, *, stages: Sequence[Stage], truth: float) -> None:
    axes = figure.add_axes((0.115, 0.16, 0.86, 0.76))
    places = np.array([stage.number for stage in stages], dtype=float)
    axes.axhline(100 * truth, color=canvas.INK, linewidth=1.2, linestyle=(0, (4, 3)), label="true of all pairs")
    _bars(axes, places - 0.08, [stage.changed for stage in stages], canvas.BLUE, "o", "as drawn")
    _bars(axes, places + 0.08, [stage.weighted for stage in stages], canvas.ORANGE, "s", "weighted")
    axes.set_xlim(0.5, len(stages) + 0.5)
    axes.set_xticks(places)
    axes.set_ylim(0, axes.get_ylim()[1] * 1.18)  # room for the legend
    axes.set_xlabel("Stage")
    axes.set_title("Answers that are a change, %", loc="left", size=11)
    axes.legend(loc="upper left", ncols=3, frameon=False, fontsize=10, columnspacing=1.2, handlelength=1.6)


def _bars(
    axes: Axes, places: np.ndarray[tuple[int], np.dtype[np.float64]], shares: list[Estimate], colour: str, mark: str, label: str
) -> None:
    values = 100 * np.array([share.value or 0.0 for share in shares])
    ends = 100 * np.array([(share.interval.lower, share.interval.upper) for share in shares])
    axes.errorbar(
        places,
        values,
        yerr=np.abs(ends.T - values),
        color=colour,
        marker=mark,
        markersize=5,
        linewidth=1.2,
        elinewidth=1.2,
        label=label,
    )


def _draw_rankings(figure: Figure, *, stages: Sequence[Stage]) -> None:
    axes = figure.add_axes((0.115, 0.16, 0.86, 0.76))
    shown = sorted({0, len(stages) // 2, len(stages) - 1})
    looks = ((canvas.GREY, (0, (2, 1.5))), (canvas.ORANGE, (0, (6, 1.5))), (canvas.BLUE, "-"))[-len(shown) :]
    tenths = np.arange(TENTHS) + 0.5
    for place, (colour, dashes) in zip(shown, looks, strict=True):
        heights = 100 * np.array(stages[place].tenths)
        axes.plot(tenths * 100 / TENTHS, heights, color=colour, linestyle=dashes, label=f"after stage {stages[place].number}")
    axes.set_xlim(0, 100)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("Place in the ranking, %, the likeliest first")
    axes.set_title("Held-out pairs that change a belief, %", loc="left", size=11)
    axes.legend(frameon=True, edgecolor="none", facecolor=HALO["facecolor"], fontsize=10)
