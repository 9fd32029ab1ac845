"""The figures of an examination on a candidate's own explanations as cells of tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from vivavoce.eqt.figures import Figures
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count, name_of, percent, percent_interval, score, score_interval
from vivavoce.report.cells import Cell
from vivavoce.report.wording import NBSP

IN_LINES: Final = ("closed", "closed_originals", "open_book", "gap", "acs")
"""The figures of a category or concept."""


def called(name: str) -> str:
    """A stranger's name on one line.

    >>> called("a\\nb"), len(called("x" * 500))
    ('a b', 60)
    """
    return name_of(" ".join(name.split()))


def figure_cell(figures: Figures, what: str) -> Cell:
    """The figure of this name."""
    estimate: Estimate = getattr(figures, what)
    highest = figures.highest.get(what)
    if what == "gap":
        return points_cell(estimate, highest)
    return _cell(estimate, score, score_interval) if what.startswith("acs") else share_cell(estimate, highest)


def share_cell(estimate: Estimate, highest: float | None = None) -> Cell:
    """A share in percent, up to `highest` where it lies between two."""
    return _cell(estimate, percent, percent_interval, highest)


def points_cell(estimate: Estimate, highest: float | None = None) -> Cell:
    """A difference of two shares in points of a hundred, up to `highest` where it lies between two."""
    return _cell(estimate, points, points_interval, highest)


def points(value: float) -> str:
    """A difference of two shares in points of a hundred, as the sentence at the top has it.

    >>> points(0.1234), points(-0.034), points(0.0001), points(-1.0)
    ('12', '−3', '0', '−100')
    """
    return _whole(round(value * 100))


def points_interval(interval: Interval) -> str:
    """An interval of differences in points, each end rounded outwards.

    >>> points_interval(Interval(-0.034, 0.2101))
    '[−4, 22]'
    """
    lower, upper = math.floor(round(interval.lower * 100, 9)), math.ceil(round(interval.upper * 100, 9))
    return f"[{_whole(lower)}, {_whole(upper)}]"


def without_n(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """The same where the number of observations stands elsewhere."""
    return tuple(replace(cell, n="") for cell in cells)


def line(cell: Cell) -> str:
    """Number and interval."""
    return f"{cell.text} {cell.interval}".rstrip()


def counted(number: int, thing: str) -> str:
    """This many of something.

    >>> counted(1, "question"), counted(0, "key")
    ('1 question', '0 keys')
    """
    return f"{count(number)} {thing}{'' if number == 1 else 's'}"


def between(lowest: str, highest: float, write: Callable[[float], str]) -> str:
    """A number that lies between two, its sign once; one that is the same at both ends as it is.

    >>> between("64%", 0.66, percent), between("64%", 0.6401, percent)
    ('64–66%', '64%')
    """
    return lowest if write(highest) == lowest else f"{lowest.removesuffix('%')}–{write(highest)}"


def _cell(
    estimate: Estimate,
    write: Callable[[float], str],
    write_interval: Callable[[Interval], str],
    highest: float | None = None,
) -> Cell:
    n = f"n{NBSP}={NBSP}{count(estimate.n)}"
    if estimate.value is None:
        return Cell("withheld" if estimate.n else "unknown", n=n, known=False)
    bounds = estimate.interval
    bounded = math.isfinite(bounds.lower) and math.isfinite(bounds.upper)
    return Cell(
        between(write(estimate.value), estimate.value if highest is None else highest, write),
        estimate.value,
        bounds,
        write_interval(bounds) if bounded else "",
        n,
    )


def _whole(number: int) -> str:
    return f"−{-number}" if number < 0 else str(number)
