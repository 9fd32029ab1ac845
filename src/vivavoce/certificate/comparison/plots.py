"""Plots of comparisons: the difference with its interval, and who is certainly better than whom."""

from __future__ import annotations

from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Final

from vivavoce.certificate.comparison.compared import PairDifference, PairVerdict
from vivavoce.certificate.comparison.figures import MEAN_SCORES, DifferenceFigure, PairsFigure
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, signed, signed_interval
from vivavoce.render import canvas
from vivavoce.render.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

ROW: Final = 0.28
MOST_ROWS: Final = 30
SIDE: Final = 0.34
"""Of the width: for names."""
TEXT: Final = 9.5
TITLE: Final = 9.0
"""Sizes of names beside the plot and above its halves, in points."""
BETTER: Final = 0.62
"""Inches above a half of the plot that an arrow and "better" need beside a name."""
MOST_CELLS: Final = 24
"""Candidates in a grid: more cannot be read."""
COLOURS: Final[dict[PairVerdict, str]] = {
    "better": canvas.BLUE,
    "worse": canvas.VERMILION,
    "equal": canvas.GREEN,
    "no worse": canvas.GREEN,
    "no conclusion": canvas.GREY,
}
MARKS: Final[dict[PairVerdict, str]] = {"better": "▲", "worse": "▼", "equal": "=", "no worse": "≥", "no conclusion": "?"}
TURNED: Final[dict[PairVerdict, PairVerdict]] = {"better": "worse", "worse": "better", "no worse": "no conclusion"}


def difference_drawing(data: DifferenceFigure) -> Drawing | None:
    found = data.pair.difference
    if found.value is None:
        return None
    rows = [("all questions", found, data.pair.verdict)]
    rows += [(one.name or "no category", one.difference, one.verdict) for one in data.pair.categories[: MOST_ROWS - 1]]
    height = 1.05 + ROW * len(rows)
    by_category = f", and in each of {len(rows) - 1} categories" if len(rows) > 1 else ""
    alt = f"{_what(data)}: {signed(found.value)} {signed_interval(found.interval)} on {count(found.n)} units{by_category}."
    return Drawing(partial(_draw_difference, rows=rows, data=data, height=height), alt, height)


def _what(data: DifferenceFigure) -> str:
    first, second = data.names
    if data.what == MEAN_SCORES:
        return f"Mean score of {first} less that of {second}"
    return f"Difference of {data.what}, {first} less {second}"


def pairs_drawing(data: PairsFigure) -> Drawing | None:
    if len(data.names) > MOST_CELLS:
        return None
    order = [place for tier in data.tiers for place in tier]
    apart = sum(pair.verdict in ("better", "worse") for pair in data.pairs)
    told_apart = f"{apart} of {len(data.pairs)} pairs are told apart"
    alt = (
        f"Each of {len(order)} candidates against each other one, the best tier first: {told_apart}. A triangle upwards says "
        "that that of the row is better, one downwards that it is worse; a question mark stands where nothing can be told, "
        "with the questions that it may take."
    )
    height = 0.45 + ROW * 1.25 * len(order)
    return Drawing(partial(_draw_pairs, data=data, order=order, height=height), alt, height)


def _draw_difference(
    figure: Figure, *, rows: list[tuple[str, Estimate, PairVerdict]], data: DifferenceFigure, height: float
) -> None:
    names = data.names
    axes = figure.add_axes((SIDE, 0.55 / height, 0.96 - SIDE, 1 - 0.95 / height))
    for row, (_, found, verdict) in enumerate(rows):
        bounds = [end if isfinite(end) else side for end, side in ((found.interval.lower, -1.0), (found.interval.upper, 1.0))]
        axes.plot(bounds, [row, row], color=COLOURS[verdict], linewidth=5, alpha=0.5, solid_capstyle="butt")
        if found.value is not None:
            axes.plot([found.value], [row], "o" if row == 0 else "D", markersize=6, color=COLOURS[verdict])
    axes.axvline(0, color=canvas.INK, linewidth=1, linestyle=(0, (4, 3)))
    reach = max(
        0.05, *(abs(end) for _, found, _ in rows for end in (found.interval.lower, found.interval.upper) if isfinite(end))
    )
    axes.set_xlim(-1.05 * min(1.0, reach), 1.05 * min(1.0, reach))
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks(range(len(rows)), [_beside(name) for name, _, _ in rows], size=TEXT)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(f"difference of {data.what}")
    half = canvas.WIDTH_INCHES * (0.96 - SIDE) / 2 - BETTER
    axes.set_title(f"← {canvas.shortened(names[1], inches=half, size=TITLE)} better", loc="left", size=TITLE)
    axes.set_title(f"{canvas.shortened(names[0], inches=half, size=TITLE)} better →", loc="right", size=TITLE)


def _draw_pairs(figure: Figure, *, data: PairsFigure, order: list[int], height: float) -> None:
    axes = figure.add_axes((SIDE, 0.05 / height, 0.98 - SIDE, 1 - 0.4 / height))
    by_pair: dict[tuple[int, int], tuple[PairVerdict, PairDifference]] = {}
    for pair in data.pairs:
        first, second = pair.pair
        by_pair[first, second] = pair.verdict, pair
        by_pair[second, first] = TURNED.get(pair.verdict, pair.verdict), pair
    for row, one in enumerate(order):
        for column, other in enumerate(order):
            if one != other:
                _cell(axes, column, row, *by_pair[one, other], last=len(order) > 8)
    axes.set_xlim(-0.5, len(order) - 0.5)
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.set_xticks(range(len(order)), [str(number) for number in range(1, len(order) + 1)], size=9)
    numbered = [f"{_beside(data.names[place], of=len(order))}  {row}" for row, place in enumerate(order, 1)]
    axes.set_yticks(range(len(order)), numbered, size=TEXT)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _cell(axes: Axes, column: int, row: int, verdict: PairVerdict, pair: PairDifference, *, last: bool) -> None:
    colour = COLOURS[verdict]
    axes.add_patch(_box(column, row, colour))
    axes.text(column, row - (0.0 if last else 0.08), MARKS[verdict], ha="center", va="center", color=colour, size=11)
    if verdict == "no conclusion" and pair.still_needed is not None and not last:
        axes.text(column, row + 0.27, f"+{count(pair.still_needed)}", ha="center", va="center", color=canvas.INK, size=7.5)


def _box(column: int, row: int, colour: str) -> Rectangle:
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.46, row - 0.44), 0.92, 0.88, facecolor=colour, alpha=0.15, linewidth=0)


def _beside(name: str, *, of: int = 0) -> str:
    """A name beside the plot; of: how many there are, where its number stands behind it."""
    numbers = 0.0 if not of else 0.1 * (1 + len(str(of)))
    return canvas.shortened(name, inches=canvas.WIDTH_INCHES * SIDE - numbers, size=TEXT)
