"""Simulated games in the terminal: where figures end, the table of attacks, what was not shown, the sentence last."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from vivavoce.luna.ratings import METHODS
from vivavoce.luna.simulation_finding import LunaSimulation
from vivavoce.render.pages.luna.simulate import attacks, ends
from vivavoce.render.terminal import joined, print_end, table


def print_luna_simulation(finding: LunaSimulation, console: Console) -> None:
    """All figures' ends and the table."""
    if finding.figures:
        console.print(Text("Distance of ratings from intelligence at the end: mean / largest", style="dim"))
        console.print(table(("figure", "", "as the text reads", "as published", "the thesis says"), ends(finding)))
    if finding.attacks:
        heading = "Mean distance of ratings from intelligence (of one player's rating where it is about one)"
        console.print(Text(f"\n{heading}" if finding.figures else heading, style="dim"))
        console.print(table(("", *METHODS), ((words, *map(joined, cells)) for words, cells, _ in attacks(finding))))
    print_end(console, finding)
