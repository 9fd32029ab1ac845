"""The rows of a table for programs: a dictionary a row, as a data frame takes them."""

from __future__ import annotations

import math
from typing import Any

from vivavoce.report.blocks import Table


def rows_of(table: Table) -> list[dict[str, Any]]:
    """A dictionary a row: names of columns -> values, and `NAME, lower` and `NAME, upper` where values have intervals.

    Every row has the same names.

    >>> from vivavoce.formats.interval import Estimate, Interval
    >>> from vivavoce.report.blocks import Column, Row
    >>> from vivavoce.report.cells import Cell, share_cell
    >>> half = share_cell(Estimate(0.5, Interval(0.25, 0.75), 10))
    >>> rows_of(Table((Column("Law"), Column("Strong", short="strong")), (Row(Cell("Negation"), (half,)),)))
    [{'Law': 'Negation', 'strong': 0.5, 'strong, lower': 0.25, 'strong, upper': 0.75}]
    """
    found = []
    names = _names(table)
    with_bounds = {
        name for row in table.rows for name, cell in zip(names, (row.head, *row.cells), strict=True) if cell.bounds is not None
    }
    for row in table.rows:
        values: dict[str, Any] = {}
        for name, cell in zip(names, (row.head, *row.cells), strict=True):
            values[name] = cell.value if cell.value is not None or not cell.known else cell.text
            if name in with_bounds:
                values[f"{name}, lower"] = None if cell.bounds is None else _finite(cell.bounds.lower)
                values[f"{name}, upper"] = None if cell.bounds is None else _finite(cell.bounds.upper)
        found.append(values)
    return found


def _names(table: Table) -> list[str]:
    """The labels of the columns, told apart by numbers where two are the same."""
    names: list[str] = []
    for place, column in enumerate(table.columns):
        label = column.short or " ".join(filter(None, (column.head, column.below))) or f"column {place + 1}"
        names.append(label if label not in names else f"{label} {place + 1}")
    return names


def _finite(end: float) -> float | None:
    return end if math.isfinite(end) else None
