"""Grading queues in the database, on a file and on PostgreSQL."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import Connection, Engine, select

from tests.web.store.at_once import together
from tests.web.store.players import START
from vivavoce.certificate.graders.grading import Waiting
from vivavoce.errors import BadInput, UnknownName
from vivavoce.interview.scope import Grade
from vivavoce.web.database import reading, transaction
from vivavoce.web.grading_tables import GRADERS, GRADES
from vivavoce.web.store import grading, grading_people
from vivavoce.web.store.grading import GradingQueue, OtherScope
from vivavoce.web.store.grading_export import counts, exported_grades, twice_graded
from vivavoce.web.store.grading_people import Grader, Task

LEASE = timedelta(minutes=30)
LATER = START + LEASE + timedelta(seconds=1)


def answers(n: int) -> list[Waiting]:
    return [Waiting(f"q{number}", f"What is {number}?", f"It is {number}.\x00", "10: all") for number in range(1, n + 1)]


def made(c: Connection, n: int = 5, *, twice: float = 0.2) -> GradingQueue:
    queue = grading.bind(c, grading.make_queue(c, "essays", START, twice=twice, lease=LEASE), "digest")
    for one in answers(n):
        grading.want(c, queue, one)
    return queue


def somebody(c: Connection, queue: GradingQueue) -> Grader:
    token = grading_people.invite(c, queue, START + timedelta(days=30))
    found = grading_people.grader(c, token, START)
    assert found is not None
    grading_people.agree(c, found[0], "1")
    return found[0]


def taken(c: Connection, grader: Grader, now: object = START) -> Task:
    found = grading_people.take(c, grader, now)  # type: ignore[arg-type]
    assert found is not None
    return found


def grade_all(c: Connection, grader: Grader, points: int) -> list[int]:
    numbers = []
    while (task := grading_people.take(c, grader, START)) is not None:
        assert grading_people.give(c, grader, task.number, points, False)
        numbers.append(task.number)
    return numbers


def test_answers_are_handed_out_in_the_order_in_which_they_came_and_some_to_two(engine: Engine) -> None:
    with transaction(engine) as c:
        queue = made(c, 6)
        ann, bob, cis = (somebody(c, queue) for _ in range(3))
        first = taken(c, ann)
        assert first == Task(1, "What is 1?", "It is 1.\x00", "10: all")
        assert taken(c, ann) == first  # it stays theirs
        assert taken(c, bob).number == 1  # meant for two
        assert taken(c, cis).number == 2
        assert grading_people.give(c, bob, 1, 3, True)
        assert grade_all(c, ann, 10) == [1, 3, 4, 5, 6]
        # the first seat counts, whoever is done first
        assert grading.given(c, queue)[answers(1)[0].key] == Grade(1.0, False)
        assert twice_graded(c, queue) == [(Grade(1.0, False), Grade(0.3, True))]
        assert grade_all(c, bob, 5) == [6]
        assert grade_all(c, cis, 4) == [2]
        told = counts(c, queue, START)
        assert (told.answers, told.graded, told.waiting, told.graded_twice, told.settled) == (6, 6, 0, 2, 0)
        assert (told.invited, told.agreed, told.withdrawn) == (3, 3, 0)


def test_an_answer_whose_time_is_over_goes_to_others_and_the_late_may_still_grade_until_then(engine: Engine) -> None:
    with transaction(engine) as c:
        queue = made(c, 2, twice=0)
        ann, bob, cis = (somebody(c, queue) for _ in range(3))
        assert (taken(c, ann).number, taken(c, bob).number) == (1, 2)
        assert grading_people.take(c, cis, START) is None
        assert counts(c, queue, START).held == 2
        assert counts(c, queue, LATER).held == 0
        assert taken(c, cis, LATER).number == 1
        assert not grading_people.give(c, ann, 1, 5, False)  # it is somebody else's by now
        assert grading_people.give(c, bob, 2, 5, False)  # late, and nobody else has it
        assert not grading_people.give(c, bob, 2, 6, False)  # the first one stays
        assert grading_people.task(c, ann, 1) is None
        assert grading_people.give(c, cis, 1, 7, False)
        assert sorted(grade.score for grade in grading.given(c, queue).values()) == [0.5, 0.7]
        assert set(c.execute(select(GRADES.c.until)).scalars()) == {None}


def test_what_somebody_cannot_grade_goes_to_others_alone(engine: Engine) -> None:
    with transaction(engine) as c:
        queue = made(c, 1, twice=1)
        ann, bob = (somebody(c, queue) for _ in range(2))
        assert grading_people.pass_on(c, ann, taken(c, ann).number)
        assert not grading_people.pass_on(c, ann, 1)
        assert grading_people.take(c, ann, START) is None
        assert counts(c, queue, START).passed_on == 1
        assert grade_all(c, bob, 8) == [1]
        assert len(grading.given(c, queue)) == 1  # it went to the seat that counts


def test_who_withdraws_takes_along_what_is_in_no_verdict_yet(engine: Engine) -> None:
    with transaction(engine) as c:
        queue = made(c, 3, twice=0)
        keys = [one.key for one in answers(3)]
        ann = somebody(c, queue)
        assert grade_all(c, ann, 9) == [1, 2, 3]
        counted = {keys[0]: Grade(0.9, False)}
        assert not grading.settle(c, queue, {keys[0]: Grade(0.8, False)}, keys)
        assert grading.settle(c, queue, counted, keys[:2])
        grading_people.withdraw(c, ann, START)
        assert grading.given(c, queue) == counted
        assert set(c.execute(select(GRADES.c.grader)).scalars()) == {None}
        (row,) = exported_grades(c, queue)
        assert (row.id, row.grader, row.second) == ("q1", "", None)
        assert counts(c, queue, START).withdrawn == 1
        assert grading_people.take(c, ann, START) is None
        grading_people.agree(c, ann, "1")  # no way back
        assert counts(c, queue, START).agreed == 0
        # the second answer is wanted no more, the third is, and so is the second once somebody asks for it again
        bob = somebody(c, queue)
        assert taken(c, bob).number == 3
        grading.want(c, queue, answers(2)[1])
        assert grade_all(c, bob, 1) == [3, 2]
        assert not grading.settle(c, queue, {keys[2]: Grade(0.9, False)}, [])  # it was Ann's, and is gone


def test_nobody_takes_an_answer_from_a_closed_queue_or_before_they_agreed(engine: Engine) -> None:
    with transaction(engine) as c:
        queue = made(c, 2)
        token = grading_people.invite(c, queue, START + timedelta(days=1))
        found = grading_people.grader(c, token, START)
        assert found is not None
        assert grading_people.take(c, found[0], START) is None
        assert grading_people.grader(c, token, START + timedelta(days=1)) is None
        assert grading_people.grader(c, token + "x", START) is None
        assert token not in str(c.execute(select(GRADERS)).all())
        ann = somebody(c, queue)
        task = taken(c, ann)
        grading.set_state(c, queue, "closed")
        assert grading_people.take(c, ann, START) is None
        assert grading_people.give(c, ann, task.number, 5, False)  # they had it already


def test_a_queue_is_for_one_scope_and_takes_an_answer_once(engine: Engine) -> None:
    with transaction(engine) as c:
        queue = made(c, 2)
        grading.want(c, queue, answers(1)[0])
        assert counts(c, queue, START).answers == 2
        assert grading.bind(c, queue, "digest").scope == "digest"
        with pytest.raises(OtherScope, match="another scope"):
            grading.bind(c, queue, "other")


def test_bad_input(engine: Engine) -> None:
    with transaction(engine) as c:
        for slug in ("", "A", "a b", "-a", "a" * 41, "ü"):
            with pytest.raises(BadInput, match="no name"):
                grading.make_queue(c, slug, START, lease=LEASE)
        with pytest.raises(BadInput, match="title"):
            grading.make_queue(c, "a", START, title="x" * 201, lease=LEASE)
        with pytest.raises(BadInput, match="twice"):
            grading.make_queue(c, "a", START, twice=float("nan"), lease=LEASE)
        with pytest.raises(BadInput, match="held"):
            grading.make_queue(c, "a", START, lease=timedelta(seconds=1))
        with pytest.raises(BadInput, match="0 are open"):
            grading.named(c, "")
        queue = grading.make_queue(c, "a", START, lease=LEASE)
        assert grading.named(c, "") == queue
        with pytest.raises(BadInput, match="already"):
            grading.make_queue(c, "a", START, lease=LEASE)
        with pytest.raises(UnknownName):
            grading.named(c, "b")


def test_an_export_has_other_names_each_time_and_none_of_ours(engine: Engine) -> None:
    with transaction(engine) as c:
        queue = made(c, 5, twice=1)
        ann, bob = (somebody(c, queue) for _ in range(2))
        grade_all(c, ann, 9)
        grade_all(c, bob, 8)
        one, other = (list(exported_grades(c, queue)) for _ in range(2))
        assert len(one) == 5
        assert all((row.grade.score, row.second and row.second.score) == (0.9, 0.8) for row in one)
        assert len({row.grader for row in one}) == len({row.second_grader for row in one}) == 1
        assert {row.grader for row in one}.isdisjoint({row.grader for row in other})
        assert not any(known.id in str([asdict(row) for row in one]) for known in (ann, bob))


def test_people_at_one_moment_get_different_answers(engine: Engine) -> None:
    with transaction(engine) as c:
        queue = made(c, 20)
        people = [somebody(c, queue) for _ in range(6)]

    def work(grader: Grader) -> list[int]:
        numbers: list[int] = []
        while True:
            with transaction(engine) as c:
                if (task := grading_people.take(c, grader, START)) is None:
                    return numbers
            with transaction(engine) as c:
                assert grading_people.give(c, grader, task.number, 10, False)
            numbers.append(task.number)

    done = together([partial(work, one) for one in people])
    assert all(isinstance(numbers, list) for numbers in done), done
    every = sorted(number for numbers in done if isinstance(numbers, list) for number in numbers)
    assert every == sorted([*range(1, 21), 1, 6, 11, 16])
    with reading(engine) as c:
        assert counts(c, queue, START).graded_twice == 4


@pytest.mark.parametrize(("twice", "every"), [(0, 0), (1, 100), (0.2, 20), (0.5, 50), (0.01, 1), (0.33, 33)])
def test_the_share_of_answers_with_two_seats(twice: float, every: int) -> None:
    assert sum(grading.seats(number, twice) - 1 for number in range(1, 101)) == every
