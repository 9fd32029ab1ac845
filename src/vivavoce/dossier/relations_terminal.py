"""A check of rules in the terminal: the table, the worst cases, what was not shown, and the sentence as the last word."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.consistency.relations import RelationFinding
from vivavoce.dossier.relations_page import SIDE_BY_SIDE, numbers, reasons, rule_name

SHOWN_WORST = 3
"""Of each rule."""


def print_relations(finding: RelationFinding, console: Console) -> None:
    """Shares by rule, the worst cases of each, caveats, and the statement."""
    for start in range(0, len(finding.rows), SIDE_BY_SIDE):
        rows = finding.rows[start : start + SIDE_BY_SIDE]
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
        for head in ("", *map(rule_name, rows)):
            table.add_column(Text(head))
        for what, cells in numbers(rows):
            table.add_row(what.lower(), *(f"{value} {more}".rstrip() for value, more in cells))
        console.print(table)
    for sentence in reasons(finding.rows):
        console.print(Text(sentence, style="dim"), soft_wrap=True)
    if any(row.worst for row in finding.rows):
        console.print(Text("\nThe worst cases", style="dim"))
    for row in finding.rows:
        for case in row.worst[:SHOWN_WORST]:
            console.print(Text(f"  {case.in_words}"), soft_wrap=True)
    console.print(Text("\nNot shown", style="dim"))
    for caveat in finding.caveats:
        console.print(Padding(Text(caveat), (0, 0, 0, 2)))
    console.print()
    console.print(Text(finding.statement, style="bold"), soft_wrap=True)
