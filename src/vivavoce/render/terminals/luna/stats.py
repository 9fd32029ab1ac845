"""The figures of a Luna site in the terminal: tables, what was not shown, the sentence last."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from vivavoce.luna.stats_finding import LunaStatistics
from vivavoce.render.pages.luna.stats import rows, tables
from vivavoce.render.terminal import print_end, table


def print_luna_stats(finding: LunaStatistics, console: Console) -> None:
    """All figures."""
    console.print(table(("figure", "here", "in the thesis"), rows(finding)))
    for heading, heads, lines in tables(finding):
        console.print(Text(f"\n{heading}", style="dim"))
        console.print(table(heads, lines))
    print_end(console, finding)
