"""The most telling pairs in the terminal: means, pairs of each kind, what was not shown, and the sentence as the last word."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.dossier.generalization_evaluate_page import notes
from vivavoce.dossier.generalization_telling_page import kinds, numbers, shown
from vivavoce.generalization.telling import Telling

SHOWN: Final = 3
"""Pairs of each kind."""
SHOWN_CHARACTERS: Final = 160


def print_telling(finding: Telling, console: Console) -> None:
    """Mean chances, the pairs at both ends, caveats, and the statement."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for head in ("Mean chance of a change", "", ""):
        table.add_column(Text(head))
    for row in numbers(finding):
        table.add_row(*row)
    console.print(table)
    for title, pairs in kinds(finding):
        console.print(Text(f"\n{title}", style="dim"))
        for one in pairs[:SHOWN]:
            told = shown(one, SHOWN_CHARACTERS)
            console.print(Text(f"  {told['chance']}  {told['first']}"), soft_wrap=True)
            console.print(Text(f"   →  {told['second']}"), soft_wrap=True)
    for head, sentences in (("How the chances were come by", notes(finding.notes)), ("Not shown", finding.caveats)):
        if sentences:
            console.print(Text(f"\n{head}", style="dim"))
        for sentence in sentences:
            console.print(Padding(Text(sentence), (0, 0, 0, 2)))
    console.print()
    console.print(Text(finding.statement, style="bold"), soft_wrap=True)
