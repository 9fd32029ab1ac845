"""Explanations in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from vivavoce.certificate.finding import Certificate
from vivavoce.render.pages.certificate.explanations import explanation_rows, summary
from vivavoce.render.terminal import table

COLUMNS = ("", "explanation", "share", "failed", "answered", "")


def print_explanations(certificate: Certificate, console: Console) -> None:
    """Each procedure with its audit, and what they came to; nothing where there could be none."""
    if certificate.explained is None:
        return
    console.print()
    if certificate.explained.explanations:
        made = table(COLUMNS, explanation_rows(certificate.explained))
        made.columns[1].no_wrap = True
        console.print(made)
    for sentence in summary(certificate.explained, certificate):
        console.print(Padding(Text(sentence), (0, 0, 0, 2)))
