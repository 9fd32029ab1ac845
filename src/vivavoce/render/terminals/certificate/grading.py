"""Who graded, and how far graders agree, as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from vivavoce.certificate.finding import Certificate
from vivavoce.certificate.graders.agreement import Agreement
from vivavoce.render.pages.certificate.grading import Row, agreement_rows, grading_rows
from vivavoce.render.terminal import joined, table


def print_grading(certificate: Certificate, console: Console) -> None:
    """Who graded; nothing where the scope's own rule did."""
    if rows := grading_rows(certificate):
        console.print()
        console.print(_table(rows))


def print_agreement(agreement: Agreement, first: str, second: str, console: Console) -> None:
    """How far the first grader agrees with the second one, by their names."""
    console.print(_table(agreement_rows(agreement, first, second)))


def _table(rows: Iterable[Row]) -> Table:
    made = table(("", ""), ((what, joined(found)) for what, found in rows))
    made.show_header = False
    return made
