"""Explanations in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.certificate.finding import Certificate
from vivavoce.dossier.certificate_explanations_page import explanation_rows, summary

COLUMNS = ("", "explanation", "share", "failed", "answered", "")


def print_explanations(certificate: Certificate, console: Console) -> None:
    """Each procedure with its audit, and what they came to; nothing where there could be none."""
    if certificate.explained is None:
        return
    console.print()
    if certificate.explained.explanations:
        table = Table(box=None, pad_edge=False, show_header=True, header_style="dim", padding=(0, 2, 0, 0))
        for name in COLUMNS:
            table.add_column(name, no_wrap=name == COLUMNS[1])
        for row in explanation_rows(certificate.explained):
            table.add_row(*map(Text, row))
        console.print(table)
    for sentence in summary(certificate.explained, certificate):
        console.print(Padding(Text(sentence), (0, 0, 0, 2)))
