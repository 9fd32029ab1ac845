"""A judge as options of commands: what is refused, the candidate that judges, and the judge that comes from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vivavoce.certificate.config import SAMPLES, GradingConfig
from vivavoce.cli.config_options import config_options

if TYPE_CHECKING:
    from vivavoce.certificate.graders.judge import Judge
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview

JUDGE = config_options(GradingConfig, only=("judge", "rubric", "judge_samples"))
"""Options of commands in which a judge alone may grade besides the scope's own rule."""


def check_judge(grading: GradingConfig) -> None:
    """Refuse what is for a judge where none is named."""
    for option, value in (("--rubric", grading.rubric), ("--judge-samples", grading.judge_samples)):
        if value is not None and grading.judge is None:
            raise click.UsageError(f"'{option}' is for a judge: name one with '--judge CANDIDATE'.")


def check_judged(grading: GradingConfig, scope: Any) -> None:
    """Refuse a scope with questions that no rule can grade where there is no judge."""
    lost = next((question for question in getattr(scope, "questions", ()) if question.open_ended), None)
    if grading.judge is None and lost is not None:
        raise click.UsageError(f"question '{lost.id[:80]}' has no answer but a rubric: name a judge with '--judge CANDIDATE'.")


def refuse_judge(grading: GradingConfig, what: str) -> None:
    """Refuse a judge for what is graded already; `what`: in words."""
    if grading.judge is not None:
        raise click.UsageError(f"{what} by their own scorers: leave out '--judge'.")


def open_judge(grading: GradingConfig) -> Candidate[Prompt, Reply] | None:
    """The candidate that judges; None where none is named."""
    from vivavoce.candidates import open_candidate

    return None if grading.judge is None else open_candidate(grading.judge)


def judge_of(grading: GradingConfig, interview: Interview[Prompt, Reply], scope: str) -> Judge:
    """The judge as it was asked for; `scope`: the name under which its judgements stand in the transcript."""
    from vivavoce.certificate.graders.judge import RUBRIC, Judge, rubric_of

    return Judge(
        interview,
        rubric=RUBRIC if grading.rubric is None else rubric_of(grading.rubric),
        draws=grading.judge_samples or SAMPLES,
        topic=f"judging/{scope}",
    )
