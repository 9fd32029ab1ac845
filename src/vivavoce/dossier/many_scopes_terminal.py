"""Many scopes in the terminal: one table, what was not shown, and the sentence."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.certificate.many_finding import ManyScopes
from vivavoce.dossier.certificate_page import MARK, SHOWN_CHARACTERS
from vivavoce.dossier.many_scopes_page import columns, overall, rows, short_names
from vivavoce.dossier.terminal import COLOUR
from vivavoce.interview.wording import clipped


def print_many(finding: ManyScopes, console: Console) -> None:
    """A line for each scope, and the counts as the last word."""
    table = Table(box=None, pad_edge=False, show_header=True, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("scope", overflow="fold")
    for column in columns(finding):
        table.add_column(column.lower(), no_wrap=True)
    for name, result, cells in zip(short_names(finding), finding.scopes, rows(finding), strict=True):
        verdict = Text(f"{MARK[result.verdict]} ", style=COLOUR[result.verdict]) + Text(result.verdict.value)
        table.add_row(Text(name), verdict, *(Text(" ".join(part for part in cell if part)) for cell in cells))
    console.print(table)
    console.print(Text("\nNot shown", style="dim"))
    for caveat in finding.caveats:
        console.print(Padding(Text(caveat), (0, 0, 0, 2)))
    console.print()
    kind = overall(finding)
    mark = Text(f"{MARK[kind]} ", style=COLOUR[kind])
    console.print(mark + Text(clipped(finding.statement, SHOWN_CHARACTERS), style="bold"), soft_wrap=True)
