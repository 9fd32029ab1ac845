"""Rating prediction in the terminal: tables, what was not shown, and the sentence last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.dossier.luna_predict_grading_page import grading_rows
from vivavoce.dossier.luna_predict_page import SHOWN, comparison_rows, curve_rows, foretold_rows
from vivavoce.interview.finding import Finding
from vivavoce.interview.wording import count, name_of
from vivavoce.luna.predict.compare_finding import RatingComparison, RatingCurve
from vivavoce.luna.predict.foretold_finding import ForetoldRatings
from vivavoce.luna.predict.grading_finding import GradingStudy


def print_grading(finding: GradingStudy, console: Console) -> None:
    """Both ways of holding answers out."""
    for unseen, split in finding.splits.items():
        heads = (unseen, "typical error", "correlation", "the grader is nearer by")
        _table(console, heads, ((grader, *map(_joined, cells)) for grader, cells in grading_rows(split)))
    _ending(finding, console)


def print_rating_comparison(finding: RatingComparison, console: Console) -> None:
    """Predictors, the nearest first."""
    heads = ("predictor", "error", f"below {name_of(finding.against)}'s by", "p")
    rows = comparison_rows(finding)
    _table(console, heads, ((name, _joined(error), _joined(less), p) for name, _, error, less, p in rows))
    _ending(finding, console)


def print_rating_curve(finding: RatingCurve, console: Console) -> None:
    """Errors by number of people learnt from."""
    _table(
        console,
        ("learnt from", *map(name_of, finding.names)),
        ((size, *map(_joined, cells)) for size, cells in curve_rows(finding)),
    )
    _ending(finding, console)


def print_foretold(finding: ForetoldRatings, console: Console) -> None:
    """Ratings, the highest first."""
    rows = foretold_rows(finding)
    _table(console, ("person", "rating", f"{finding.level:.0%} interval"), rows[:SHOWN])
    if len(rows) > SHOWN:
        console.print(Text(f"and {count(len(rows) - SHOWN)} more: --json has all", style="dim"))
    _ending(finding, console)


def _joined(cell: tuple[str, str]) -> str:
    return " ".join(cell).strip()


def _ending(finding: Finding, console: Console) -> None:
    console.print(Text("Not shown", style="dim"))
    for caveat in finding.caveats:
        console.print(Padding(Text(caveat), (0, 0, 0, 2)))
    console.print()
    console.print(Text(finding.statement, style="bold"), soft_wrap=True)


def _table(console: Console, heads: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    table = Table(*heads, box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for line in lines:
        table.add_row(*map(Text, line))
    console.print(table)
    console.print()
