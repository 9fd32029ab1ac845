"""The one look of all plots: the theme's colours, fonts and lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
