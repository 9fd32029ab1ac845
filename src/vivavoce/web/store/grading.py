"""Queues of answers that people grade: what is in them, and what was given.

Every change of a queue locks its row first, so that two graders never get the same seat. Answers are handed out in
the order in which they came: what they say has no part in it. An answer has one seat, or two where its number says so; the
grade at the first seat counts, whatever is given at the second.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from vivavoce.certificate.graders.grading import Waiting
from vivavoce.certificate.graders.sheets import fitting
from vivavoce.errors import BadInput, UnknownName, VivavoceError
from vivavoce.interview.scope import Grade
from vivavoce.web.grading_tables import GRADES, GRADING_ANSWERS, GRADING_QUEUES
from vivavoce.web.store.people import new_id

State = Literal["open", "closed"]

LONGEST_TITLE: Final = 200
_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_ROUNDING: Final = 1e-9
_FIELDS = [GRADING_QUEUES.c[name] for name in ("id", "slug", "title", "scope", "twice", "lease_seconds", "state", "created")]


class OtherScope(VivavoceError):
    """The queue has answers to the questions of another scope."""


@dataclass(frozen=True, slots=True)
class GradingQueue:
    """A queue of the site."""

    id: str
    slug: str
    title: str
    """What graders read; it names no candidate and no scope unless its operator does."""
    scope: str | None
    """Digest of the scope whose answers are in it; None before the first one has come."""
    twice: float
    """Share of the answers that two people grade."""
    lease_seconds: int
    """How long an answer is held for the grader it was given to."""
    state: State
    created: datetime

    @property
    def lease(self) -> timedelta:
        """How long an answer is held for the grader it was given to."""
        return timedelta(seconds=self.lease_seconds)


def make_queue(
    c: Connection, slug: str, now: datetime, *, title: str = "Grading answers", twice: float = 0.2, lease: timedelta
) -> GradingQueue:
    """A new queue, which is open. Raises `BadInput`, also where the name is taken."""
    if not _SLUG.fullmatch(slug):
        raise BadInput(f"'{slug[:80]}' is no name for a queue: use up to 40 small letters, digits and hyphens")
    if not 0 < len(title.strip()) <= LONGEST_TITLE:
        raise BadInput(f"a title has 1 to {LONGEST_TITLE} characters: this one has {len(title.strip())}")
    if not 0 <= twice <= 1:
        raise BadInput(f"a share of {twice:g} of the answers to be graded twice: give a number from 0 to 1")
    if not timedelta(minutes=1) <= lease <= timedelta(days=7):
        raise BadInput(f"an answer held for {lease.total_seconds():g} s: give 1 minute to 7 days")
    seconds = round(lease.total_seconds())
    made = GradingQueue(new_id(), slug, title.strip(), None, float(twice), seconds, "open", now)
    try:
        with c.begin_nested():
            c.execute(insert(GRADING_QUEUES).values({column.name: getattr(made, column.name) for column in _FIELDS}))
    except IntegrityError:
        raise BadInput(f"there is a queue '{slug}' already: choose another name") from None
    return made


def listed(c: Connection) -> list[GradingQueue]:
    """All queues, oldest first."""
    rows = c.execute(select(*_FIELDS).order_by(GRADING_QUEUES.c.created, GRADING_QUEUES.c.slug))
    return [GradingQueue(*row) for row in rows]


def named(c: Connection, slug: str) -> GradingQueue:
    """The queue of that name; with no name the only one that is open. Raises `UnknownName`, `BadInput`."""
    queues = listed(c)
    if slug:
        if (found := next((queue for queue in queues if queue.slug == slug), None)) is None:
            raise UnknownName("queue", slug, [queue.slug for queue in queues])
        return found
    still_open = [queue for queue in queues if queue.state == "open"]
    if len(still_open) != 1:
        names = ", ".join(queue.slug for queue in still_open) or "none; 'viva grade queue open NAME' makes one"
        raise BadInput(f"name the queue: {len(still_open)} are open ({names})")
    return still_open[0]


def set_state(c: Connection, queue: GradingQueue, state: State) -> GradingQueue:
    """Hand out answers, or no more of them; a queue can be opened again."""
    c.execute(update(GRADING_QUEUES).where(GRADING_QUEUES.c.id == queue.id).values(state=state))
    return replace(queue, state=state)


def locked(c: Connection, id_: str) -> GradingQueue:
    """The queue as it is now, which nobody else changes until the transaction ends."""
    return GradingQueue(*c.execute(select(*_FIELDS).where(GRADING_QUEUES.c.id == id_).with_for_update()).one())


def bind(c: Connection, queue: GradingQueue, scope: str) -> GradingQueue:
    """Have the queue for the answers to this scope, by its digest, alone. Raises `OtherScope`.

    Two questions of different scopes can have the same id and another rubric, and a grade belongs to an id and an answer.
    """
    found = locked(c, queue.id)
    if found.scope not in (None, scope):
        raise OtherScope(f"the queue '{queue.slug}' is for another scope, or for another version of it: open a new one")
    c.execute(update(GRADING_QUEUES).where(GRADING_QUEUES.c.id == queue.id).values(scope=scope))
    return replace(found, scope=scope)


def want(c: Connection, queue: GradingQueue, answer: Waiting) -> None:
    """Have an answer graded, unless it is in the queue already; what does not fit on a page is cut as on a sheet."""
    found = locked(c, queue.id)
    mine = (GRADING_ANSWERS.c.queue == found.id, GRADING_ANSWERS.c.key == answer.key)
    if c.execute(update(GRADING_ANSWERS).where(*mine).values(wanted=True)).rowcount:
        return
    last = c.execute(select(func.max(GRADING_ANSWERS.c.number)).where(GRADING_ANSWERS.c.queue == found.id)).scalar_one()
    number = (last or 0) + 1
    texts = {name: fitting(getattr(answer, name)) for name in ("question", "answer", "rubric")}
    row = {"queue": found.id, "number": number, "key": answer.key, "question_id": answer.id, "wanted": True}
    c.execute(insert(GRADING_ANSWERS).values(row | texts | {"seats": seats(number, found.twice)}))


def seats(number: int, twice: float) -> int:
    """How many people are to grade the answer of this number: two every so often, from the first on.

    >>> [seats(number, 0.2) for number in range(1, 8)]
    [2, 1, 1, 1, 1, 2, 1]
    """
    return 1 + math.ceil(number * twice - _ROUNDING) - math.ceil((number - 1) * twice - _ROUNDING)


def given(c: Connection, queue: GradingQueue, *, seat: int = 0) -> dict[str, Grade]:
    """All grades at a seat, by the answers' keys."""
    at = (GRADES.c.queue == GRADING_ANSWERS.c.queue) & (GRADES.c.number == GRADING_ANSWERS.c.number)
    rows = select(GRADING_ANSWERS.c.key, GRADES.c.score, GRADES.c.ridiculous).join(GRADES, at)
    mine = rows.where(GRADES.c.queue == queue.id, GRADES.c.seat == seat, GRADES.c.score.is_not(None))
    return {key: Grade(score, ridiculous) for key, score, ridiculous in c.execute(mine)}


def settle(c: Connection, queue: GradingQueue, counted: Mapping[str, Grade], asked: Collection[str]) -> bool:
    """Make these grades part of a verdict, and stop wanting what else was asked for it; whether they were all still there.

    Nothing is changed if one of them is gone or is another one by now, because its grader has withdrawn.
    """
    found = locked(c, queue.id)
    now = given(c, found)
    if any(now.get(key) != grade for key, grade in counted.items()):
        return False
    answers = GRADING_ANSWERS.c.queue == found.id
    numbers = select(GRADING_ANSWERS.c.number).where(answers, GRADING_ANSWERS.c.key.in_(list(counted)))
    mine = (GRADES.c.queue == found.id, GRADES.c.score.is_not(None), GRADES.c.number.in_(numbers))
    c.execute(update(GRADES).where(*mine).values(settled=True))
    c.execute(update(GRADING_ANSWERS).where(answers, GRADING_ANSWERS.c.key.in_(list(asked))).values(wanted=False))
    return True
