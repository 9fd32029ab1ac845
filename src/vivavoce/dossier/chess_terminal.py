"""The chess findings in the terminal: tables, the worst positions, what was not shown, and the sentence as the last word."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.consistency.chess.comparison import THRESHOLDS
from vivavoce.consistency.chess.finding import ChessConsistency
from vivavoce.consistency.chess.scaling import ChessScaling
from vivavoce.consistency.chess.telling import in_words
from vivavoce.dossier.chess_page import Cell, numbers, shown_worst, skips
from vivavoce.dossier.chess_scaling_page import shares, slopes

SHOWN_WORST = 2
"""Of each check."""


def print_chess(finding: ChessConsistency, console: Console) -> None:
    """Shares by check and difference, and two of the worst positions of each check."""
    _table(console, ["difference", *(row.check.value for row in finding.rows)], numbers(finding.rows))
    for sentence in skips(finding.rows):
        console.print(Text(f"Skipped, {sentence}", style="dim"), soft_wrap=True)
    console.print(Text("\nThe worst positions", style="dim"))
    for row in finding.rows:
        for comparison in shown_worst(row, SHOWN_WORST):
            console.print(Text(f"  {in_words(comparison)}"), soft_wrap=True)
            console.print(Text(f"    {comparison.first.fen}", style="dim"), soft_wrap=True)
    _end(console, finding.caveats, finding.statement)


def print_scaling(finding: ChessScaling, console: Console) -> None:
    """Shares by nodes and difference, and the fitted slopes."""
    _table(console, ["nodes", *(f"over {threshold:g}" for threshold in THRESHOLDS)], shares(finding))
    fits = [(name, (slope, tenfold, (points, ""))) for name, slope, tenfold, points in slopes(finding)]
    if fits:
        console.print()
        _table(console, ["difference", "slope", "left by ten times the nodes", "points"], fits)
    _end(console, finding.caveats, finding.statement)


def _table(console: Console, heads: Sequence[str], rows: Sequence[tuple[str, tuple[Cell, ...]]]) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for head in heads:
        table.add_column(head)
    for what, cells in rows:
        table.add_row(what, *(f"{value} {interval}".rstrip() for value, interval in cells))
    console.print(table)


def _end(console: Console, caveats: Sequence[str], statement: str) -> None:
    console.print(Text("\nNot shown", style="dim"))
    for caveat in caveats:
        console.print(Padding(Text(caveat), (0, 0, 0, 2)))
    console.print()
    console.print(Text(statement, style="bold"), soft_wrap=True)
