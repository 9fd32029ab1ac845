"""A search for contradictions in the terminal: the counts, the worst boards and the sentence."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.consistency.chess.comparison import THRESHOLDS
from vivavoce.consistency.chess.search.finding import ChessSearch
from vivavoce.dossier.chess_search_page import COUNTED, rows

SHOWN = 3


def print_chess_search(found: ChessSearch, console: Console) -> None:
    """A table for each way of counting, the largest differences, what was not shown, and the result as the last word."""
    for what, heading in COUNTED.items():
        console.print(_table(found, what, heading))
        console.print()
    if found.examples:
        console.print(Text("The largest differences", style="dim"))
    for comparison in found.examples[:SHOWN]:
        values = f"{comparison.first.evaluation.q:+.3f} and {comparison.second.evaluation.q:+.3f}"
        console.print(Text(f"  {values}: {comparison.first.fen} · {comparison.label}"), soft_wrap=True)
    console.print(Text("\nNot shown" if found.examples else "Not shown", style="dim"))
    for caveat in found.caveats:
        console.print(Padding(Text(caveat), (0, 0, 0, 2)))
    console.print()
    mark = Text("✕ " if found.violated else "◆ ", style="red" if found.violated else "bright_black")
    console.print(mark + Text(found.statement, style="bold"), soft_wrap=True)


def _table(found: ChessSearch, what: str, heading: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0), title=heading, title_justify="left")
    table.add_column("")
    for threshold in THRESHOLDS:
        table.add_column(f"> {threshold:g}", justify="right")
    for method, cells in rows(found, what):
        table.add_row(method, *(f"{mean} ({ends})" if ends else mean for mean, ends in cells))
    return table
