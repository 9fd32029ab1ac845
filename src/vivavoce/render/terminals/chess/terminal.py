"""The chess findings in the terminal: tables, the worst positions, what was not shown, and the sentence as the last word."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from vivavoce.consistency.chess.comparison import THRESHOLDS
from vivavoce.consistency.chess.describe import in_words
from vivavoce.consistency.chess.finding import ChessConsistency
from vivavoce.consistency.chess.scaling import ChessScaling
from vivavoce.render.pages.chess.page import numbers, shown_worst, skips
from vivavoce.render.pages.chess.scaling import shares, slopes
from vivavoce.render.terminal import joined, print_end, table

SHOWN_WORST = 2
"""Of each check."""


def print_chess(finding: ChessConsistency, console: Console) -> None:
    """Shares by check and difference, and two of the worst positions of each check."""
    heads = ("difference", *(row.check.value for row in finding.rows))
    console.print(table(heads, ((what, *map(joined, cells)) for what, cells in numbers(finding.rows))))
    for sentence in skips(finding.rows):
        console.print(Text(f"Skipped, {sentence}", style="dim"), soft_wrap=True)
    console.print(Text("\nThe worst positions", style="dim"))
    for row in finding.rows:
        for comparison in shown_worst(row, SHOWN_WORST):
            console.print(Text(f"  {in_words(comparison)}"), soft_wrap=True)
            console.print(Text(f"    {comparison.first.fen}", style="dim"), soft_wrap=True)
    print_end(console, finding)


def print_scaling(finding: ChessScaling, console: Console) -> None:
    """Shares by nodes and difference, and the fitted slopes."""
    heads = ("nodes", *(f"over {threshold:g}" for threshold in THRESHOLDS))
    console.print(table(heads, ((nodes, *map(joined, cells)) for nodes, cells in shares(finding))))
    fits = [(name, joined(slope), joined(tenfold), points) for name, slope, tenfold, points in slopes(finding)]
    if fits:
        console.print()
        console.print(table(("difference", "slope", "left by ten times the nodes", "points"), fits))
    print_end(console, finding)
