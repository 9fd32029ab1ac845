"""Rating prediction in the terminal: tables, what was not shown, and the sentence last."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from vivavoce.formats.wording import count, name_of
from vivavoce.luna.predict.compare_finding import RatingComparison, RatingCurve
from vivavoce.luna.predict.grading_finding import GradingStudy
from vivavoce.luna.predict.predicted_ratings_finding import PredictedRatings
from vivavoce.render.pages.luna.predict import SHOWN, comparison_rows, curve_rows, predicted_rows
from vivavoce.render.pages.luna.predict_grading import grading_rows
from vivavoce.render.terminal import joined, print_end, table


def print_grading(finding: GradingStudy, console: Console) -> None:
    """Both ways of holding answers out."""
    for place, (unseen, split) in enumerate(finding.splits.items()):
        if place:
            console.print()
        rows = ((grader, *map(joined, cells)) for grader, cells in grading_rows(split))
        console.print(table((unseen, "typical error", "correlation", "the grader is nearer by"), rows))
    print_end(console, finding)


def print_rating_comparison(finding: RatingComparison, console: Console) -> None:
    """Predictors, the nearest first."""
    rows = ((name, joined(error), joined(more), p) for name, _, error, more, p in comparison_rows(finding))
    console.print(table(("predictor", "error", f"more than {name_of(finding.against)}'s by", "p"), rows))
    print_end(console, finding)


def print_rating_curve(finding: RatingCurve, console: Console) -> None:
    """Errors by number of people learnt from."""
    rows = ((size, *map(joined, cells)) for size, cells in curve_rows(finding))
    console.print(table(("learnt from", *map(name_of, finding.names)), rows))
    print_end(console, finding)


def print_predicted(finding: PredictedRatings, console: Console) -> None:
    """Ratings, the highest first."""
    rows = predicted_rows(finding)
    console.print(table(("person", "rating", f"{finding.level:.0%} interval"), rows[:SHOWN]))
    if len(rows) > SHOWN:
        console.print(Text(f"and {count(len(rows) - SHOWN)} more: --json has all", style="dim"))
    print_end(console, finding)
