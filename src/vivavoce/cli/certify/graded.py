"""`viva certify` where a judge or people grade: the examination, and the sheet of what waits."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli.asking import on_record
from vivavoce.cli.certify.grading import BATCH, FURTHER, GradingOrder
from vivavoce.cli.grade.queue_certify import graded_by_queue
from vivavoce.cli.output import Kept
from vivavoce.cli.results import rows_into

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vivavoce.certificate.course import Finding
    from vivavoce.certificate.graders.annotation import Graders
    from vivavoce.certificate.graders.grading import Grader
    from vivavoce.certificate.graders.human import People
    from vivavoce.certificate.graders.judge import Judge
    from vivavoce.cli.certify.order import Order
    from vivavoce.interview.budget import SharedBudget
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript


def graded(
    order: Order, grading: GradingOrder, candidate: Candidate[Prompt, Reply], scopes: Sequence[Any]
) -> tuple[Finding, Kept | None]:
    """The examination with these graders, and what to remember of the transcript; None for one in memory."""
    from vivavoce.candidates import close_candidate, open_candidate
    from vivavoce.certificate.examine import certify
    from vivavoce.certificate.finding import Certificate
    from vivavoce.interview.budget import Budget, SharedBudget

    judging = None if grading.judge is None else open_candidate(grading.judge)
    topic = "many" if order.chosen.several else brief_of(scopes[0])
    fresh = order.again

    async def asked(transcript: Transcript, on_progress: Callable[[Progress], None]) -> Finding:
        async def examine(people: Grader | None) -> Finding:
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
            judge = _judge(order, grading, judging, transcript, shared_budget, topic)
            graders = _graders(order, grading, people, judge, ahead=_at_once(grading) or 2 * interview.concurrency)
            found: Finding = await certify(
                interview,
                scopes if order.chosen.several else scopes[0],
                order.criterion(interview, scopes, graded=True),
                order.composition(graders),
                seed=order.seed,
                questions=order.questions,
                again=again,
            )
            return found

        async def with_people(people: Grader) -> Certificate:
            found = await examine(people)
            assert isinstance(found, Certificate)
            return found

        try:
            if grading.queue is None:
                return await examine(_people(grading) if grading.by_people else None)
            say = partial(click.echo, err=True) if not order.asking.quiet else len
            return await graded_by_queue(grading.queue, scopes[0].digest, with_people, every=grading.poll, say=say)
        finally:
            for one in (candidate, judging):
                if one is not None:
                    await close_candidate(one)

    with rows_into(order.asking.results, *(("scope",) if order.chosen.several else ())) as results:
        found, kept = on_record(order.asking.transcript, asked, quiet=order.asking.quiet, head=order.asking.head)
    _write_sheet(order, grading.sheet, found)
    return found, kept


def brief_of(scope: Any) -> str:
    """The name of a scope without the folders of its file."""
    from vivavoce.certificate.verdict import brief

    return brief(scope.name)


def _write_sheet(order: Order, sheet: Path | None, found: Finding) -> None:
    """What waits for people, if a sheet of it is wanted."""
    from vivavoce.certificate.graders.sheets import write_sheet

    given = found.grading
    if sheet is not None and given is not None and given.waiting:
        write_sheet(sheet, given.waiting)
        click.echo(f"Sheet: {sheet}, {len(given.waiting)} answers to grade", err=order.as_json)


def _graders(order: Order, grading: GradingOrder, people: Grader | None, judge: Judge | None, *, ahead: int) -> Graders:
    from vivavoce.certificate.graders.annotation import Graders

    return Graders(
        judge=judge,
        people=people,
        further=grading.judged or FURTHER,
        batch=grading.batch or BATCH,
        zero_is_ridiculous=order.zero_is_ridiculous,
        unreadable=order.unreadable,
        ahead=ahead,
    )


def _judge(
    order: Order,
    grading: GradingOrder,
    judging: Candidate[Prompt, Reply] | None,
    transcript: Transcript,
    shared_budget: SharedBudget,
    topic: str,
) -> Judge | None:
    from vivavoce.certificate.graders.judge import RUBRIC, Judge, rubric_of

    if judging is None:
        return None
    return Judge(
        order.asking.interview(judging, transcript, expected=None, on_progress=None, shared_budget=shared_budget),
        rubric=RUBRIC if grading.rubric is None else rubric_of(grading.rubric),
        draws=grading.judge_draws or 1,
        topic=f"judging/{topic}",
    )


def _at_once(grading: GradingOrder) -> int:
    """Answers that are being graded at once, so that a whole batch of them lies before the people of a queue."""
    if grading.queue is None:
        return 0
    return (grading.batch or BATCH) * (1 if grading.judge is None else 1 + (grading.judged or FURTHER))


def _people(grading: GradingOrder) -> People:
    from vivavoce.certificate.graders.human import People, read_grades

    return People(() if grading.grades is None else read_grades(grading.grades))
