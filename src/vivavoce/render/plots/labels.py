"""Names beside a plot, cut to the room that there is: no name is pushed over the picture's edge."""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from unicodedata import combining, east_asian_width

from vivavoce.render.plots import canvas

_LEFT_OUT: Final = "…"
_GAP: Final = 8.0
"""Points between a name and its row."""
_NARROWEST: Final = 0.2
"""Of the width that counts as 1: bounds how much of a name is looked at."""


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

    font = get_font(findfont(FontProperties(family=canvas.MEASURED_FONT)))
    if not font.get_char_index(ord(letter)):
        return 1.0
    font.set_size(100, 72)
    advance: float = font.load_char(ord(letter)).linearHoriAdvance
    return advance / 65536 / 100
