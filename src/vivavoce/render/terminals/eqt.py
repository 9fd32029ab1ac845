"""Examinations on a candidate's own explanations in the terminal: tables, what was not shown, the sentence last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from vivavoce.eqt.benchmark_finding import EqtBenchmark
from vivavoce.eqt.comparison_finding import EqtComparison
from vivavoce.eqt.figures import Figures
from vivavoce.eqt.finding import ExplainQueryTest
from vivavoce.formats.wording import count
from vivavoce.render.pages.eqt.benchmark import correlations, means, models_of, redrawn
from vivavoce.render.pages.eqt.comparison import by_category, categories_of
from vivavoce.render.pages.eqt.tables import called, cell, share_cell
from vivavoce.render.terminal import print_end, table

SHOWN_EXAMPLES: Final = 2
NAME: Final = 22
"""Characters of a name in a table of eighty columns."""
COLUMN: Final = 15
"""A share with its interval."""
MOST_LINES: Final = 30
MOST_CANDIDATES: Final = 10
HEADS: Final = ("closed book", "open book", "gap", "ACS")


def print_eqt_comparison(compared: EqtComparison, console: Console) -> None:
    """The candidates side by side, accuracy and consistency by category, who answers whose questions."""
    findings = compared.findings[:MOST_CANDIDATES]
    lines = ((f"{number} {_name(one.candidate)}", *_figures(one.whole)) for number, one in enumerate(findings, 1))
    console.print(table(("candidate", *HEADS), lines))
    if len(compared.findings) > len(findings):
        told = f"The first {count(len(findings))} of {count(len(compared.findings))}. The page and the JSON have more."
        console.print(Text(told, style="dim"))
    categories = categories_of(findings)[:MOST_LINES]
    for head, what in (("right, closed book", "closed"), ("consistency (ACS)", "acs")):
        rows = by_category(findings, categories, what)
        for places in _blocks(len(findings), console.width):
            console.print()
            shown = ((_name(name), [found[place] for place in places]) for name, found in rows)
            cells = ((name, *("not asked" if one is None else one.line for one in of)) for name, of in shown)
            console.print(table((head, *(str(place + 1) for place in places)), cells))
    _matrix(compared, findings, console)
    print_end(console, compared)


def print_eqt_benchmark(beside: EqtBenchmark, console: Console) -> None:
    """The correlations, and the models' means in both tests."""
    made = table(("correlation", "Pearson's r", "Spearman's rho", "n"))
    behind = (beside.overall, beside.between_models, beside.within_categories)
    for (what, _, *both), found in zip(correlations(beside), behind, strict=True):
        cells = ("\n".join(filter(None, (f"{value} {interval}".rstrip(), p))) for value, interval, p in both)
        made.add_row(*map(Text, (what, *cells, count(found.pearson.n))))
    console.print(made)
    told = redrawn(beside)
    if told:
        console.print(Text(told, style="dim"))
    console.print()
    models = models_of(beside)
    lines = ((f"{number} {_name(name)}", *rest) for number, name, *rest in means(beside, models[:MOST_LINES]))
    console.print(table(("model", "explain-query-test", "benchmark", "ranks match"), lines))
    if len(models) > MOST_LINES:
        console.print(Text(f"The first {count(MOST_LINES)} of {count(len(models))} models; the JSON has all.", style="dim"))
    print_end(console, beside)


def _matrix(compared: EqtComparison, findings: Sequence[ExplainQueryTest], console: Console) -> None:
    if not any(one.visitors for one in findings):
        return
    owners = [one.candidate for one in findings]
    names = list(dict.fromkeys([*owners, *(name for one in findings for name in one.visitors)]))[:MOST_CANDIDATES]
    for places in _blocks(len(names), console.width):
        console.print()
        made = table(("questions of", *(f"answered by {place + 1}" for place in places)))
        for number, owner in enumerate(owners, 1):
            row = (compared.matrix[owner].get(names[place]) for place in places)
            cells = ("not asked" if one is None else share_cell(one).line for one in row)
            made.add_row(*map(Text, (f"{number} {_name(owner)}", *cells)))
        console.print(made)
    guests = [f"{number} {called(name)}" for number, name in enumerate(names, 1) if name not in owners]
    if guests:
        console.print(Text(f"also asked: {', '.join(guests)}", style="dim"))


def _figures(figures: Figures) -> list[str]:
    """What stands below `HEADS`."""
    return [cell(figures, what).line for what in ("closed", "open_book", "gap", "acs")]


def _blocks(columns: int, width: int) -> Iterator[range]:
    """As many columns at once as fit."""
    step = max(1, (width - NAME) // (COLUMN + 2))
    for first in range(0, columns, step):
        yield range(first, min(first + step, columns))


def _name(name: str) -> str:
    line = called(name)
    return line if len(line) <= NAME - 2 else f"{line[: NAME - 13]}…{line[-10:]}"
