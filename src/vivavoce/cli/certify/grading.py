"""What `viva certify` needs where a judge or people grade."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import on_record
from vivavoce.cli.grade.queue_certify import check_queue, graded_by_queue
from vivavoce.cli.output import Kept
from vivavoce.cli.pages import check_writable
from vivavoce.cli.results import rows_into

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.certificate.finding import Certificate
    from vivavoce.certificate.graders.desk import Graders
    from vivavoce.certificate.graders.grading import Grader
    from vivavoce.certificate.graders.human import People
    from vivavoce.certificate.graders.judge import Judge
    from vivavoce.certificate.strata import Strata
    from vivavoce.certificate.weighing import Weighing
    from vivavoce.cli.certify.order import Order
    from vivavoce.interview.budget import SharedBudget
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript

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


def check_graders(order: Order, grading: GradingOrder | None, scope: Any) -> None:
    """Refuse a scope that nobody could grade, and a way of asking that graders do not fit."""
    questions = getattr(scope, "questions", ())
    lost = next((question for question in questions if question.open_ended), None)
    if grading is None and lost is not None:
        raise click.UsageError(
            f"question '{lost.id[:80]}' has no answer but a rubric: give '--judge', '--grades', '--sheet' or '--queue'."
        )
    if grading is not None and order.procedure == "fixed":
        raise click.UsageError("'--procedure fixed' has no graders: leave out '--judge', '--grades', '--sheet' and '--queue'.")


def graded(
    order: Order,
    grading: GradingOrder,
    candidate: Candidate[Prompt, Reply],
    scope: Any,
    design: Strata | Weighing | None,
) -> tuple[Certificate, Kept | None]:
    """The examination with these graders, and what to remember of the transcript; None for one in memory."""
    from vivavoce.candidates import close_candidate, open_candidate
    from vivavoce.certificate.graders.examine import certify_graded
    from vivavoce.certificate.graders.sheets import write_sheet
    from vivavoce.interview.budget import Budget, SharedBudget

    judging = None if grading.judge is None else open_candidate(grading.judge)

    fresh = order.again

    async def asked(transcript: Transcript, on_progress: Callable[[Progress], None]) -> Certificate:
        async def examine(people: Grader | None) -> Certificate:
            nonlocal fresh
            again, fresh = fresh, False  # made again from the record it is the same attempt
            if results is not None:
                results.forget()
            shared_budget = SharedBudget(Budget(tokens=order.asking.tokens, money=order.asking.money))
            interview = order.asking.interview(
                candidate,
                transcript,
                expected=order.questions,
                on_progress=on_progress,
                shared_budget=shared_budget,
                results=results,
            )
            return await certify_graded(
                interview,
                scope,
                order.criterion(interview, [scope], graded=True),
                _graders(order, grading, people, _judge(order, grading, judging, transcript, shared_budget, scope.name)),
                seed=order.seed,
                questions=order.questions,
                design=design,
                endurance=order.endurance,
                ahead=_at_once(grading) or 2 * interview.concurrency,
                again=again,
            )

        try:
            if grading.queue is None:
                return await examine(_people(grading) if grading.by_people else None)
            say = partial(click.echo, err=True) if not order.asking.quiet else len
            return await graded_by_queue(grading.queue, scope.digest, examine, every=grading.poll, say=say)
        finally:
            for one in (candidate, judging):
                if one is not None:
                    await close_candidate(one)

    with rows_into(order.asking.results) as results:
        found, kept = on_record(order.asking.transcript, asked, quiet=order.asking.quiet, head=order.asking.head)
    if grading.sheet is not None and found.grading is not None and found.grading.waiting:
        write_sheet(grading.sheet, found.grading.waiting)
        click.echo(f"Sheet: {grading.sheet}, {len(found.grading.waiting)} answers to grade", err=order.as_json)
    return found, kept


def _graders(order: Order, grading: GradingOrder, people: Grader | None, judge: Judge | None) -> Graders:
    from vivavoce.certificate.graders.desk import Graders

    return Graders(
        judge=judge,
        people=people,
        further=grading.judged or FURTHER,
        batch=grading.batch or BATCH,
        zero_is_ridiculous=order.zero_is_ridiculous,
        unreadable=order.unreadable,
    )


def _judge(
    order: Order,
    grading: GradingOrder,
    judging: Candidate[Prompt, Reply] | None,
    transcript: Transcript,
    shared_budget: SharedBudget,
    scope: str,
) -> Judge | None:
    from vivavoce.certificate.finding import brief
    from vivavoce.certificate.graders.judge import RUBRIC, Judge, rubric_of

    if judging is None:
        return None
    return Judge(
        order.asking.interview(judging, transcript, expected=None, on_progress=None, shared_budget=shared_budget),
        rubric=RUBRIC if grading.rubric is None else rubric_of(grading.rubric),
        draws=grading.judge_draws or 1,
        topic=f"judging/{brief(scope)}",
    )


def _at_once(grading: GradingOrder) -> int:
    """Answers that are being graded at once, so that a whole batch of them lies before the people of a queue."""
    if grading.queue is None:
        return 0
    return (grading.batch or BATCH) * (1 if grading.judge is None else 1 + (grading.judged or FURTHER))


def _people(grading: GradingOrder) -> People:
    from vivavoce.certificate.graders.human import People, read_grades

    return People(() if grading.grades is None else read_grades(grading.grades))
