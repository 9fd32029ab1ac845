"""Cells of tables as the findings of this room have them: points, errors and grades with their intervals."""

from __future__ import annotations

from math import isfinite

from vivavoce.formats.interval import Estimate
from vivavoce.report.cells import Cell

TOO_LITTLE = "(too little for an interval)"


def number_cell(found: Estimate, decimals: int, *, unknown: str = "too little to say") -> Cell:
    """A number with its interval; says where there is too little for one.

    >>> from vivavoce.formats.interval import Interval
    >>> number_cell(Estimate(68.94, Interval(66.0, 71.5), 220), 1)
    Cell('68.9', interval='[66.0, 71.5]')
    >>> number_cell(Estimate(None, Interval(0, 1), 0), 1)
    Cell('too little to say')
    """
    if found.value is None:
        return Cell(unknown, known=False)
    ends = found.interval
    if not (isfinite(ends.lower) and isfinite(ends.upper)):
        return Cell(_written(found.value, decimals), found.value, interval=TOO_LITTLE)
    bounds = f"[{_written(ends.lower, decimals)}, {_written(ends.upper, decimals)}]"
    return Cell(_written(found.value, decimals), found.value, ends, bounds)


def _written(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}".replace("-", "−")


def in_words(estimate: Estimate, decimals: int = 1) -> str:
    """A number with its interval; says where there is too little for one.

    >>> from vivavoce.formats.interval import Interval
    >>> in_words(Estimate(68.94, Interval(66.0, 71.5), 220)), in_words(Estimate(None, Interval(0, 1), 0))
    ('68.9 [66.0, 71.5]', 'too little to say')
    """
    if estimate.value is None:
        return "too little to say"
    interval = estimate.interval
    if not (isfinite(interval.lower) and isfinite(interval.upper)):
        return f"{estimate.value:.{decimals}f} (too little for an interval)"
    return f"{estimate.value:.{decimals}f} [{interval.lower:.{decimals}f}, {interval.upper:.{decimals}f}]"
