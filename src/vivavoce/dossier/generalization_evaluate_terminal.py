"""An evaluation of a predictor in the terminal: the table, tasks, what was not shown, and the sentence as the last word."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.dossier.generalization_evaluate_page import PARTS, by_task, left_out, notes, numbers
from vivavoce.generalization.evaluation import ByTask, Evaluation


def print_evaluation(finding: Evaluation, console: Console) -> None:
    """The numbers, the tasks that stand out, caveats, and the statement."""
    table = _table("", *(words for words, _ in PARTS))
    for what, cells in numbers(finding):
        table.add_row(what, *(f"{value} {more}".rstrip() for value, more in cells))
    console.print(table)
    for title, rows in (
        ("From the task", finding.by_task_from),
        ("To the task", finding.by_task_to),
        ("From one task to another", finding.by_task_pair),
    ):
        if rows:
            _print_tasks(title, rows, console)
    if finding.notes:
        console.print(Text("\nHow the chances were come by", style="dim"))
    for note in notes(finding.notes):
        console.print(Padding(Text(note), (0, 0, 0, 2)))
    console.print(Text("\nNot shown", style="dim"))
    for caveat in finding.caveats:
        console.print(Padding(Text(caveat), (0, 0, 0, 2)))
    console.print()
    console.print(Text(finding.statement, style="bold"), soft_wrap=True)


def _print_tasks(title: str, rows: tuple[ByTask, ...], console: Console) -> None:
    console.print()
    table = _table(title, "AUC", "NLL", "pairs")
    for task, (value, more), nll, pairs in by_task(rows):
        table.add_row(Text(task), f"{value} {more}".rstrip(), nll, pairs)
    console.print(table)
    if left_out(rows):
        console.print(Text(f"  and {left_out(rows)} more between them: --json has all", style="dim"))


def _table(*heads: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for head in heads:
        table.add_column(Text(head))
    return table
