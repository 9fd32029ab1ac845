"""The one look of all plots: fonts, lines and the colours of Okabe and Ito (`okabe2008`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BLUE = "#0072B2"
"""The candidate."""
ORANGE = "#E69F00"
"""A reference or a peer."""
VERMILION = "#D55E00"
"""A violation, or "does not understand"."""
GREEN = "#009E73"
"""Understands."""
GREY = "#767676"
"""No conclusion."""

INK = "#1b1c1d"
"""Text and axes."""
HAIRLINE = "#d9d9d6"
"""Grid."""
PAPER = "#ffffff"
"""Behind the plot."""

VARIABLES: Mapping[str, str] = {
    BLUE: "--blue",
    ORANGE: "--orange",
    VERMILION: "--vermilion",
    GREEN: "--green",
    GREY: "--grey",
    INK: "--ink",
    HAIRLINE: "--hairline",
    PAPER: "--paper",
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
