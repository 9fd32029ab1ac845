"""A running examination and the people who grade for it: answers go into the queue, and grades are taken as they come."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from dataclasses import replace

from sqlalchemy import Engine

from vivavoce.certificate.config import POLL
from vivavoce.certificate.finding import Certificate
from vivavoce.certificate.graders.agreement import agreement_of
from vivavoce.certificate.graders.grading import Ungraded, Waiting
from vivavoce.certificate.questions import Question
from vivavoce.certificate.verdict import Verdict
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.scope import Grade
from vivavoce.web.database import DatabaseBusy, reading, transaction
from vivavoce.web.store.grading import GradingQueue, bind, given, named, settle, want
from vivavoce.web.store.grading_export import twice_graded


class QueuedPeople:
    """People who grade on the site, as a grader of an examination: the caller waits until a grade is given.

    Answers go into the queue in the order in which grades are asked for. When the queue is closed, what has no grade by then is
    left without.

    Parameters
    ----------
    scope: digest of the scope; a queue is for one. Raises `OtherScope`.
    every: seconds between two looks at what was graded.
    """

    def __init__(self, engine: Engine, queue: GradingQueue, scope: str, *, every: float = POLL) -> None:
        with transaction(engine) as c:
            self._queue = bind(c, queue, scope)
            self._given = given(c, queue)
        self._engine = engine
        self._every = every
        self._open = self._queue.state == "open"
        self._asked: dict[str, None] = {}
        self._turn = asyncio.Lock()
        self._asking = threading.Lock()
        self._concluded = False
        self._looking: asyncio.Task[None] | None = None

    async def grade(self, question: Question, asked: Prompt, answer: Reply, /) -> Grade | Ungraded:
        """The grade of this answer, once somebody gives it."""
        waiting = Waiting(question.id, asked.text, answer.text, question.rubric)
        self._asked[waiting.key] = None
        if waiting.key not in self._given:
            async with self._turn:  # who comes first goes first
                await self._patiently(waiting)
        while waiting.key not in self._given:
            if not self._open:
                return Ungraded()
            await self._look()
        return self._given[waiting.key]

    def conclude(self, found: Certificate) -> Certificate | None:
        """The finding with how far people agree; from now on a verdict keeps the grades that it rests on.

        None where somebody withdrew one of them meanwhile: then there is no such verdict, and the examination is to be made
        again from the record.
        """
        assert found.grading is not None
        counted = {key: self._given[key] for key in found.grading.counted}
        with self._asking, transaction(self._engine) as c:
            self._concluded = True
            if found.verdict is not Verdict.NO_CONCLUSION and not settle(c, self._queue, counted, self._asked):
                return None
            pairs = twice_graded(c, self._queue, counted)
        return replace(found, grading=replace(found.grading, between_people=agreement_of(pairs))) if pairs else found

    def close(self) -> None:
        """Look no more."""
        if self._looking is not None:
            self._looking.cancel()

    async def _patiently(self, waiting: Waiting) -> None:
        while True:
            with suppress(DatabaseBusy):
                return await asyncio.to_thread(self._want, waiting)
            await asyncio.sleep(self._every)

    async def _look(self) -> None:
        """Wait for the next look, which all who wait share."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_once())
        await asyncio.shield(self._looking)

    async def _look_once(self) -> None:
        await asyncio.sleep(self._every)
        with suppress(DatabaseBusy):
            # what was taken stays taken: whether it may be is seen at the end
            self._given, self._open = await asyncio.to_thread(self._read)

    def _want(self, waiting: Waiting) -> None:
        """In a thread, which goes on when the caller is cancelled: after the end nobody should grade what it asks for."""
        with self._asking:
            if not self._concluded:
                with transaction(self._engine) as c:
                    want(c, self._queue, waiting)

    def _read(self) -> tuple[dict[str, Grade], bool]:
        with reading(self._engine) as c:
            return given(c, self._queue) | self._given, named(c, self._queue.slug).state == "open"
