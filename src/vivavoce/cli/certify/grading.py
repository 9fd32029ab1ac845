"""What `viva certify` needs where a judge or people grade."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.grade.queue_certify import check_queue
from vivavoce.cli.pages import check_writable

if TYPE_CHECKING:
    from collections.abc import Sequence


BATCH = 20
"""Answers that wait for people at once, unless told otherwise."""
FURTHER = 4
"""Answers for the judge alone beside each that people grade, unless told otherwise."""


def _pause(text: str) -> float:
    return options.within(text, 0.01, 3600, "a number of seconds from 0.01 to 3600")


grading_options = options.together(
    click.option(
        "--judge", metavar="CANDIDATE", help="Another candidate grades answers by a rubric, as no rule can (LLM as a judge)."
    ),
    click.option(
        "--rubric",
        metavar="FILE|TEXT",
        help="Rubric: what earns how many of 10 points; a question's own rubric takes precedence.",
    ),
    click.option(
        "--judge-samples",
        "judge_draws",
        type=click.IntRange(1, 100),
        metavar="N",
        help="Judgements of each answer; 1 if not given.",
    ),
    click.option(
        "--grades", type=options.FILE, metavar="FILE", help="People's grades: CSV or JSON Lines with id, score, ridiculous."
    ),
    click.option(
        "--sheet", type=options.FILE, metavar="FILE", help="Write a new sheet of the answers that wait for people's grades."
    ),
    click.option(
        "--batch",
        type=options.count,
        metavar="N",
        help="Stop when N answers wait for people, or put N at once into the queue; 20 if not given.",
    ),
    click.option("--queue", metavar="DB[#NAME]", help="People grade on the site with this database, see 'viva grade queue'."),
    click.option("--poll", type=_pause, metavar="S", help="Seconds between two looks at the queue; 5 if not given."),
    click.option(
        "--judge-only",
        "judged",
        type=click.IntRange(1, 1000),
        metavar="N",
        help="With a judge and people: N answers graded by the judge alone for each that people grade; 4 if not given.",
    ),
)
"""The options of `GradingOrder`."""


@dataclass(frozen=True, slots=True)
class GradingOrder:
    """What was asked for about grading on the command line."""

    judge: str | None
    rubric: str | None
    judge_draws: int | None
    grades: Path | None
    sheet: Path | None
    batch: int | None
    queue: str | None
    poll: float | None
    judged: int | None

    @property
    def by_people(self) -> bool:
        """Whether people grade; with a sheet alone they have not begun."""
        return self.grades is not None or self.sheet is not None or self.queue is not None


def grading_from(given: dict[str, Any]) -> GradingOrder | None:
    """Take the options on grading out of what was given; None where nobody is to grade. Refuses what cannot be meant."""
    on_transcript = given.get("transcript") is not None
    order = options.taken_out(given, GradingOrder)
    for option, value in (("--rubric", order.rubric), ("--judge-samples", order.judge_draws)):
        if value is not None and order.judge is None:
            raise click.UsageError(f"'{option}' is for a judge: name one with '--judge CANDIDATE'.")
    if order.queue is not None and (order.grades or order.sheet):
        raise click.UsageError("'--queue' is instead of '--grades' and '--sheet': leave them out.")
    if order.poll is not None and order.queue is None:
        raise click.UsageError("'--poll' is for a queue: give '--queue DB#NAME'.")
    if order.batch is not None and not order.by_people:
        raise click.UsageError("'--batch' is for people: give '--grades FILE', '--sheet FILE' or '--queue DB#NAME'.")
    if order.judged is not None and not (order.judge and order.by_people):
        raise click.UsageError(
            "'--judge-only' is for a judge and people together: give '--judge', and '--grades', '--sheet' or '--queue'."
        )
    if order.sheet is not None and order.judge is not None and not on_transcript:
        raise click.UsageError(
            "'--sheet' with a judge needs '--transcript FILE': the key to which answers people grade is kept with it."
        )
    if order.sheet is not None and order.sheet.exists():
        raise click.UsageError(f"--sheet {order.sheet}: it exists already, and may hold somebody's grades; give another name.")
    check_writable("--sheet", order.sheet)
    if order.queue is not None:
        check_queue(order.queue)
    return order if order.judge or order.by_people else None


def check_graders(grading: GradingOrder | None, scopes: Sequence[Any]) -> None:
    """Refuse scopes that nobody could grade."""
    questions = (question for scope in scopes for question in getattr(scope, "questions", ()))
    lost = next((question for question in questions if question.open_ended), None)
    if grading is None and lost is not None:
        raise click.UsageError(
            f"question '{lost.id[:80]}' has no answer but a rubric: give '--judge', '--grades', '--sheet' or '--queue'."
        )
