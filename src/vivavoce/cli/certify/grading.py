"""What `viva certify` needs where a judge or people grade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli.judging import check_judge
from vivavoce.cli.pages import check_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.certificate.config import GradingConfig, PredictionsConfig


def check_grading(grading: GradingConfig, predictions: PredictionsConfig, *, on_transcript: bool) -> None:
    """Refuse what cannot be meant; `on_transcript`: whether answers are kept."""
    check_judge(grading)
    if grading.batch is not None and not grading.by_people:
        raise click.UsageError("'--batch' is for people: give '--grades FILE' or '--sheet FILE'.")
    if predictions.judge_only is not None and not (grading.judge and grading.by_people):
        raise click.UsageError(
            "'--judge-only' is for a judge and people together: give '--judge', and '--grades' or '--sheet'."
        )
    if grading.sheet is not None and grading.judge is not None and not on_transcript:
        raise click.UsageError(
            "'--sheet' with a judge needs '--transcript FILE': the key to which answers people grade is kept with it."
        )
    if grading.sheet is not None and grading.sheet.exists():
        raise click.UsageError(
            f"--sheet {grading.sheet}: it exists already, and may hold somebody's grades; give another name."
        )
    check_output("--sheet", grading.sheet)


def check_graders(grading: GradingConfig, scopes: Sequence[Any]) -> None:
    """Refuse scopes that nobody could grade."""
    questions = (question for scope in scopes for question in getattr(scope, "questions", ()))
    lost = next((question for question in questions if question.open_ended), None)
    if not grading.by_graders and lost is not None:
        raise click.UsageError(
            f"question '{lost.id[:80]}' has no answer but a rubric: give '--judge', '--grades' or '--sheet'."
        )
