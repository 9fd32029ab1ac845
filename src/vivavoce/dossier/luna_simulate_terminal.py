"""Simulated games in the terminal: where figures end, the table of attacks, what was not shown, the sentence last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.dossier.luna_simulate_page import attacks, ends
from vivavoce.luna.ratings import METHODS
from vivavoce.luna.simulation_finding import LunaSimulation


def print_luna_simulation(finding: LunaSimulation, console: Console) -> None:
    """All figures' ends and the table."""
    if finding.figures:
        console.print(Text("Distance of ratings from intelligence at the end: mean / largest", style="dim"))
        lines = ((number, *rest) for number, *rest in ends(finding))
        _table(console, ("figure", "", "as the text reads", "as published", "the thesis says"), lines)
    if finding.attacks:
        console.print(
            Text("Mean distance of ratings from intelligence (of one player's rating where it is about one)", style="dim")
        )
        rows = ((words, *(" ".join(cell) for cell in cells)) for words, cells, _ in attacks(finding))
        _table(console, ("", *METHODS), rows)
    console.print(Text("Not shown", style="dim"))
    for caveat in finding.caveats:
        console.print(Padding(Text(caveat), (0, 0, 0, 2)))
    console.print()
    console.print(Text(finding.statement, style="bold"), soft_wrap=True)


def _table(console: Console, heads: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    table = Table(*heads, box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for line in lines:
        table.add_row(*map(Text, line))
    console.print(table)
    console.print()
