"""What may be given away of a grading queue: how far it is, and grades under pseudonyms that are new each time."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, func, select

from vivavoce.interview.scope import Grade
from vivavoce.web.grading_tables import GRADERS, GRADES, GRADING_ANSWERS, GRADING_PASSES
from vivavoce.web.store.grading import GradingQueue, given

NOBODY: Final = ""
"""In place of a pseudonym where somebody has withdrawn."""


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """How far a queue is."""

    answers: int
    graded: int
    """At the seat that counts."""
    waiting: int
    """Wanted, and without a grade at that seat."""
    held: int
    """Of those that wait, the ones that somebody has before them now."""
    passed_on: int
    """Of those that wait, the ones that somebody said they cannot grade."""
    graded_twice: int
    settled: int
    """Part of a verdict."""
    invited: int
    agreed: int
    """Those who agreed and have not withdrawn."""
    withdrawn: int


@dataclass(frozen=True, slots=True)
class ExportedGrade:
    """What people gave to one answer."""

    id: str
    key: str
    grade: Grade
    """The one that counts."""
    grader: str
    second: Grade | None
    second_grader: str


def counts(c: Connection, queue: GradingQueue, now: datetime) -> QueueCounts:
    """How far the queue is now."""
    answers, grades = GRADING_ANSWERS.c.queue == queue.id, (GRADES.c.queue == queue.id, GRADES.c.score.is_not(None))
    graded = set(c.execute(select(GRADES.c.number).where(*grades, GRADES.c.seat == 0)).scalars())
    second = set(c.execute(select(GRADES.c.number).where(*grades, GRADES.c.seat == 1)).scalars())
    wanted = set(c.execute(select(GRADING_ANSWERS.c.number).where(answers, GRADING_ANSWERS.c.wanted.is_(True))).scalars())
    held = (GRADES.c.queue == queue.id, GRADES.c.seat == 0, GRADES.c.score.is_(None), GRADES.c.until > now)
    of_queue = select(GRADERS.c.id).where(GRADERS.c.queue == queue.id)
    passed = select(GRADING_PASSES.c.number).where(GRADING_PASSES.c.grader.in_(of_queue))
    waiting = wanted - graded

    def graders(*which: object) -> int:
        return c.execute(select(func.count()).select_from(of_queue.where(*which).subquery())).scalar_one()  # type: ignore[arg-type]

    return QueueCounts(
        answers=c.execute(select(func.count()).select_from(GRADING_ANSWERS).where(answers)).scalar_one(),
        graded=len(graded),
        waiting=len(waiting),
        held=len(waiting & set(c.execute(select(GRADES.c.number).where(*held)).scalars())),
        passed_on=len(waiting & set(c.execute(passed).scalars())),
        graded_twice=len(graded & second),
        settled=c.execute(
            select(func.count()).select_from(GRADES).where(*grades, GRADES.c.seat == 0, GRADES.c.settled.is_(True))
        ).scalar_one(),
        invited=graders(),
        agreed=graders(GRADERS.c.consent.is_not(None)),
        withdrawn=graders(GRADERS.c.withdrawn.is_not(None)),
    )


def twice_graded(c: Connection, queue: GradingQueue, keys: Collection[str] | None = None) -> list[tuple[Grade, Grade]]:
    """What both gave to each answer that two people graded, the grade that counts first; of these answers alone if given."""
    first, second = given(c, queue), given(c, queue, seat=1)
    both = first.keys() & second.keys()
    return [(first[key], second[key]) for key in sorted(both if keys is None else both & set(keys))]


def exported_grades(c: Connection, queue: GradingQueue) -> Iterator[ExportedGrade]:
    """Every graded answer in the order in which answers came.

    Graders have random names, which are kept nowhere: the next export has others, and nobody can tell later whose they are.
    """
    at = (GRADES.c.queue == GRADING_ANSWERS.c.queue) & (GRADES.c.number == GRADING_ANSWERS.c.number)
    fields = (GRADING_ANSWERS.c.question_id, GRADING_ANSWERS.c.key, *(GRADES.c[name] for name in ("number", "seat", "grader")))
    rows = select(*fields, GRADES.c.score, GRADES.c.ridiculous).join(GRADING_ANSWERS, at)
    mine = rows.where(GRADES.c.queue == queue.id, GRADES.c.score.is_not(None)).order_by(GRADES.c.number, GRADES.c.seat)
    names: dict[str | None, str] = {None: NOBODY}
    found = list(c.execute(mine))
    for row in found:
        names.setdefault(row.grader, secrets.token_hex(6))
    seconds = {row.number: row for row in found if row.seat == 1}
    for row in found:
        if row.seat == 0:
            other = seconds.get(row.number)
            yield ExportedGrade(
                id=row.question_id,
                key=row.key,
                grade=Grade(row.score, row.ridiculous),
                grader=names[row.grader],
                second=None if other is None else Grade(other.score, other.ridiculous),
                second_grader=NOBODY if other is None else names[other.grader],
            )
