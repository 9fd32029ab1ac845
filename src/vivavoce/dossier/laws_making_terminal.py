"""What making tuples has come to, in the terminal: a table by law, reasons, what is not shown, and the sentence."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.consistency.forecasts.making.summary import Summary
from vivavoce.interview.wording import count


def print_making(summary: Summary, console: Console) -> None:
    """How many tuples of each law were accepted, rejected and not checked, and why they were rejected."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 3, 0, 0))
    table.add_column("law")
    for name in ("tuples", "accepted", "rejected", "not checked"):
        table.add_column(name, justify="right")
    for law, tally in summary.laws.items():
        table.add_row(law, *(count(n) for n in (tally.tuples, tally.accepted, tally.rejected, tally.proposed)))
    console.print(table)
    if summary.total.reasons:
        console.print(Text("\nRejected", style="dim"))
    for reason, number in summary.total.reasons.items():
        console.print(Text(f"  {count(number)}: {reason}"), soft_wrap=True)
    console.print(Text("\nNot shown", style="dim"))
    for caveat in summary.caveats:
        console.print(Padding(Text(caveat), (0, 0, 0, 2)))
    console.print()
    console.print(Text(summary.statement, style="bold"), soft_wrap=True)
