"""The plots of an examination on a candidate's own explanations: the gap, and accuracy by category."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from vivavoce.eqt.figures import Figures
from vivavoce.eqt.report.cells import figure_cell, line, points
from vivavoce.eqt.report.figures import CategoryBars, GapFigure
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped
from vivavoce.render import canvas
from vivavoce.render.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

LONGEST_LABEL: Final = 17
"""Characters of a category next to its row; there is no room for more."""
WITHOUT: Final = "without the explanation"
WITH: Final = "with it"
ROW_INCHES: Final = 0.34
HEAD_INCHES, FOOT_INCHES = 0.42, 0.55
LEFT: Final = 0.285
"""Share of the width for the names of the rows."""
HATCH: Final = "////"
APART: Final = 0.15
"""The two dots of a row stand so far above and below its middle, for their intervals not to lie on one another."""


def gap_drawing(data: GapFigure) -> Drawing:
    rows = [("all concepts", data.whole), *((short(of.name), of) for of in data.categories)]
    words = "; ".join(f"{label} {_gap_in_words(of)}" for label, of in rows if of.gap.value is not None)
    alt = (
        "Share of questions answered exactly, without the explanation and with it, and the gap in points of a hundred with "
        f"its interval: {words}."
    )
    height = HEAD_INCHES + FOOT_INCHES + ROW_INCHES * len(rows)
    return Drawing(lambda figure: _draw_gap(figure, rows, height), alt, height)


def category_bars_drawing(data: CategoryBars) -> Drawing:
    rows = [(short(of.name), of) for of in data.categories]
    words = "; ".join(
        f"{label} {line(figure_cell(of, 'closed'))} and {line(figure_cell(of, 'open_book'))}" for label, of in rows
    )
    alt = (
        f"Share of questions answered exactly by category, all wordings {WITHOUT} (solid) and the original {WITH} (hatched): "
        f"{words}."
    )
    height = HEAD_INCHES + FOOT_INCHES + 1.15 * ROW_INCHES * len(rows)
    return Drawing(lambda figure: _draw_bars(figure, rows, height), alt, height)


def short(name: str) -> str:
    """A category as the label of a row.

    >>> short("computer science"), short("a" * 30)
    ('computer science', 'aaaaaaaaaaaaaaaa…')
    """
    line = clipped(" ".join(name.split())[: LONGEST_LABEL + 1], LONGEST_LABEL + 1)
    return line if len(line) <= LONGEST_LABEL else f"{line[: LONGEST_LABEL - 1]}…"


def whisker(axes: Axes, y: float, estimate: Estimate, colour: str, *, opacity: float = 0.45, width: float = 2.5) -> None:
    """The interval of an estimate as a horizontal line, if it has one."""
    ends = (estimate.interval.lower, estimate.interval.upper)
    if estimate.value is not None and all(map(math.isfinite, ends)):
        axes.hlines(y, *ends, color=colour, linewidth=width, alpha=opacity)


def pair(axes: Axes, y: float, figures: Figures, *, height: float) -> None:
    """A solid bar for closed-book accuracy and below it a hatched one for open-book accuracy, with their intervals."""
    two_bars(axes, y, figures.closed, figures.open_book, height=height)


def two_bars(axes: Axes, y: float, solid: Estimate, hatched: Estimate, *, height: float) -> None:
    """A solid bar and below it a hatched one, with their intervals."""
    for estimate, place, hatch in ((solid, y - height / 2, ""), (hatched, y + height / 2, HATCH)):
        if estimate.value is not None:
            axes.barh(
                place, estimate.value, height, facecolor=canvas.PAPER if hatch else canvas.BLUE, edgecolor=canvas.BLUE,
                hatch=hatch, linewidth=0.8,
            )  # fmt: skip
        whisker(axes, place, estimate, canvas.INK, opacity=1.0, width=1.1)


def plain_rows(axes: Axes, labels: Sequence[str]) -> None:
    """Rows with these names, and shares from 0 to 1 across."""
    _plain(axes, len(labels))
    _names(axes, labels)
    _percents(axes)


def bars_key(axes: Axes, words: tuple[str, str] = (WITHOUT, WITH)) -> None:
    """What solid and hatched mean, above the axes."""
    _key(axes, bars=True, both=words)


def _gap_in_words(figures: Figures) -> str:
    without, opened, gap = (figure_cell(figures, what) for what in ("closed_originals", "open_book", "gap"))
    return f"{without.text} and {opened.text}, gap {line(gap)}"


def _draw_gap(figure: Figure, rows: Sequence[tuple[str, Figures]], height: float) -> None:
    bottom, tall = FOOT_INCHES / height, (height - HEAD_INCHES - FOOT_INCHES) / height
    left = figure.add_axes((LEFT, bottom, 0.35, tall))
    right = figure.add_axes((LEFT + 0.435, bottom, 0.235, tall))
    for axes in (left, right):
        _plain(axes, len(rows))
        if len(rows) > 1:
            axes.axhline(0.5, color=canvas.HAIRLINE, linewidth=1.2)
    _names(left, [label for label, _ in rows])
    for y, (_, one) in enumerate(rows):
        _dumbbell(left, y, one)
        whisker(right, y, one.gap, canvas.INK)
        if one.gap.value is not None:
            right.plot([one.gap.value], [y], "D", color=canvas.INK, markersize=5)
    _percents(left)
    left.set_xlabel("answered exactly")
    right.axvline(0, color=canvas.INK, linewidth=1, linestyle=(0, (4, 3)))
    _points_axis(right, [one.gap for _, one in rows])
    right.set_xlabel("gap, in points")
    _key(left, bars=False)


def _dumbbell(axes: Axes, y: float, figures: Figures) -> None:
    without, opened = figures.closed_originals, figures.open_book
    if without.value is not None and opened.value is not None:
        axes.plot([without.value, opened.value], [y - APART, y + APART], color=canvas.INK, linewidth=0.9)
    for estimate, place, face in ((without, y - APART, canvas.BLUE), (opened, y + APART, canvas.PAPER)):
        whisker(axes, place, estimate, canvas.BLUE)
        if estimate.value is not None:
            axes.plot(
                [estimate.value], [place], "o", markersize=6.5, markerfacecolor=face, markeredgecolor=canvas.BLUE,
                markeredgewidth=1.6, clip_on=False, zorder=4,
            )  # fmt: skip


def _draw_bars(figure: Figure, rows: Sequence[tuple[str, Figures]], height: float) -> None:
    axes = figure.add_axes((LEFT, FOOT_INCHES / height, 0.665, (height - HEAD_INCHES - FOOT_INCHES) / height))
    plain_rows(axes, [label for label, _ in rows])
    for y, (_, one) in enumerate(rows):
        pair(axes, y, one, height=0.36)
    axes.set_xlabel("answered exactly")
    bars_key(axes)


def _plain(axes: Axes, rows: int) -> None:
    axes.set_ylim(rows - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.set_yticks([])
    axes.tick_params(length=0)


def _names(axes: Axes, labels: Sequence[str]) -> None:
    axes.set_yticks(range(len(labels)), labels)


def _percents(axes: Axes) -> None:
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])


def _points_axis(axes: Axes, gaps: Sequence[Estimate]) -> None:
    """As far as the intervals reach, the same to both sides of what is drawn, ticks at round numbers."""
    from matplotlib.ticker import MaxNLocator

    known = [one for one in gaps if one.value is not None]
    ends = [end for one in known for end in (one.value, one.interval.lower, one.interval.upper) if end is not None]
    finite = [max(-1.0, min(1.0, end)) for end in ends if math.isfinite(end)]
    least, most = min([*finite, 0.0]), max([*finite, 0.05])
    room = 0.06 * (most - least)
    axes.set_xlim(least - room, most + room)
    ticks = [
        tick for tick in MaxNLocator(3, steps=[1, 2, 5, 10]).tick_values(least, most) if least - room <= tick <= most + room
    ]
    axes.set_xticks(ticks, [points(round(tick, 6)) for tick in ticks])


def _key(axes: Axes, *, bars: bool, both: tuple[str, str] = (WITHOUT, WITH)) -> None:
    """What full and hollow mean, above the axes."""
    from matplotlib.patches import Ellipse, Rectangle

    figure = axes.get_figure(root=True)
    assert figure is not None
    width, height = (float(inches) * 72 for inches in figure.get_size_inches())
    x, y = axes.get_position().x0 * width, height - 0.2 * 72
    for words, face, hatch in ((both[0], canvas.BLUE, ""), (both[1], canvas.PAPER, HATCH)):
        mark: Patch = Ellipse(((x + 5) / width, y / height), 7 / width, 7 / height, linewidth=1.6)
        if bars:
            mark = Rectangle((x / width, (y - 4.5) / height), 16 / width, 9 / height, hatch=hatch, linewidth=0.8)
        mark.set(facecolor=face, edgecolor=canvas.BLUE, transform=figure.transFigure)
        figure.add_artist(mark)
        figure.text((x + (21 if bars else 14)) / width, (y - 0.5) / height, words, size=10.5, va="center_baseline")
        x += 40 + 6.4 * len(words)
