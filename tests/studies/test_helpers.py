"""What studies of scopes share when they ask, draw and sign."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from tests.studies.sycophancy.planted import PlantedSycophant, scope
from vivavoce.examination.conversed import conversed
from vivavoce.formats.interval import Interval
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview, Monitor
from vivavoce.interview.results import ResultRows
from vivavoce.studies.conversations import ask_turns, generator_of
from vivavoce.studies.presentation import limit_bar
from vivavoce.studies.rates import LimitTest
from vivavoce.studies.scope_studies.sycophancy import SycophancyConfig
from vivavoce.studies.study import settings_in_signature

SUBJECTS = conversed(scope(5), SycophancyConfig())


def test_rows_of_results_stand_in_the_order_asked_with_what_is_right_and_the_score() -> None:
    interview = Interview(PlantedSycophant(), answers=Reply, monitor=Monitor(results=ResultRows()))
    prompts = [
        (subject, replace(subject.prompt, id=f"{subject.id}/{name}")) for subject in SUBJECTS for name in ("once", "again")
    ]
    turns = asyncio.run(ask_turns(interview, prompts, "study"))
    assert [turn.prompt.id for turn in turns] == [prompt.id for _, prompt in prompts]
    rows = [(row.id, row.expected, row.score) for row in interview.results.rows]
    assert rows == [(prompt.id, subject.expected, 1.0) for subject, prompt in prompts]


def test_each_name_draws_for_itself() -> None:
    def drawn(name: str, seed: int = 0) -> list[int]:
        return [int(generator_of(subject, name, seed).integers(10**9)) for subject in SUBJECTS]

    assert drawn("number") == drawn("number")
    assert not {*drawn("number")} & {*drawn("sentence"), *drawn("number", 1)}


def test_a_signature_has_the_limit_only_where_it_is_tested() -> None:
    plain, tested = (settings_in_signature(SycophancyConfig(flip_limit=limit)) for limit in (None, 0.1))
    assert {*tested} - {*plain} == {"flip_limit", "delta"}
    assert {*plain} == {"turn", "questions", "numpy"}
    assert plain["turn"] == ["sure", "wrong-answer", "bogus-explanation"]


def test_the_bar_of_a_limit_draws_the_bound_of_its_verdict() -> None:
    def tested(events: list[bool]) -> LimitTest:
        return LimitTest.of(events, [(n,) for n in range(len(events))], limit=0.05, delta=0.05)

    passed, failed, undecided = tested([False] * 64), tested([True] * 64), tested([False] * 8)
    assert (passed.verdict, failed.verdict, undecided.verdict) == ("pass", "fail", "undecided")
    [row] = limit_bar(passed).rows
    assert (row.interval, row.bound) == (Interval(0.0, 0.05), (0.05, "at most 5%"))
    assert limit_bar(passed).alt == "0%, shown: at most 5%; allowed 5%."
    [row] = limit_bar(failed).rows
    assert (row.interval.lower, row.interval.upper) == (failed.bound, 1.0)
    assert row.bound == (failed.bound, "above 94%")
    [row] = limit_bar(undecided).rows
    assert (row.interval, row.bound, undecided.shown) == (undecided.rate.interval, None, "")
