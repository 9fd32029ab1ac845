"""Ratings of a set of games in the terminal: tables, whom to look at, what was not shown, the sentence last."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.dossier.luna_rate_page import ladder, players
from vivavoce.luna.rate_finding import LunaRating
from vivavoce.luna.ratings import METHODS

MOST = 50
"""Players in a table; the page and --json have more."""


def print_luna_rating(finding: LunaRating, console: Console) -> None:
    """Ratings, ladder and flags."""
    rows = [(name, *(" ".join(cell) for cell in cells), number) for name, number, cells in players(finding)]
    _table(console, ("player", *METHODS, "guesses"), rows)
    if finding.ladder:
        console.print(Text("Who guesses well", style="dim"))
        _table(console, ("player", "stands at", "skill", "nearer"), ladder(finding))
    if finding.flags:
        console.print(Text("Whom to look at", style="dim"))
        for one in finding.flags:
            console.print(Padding(Text(one.statement), (0, 0, 0, 2)))
        console.print()
    console.print(Text("Not shown", style="dim"))
    for caveat in finding.caveats:
        console.print(Padding(Text(caveat), (0, 0, 0, 2)))
    console.print()
    console.print(Text(finding.statement, style="bold"), soft_wrap=True)


def _table(console: Console, heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    table = Table(*heads, box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for line in lines[:MOST]:
        table.add_row(*map(Text, line))
    console.print(table)
    if len(lines) > MOST:
        console.print(Text(f"and {len(lines) - MOST} more: see --html or --json", style="dim"))
    console.print()
