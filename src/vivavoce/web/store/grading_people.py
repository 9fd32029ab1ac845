"""Who grades, and what they do: take an answer, grade it, pass it on, and withdraw."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, Select, delete, exists, func, insert, or_, select, update

from vivavoce.web.grading_tables import GRADERS, GRADES, GRADING_ANSWERS, GRADING_PASSES, GRADING_QUEUES
from vivavoce.web.store.grading import GradingQueue, locked
from vivavoce.web.store.people import new_id
from vivavoce.web.store.sessions import hashed, new_token

POINTS: Final = 10
"""The most that graders give."""
_GRADER = [GRADERS.c[name] for name in ("id", "queue", "consent", "withdrawn", "expires")]
_TEXTS = [GRADING_ANSWERS.c[name] for name in ("number", "question", "answer", "rubric")]


@dataclass(frozen=True, slots=True)
class Grader:
    """Somebody who was invited to grade."""

    id: str
    """Random; tells nothing of who it is."""
    queue: str
    consent: str | None
    """The version of the text that was agreed to."""
    withdrawn: datetime | None
    expires: datetime
    """From then on nothing is given to them; they can still withdraw."""


@dataclass(frozen=True, slots=True)
class Task:
    """An answer as its grader sees it: nothing in it says whose it is, or what others gave."""

    number: int
    question: str
    answer: str
    rubric: str


def invite(c: Connection, queue: GradingQueue, expires: datetime) -> str:
    """A token for somebody new, which is known to nobody else."""
    token = new_token()
    row = {"id": new_id(), "queue": queue.id, "token_hash": hashed(token), "expires": expires}
    c.execute(insert(GRADERS).values(row))
    return token


def grader(c: Connection, token: str, now: datetime) -> tuple[Grader, GradingQueue] | None:
    """Whose token it is, and for which queue; None for one that is worth nothing, or that nobody has used in time."""
    row = c.execute(select(*_GRADER).where(GRADERS.c.token_hash == hashed(token))).one_or_none()
    if row is None or (row.expires <= now and row.consent is None and row.withdrawn is None):
        return None
    columns = [GRADING_QUEUES.c[name] for name in GradingQueue.__dataclass_fields__]
    return Grader(*row), GradingQueue(*c.execute(select(*columns).where(GRADING_QUEUES.c.id == row.queue)).one())


def agree(c: Connection, grader: Grader, version: str) -> None:
    """Somebody agrees to a version of the text; the first one that they agreed to is remembered."""
    mine = (GRADERS.c.id == grader.id, GRADERS.c.consent.is_(None), GRADERS.c.withdrawn.is_(None))
    c.execute(update(GRADERS).where(*mine).values(consent=version))


def take(c: Connection, grader: Grader, now: datetime) -> Task | None:
    """The answer that somebody is to grade now, held for them; None where there is none for them.

    It is the one they hold already, or else the first in the order in which answers came that has a free seat, and that they
    have neither graded nor passed on.
    """
    queue = locked(c, grader.queue)
    if queue.state != "open" or not _takes_part(c, grader, now):
        return None
    seat = _held_seat(c, queue, grader) or _free_seat(c, grader, now)
    if seat is None:
        return None
    number, place = seat
    at = (GRADES.c.queue == queue.id, GRADES.c.number == number, GRADES.c.seat == place)
    values = {"grader": grader.id, "until": now + queue.lease}
    if not c.execute(update(GRADES).where(*at).values(values)).rowcount:
        row = {"queue": queue.id, "number": number, "seat": place, "settled": False}
        c.execute(insert(GRADES).values(row | values))
    found = select(*_TEXTS).where(GRADING_ANSWERS.c.queue == queue.id, GRADING_ANSWERS.c.number == number)
    return Task(*c.execute(found).one())


def task(c: Connection, grader: Grader, number: int) -> Task | None:
    """The answer of this number, if it is this grader's to grade."""
    mine = (GRADES.c.queue == grader.queue, GRADES.c.number == number, GRADES.c.grader == grader.id, GRADES.c.score.is_(None))
    at = (GRADES.c.queue == GRADING_ANSWERS.c.queue) & (GRADES.c.number == GRADING_ANSWERS.c.number)
    row = c.execute(select(*_TEXTS).join(GRADES, at).where(*mine)).one_or_none()
    return None if row is None else Task(*row)


def give(c: Connection, grader: Grader, number: int, points: int, ridiculous: bool) -> bool:
    """Keep a grade for the answer that this grader holds; False where they do not hold it, and nothing is kept.

    Who is late may still grade as long as nobody else was given the answer meanwhile. What was given stays as it is.
    """
    queue = locked(c, grader.queue)
    mine = (GRADES.c.queue == queue.id, GRADES.c.number == number, GRADES.c.grader == grader.id, GRADES.c.score.is_(None))
    values = {"score": points / POINTS, "ridiculous": ridiculous, "until": None}
    return bool(c.execute(update(GRADES).where(*mine).values(values)).rowcount)


def pass_on(c: Connection, grader: Grader, number: int) -> bool:
    """Somebody cannot grade the answer that they hold: it goes to others, and comes back to them no more."""
    queue = locked(c, grader.queue)
    mine = (GRADES.c.queue == queue.id, GRADES.c.number == number, GRADES.c.grader == grader.id, GRADES.c.score.is_(None))
    if not c.execute(delete(GRADES).where(*mine)).rowcount:
        return False
    c.execute(insert(GRADING_PASSES).values(grader=grader.id, number=number))
    return True


def graded_by(c: Connection, grader: Grader) -> int:
    """How many answers somebody has graded."""
    mine = (GRADES.c.grader == grader.id, GRADES.c.score.is_not(None))
    return c.execute(select(func.count()).where(*mine)).scalar_one()


def withdraw(c: Connection, grader: Grader, now: datetime) -> Grader:
    """Delete all grades that are not part of a verdict yet, and forget of the others who gave them.

    Answers that lose their grade wait for somebody else's. What stays of the grader is that somebody withdrew.
    """
    locked(c, grader.queue)
    c.execute(delete(GRADES).where(GRADES.c.grader == grader.id, GRADES.c.settled.is_(False)))
    c.execute(update(GRADES).where(GRADES.c.grader == grader.id).values(grader=None))
    c.execute(delete(GRADING_PASSES).where(GRADING_PASSES.c.grader == grader.id))
    mine = (GRADERS.c.id == grader.id, GRADERS.c.withdrawn.is_(None))
    c.execute(update(GRADERS).where(*mine).values(withdrawn=now, consent=None))
    return replace(grader, withdrawn=now, consent=None)


def waiting_for(c: Connection, grader: Grader, now: datetime) -> int:
    """How many answers somebody could grade now beside the one that they hold; others may take them, and more may come."""
    return c.execute(select(func.count()).select_from(_open_to(grader, now).subquery())).scalar_one()


def _takes_part(c: Connection, grader: Grader, now: datetime) -> bool:
    """Whether somebody agreed and has not withdrawn, as it is now, and their invitation still holds."""
    mine = (GRADERS.c.id == grader.id, GRADERS.c.consent.is_not(None), GRADERS.c.withdrawn.is_(None), GRADERS.c.expires > now)
    return c.execute(select(GRADERS.c.id).where(*mine)).first() is not None


def _held_seat(c: Connection, queue: GradingQueue, grader: Grader) -> tuple[int, int] | None:
    """Number and seat of the answer that is somebody's to grade."""
    at = (GRADES.c.queue == GRADING_ANSWERS.c.queue) & (GRADES.c.number == GRADING_ANSWERS.c.number)
    mine = (GRADES.c.queue == queue.id, GRADES.c.grader == grader.id, GRADES.c.score.is_(None))
    seats = select(GRADES.c.number, GRADES.c.seat).join(GRADING_ANSWERS, at).where(*mine, GRADING_ANSWERS.c.wanted.is_(True))
    row = c.execute(seats.order_by(GRADES.c.number).limit(1)).one_or_none()
    return None if row is None else (row.number, row.seat)


def _free_seat(c: Connection, grader: Grader, now: datetime) -> tuple[int, int] | None:
    """The first seat that nobody has, or whose time is over, at an answer that this grader has nothing to do with yet."""
    row = c.execute(_open_to(grader, now).order_by(GRADING_ANSWERS.c.number).limit(1)).one_or_none()
    return None if row is None else (row.number, int(row.first))


def _open_to(grader: Grader, now: datetime) -> Select[tuple[int, bool]]:
    """Answers with a free seat that this grader has nothing to do with yet, and whether it is the second one."""
    here = (GRADES.c.queue == GRADING_ANSWERS.c.queue, GRADES.c.number == GRADING_ANSWERS.c.number)
    passed = (GRADING_PASSES.c.grader == grader.id, GRADING_PASSES.c.number == GRADING_ANSWERS.c.number)
    full = or_(GRADES.c.score.is_not(None), GRADES.c.until > now)
    first, second = (exists().where(*here, GRADES.c.seat == seat, full) for seat in (0, 1))
    free = or_(~first, (GRADING_ANSWERS.c.seats == 2) & ~second)
    mine = (GRADING_ANSWERS.c.queue == grader.queue, GRADING_ANSWERS.c.wanted.is_(True))
    fresh = (~exists().where(*here, GRADES.c.grader == grader.id), ~exists().where(*passed))
    return select(GRADING_ANSWERS.c.number, first.label("first")).where(*mine, *fresh, free)
