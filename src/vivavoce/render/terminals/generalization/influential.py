"""The most influential pairs in the terminal: means, pairs of each kind, what was not shown, the sentence last."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.text import Text

from vivavoce.generalization.influential import InfluentialPairs
from vivavoce.render.pages.generalization.evaluate import notes
from vivavoce.render.pages.generalization.influential import kinds, numbers, shown
from vivavoce.render.terminal import LONGEST_LINE, print_end, print_listed, table

SHOWN: Final = 3
"""Pairs of each kind."""


def print_influential(finding: InfluentialPairs, console: Console) -> None:
    """Mean chances, the pairs at both ends, caveats, and the statement."""
    console.print(table(("Mean chance of a change", "", ""), numbers(finding)))
    for title, pairs in kinds(finding):
        console.print(Text(f"\n{title}", style="dim"))
        for one in pairs[:SHOWN]:
            told = shown(one, LONGEST_LINE)
            console.print(Text(f"  {told['chance']}  {told['first']}"), soft_wrap=True)
            console.print(Text(f"   →  {told['second']}"), soft_wrap=True)
    print_listed(console, "How the chances were obtained", notes(finding.notes))
    print_end(console, finding)
