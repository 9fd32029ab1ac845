"""A rehearsed survey in the terminal: stages, cells, what was not shown, and the sentence as the last word."""

from __future__ import annotations

from rich.console import Console

from vivavoce.dossier.generalization_simulate_page import by_cell, by_stage
from vivavoce.dossier.terminal import joined, print_end, table
from vivavoce.generalization.simulate_finding import SurveyRehearsal


def print_rehearsal(finding: SurveyRehearsal, console: Console) -> None:
    """Both tables, caveats, and the statement."""
    stages = [(stage, *map(joined, shares), auc) for stage, *shares, auc in by_stage(finding)]
    cells = [(name, truth, joined(weighted), plain) for name, truth, weighted, plain in by_cell(finding)]
    console.print(table(("stage", "changes", "weighted", "AUC after it"), stages))
    console.print()
    console.print(table(("pairs", "true", "weighted", "unweighted"), cells))
    print_end(console, finding)
