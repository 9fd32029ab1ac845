"""The paraphrase checks in the terminal: a table, the worst trials, what was not shown, and the sentence as the last word."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.consistency.legal.cases.finding import CaseConsistency
from vivavoce.dossier.cases_page import HEADS, notes, numbers, step
from vivavoce.interview.wording import clipped

SHOWN_WORST: Final = 3
SHOWN_CHARACTERS: Final = 160


def print_cases(finding: CaseConsistency, console: Console) -> None:
    """Flips and shifts by box, and the trials that most need to be read."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for head in ("", *(HEADS[row.box].lower() for row in finding.counts.rows)):
        table.add_column(head)
    for what, cells in numbers(finding.counts.rows):
        table.add_row(what, *(f"{value} {interval}".rstrip() for value, interval in cells))
    console.print(table)
    for sentence in notes(finding.counts):
        console.print(Text(sentence, style="dim"), soft_wrap=True)
    if finding.worst:
        console.print(Text("\nRead these first", style="dim"))
    for trial in finding.worst[:SHOWN_WORST]:
        console.print(Text(f"  case {clipped(trial.case, 80)}: {step(trial, finding.threshold)}"), soft_wrap=True)
        console.print(Text(f"    fact: {_one_line(trial.fact)}", style="dim"), soft_wrap=True)
        console.print(Text(f"    as:   {_one_line(trial.paraphrase)}", style="dim"), soft_wrap=True)
    console.print(Text("\nNot shown", style="dim"))
    for caveat in finding.caveats:
        console.print(Padding(Text(caveat), (0, 0, 0, 2)))
    console.print()
    console.print(Text(finding.statement, style="bold"), soft_wrap=True)


def _one_line(text: str) -> str:
    return clipped(" ".join(text.split()), SHOWN_CHARACTERS)
