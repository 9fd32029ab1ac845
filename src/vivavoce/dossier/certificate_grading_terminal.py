"""Who graded, and how far graders agree, as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from vivavoce.certificate.finding import Certificate
from vivavoce.certificate.graders.agreement import Agreement
from vivavoce.dossier.certificate_grading_page import Row, agreement_rows, grading_rows


def print_grading(certificate: Certificate, console: Console) -> None:
    """Who graded; nothing where the scope's own rule did."""
    if rows := grading_rows(certificate):
        console.print()
        console.print(_table(rows))


def print_agreement(agreement: Agreement, first: str, second: str, console: Console) -> None:
    """How far the first grader agrees with the second one, by their names."""
    console.print(_table(agreement_rows(agreement, first, second)))


def _table(rows: Iterable[Row]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 3, 0, 0))
    table.add_column("")
    table.add_column("")
    for what, found in rows:
        table.add_row(what, Text(" ".join(found)))
    return table
