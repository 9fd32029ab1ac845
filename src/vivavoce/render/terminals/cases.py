"""The paraphrase checks in the terminal: a table, the worst trials, what was not shown, and the sentence as the last word."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.text import Text

from vivavoce.consistency.legal.cases.finding import CaseConsistency
from vivavoce.formats.wording import clipped
from vivavoce.render.pages.cases import HEADS, notes, numbers, step
from vivavoce.render.terminal import joined, one_line, print_end, table

SHOWN_WORST: Final = 3


def print_cases(finding: CaseConsistency, console: Console) -> None:
    """Flips and shifts by box, and the trials that most need to be read."""
    heads = ("", *(HEADS[row.box].lower() for row in finding.counts.rows))
    console.print(table(heads, [(what, *map(joined, cells)) for what, cells in numbers(finding.counts.rows)]))
    for sentence in notes(finding.counts):
        console.print(Text(sentence, style="dim"), soft_wrap=True)
    if finding.worst:
        console.print(Text("\nRead these first", style="dim"))
    for trial in finding.worst[:SHOWN_WORST]:
        console.print(Text(f"  case {clipped(trial.case, 80)}: {step(trial, finding.threshold)}"), soft_wrap=True)
        console.print(Text(f"    fact: {one_line(trial.fact)}", style="dim"), soft_wrap=True)
        console.print(Text(f"    as:   {one_line(trial.paraphrase)}", style="dim"), soft_wrap=True)
    print_end(console, finding)
