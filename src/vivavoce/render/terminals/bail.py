"""The bail examination in the terminal: tables, the worst contradictions, what was not shown, the sentence last."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from vivavoce.consistency.legal.bail.finding import BailConsistency
from vivavoce.render.pages.bail import Row, defendants, in_words, pairs, references, replies
from vivavoce.render.terminal import print_end, table

SHOWN_WORST = 3


def print_bail(finding: BailConsistency, console: Console) -> None:
    """Contradictions by defendants, by pairs and compared with judges by chance, and the three worst."""
    _table(console, ("defendants with a contradiction", "found", "share"), defendants(finding))
    _table(console, ("pairs of records that contradict", "found", "share"), pairs(finding))
    _table(console, ("compared with judges by chance", "of defendants", "of pairs"), references(finding))
    console.print(Text(replies(finding), style="dim"))
    if finding.worst:
        console.print(Text("\nThe worst contradictions", style="dim"))
    for pair in finding.worst[:SHOWN_WORST]:
        words = in_words(pair)
        console.print(Text(f"  {words['decision']}: {' '.join(words['record'].split())}"), soft_wrap=True)
        console.print(
            Text(f"  {words['changed_decision']}, with a {words['direction']} record: {words['changes']}"), soft_wrap=True
        )
    print_end(console, finding)


def _table(console: Console, heads: Sequence[str], rows: Sequence[Row]) -> None:
    if not rows:
        return
    made = table(heads, rows)
    made.columns[0].min_width, made.columns[1].min_width = 42, 16
    console.print(made)
    console.print()
