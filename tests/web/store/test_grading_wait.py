"""An examination that waits for people: it takes grades as they come, and finds what it would find with a file of them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.certificate.graders.graded import RIGHT, Knows, essays, interview, judge, people, same_secrets
from tests.web.store.players import START
from tests.web.store.test_grading import LEASE, somebody
from vivavoce.certificate.composition import Composition
from vivavoce.certificate.examine import certify
from vivavoce.certificate.finding import Certificate
from vivavoce.certificate.graders.graders import Graders
from vivavoce.certificate.graders.grading import Waiting
from vivavoce.certificate.verdict import Criterion, Verdict
from vivavoce.web.database import migrate, open_database, transaction
from vivavoce.web.store import grading, grading_people
from vivavoce.web.store.grading import GradingQueue
from vivavoce.web.store.grading_export import counts
from vivavoce.web.store.grading_people import Grader
from vivavoce.web.store.grading_wait import QueuedPeople

SCOPE, KNOWS, CRITERION = essays(120), Knows(0.9), Criterion(0.5, None)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = open_database(str(tmp_path / "site.sqlite"))
    migrate(engine)
    return engine


@pytest.fixture
def queue(engine: Engine) -> GradingQueue:
    with transaction(engine) as c:
        return grading.make_queue(c, "essays", START, lease=LEASE)


async def found_with(grader: Any, **graders: Any) -> Certificate:
    return await certify(
        interview(KNOWS), SCOPE, CRITERION, Composition(grading=replace(Graders(people=grader, **graders), ahead=12)), seed=0
    )


async def work(engine: Engine, graders: list[Grader]) -> None:
    """Grade what there is, each answer by somebody chosen by lot, until cancelled."""
    dice = random.Random(5)
    while True:
        await asyncio.sleep(0.002)
        with transaction(engine) as c:
            who = dice.choice(graders)
            task = grading_people.take(c, who, START)
            if task is not None and dice.random() < 0.8:  # now and then somebody keeps it a while
                grading_people.give(c, who, task.number, 10 if task.answer == RIGHT else 0, False)


async def examined(
    engine: Engine,
    queue: GradingQueue,
    then: Callable[[list[Grader]], None] = lambda _: None,
    asked: QueuedPeople | None = None,
    **more: Any,
) -> Certificate | None:
    """The examination with three people at work, with something that happens before the verdict is given."""
    asked = asked or QueuedPeople(engine, queue, SCOPE.digest, every=0.001)
    with transaction(engine) as c:
        graders = [somebody(c, queue) for _ in range(3)]
    working = asyncio.create_task(work(engine, graders))
    try:
        found = await found_with(asked, **more)
    finally:
        asked.close()
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working
    then(graders)
    return asked.conclude(found)


def bare(found: Certificate) -> Certificate:
    """All but how far people agree."""
    assert found.grading is not None
    return replace(found, grading=replace(found.grading, between_people=None))


async def test_it_finds_what_it_would_find_with_a_file_of_the_same_grades(engine: Engine, queue: GradingQueue) -> None:
    found = await examined(engine, queue)
    by_file = await found_with(people(KNOWS, SCOPE))
    assert found is not None
    assert found.grading is not None
    assert bare(found) == by_file
    assert found.verdict is Verdict.UNDERSTANDS
    agreement = found.grading.between_people
    assert agreement is not None
    assert (agreement.close.value, agreement.difference.value) == (1, 0)
    with transaction(engine) as c:
        told = counts(c, queue, START)
    assert told.settled == found.grading.graded_by_people == found.questions
    assert told.waiting == 0


async def test_what_is_asked_for_while_the_examination_ends_waits_for_nobody(engine: Engine, queue: GradingQueue) -> None:
    asked = QueuedPeople(engine, queue, SCOPE.digest, every=0.001)
    assert await examined(engine, queue, asked=asked) is not None
    asked._want(Waiting("late", "Why?", "Too late.", ""))  # in a thread of somebody who was cancelled
    with transaction(engine) as c:
        assert counts(c, queue, START).waiting == 0


@pytest.mark.long
async def test_with_a_judge_the_answers_of_the_judge_alone_never_reach_people(
    engine: Engine, queue: GradingQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    same_secrets(monkeypatch)
    found = await examined(engine, queue, judge=judge(), further=2)
    by_file = await found_with(people(KNOWS, SCOPE), judge=judge(), further=2)
    assert found is not None
    assert found.grading is not None
    assert (found.verdict, found.questions, found.score) == (by_file.verdict, by_file.questions, by_file.score)
    with transaction(engine) as c:
        assert counts(c, queue, START).answers <= found.grading.graded_by_people + 4


@pytest.mark.long
async def test_there_is_no_verdict_on_a_grade_that_was_withdrawn(engine: Engine, queue: GradingQueue) -> None:
    def withdraw(graders: list[Grader]) -> None:
        with transaction(engine) as c:
            grading_people.withdraw(c, graders[0], START)

    assert await examined(engine, queue, withdraw) is None
    with transaction(engine) as c:
        assert counts(c, queue, START).settled == 0
    again = await examined(engine, queue)  # others grade what lost its grade
    assert again is not None
    assert bare(again) == await found_with(people(KNOWS, SCOPE))
