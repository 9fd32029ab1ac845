"""The bail examination in the terminal: tables, the worst contradictions, what was not shown, the sentence last."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.consistency.legal.bail.finding import BailConsistency
from vivavoce.dossier.bail_page import Row, defendants, in_words, pairs, references, replies

SHOWN_WORST = 3


def print_bail(finding: BailConsistency, console: Console) -> None:
    """Contradictions by defendants, by pairs and beside judges by chance, and the three worst."""
    _table(console, ("defendants with a contradiction", "found", "share"), defendants(finding))
    _table(console, ("pairs of records that contradict", "found", "share"), pairs(finding))
    _table(console, ("beside judges by chance", "of defendants", "of pairs"), references(finding))
    console.print(Text(replies(finding), style="dim"))
    if finding.worst:
        console.print(Text("\nThe worst contradictions", style="dim"))
    for pair in finding.worst[:SHOWN_WORST]:
        words = in_words(pair)
        console.print(Text(f"  {words['decision']}: {' '.join(words['record'].split())}"), soft_wrap=True)
        console.print(
            Text(f"  {words['changed_decision']}, with a {words['direction']} record: {words['changes']}"), soft_wrap=True
        )
    console.print(Text("\nNot shown", style="dim"))
    for caveat in finding.caveats:
        console.print(Padding(Text(caveat), (0, 0, 0, 2)))
    console.print()
    console.print(Text(finding.statement, style="bold"), soft_wrap=True)


def _table(console: Console, heads: Sequence[str], rows: Sequence[Row]) -> None:
    if not rows:
        return
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column(heads[0], min_width=42)
    table.add_column(heads[1], min_width=16)
    table.add_column(heads[2])
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)
    console.print()
