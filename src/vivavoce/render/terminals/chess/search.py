"""A search for contradictions in the terminal: the counts, the worst boards and the sentence."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from vivavoce.consistency.chess.comparison import THRESHOLDS
from vivavoce.consistency.chess.search.finding import ChessSearch
from vivavoce.render.pages.chess.search import COUNTED, rows
from vivavoce.render.terminal import bold, last_word, print_end, table

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
    print_end(console, found)


@last_word.register
def _(found: ChessSearch) -> Text:
    mark = Text("✕ ", style="red") if found.violated else Text("◆ ", style="bright_black")
    return mark + bold(found.statement)


def _table(found: ChessSearch, what: str, heading: str) -> Table:
    lines = ((method, *(f"{mean} ({ends})" if ends else mean for mean, ends in cells)) for method, cells in rows(found, what))
    made = table(("", *(f"> {threshold:g}" for threshold in THRESHOLDS)), lines)
    made.title, made.title_justify = heading, "left"
    for column in made.columns[1:]:
        column.justify = "right"
    return made
