"""The plot of ways to ask: the mean metric of each with its interval, law by law."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Final

from vivavoce.consistency.forecasts.variants.effects import Word
from vivavoce.consistency.forecasts.variants.report import Dot, WaysByLaw
from vivavoce.formats.wording import score
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW_INCHES, GAP_ROWS = 0.24, 1.1
"""Height of a dot's row, and how many rows the law's name takes."""
MARKS: Final[dict[Word | None, tuple[str, str]]] = {
    None: ("o", canvas.GREY),
    "mended": ("v", canvas.GREEN),
    "harmed": ("^", canvas.VERMILION),
    "not shown": ("o", canvas.BLUE),
    "too few": ("o", canvas.BLUE),
}
"""Shape and colour by what is said; the word stands beside it, too."""
LONGEST: Final = 22


def ways_by_law_drawing(data: WaysByLaw) -> Drawing | None:
    """A group of dots a law; None where there is nothing to draw."""
    if not data.laws:
        return None
    told = "; ".join(f"{law}: {', '.join(map(_in_words, dots))}" for law, dots in data.laws)
    return Drawing(partial(_draw, data=data), f"Mean metric by way to ask. {told}.", _height(data))


def _in_words(dot: Dot) -> str:
    said = f" ({dot.word})" if dot.word in ("mended", "harmed") else ""
    return f"{dot.variant} {score(dot.mean.value or 0.0)}{said}"


def _rows(data: WaysByLaw) -> float:
    return sum(len(dots) + GAP_ROWS for _, dots in data.laws)


def _height(data: WaysByLaw) -> float:
    return 0.7 + ROW_INCHES * _rows(data)


def _draw(figure: Figure, *, data: WaysByLaw) -> None:
    height = _height(data)
    axes = figure.add_axes((0.3, 0.55 / height, 0.66, 1 - 0.7 / height))
    right = max(_upper(dot) for _, dots in data.laws for dot in dots)
    ticks: list[float] = []
    labels: list[str] = []
    place = 0.0
    for law, dots in data.laws:
        axes.annotate(law, (0, place), (2, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
                      size=10, weight="bold", va="center", bbox=HALO)  # fmt: skip
        place += GAP_ROWS
        for dot in dots:
            _draw_dot(axes, dot, place)
            ticks.append(place)
            labels.append(dot.variant if len(dot.variant) <= LONGEST else f"{dot.variant[:LONGEST]}…")
            place += 1
    axes.set_yticks(ticks, labels)
    axes.grid(visible=False, axis="y")
    axes.set_ylim(place - 0.4, -0.8)
    axes.set_xlim(0, max(0.25, 1.18 * right))
    axes.set_xlabel("Mean metric: 0 obeys the law")


def _draw_dot(axes: Axes, dot: Dot, place: float) -> None:
    shape, colour = MARKS[dot.word]
    value = dot.mean.value or 0.0
    axes.plot([dot.mean.interval.lower, _upper(dot)], [place, place], color=colour, linewidth=1.4, solid_capstyle="butt")
    axes.plot([value], [place], marker=shape, markersize=6, color=colour, linestyle="none")
    if dot.word in ("mended", "harmed"):
        axes.annotate(dot.word, (_upper(dot), place), (4, 0), textcoords="offset points", size=9, va="center", bbox=HALO)


def _upper(dot: Dot) -> float:
    """The upper end; the value itself where there is no end."""
    upper = dot.mean.interval.upper
    return upper if math.isfinite(upper) else dot.mean.value or 0.0
