"""What `viva certify` needs where a judge or people grade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vivavoce.certificate.config import POLLS
from vivavoce.cli import options
from vivavoce.cli.grade.queue_certify import check_queue
from vivavoce.cli.judging import check_judge
from vivavoce.cli.pages import check_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.certificate.config import GradingConfig, PredictionsConfig


def pause(text: str) -> float:
    """Seconds between two looks at a queue."""
    least, most = POLLS
    return options.within(text, least, most, f"a number of seconds from {least:g} to {most:g}")


def check_grading(grading: GradingConfig, predictions: PredictionsConfig, *, on_transcript: bool) -> None:
    """Refuse what cannot be meant; `on_transcript`: whether answers are kept."""
    check_judge(grading)
    if grading.queue is not None and (grading.grades or grading.sheet):
        raise click.UsageError("'--queue' is instead of '--grades' and '--sheet': leave them out.")
    if grading.poll is not None and grading.queue is None:
        raise click.UsageError("'--poll' is for a queue: give '--queue DB#NAME'.")
    if grading.batch is not None and not grading.by_people:
        raise click.UsageError("'--batch' is for people: give '--grades FILE', '--sheet FILE' or '--queue DB#NAME'.")
    if predictions.judge_only is not None and not (grading.judge and grading.by_people):
        raise click.UsageError(
            "'--judge-only' is for a judge and people together: give '--judge', and '--grades', '--sheet' or '--queue'."
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
    if grading.queue is not None:
        check_queue(grading.queue)


def check_graders(grading: GradingConfig, scopes: Sequence[Any]) -> None:
    """Refuse scopes that nobody could grade."""
    questions = (question for scope in scopes for question in getattr(scope, "questions", ()))
    lost = next((question for question in questions if question.open_ended), None)
    if not grading.by_graders and lost is not None:
        raise click.UsageError(
            f"question '{lost.id[:80]}' has no answer but a rubric: give '--judge', '--grades', '--sheet' or '--queue'."
        )
