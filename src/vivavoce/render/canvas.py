"""The one look of all plots: the theme's colours, fonts and lines, and names cut to the room beside a plot."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final
from unicodedata import combining, east_asian_width

from vivavoce.render.colours import LIGHT

BLUE, ORANGE, VERMILION, GREEN, GREY = LIGHT.blue, LIGHT.orange, LIGHT.vermilion, LIGHT.green, LIGHT.grey
INK, HAIRLINE, PAPER = LIGHT.ink, LIGHT.hairline, LIGHT.paper

VARIABLES: Mapping[str, str] = {
    LIGHT.variables[name]: name
    for name in ("--blue", "--orange", "--vermilion", "--green", "--grey", "--ink", "--hairline", "--paper")
}
"""The page's CSS variable for each colour, so that a plot follows the page from light to dark."""

MEASURED_FONT = "DejaVu Sans"
"""What plots are laid out with: it comes with matplotlib and is wider than the fonts of any system."""
SHOWN_FONT = "var(--font)"
"""The page's own."""

WIDTH_INCHES = 5.2
"""Wide enough for three labels, narrow enough to be read on a telephone."""
_LEFT_OUT: Final = "…"
_GAP: Final = 8.0
"""Points between a name and its row."""
_NARROWEST: Final = 0.2
"""Of the width that counts as 1: bounds how much of a name is looked at."""


def settings(salt: str) -> Any:
    """matplotlib's settings for one plot; the salt makes its ids the same in every run.

    The type is left open: matplotlib's own is a literal list of some 300 names that grows with its versions.
    """
    return {
        "font.family": MEASURED_FONT,
        "font.size": 11,
        "text.color": INK,
        "text.parse_math": False,
        "axes.labelcolor": INK,
        "axes.edgecolor": HAIRLINE,
        "axes.facecolor": "none",
        "figure.facecolor": "none",
        "axes.labelsize": 11,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.spines.left": False,
        "axes.spines.bottom": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": HAIRLINE,
        "grid.linewidth": 0.7,
        "xtick.color": HAIRLINE,
        "ytick.color": HAIRLINE,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "xtick.labelsize": 10,
        "ytick.labelsize": 10,
        "xtick.minor.size": 0,
        "ytick.major.size": 0,
        "lines.linewidth": 1.8,
        "svg.fonttype": "none",
        "svg.hashsalt": salt,
    }


def shortened(name: str, *, inches: float, size: float) -> str:
    """The name, with as much of its middle left out as has no room: names of one family end differently.

    Parameters
    ----------
    inches: of the room beside the plot.
    size: of the letters, in points.

    >>> shortened("sums", inches=1.0, size=10), shortened("arithmetic?operations=*", inches=1.0, size=10)
    ('sums', 'arith…ns=*')
    """
    name, room = " ".join(name.split()), 72 * inches - _GAP
    if _points(name, size) <= room:
        return name
    kept = min(len(name), int(room / size / _NARROWEST)) - 1
    while kept > 0 and _points(cut := _without_middle(name, kept), size) > room:
        kept -= 1
    return cut if kept > 0 else _LEFT_OUT


def _without_middle(name: str, kept: int) -> str:
    end = kept // 2
    return name[: kept - end] + _LEFT_OUT + (name[-end:] if end else "")


def _points(text: str, size: float) -> float:
    return size * sum(map(_advance, text))


@lru_cache(maxsize=4096)
def _advance(letter: str) -> float:
    """The width of a letter at a size of 1; those that the measured font lacks count as square."""
    if combining(letter):
        return 0.0
    if east_asian_width(letter) in "WF":
        return 1.0
    from matplotlib.font_manager import FontProperties, findfont, get_font

    font = get_font(findfont(FontProperties(family=MEASURED_FONT)))
    if not font.get_char_index(ord(letter)):
        return 1.0
    font.set_size(100, 72)
    advance: float = font.load_char(ord(letter)).linearHoriAdvance
    return advance / 65536 / 100
