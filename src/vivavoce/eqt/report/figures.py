"""The figures of an examination on a candidate's own explanations, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from vivavoce.eqt.figures import Figures
from vivavoce.formats.wording import count

MOST_ROWS: Final = 24
"""Categories in a picture."""


@dataclass(frozen=True, slots=True)
class GapFigure:
    """Accuracy with and without the explanation, and the difference beside it (Figure 1 of the paper)."""

    plot: ClassVar[str] = "vivavoce.eqt.report.plots:gap_drawing"
    whole: Figures
    categories: tuple[Figures, ...]
    """None for a single category, which is the whole over again."""


@dataclass(frozen=True, slots=True)
class CategoryBars:
    """A pair of bars a category: closed book solid, open book hatched (Figure 2 of the paper)."""

    plot: ClassVar[str] = "vivavoce.eqt.report.plots:category_bars_drawing"
    categories: tuple[Figures, ...]


@dataclass(frozen=True, slots=True)
class CategorySpider:
    """Closed-book accuracy of several candidates as a line each over all categories."""

    plot: ClassVar[str] = "vivavoce.eqt.report.comparison_plots:category_spider_drawing"
    candidates: tuple[str, ...]
    categories: tuple[str, ...]
    shares: tuple[tuple[float | None, ...], ...]
    """By candidate and category; None where it was not asked."""


@dataclass(frozen=True, slots=True)
class CategoryPanel:
    """One category: a pair of bars a candidate, closed book solid, open book hatched."""

    plot: ClassVar[str] = "vivavoce.eqt.report.comparison_plots:category_panel_drawing"
    category: str
    candidates: tuple[tuple[int, str, Figures], ...]
    """Number and name of each, with its figures in this category."""


def drawn(categories: Sequence[Figures]) -> tuple[Figures, ...]:
    """The categories that are drawn; a single one is the whole over again."""
    return tuple(categories[:MOST_ROWS]) if len(categories) > 1 else ()


def too_many(number: int) -> str:
    """What pictures of this many categories have no room for, in words."""
    return f"Drawn are {count(MOST_ROWS)} of {count(number)} categories." if number > MOST_ROWS else ""
