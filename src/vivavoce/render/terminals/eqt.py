"""Examinations on a candidate's own explanations in the terminal: tables, what was not shown, the sentence last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from vivavoce.eqt.benchmark_finding import EqtBenchmark
from vivavoce.eqt.comparison_finding import EqtComparison
from vivavoce.eqt.figures import Figures
from vivavoce.eqt.finding import ExplainQueryTest
from vivavoce.interview.wording import count
from vivavoce.render.pages.eqt.benchmark import correlations, means, models_of, redrawn
from vivavoce.render.pages.eqt.comparison import by_category, categories_of
from vivavoce.render.pages.eqt.examples import short
from vivavoce.render.pages.eqt.tables import FIGURES, called, cell, cost, pattern, readings, reasons, share_cell, worth
from vivavoce.render.terminal import one_line, print_end, print_listed, table

SHOWN_EXAMPLES: Final = 2
NAME: Final = 22
"""Characters of a name in a table of eighty columns."""
COLUMN: Final = 15
"""A share with its interval."""
MOST_LINES: Final = 30
MOST_CANDIDATES: Final = 10
HEADS: Final = ("closed book", "open book", "gap", "ACS")


def print_eqt(finding: ExplainQueryTest, console: Console) -> None:
    """The figures over all and over valid questions, by category, what the questions are worth, examples, cost."""
    found = [(label, cell(finding.whole, what), cell(finding.valid, what)) for what, _, label, _ in FIGURES]
    rows = ((label, every.line, _number(every.n), valid.line, _number(valid.n)) for label, every, valid in found)
    console.print(table(("figure", "all questions", "n", "valid ones only", "n"), rows))
    if len(finding.categories) > 1:
        console.print()
        _categories(finding, console)
    readings_of_answers = [f"{words}: {answers}" for words, answers, _ in readings(finding) if answers[0] not in "0n"]
    print_listed(console, "How answers were read", readings_of_answers)
    print_listed(console, "The most frequent answer", [f"{number} {what}" for what, number in pattern(finding)])
    questions = worth(finding.validity, checked=finding.set_up.checks)
    print_listed(console, "What the questions are worth", [f"{line} ({share})" for line, share in questions])
    if finding.examples:
        console.print(Text("\nTwo questions" if len(finding.examples) > 1 else "\nA question", style="dim"))
    for example in finding.examples[:SHOWN_EXAMPLES]:
        told = short(example)
        console.print(Padding(Text(f"{told['concept']}: {one_line(told['asked'])}"), (0, 0, 0, 2)))
        console.print(Padding(Text(f"key {told['key']}; with the explanation {one_line(told['with'])}"), (0, 0, 0, 4)))
        console.print(Padding(Text(f"without it {one_line(told['without'])}"), (0, 0, 0, 4)))
    visitors = [
        f"{called(name)} gets {share_cell(found).line} of these questions right" for name, found in finding.visitors.items()
    ]
    print_listed(console, "Others on the same questions", visitors[:MOST_CANDIDATES])
    print_listed(console, "What it took", [f"{what}: {number}" for what, number in cost(finding)] + reasons(finding))
    print_end(console, finding)


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


def _categories(finding: ExplainQueryTest, console: Console) -> None:
    console.print(table(("category", *HEADS), ((_name(one.name), *_figures(one)) for one in finding.categories[:MOST_LINES])))
    if len(finding.categories) > MOST_LINES:
        console.print(Text(f"… and {count(len(finding.categories) - MOST_LINES)} more", style="dim"))
    console.print(Text("closed book: all wordings; open book and gap: the original wording", style="dim"))


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


def _number(n: str) -> str:
    return n.split("=")[-1].strip()
