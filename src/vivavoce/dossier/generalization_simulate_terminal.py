"""A rehearsed survey in the terminal: stages, cells, what was not shown, and the sentence as the last word."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.dossier.generalization_simulate_page import by_cell, by_stage
from vivavoce.generalization.simulate_finding import SurveyRehearsal


def print_rehearsal(finding: SurveyRehearsal, console: Console) -> None:
    """Both tables, caveats, and the statement."""
    stages = [(stage, *map(" ".join, shares), auc) for stage, *shares, auc in by_stage(finding)]
    cells = [(name, truth, " ".join(weighted), plain) for name, truth, weighted, plain in by_cell(finding)]
    for heads, rows in (
        (("stage", "changes", "weighted", "AUC after it"), stages),
        (("pairs", "true", "weighted", "unweighted"), cells),
    ):
        table = Table(*heads, box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
        for row in rows:
            table.add_row(*row)
        console.print(table)
        console.print()
    console.print(Text("Not shown", style="dim"))
    for caveat in finding.caveats:
        console.print(Padding(Text(caveat), (0, 0, 0, 2)))
    console.print()
    console.print(Text(finding.statement, style="bold"), soft_wrap=True)
