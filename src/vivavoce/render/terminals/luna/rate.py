"""Ratings of a set of games in the terminal: tables, whom to look at, what was not shown, the sentence last."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from vivavoce.luna.rate_finding import LunaRating
from vivavoce.luna.ratings import METHODS
from vivavoce.render.pages.luna.rate import ladder, players
from vivavoce.render.terminal import joined, print_end, print_listed, table

MOST = 50
"""Players in a table; the page and --json have more."""


def print_luna_rating(finding: LunaRating, console: Console) -> None:
    """Ratings, ladder and flags."""
    rows = [(name, *map(joined, cells), number) for name, number, cells in players(finding)]
    _print_players(console, ("player", *METHODS, "guesses"), rows)
    if finding.ladder:
        console.print(Text("\nWho guesses well", style="dim"))
        _print_players(console, ("player", "stands at", "skill", "nearer"), ladder(finding))
    print_listed(console, "Players to look at", [one.statement for one in finding.flags])
    print_end(console, finding)


def _print_players(console: Console, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    console.print(table(heads, rows[:MOST]))
    if len(rows) > MOST:
        console.print(Text(f"and {len(rows) - MOST} more: see --html or --json", style="dim"))
