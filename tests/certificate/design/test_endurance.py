"""A candidate that tires: what passes, what more questions and hours do about it, and what its scores say."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.certificate.candidates import Expert, interview, scope
from tests.each_case import each_case
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.deployed import deployment_of
from vivavoce.certificate.config import Drawing
from vivavoce.certificate.design.drawing import Endurance, moments
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.errors import BadInput
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.progress import Progress
from vivavoce.interview.schedule import Clock
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

CRITERION = Criterion(0.7, None)
NOON = datetime(2030, 6, 1, 12, tzinfo=UTC)


@dataclass
class TiredModel:
    """Right for so many questions, wrong from then on."""

    energy: int
    name: str = "test:tires"

    async def answer(self, prompt: Prompt, /) -> Reply:
        self.energy -= 1
        return Reply("Answer: A" if self.energy >= 0 else "Answer: B")


@dataclass
class InstantClock:
    """A clock on which nobody waits: whoever sleeps moves it."""

    at: datetime = NOON

    async def sleep(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)
        await asyncio.sleep(0)

    @property
    def clock(self) -> Clock:
        return Clock(seconds=lambda: (self.at - NOON).total_seconds(), now=lambda: self.at, sleep=self.sleep)


def asked_at(transcript: Transcript) -> list[datetime]:
    """When each question was asked of the candidate, in order."""
    return sorted(datetime.fromisoformat(record.asked_at) for record in transcript.records() if record.candidate[:5] == "test:")


async def test_it_passes_where_thirteen_are_enough_and_the_page_names_the_assumption() -> None:
    certificate = await certify(interview(TiredModel(60)), scope(1_000), CRITERION, seed=1)
    assert (certificate.verdict, certificate.questions) == (Verdict.PASS, 13)
    assert any("It assumes a fixed candidate" in caveat for caveat in certificate.caveats)
    assert "at_least" not in certificate.signature.settings


async def test_at_least_so_many_questions_find_it_out_and_so_do_its_scores() -> None:
    certificate = await certify(
        interview(TiredModel(60)), scope(1_000), CRITERION, Composition(endurance=Endurance(200)), seed=1
    )
    assert certificate.verdict is Verdict.FAIL
    assert certificate.questions > 60
    assert certificate.order is not None
    assert (
        certificate.order.changed,
        certificate.order.change_after,
        certificate.order.score_before,
        certificate.order.score_since,
    ) == (True, 60, 1.0, 0.0)
    assert certificate.as_json()["figures"]["order"]["change_after"] == 60
    assert any("did not come in random order" in caveat for caveat in certificate.caveats)
    assert certificate.signature.settings["at_least"] == 200


async def test_what_was_shown_before_and_went_does_not_count() -> None:
    """All right up to 60 of 100: at 100 the mean is .6, nothing shows .5; the first 60 were enough long before."""
    criterion = Criterion(0.59, None, 1e-3)
    early = await certify(interview(TiredModel(60)), scope(10_000), criterion, questions=100, seed=0)
    late = await certify(
        interview(TiredModel(60)), scope(10_000), criterion, Composition(endurance=Endurance(100)), questions=100, seed=0
    )
    assert (early.verdict, late.verdict) == (Verdict.PASS, Verdict.UNDECIDED)


async def test_one_that_stays_right_passes_at_that_many() -> None:
    certificate = await certify(interview(Expert(1.0)), scope(1_000), CRITERION, Composition(endurance=Endurance(60)), seed=0)
    assert (certificate.verdict, certificate.questions) == (Verdict.PASS, 60)
    assert certificate.order is not None
    assert not certificate.order.changed


WEIGHTED = ListedScope(
    "letters",
    tuple(
        Question(f"{i}", f"Question {i}?", ("first", "second"), ("A",), category="xyz"[i % 3], weight=1 + i % 2)
        for i in range(999)
    ),
)


@pytest.mark.parametrize("design", get_args(Drawing))
async def test_whatever_the_design(design: Drawing) -> None:
    endurance = Composition(design, endurance=Endurance(60))
    certificate = await certify(interview(TiredModel(600)), WEIGHTED, CRITERION, endurance, seed=0)
    assert (certificate.verdict, certificate.questions) == (Verdict.PASS, 60)
    tired = await certify(interview(TiredModel(60)), WEIGHTED, CRITERION, Composition(design, endurance=Endurance(200)), seed=0)
    assert tired.verdict is Verdict.FAIL
    assert tired.order is not None
    assert (tired.order.changed, tired.order.change_after) == (True, 60)


async def test_of_two_verdicts_as_well() -> None:
    both = await certify(
        interview(TiredModel(600)), deployment_of(WEIGHTED), CRITERION, Composition(endurance=Endurance(60)), seed=0
    )
    assert [certificate.questions for certificate in both.claims] == [60, 60]
    assert both.signature.settings["at_least"] == 60


async def test_all_of_a_shorter_scope_is_enough() -> None:
    certificate = await certify(interview(Expert(1.0)), scope(40), CRITERION, Composition(endurance=Endurance(500)), seed=0)
    assert (certificate.verdict, certificate.questions, certificate.complete) == (Verdict.PASS, 40, True)


async def test_one_that_fails_is_not_asked_for_longer() -> None:
    certificate = await certify(interview(Expert(0.0)), scope(1_000), CRITERION, Composition(endurance=Endurance(500)), seed=0)
    alone = await certify(interview(Expert(0.0)), scope(1_000), CRITERION, seed=0)
    assert (certificate.verdict, certificate.questions) == (Verdict.FAIL, alone.questions)


async def test_one_that_the_budget_stops_needs_at_least_the_rest() -> None:
    certificate = await certify(
        interview(Expert(1.0), budget=Budget(questions=50)),
        scope(1_000),
        CRITERION,
        Composition(endurance=Endurance(80)),
        seed=0,
    )
    assert (certificate.verdict, certificate.still_needed) == (Verdict.UNDECIDED, 30)


@given(st.lists(st.booleans(), min_size=1, max_size=120), st.integers(1, 120))
def test_a_verdict_that_waits_is_never_one_that_would_not_have_come(values: list[bool], at_least: int) -> None:
    """So it is wrong no oftener: it needs the same evidence, at fewer moments."""
    plain, waits = SequentialTest(CRITERION), SequentialTest(CRITERION)
    for n, value in enumerate(values, start=1):
        waits.early = n < at_least
        plain.update(float(value), 0.0)
        waits.update(float(value), 0.0)
        if waits.verdict is Verdict.PASS:
            assert n >= at_least
            assert plain.verdict is not Verdict.UNDECIDED
        if plain.verdict is Verdict.FAIL:
            assert waits.verdict is plain.verdict


@each_case(
    ("endurance", "settings", "problem"),
    [
        (Endurance(0), {}, "at least 0 questions"),
        (Endurance(50), {"questions": 49}, "at least 50 and at most 49"),
        (Endurance(50), {"questions": 50, "procedure": "fixed"}, "fixed procedure"),
        (Endurance(None, 2.0), {}, "--set min-questions=N"),
        (Endurance(50, 0.0), {}, "give more than 0"),
        (Endurance(50, float("nan")), {}, "give more than 0"),
    ],
)
async def test_what_cannot_be_meant_is_refused(endurance: Endurance, settings: dict[str, Any], problem: str) -> None:
    composition = Composition(endurance=endurance, procedure=settings.get("procedure", "sequential"))
    with pytest.raises(BadInput, match=problem):
        await certify(interview(Expert(1.0)), scope(100), CRITERION, composition, questions=settings.get("questions"), seed=0)


async def spread(
    transcript: Transcript, made_up: InstantClock, *, budget: int | None = None, hours: float = 24.0, again: bool = False
) -> Certificate:
    asked = interview(Expert(1.0), transcript=transcript, clock=made_up.clock, budget=Budget(questions=budget), concurrency=4)
    return await certify(asked, scope(1_000), CRITERION, Composition(endurance=Endurance(60, hours)), seed=5, again=again)


async def test_questions_come_at_random_times_over_the_hours() -> None:
    transcript = Transcript.open(None)
    certificate = await spread(transcript, InstantClock())
    times = moments(NOON, 24.0, 60, np.random.default_rng([5, 3]))
    assert asked_at(transcript) == [next(times) for _ in range(60)]
    last = asked_at(transcript)[-1]
    assert timedelta(hours=20) < last - NOON <= timedelta(hours=24)
    assert certificate.signature.settings["spread_hours"] == 24.0
    assert (certificate.verdict, certificate.questions) == (Verdict.PASS, 60)


def test_the_times_are_uniform_and_go_on_at_the_same_rate() -> None:
    """Of 4,000 in each of two stretches of 10 hours, a tenth in each hour: 400 +- 4 standard deviations of 19."""
    times = moments(NOON, 10.0, 4_000, np.random.default_rng(0))
    hours = [(next(times) - NOON).total_seconds() / 3600 for _ in range(8_000)]
    assert hours == sorted(hours)
    counts, _ = np.histogram(hours, bins=20, range=(0, 20))
    assert (abs(counts - 400) < 76).all()


async def test_after_a_kill_the_times_are_those_that_were_drawn(tmp_path: Path) -> None:
    whole = Transcript.open(None)
    uninterrupted = await spread(whole, InstantClock())
    with Transcript.open(tmp_path / "killed.sqlite") as transcript:
        clock = InstantClock()
        stopped = await spread(transcript, clock, budget=10)
        assert (stopped.questions, stopped.why_not) == (10, "the budget for questions is used up")
    later = InstantClock(clock.at + timedelta(seconds=1))
    with Transcript.open(tmp_path / "killed.sqlite") as transcript:
        resumed = await spread(transcript, later)
        assert asked_at(transcript) == asked_at(whole)
        # once more, from the record alone: nobody waits
        again = InstantClock(NOON + timedelta(days=9))
        assert (await spread(transcript, again)).as_json() == resumed.as_json() == uninterrupted.as_json()
        assert again.at == NOON + timedelta(days=9)
        transcript.verify()


async def test_what_was_missed_while_it_was_down_is_asked_at_once() -> None:
    transcript = Transcript.open(None)
    await spread(transcript, InstantClock(), budget=10)
    late = NOON + timedelta(days=3)
    resumed = await spread(transcript, InstantClock(late))
    assert set(asked_at(transcript)[10:]) == {late}
    assert resumed.verdict is Verdict.PASS


async def test_answers_from_before_their_time_are_told_of() -> None:
    transcript = Transcript.open(None)
    await certify(
        interview(Expert(1.0), transcript=transcript, clock=InstantClock(NOON - timedelta(days=1)).clock),
        scope(1_000),
        CRITERION,
        seed=5,
    )
    certificate = await spread(transcript, InstantClock(), again=True)
    early = sum(moment < NOON for moment in asked_at(transcript))
    assert early >= 16
    assert any(f"{early} answers were on record from before the moment" in caveat for caveat in certificate.caveats)


async def test_progress_says_when_the_next_question_comes() -> None:
    progress_reports: list[Progress] = []
    made_up = InstantClock()
    asked = interview(Expert(1.0), clock=made_up.clock, on_progress=progress_reports.append)
    await certify(asked, scope(1_000), CRITERION, Composition(endurance=Endurance(20, 1.0)), seed=5)
    first = next(moments(NOON, 1.0, 20, np.random.default_rng([5, 3])))
    assert progress_reports[0].seconds_to_next == pytest.approx((first - NOON).total_seconds())
    assert (progress_reports[0].asked, progress_reports[0].answered) == (0, 0)
    assert all(progress.seconds_to_next is None or progress.seconds_to_next > 0 for progress in progress_reports)


async def test_waits_are_given_up_at_the_verdict() -> None:
    made_up = InstantClock()
    asked = interview(Expert(0.0), clock=made_up.clock, concurrency=8)
    certificate = await certify(asked, scope(1_000), CRITERION, Composition(endurance=Endurance(100, 100.0)), seed=0)
    assert certificate.verdict is Verdict.FAIL
    assert made_up.at - NOON < timedelta(hours=20)


async def test_another_seed_begins_at_another_time() -> None:
    transcript, later = Transcript.open(None), NOON + timedelta(days=2)
    await spread(transcript, InstantClock())
    candidate = interview(Expert(1.0, name="test:knows"), transcript=transcript, clock=InstantClock(later).clock)
    await certify(candidate, scope(1_000), CRITERION, Composition(endurance=Endurance(60, 24.0)), seed=6, again=True)
    assert max(asked_at(transcript)) > later + timedelta(hours=18)


async def test_the_fixed_number_is_spread_too() -> None:
    transcript = Transcript.open(None)
    asked = interview(Expert(1.0), transcript=transcript, clock=InstantClock().clock)
    certificate = await certify(
        asked,
        open_scope("arithmetic"),
        CRITERION,
        Composition(procedure="fixed", endurance=Endurance(None, 2.0)),
        questions=30,
        seed=0,
    )
    assert certificate.questions == 30
    assert timedelta(hours=1.5) < max(asked_at(transcript)) - NOON <= timedelta(hours=2)


async def test_several_answers_to_each_question_are_spread_over_the_same_hours() -> None:
    begun = datetime.now(UTC)
    asked = Endurance(at_least=4, spread_hours=1.0)
    times = await asked.times(interview(Expert(1.0)), scope(2), seed=0, questions=None, answers=3)
    assert times is not None
    moments_ = list(islice(times, 24))
    # four questions with three answers each, although the list has two: it is drawn with replacement
    hours = [(time - begun) // timedelta(hours=1) for time in moments_]
    assert hours == [0] * 12 + [1] * 12
