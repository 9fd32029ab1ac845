"""The style of all plots: colours, fonts and lines of the theme, and names cut to the available width."""

from __future__ import annotations

import re
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
"""Font for the layout of plots: it comes with matplotlib and is wider than system fonts."""
SHOWN_FONT = "var(--font)"
"""The page's own."""

WIDTH_INCHES: Final = 4.9
"""Width of a picture: 353 points, shown at 358 pixels on a phone, with slightly larger letters."""
PANEL_INCHES: Final = 2.3
"""Width of one of two pictures side by side on a phone."""
SIZE: Final = 12
"""Size of all letters, in points."""
LINE: Final = 0.22
"""Inches from one line of text to the next."""
_LEFT_OUT: Final = "…"
_LONGEST: Final = 1_000
"""Characters of a label that are used."""
_MOST_LINES: Final = 3
"""Most lines of one name."""
_BREAKS: Final = re.compile(r"[ _/:?&=,-]")
_NARROWEST: Final = 0.2
"""The narrowest letter, as a share of the width that counts as 1; it bounds how much of a name is examined."""


def settings(salt: str) -> Any:
    """matplotlib's settings for one plot; the salt makes its ids the same in every run.

    The type is left open: matplotlib's own is a literal list of some 300 names that grows with its versions.
    """
    return {
        "font.family": MEASURED_FONT,
        "font.size": SIZE,
        "text.color": INK,
        "text.parse_math": False,
        "axes.labelcolor": INK,
        "axes.edgecolor": HAIRLINE,
        "axes.facecolor": "none",
        "figure.facecolor": "none",
        "axes.labelsize": SIZE,
        "axes.titlesize": SIZE,
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
        "xtick.labelsize": SIZE,
        "ytick.labelsize": SIZE,
        "xtick.minor.size": 0,
        "ytick.major.size": 0,
        "lines.linewidth": 1.8,
        "svg.fonttype": "none",
        "svg.hashsalt": salt,
    }


def inches_of(text: str) -> float:
    """The width of a line of text, without the space around it."""
    # letters are set on whole points of a screen, which takes a little more
    return 1.02 * (SIZE * sum(map(_advance, text))) / 72


def shortened(name: str, *, inches: float) -> str:
    """The name, with as much of its middle left out as has no room: names of one family end differently.

    >>> shortened("sums", inches=1.0), shortened("arithmetic?operations=*", inches=1.2)
    ('sums', 'arith…ons=*')
    """
    name = " ".join(name.split())
    if inches_of(name) <= inches:
        return name
    kept = min(len(name), int(72 * inches / SIZE / _NARROWEST)) - 1
    while kept > 0 and inches_of(cut := _without_middle(name, kept)) > inches:
        kept -= 1
    return cut if kept > 0 else _LEFT_OUT


def wrapped(text: str, *, inches: float) -> tuple[str, ...]:
    """The text in at most three lines, broken where words or the parts of a name meet; the last one is shortened.

    >>> wrapped("Mean score of first minus second", inches=2.5)
    ('Mean score of first minus', 'second')
    """
    lines: list[str] = []
    rest = " ".join(text[:_LONGEST].split())
    while inches_of(rest) > inches and len(lines) < _MOST_LINES - 1:
        fits = next(end for end in range(len(rest), 0, -1) if end == 1 or inches_of(rest[:end].rstrip()) <= inches)
        ends = [
            match.end() for match in _BREAKS.finditer(rest) if fits / 3 < match.end() <= fits + (rest[match.start()] == " ")
        ]
        end = ends[-1] if ends else fits
        lines.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return (*lines, shortened(rest, inches=inches))


def _without_middle(name: str, kept: int) -> str:
    end = kept // 2
    return name[: kept - end] + _LEFT_OUT + (name[-end:] if end else "")


@lru_cache(maxsize=4096)
def _advance(letter: str) -> float:
    """The width of a letter at a size of 1; letters that the measured font lacks count as square."""
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
