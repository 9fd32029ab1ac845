"""What making tuples has come to, in the terminal: a table by law, reasons, what is not shown, and the sentence."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from vivavoce.consistency.forecasts.making.summary import Summary
from vivavoce.formats.wording import count
from vivavoce.render.terminal import print_end, print_listed, table


def print_making(summary: Summary, console: Console) -> None:
    """How many tuples of each law were accepted, rejected and not checked, and why they were rejected."""
    made = table(("law", "tuples", "accepted", "rejected", "not checked"))
    for column in made.columns[1:]:
        column.justify = "right"
    for law, tally in summary.laws.items():
        made.add_row(Text(law), *map(count, (tally.tuples, tally.accepted, tally.rejected, tally.proposed)))
    console.print(made)
    reasons = summary.total.reasons.items()
    print_listed(console, "Rejected", [f"{count(number)}: {reason}" for reason, number in reasons])
    print_end(console, summary)
