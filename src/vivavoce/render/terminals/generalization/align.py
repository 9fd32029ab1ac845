"""The alignment of models with people's beliefs in the terminal: tables, reversals, what was not shown, the sentence last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from vivavoce.formats.wording import count, percent
from vivavoce.generalization.align_finding import Alignment
from vivavoce.render.pages.generalization.align import (
    Cell,
    dominance_in_words,
    number,
    ranked,
    reversal,
    rules_in_use,
    share,
    shown_reversals,
    unused,
)
from vivavoce.render.plots.generalization.align import rule_in_words, short
from vivavoce.render.terminal import print_end, table

MOST_COLUMNS: Final = 4
"""Thresholds or rules next to each other in eighty columns, with intervals on a line of their own."""


def print_alignment(finding: Alignment, console: Console) -> None:
    """Accuracy and cost by threshold, right answers by rule, reversals, and what they do not show."""
    heads = [f"at {percent(t)}" for t in finding.thresholds]
    models = ranked(finding)
    for what, measure in (
        ("weighted accuracy", "accuracy"),
        ("cross-entropy (lower fits better)", "cross_entropy"),
        ("cost per question (lower is better)", "loss"),
    ):
        rows = [(one.model, [number(found) for found in getattr(one, measure)]) for one in models]
        _table(console, what, heads, rows)
    rules = [("all questions", [share(one.right) for one in models])]
    for rule in rules_in_use(finding):
        place = finding.rules.index(rule)
        rules.append((rule_in_words(rule), [share(one.deployment[place].performance) for one in models]))
    rows = [(one.model, [cells[place] for _, cells in rules]) for place, one in enumerate(models)]
    _table(console, "right answers where used", [head for head, _ in rules], rows)
    if unused(finding):
        console.print(Text(unused(finding), style="dim"))
    console.print(Text(dominance_in_words(finding), style="dim"))
    for one in shown_reversals(finding)[:3]:
        console.print(Padding(Text(reversal(one)["told"]), (0, 0, 0, 2)))
    for model in models:
        if model.unanswered or model.unseen:
            told = f"{short(model.model)}: {count(model.unanswered)} of {count(finding.pairs)} pairs have no answer of it"
            console.print(Text(f"{told}, {count(model.unseen)} were judged only after what it did not do", style="dim"))
    print_end(console, finding)


def _table(console: Console, what: str, heads: Sequence[str], rows: Sequence[tuple[str, Sequence[Cell]]]) -> None:
    """One table for each four columns, so that none is wider than eighty."""
    for start in range(0, len(heads), MOST_COLUMNS):
        part = slice(start, start + MOST_COLUMNS)
        lines = [(short(name), *("\n".join(filter(None, cell)) for cell in cells[part])) for name, cells in rows]
        made = table((what, *heads[part]), lines)
        made.columns[0].max_width = 20
        for column in made.columns[1:]:
            column.width = 14
        console.print(made)
        console.print()
