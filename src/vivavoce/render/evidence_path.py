"""The plot of evidence that grows with the questions, up to a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from vivavoce.formats.wording import count
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing, across
from vivavoce.render.rows import LOOKS
from vivavoce.report.figures import EvidenceLine, EvidencePath

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEIGHT_INCHES: Final = 3.6
DASHES: Final[Sequence[str | tuple[int, tuple[float, float]]]] = ("-", (0, (7, 1.5)), (0, (2.5, 1.2)))
"""Of lines, one after the other."""
SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def drawing(data: EvidencePath) -> Drawing | None:
    """Each line with its name, and the thresholds; None for fewer than two looks."""
    return Drawing(partial(_draw, data=data), data.alt, HEIGHT_INCHES) if len(data.questions) > 1 else None


def _draw(figure: Figure, *, data: EvidencePath) -> None:
    width = figure.get_figwidth()
    axes = figure.add_axes((0.68 / width, 0.52 / HEIGHT_INCHES, 1 - 0.9 / width, 1 - 0.9 / HEIGHT_INCHES))
    top, bottom = 1.75 * max(data.thresholds), -1.25 * max(data.thresholds)
    axes.set_xscale("log")
    first, last = data.questions[0], data.questions[-1]
    axes.set_xlim(max(1, first), max(last, first + 1) * 1.04)
    axes.set_ylim(bottom, top)
    for height in sorted(set(data.thresholds)):
        axes.axhline(height, color=canvas.INK, linewidth=1, linestyle=(0, (4, 3)))
        axes.annotate(
            f"{power(height)}: enough for a verdict", (0, height), (2, 4), xycoords=("axes fraction", "data"),
            textcoords="offset points", bbox=HALO,
        )  # fmt: skip
    for line, dashes in zip(data.lines, DASHES, strict=False):
        axes.plot(data.questions, line.heights, color=LOOKS[line.kind][0], linestyle=dashes)
    _label_lines(axes, data, (bottom, top))
    colour, mark = LOOKS[data.verdict]
    end = min(max(data.lines[data.deciding].heights[-1], bottom), top)
    axes.plot([last], [end], mark, markersize=9, color=colour, markeredgecolor=canvas.PAPER, clip_on=False, zorder=5)
    axes.set_xlabel("Questions asked")
    figure.text(0.02 / width, 1 - 0.14 / HEIGHT_INCHES, "Evidence (e-value)", va="center")
    _plain_ticks(axes, data.questions, (bottom, top))


def _plain_ticks(axes: Axes, questions: Sequence[int], heights: tuple[float, float]) -> None:
    first, last = max(1, questions[0]), questions[-1]
    ticks = [t * 10**p for p in range(8) for t in ((1, 3) if last / first < 300 else (1,)) if first <= t * 10**p <= last]
    axes.set_xticks(ticks, [count(tick) for tick in ticks])
    axes.minorticks_off()
    step = max(1, round((heights[1] - heights[0]) / 5))
    powers = range(math.ceil(heights[0]), math.floor(heights[1]) + 1, step)
    axes.set_yticks(list(powers), [power(place) for place in powers])


def _label_lines(axes: Axes, data: EvidencePath, heights: tuple[float, float]) -> None:
    """Each line's name where it is last seen, from the bottom up and never two at one height."""
    bottom, top = heights
    gap = (top - bottom) * 0.095
    anchors: list[tuple[float, int, EvidenceLine]] = []
    for line in data.lines:
        leaves = next((i for i, y in enumerate(line.heights) if not bottom + gap <= y <= top - gap), len(data.questions))
        last = max(0, leaves - 1)
        anchors.append((min(max(line.heights[last], bottom + gap), top - gap), data.questions[last], line))
    lowest = bottom
    for height, x, line in sorted(anchors, key=lambda anchor: anchor[0]):
        lowest = max(height, lowest + gap)
        left, rising = across(axes, x) > 0.5, line.heights[-1] > 0
        level = "center" if not left else "bottom" if rising else "top"
        axes.annotate(
            line.label, (x, lowest), (-9 if left else 9, 3 if rising else -3), textcoords="offset points",
            ha="right" if left else "left", va=level, bbox=HALO,
        )  # fmt: skip


def power(height: float) -> str:
    """An e-value given as its decimal logarithm: plain where it is short.

    >>> power(2.0), power(-2.0), power(-5.0)
    ('100', '0.01', '10⁻⁵')
    """
    if -2 <= height <= 4:
        return count(round(10**height)) if height >= 0 else f"{10**height:.4g}"
    return f"10{str(round(height)).translate(SUPERSCRIPTS)}"
