"""Plots of rating prediction: errors side by side (Figure 5.3 of `silver2016`) and by training; ratings with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from vivavoce.formats.wording import count
from vivavoce.luna.predict.figures import Bar, ErrorsFigure, LearningFigure, Line, RatingsInOrder, Role
from vivavoce.render import canvas
from vivavoce.render.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from vivavoce.luna.predict.interval import Prediction

_ROW = 0.27
"""Inches for one row."""
_LABEL = 26
"""Characters next to a row."""
MOST_DOTS = 100
"""People who are shown one by one."""
SHAPES: Final[Mapping[Role, tuple[str, str]]] = {
    "examined": (canvas.BLUE, "o"),
    "feature": (canvas.ORANGE, "s"),
    "baseline": (canvas.GREY, "D"),
}
"""Colour and mark of a bar: either is enough to tell two apart."""
LOOKS = (
    (canvas.BLUE, "o", "-"),
    (canvas.ORANGE, "s", (0, (6, 1.5))),
    (canvas.GREEN, "^", (0, (2, 1.5))),
    (canvas.GREY, "D", (0, (4, 1.5, 1, 1.5))),
)
"""Of lines, one after the other."""


def errors_drawing(data: ErrorsFigure) -> Drawing:
    height = 0.75 + _ROW * len(data.bars)
    return Drawing(partial(_draw_errors, bars=data.bars, height=height, across=data.across), data.alt, height)


def learning_drawing(data: LearningFigure) -> Drawing:
    return Drawing(partial(_draw_learning, lines=data.lines), data.alt, 3.4)


def ratings_in_order_drawing(data: RatingsInOrder) -> Drawing | None:
    if len(data.predictions) < 2:
        return None
    ordered = sorted(data.predictions, key=lambda one: one.rating)
    alt = (
        f"Ratings of {count(len(ordered))} people in order, from {ordered[0].rating:.2f} to {ordered[-1].rating:.2f}, each "
        f"with its {data.level:.0%} interval."
    )
    return Drawing(partial(_draw_predicted, ordered=ordered), alt, 2.8)


def _draw_errors(figure: Figure, *, bars: Sequence[Bar], height: float, across: str) -> None:
    axes = figure.add_axes((0.41, 0.55 / height, 0.56, 1 - 0.65 / height))
    for row, bar in enumerate(bars):
        colour, mark = SHAPES[bar.role]
        lower, upper = bar.error.interval.lower, bar.error.interval.upper
        axes.plot([lower, upper], [row, row], color=colour, linewidth=5, alpha=0.5, solid_capstyle="butt")
        if bar.error.value is not None:
            axes.plot([bar.error.value], [row], mark, markersize=5, color=colour)
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.set_xlim(0, 1.05 * max(bar.error.interval.upper for bar in bars))
    axes.set_yticks(
        range(len(bars)), [bar.label if len(bar.label) <= _LABEL else f"{bar.label[: _LABEL - 1]}…" for bar in bars]
    )
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(across)


def _draw_learning(figure: Figure, *, lines: Sequence[Line]) -> None:
    axes = figure.add_axes((0.115, 0.16, 0.86, 0.74))
    for place, line in enumerate(lines):
        colour, mark, dashes = LOOKS[place % len(LOOKS)]
        values = [float("nan") if error.value is None else error.value for error in line.errors]
        lower, upper = ([getattr(error.interval, end) for error in line.errors] for end in ("lower", "upper"))
        axes.fill_between(line.sizes, lower, upper, color=colour, alpha=0.15, linewidth=0)
        axes.plot(line.sizes, values, color=colour, marker=mark, markersize=5, linestyle=dashes, label=line.label)
    sizes = sorted({size for line in lines for size in line.sizes})
    axes.set_xscale("log")
    axes.minorticks_off()
    axes.set_xticks(sizes, [str(size) for size in sizes])
    rows = -(-len(lines) // 2)
    axes.set_ylim(0, (1.1 + 0.1 * rows) * max(error.interval.upper for line in lines for error in line.errors))
    axes.set_xlabel("people learnt from")
    axes.set_title("Root mean squared error, ratings from 0 to 1", loc="left", size=11)
    axes.legend(loc="upper right", ncols=min(2, len(lines)), frameon=False, fontsize=10, columnspacing=1.2, handlelength=2.6)


def _draw_predicted(figure: Figure, *, ordered: Sequence[Prediction]) -> None:
    from matplotlib.ticker import MaxNLocator

    axes = figure.add_axes((0.115, 0.18, 0.86, 0.7))
    places = range(1, len(ordered) + 1)
    lower, upper, ratings = ([getattr(one, part) for one in ordered] for part in ("lower", "upper", "rating"))
    if len(ordered) <= MOST_DOTS:
        axes.vlines(places, lower, upper, color=canvas.BLUE, linewidth=min(5.0, 150 / len(ordered)), alpha=0.5)
        axes.plot(places, ratings, "o", markersize=min(6.0, 2 + 60 / len(ordered)), color=canvas.BLUE, clip_on=False)
    else:
        axes.fill_between(places, lower, upper, color=canvas.BLUE, alpha=0.3, linewidth=0)
        axes.plot(places, ratings, color=canvas.BLUE)
    axes.set_ylim(0, 1)
    axes.set_xlim(0.5, len(ordered) + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(visible=False, axis="x")
    axes.set_xlabel("people, the lowest rating first")
    axes.set_title("Rating", loc="left", size=11)
