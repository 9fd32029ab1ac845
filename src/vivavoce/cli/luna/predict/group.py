"""`viva luna predict`: ratings of people predicted from their answers."""

from __future__ import annotations

from typing import Any

import click

from vivavoce.cli.lazy import LazyGroup

COMMANDS = {
    "fit": "vivavoce.cli.luna.predict.fitting:fit",
    "apply": "vivavoce.cli.luna.predict.fitting:apply",
    "compare": "vivavoce.cli.luna.predict.studies:compare",
    "curve": "vivavoce.cli.luna.predict.studies:curve",
    "grade": "vivavoce.cli.luna.predict.studies:grade",
}
"""Where each command is."""


@click.command(cls=LazyGroup, places=COMMANDS)
def predict(**_: Any) -> None:
    """Predict somebody's rating from the answers alone.

    \b
    viva luna predict fit graded.csv --out model.json
    viva luna predict apply model.json answers.csv --json
    viva luna predict compare graded.csv --html predictors.html
    viva luna predict curve graded.csv --html curve.html
    viva luna predict grade graded-answers.csv --html grading.html

    Tables of people are CSV with the columns person, question, answer, and to learn from either grade (of each answer) or
    rating (of each person), from 0 to 1. A person's rating is the mean grade.
    """
