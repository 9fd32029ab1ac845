"""What was known of the questions of a certificate before the first was asked."""

from __future__ import annotations

from vivavoce.certificate.history import HistoryUse
from vivavoce.formats.wording import count, share
from vivavoce.report.blocks import Column, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell

_SHOWN = 12
"""Characters of the digest."""


def known_before(use: HistoryUse | None) -> Section:
    """The history, and how much was bet on it; nothing where there was none."""
    if use is None:
        return Section("", ())
    size = use.known + use.unknown
    rows = [
        _row("Others", count_cell(use.others)),
        _row("Questions with a known answer", Cell(f"{count(use.known)} of {count(size)}", use.known)),
        _row("The candidate is among the others", Cell("yes" if use.itself else "no")),
        _row("Relied on at the end", Cell(share(use.belief), use.belief)),
        _row("Variance of scores explained", Cell(share(use.explained), use.explained)),
        _row("Digest of the history", Cell(use.digest[:_SHOWN])),
    ]
    columns = (Column("What", short="what"), Column("Found", short="found"))
    return Section("Known from others", (Table(columns, tuple(rows)),))


def _row(what: str, value: Cell) -> Row:
    return Row(Cell(what), (value,))
