"""A rehearsed survey in the terminal: stages, cells, what was not shown, and the sentence as the last word."""

from __future__ import annotations

from rich.console import Console

from vivavoce.generalization.simulate_finding import SurveyRehearsal
from vivavoce.render.pages.generalization.simulate import by_cell, by_stage
from vivavoce.render.terminal import joined, print_end, table


def print_rehearsal(finding: SurveyRehearsal, console: Console) -> None:
    """Both tables, caveats, and the statement."""
    stages = [(stage, *map(joined, shares), auc) for stage, *shares, auc in by_stage(finding)]
    cells = [(name, truth, joined(weighted), plain) for name, truth, weighted, plain in by_cell(finding)]
    console.print(table(("stage", "changes", "weighted", "AUC after it"), stages))
    console.print()
    console.print(table(("pairs", "true", "weighted", "unweighted"), cells))
    print_end(console, finding)
