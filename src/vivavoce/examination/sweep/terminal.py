"""A sweep in the terminal: which cells it has, and what they will take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from vivavoce.examination.sweep.costs import in_all
from vivavoce.examination.terminal import SECONDS
from vivavoce.formats.wording import count, counted, duration
from vivavoce.render.terminal import table

if TYPE_CHECKING:
    from vivavoce.examination.part import CostEstimate
    from vivavoce.examination.sweep.cells import Cell


def print_cells(labels: Mapping[Cell, str], costs: Mapping[Cell, CostEstimate], console: Console) -> None:
    """Every cell and what it will take, about."""
    made = table(("cell", "calls", "tokens", "money"))
    for column in made.columns[1:]:
        column.justify = "right"
    for cell, cost in costs.items():
        made.add_row(*map(Text, (labels[cell], *_numbers(cost))))
    console.print(made)


def print_planned(costs: Sequence[CostEstimate], console: Console, *, concurrency: int | None) -> None:
    """What all cells together will take, about; concurrency: of those who are not asked by batch, None if nobody is."""
    whole = in_all(costs)
    calls, tokens, money = _numbers(whole)
    paid = f", {money} of money" if whole.money else ""
    took = "by batches, each of which takes minutes to hours"
    if concurrency is not None:
        seconds = duration(whole.calls / concurrency * SECONDS)
        took = f"of language models ~{seconds} at about {SECONDS:g} s a call, {concurrency} at once"
    console.print(
        Text(f"{counted(len(costs), 'cell')}: {calls} calls, {tokens} tokens{paid}, less what is on record; {took}"),
        soft_wrap=True,
    )


def _numbers(cost: CostEstimate) -> tuple[str, str, str]:
    return f"~{count(cost.calls)}", f"~{count(cost.tokens)}", f"~{cost.money:.2f}" if cost.money else "–"
