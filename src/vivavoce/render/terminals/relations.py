"""A check of rules in the terminal: the table, the worst cases, what was not shown, and the sentence as the last word."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from vivavoce.consistency.relations import RelationFinding
from vivavoce.render.pages.relations import SIDE_BY_SIDE, numbers, reasons, rule_name
from vivavoce.render.replies import unused
from vivavoce.render.terminal import joined, print_end, table

SHOWN_WORST = 3
"""Of each rule."""


def print_relations(finding: RelationFinding, console: Console) -> None:
    """Shares by rule, the worst cases of each, caveats, and the statement."""
    for start in range(0, len(finding.rows), SIDE_BY_SIDE):
        rows = finding.rows[start : start + SIDE_BY_SIDE]
        lines = ((what.lower(), *map(joined, cells)) for what, cells in numbers(rows))
        console.print(table(("", *map(rule_name, rows)), lines))
    for sentence in filter(None, (*reasons(finding.rows), unused(finding.replies))):
        console.print(Text(sentence, style="dim"), soft_wrap=True)
    if any(row.worst for row in finding.rows):
        console.print(Text("\nThe worst cases", style="dim"))
    for row in finding.rows:
        for case in row.worst[:SHOWN_WORST]:
            console.print(Text(f"  {case.in_words}"), soft_wrap=True)
    print_end(console, finding)
