"""An evaluation of a predictor in the terminal: the table, tasks, what was not shown, and the sentence as the last word."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from vivavoce.generalization.evaluation import ByTask, Evaluation
from vivavoce.render.pages.generalization.evaluate import PARTS, by_task, left_out, notes, numbers
from vivavoce.render.terminal import joined, print_end, print_listed, table


def print_evaluation(finding: Evaluation, console: Console) -> None:
    """The numbers, the tasks that stand out, caveats, and the statement."""
    heads = ("", *(words for words, _ in PARTS))
    console.print(table(heads, ((what, *map(joined, cells)) for what, cells in numbers(finding))))
    for title, rows in (
        ("From the task", finding.by_task_from),
        ("To the task", finding.by_task_to),
        ("From one task to another", finding.by_task_pair),
    ):
        if rows:
            _print_tasks(title, rows, console)
    print_listed(console, "How the chances were obtained", notes(finding.notes))
    print_end(console, finding)


def _print_tasks(title: str, rows: tuple[ByTask, ...], console: Console) -> None:
    console.print()
    lines = ((task, joined(auc), nll, pairs) for task, auc, nll, pairs in by_task(rows))
    console.print(table((title, "AUC", "NLL", "pairs"), lines))
    if left_out(rows):
        console.print(Text(f"  and {left_out(rows)} more between them: --json has all", style="dim"))
