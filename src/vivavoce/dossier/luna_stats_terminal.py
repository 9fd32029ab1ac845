"""The figures of a Luna site in the terminal: tables, what was not shown, the sentence last."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.dossier.luna_stats_page import rows, tables
from vivavoce.luna.stats_finding import LunaStatistics


def print_luna_stats(finding: LunaStatistics, console: Console) -> None:
    """All figures."""
    _table(console, ("figure", "here", "in the thesis"), rows(finding))
    for heading, heads, lines in tables(finding):
        console.print(Text(heading, style="dim"))
        _table(console, heads, lines)
    console.print(Text("Not shown", style="dim"))
    for caveat in finding.caveats:
        console.print(Padding(Text(caveat), (0, 0, 0, 2)))
    console.print()
    console.print(Text(finding.statement, style="bold"), soft_wrap=True)


def _table(console: Console, heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    table = Table(*heads, box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for line in lines:
        table.add_row(*map(Text, line))
    console.print(table)
    console.print()
