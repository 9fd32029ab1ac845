"""All attempts on record, and how the error is spent on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vivavoce.certificate.attempts import Attempt
from vivavoce.formats.wording import clipped, share
from vivavoce.report.blocks import Column, Row, Section, Table
from vivavoce.report.cells import Cell

SHOWN_TERMS: Final = 300


def attempts(attempt: Attempt | None) -> Section:
    """All attempts on record, where there are several: number, what was otherwise, beginning, error and outcome."""
    rows = [] if attempt is None else attempt.rows
    columns = (
        Column("No.", short="no."),
        Column("Terms", short="terms"),
        Column("Begun (UTC)", short="begun (UTC)"),
        Column("May err", short="may err"),
        Column("Outcome", short="outcome"),
    )
    table = Table(columns, tuple(_row(number, others) for number, *others in rows))
    return Section("Attempts on record", (table,) if rows else ())


def spending(delta: float, attempt: Attempt | None) -> str:
    """How delta is spent over attempts, in a sentence."""
    if attempt is None:
        return ""
    return (
        f"This is attempt {attempt.number}: of an error of {share(delta)} over all attempts the first has nine tenths, and "
        "those after it share the last tenth, so that the record as a whole gives a wrong verdict at most that often. "
    )


def _row(number: str, others: Sequence[str]) -> Row:
    return Row(Cell(number, int(number)), tuple(Cell(clipped(text, SHOWN_TERMS)) for text in others))
