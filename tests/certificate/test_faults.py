"""Questions that met a fault: anything from 0 to 1 in every examination, whatever was said to a second try."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.certificate.candidates import Expert, interview, scope
from tests.certificate.graders.graded import PointsJudge, essays, judge, people
from tests.each_case import each_case
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.deployed import deployment_of
from vivavoce.certificate.graders.graders import Graders
from vivavoce.certificate.graders.rule_grading import ByRule
from vivavoce.errors import TransportFault
from vivavoce.formats.interval import Interval
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.schedule import Clock
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

GRADE_ONLY = Criterion(0.7, None)


@dataclass
class FaultyExpert(Expert):
    """Knows a share of all questions, and fails before it answers one wrong; every third one by a limit on the rate."""

    limited: bool = False
    failed: set[str] = field(default_factory=set)

    async def answer(self, prompt: Prompt, /) -> Reply:
        if not self.right(prompt) and prompt.id not in self.failed:
            self.failed.add(prompt.id)
            raise TransportFault("no", hearing="turned away" if self.limited else "heard")
        return Reply("Answer: A") if prompt.id in self.failed else await super().answer(prompt)


def quick(candidate: Any, **settings: Any) -> Interview[Prompt, Reply]:
    return interview(candidate, clock=Clock(sleep=lambda _: asyncio.sleep(0)), **settings)


@each_case("unreadable", ["interval", "wrong"])
@each_case("design", [None, "evenly", "clusters", "fixed"])
async def test_nothing_is_shown_by_a_second_try(design: str | None, unreadable: Any) -> None:
    """Right in the end at all questions, and at half of them at once: a verdict would be wrong."""
    candidate = FaultyExpert(0.5)
    letters = scope(300, copies=2 if design == "clusters" else 1)
    certificate = await certify(
        quick(candidate),
        letters,
        GRADE_ONLY,
        Composition("weights", grading=ByRule(unreadable), procedure="fixed" if design == "fixed" else "sequential"),
        seed=0,
        questions=100,
    )
    assert certificate.verdict is Verdict.UNDECIDED
    assert certificate.replies.faults > 0.3 * certificate.questions
    assert f"{certificate.replies.faults} of {certificate.questions} questions met a fault of the server" in certificate.why_not
    assert certificate.score_range is not None
    assert certificate.score_range.upper == pytest.approx(1)
    assert certificate.score.interval.lower < 0.5 < certificate.score.interval.upper
    assert (certificate.replies.unreadable, certificate.replies.orphans, certificate.replies.turned_away) == (0, 0, 0)
    assert certificate.as_json()["figures"]["faults"] == certificate.replies.faults


async def test_the_rate_of_unacceptable_answers_allows_for_them() -> None:
    # .9 known, all others a fault: the score would do, and no answer that was given is unacceptable
    certificate = await certify(quick(FaultyExpert(0.9)), scope(60, unacceptable=True), Criterion(0.5, 0.05), seed=0)
    assert certificate.complete
    assert certificate.unacceptable_range == Interval(0.0, certificate.replies.faults / 60)
    assert certificate.replies.faults / 60 > 0.05
    assert certificate.verdict is Verdict.UNDECIDED
    assert certificate.unexamined
    assert any("--concurrency" in remedy for remedy in certificate.remedies)


async def test_who_knows_enough_passes_all_the_same() -> None:
    certificate = await certify(quick(FaultyExpert(0.9)), scope(500), GRADE_ONLY, seed=0)
    assert (certificate.verdict, certificate.why_not) == (Verdict.PASS, "")
    assert certificate.replies.faults > 0
    assert any(caveat.startswith(f"{certificate.replies.faults} question") for caveat in certificate.caveats)


async def test_turned_away_is_free_and_counted_unless_it_is_said_otherwise() -> None:
    free = await certify(quick(FaultyExpert(0.8, limited=True)), scope(60), GRADE_ONLY, seed=0)
    assert free.verdict is Verdict.PASS
    assert free.replies.faults == 0 < free.replies.turned_away
    assert any(f"{free.replies.turned_away} question" in caveat and "turned away" in caveat for caveat in free.caveats)
    strict = await certify(quick(FaultyExpert(0.8, limited=True), strict_faults=True), scope(60), GRADE_ONLY, seed=0)
    assert (strict.replies.faults > 0, strict.replies.turned_away) == (True, 0)
    assert strict.signature.settings["strict_faults"] is True
    assert strict.attempt is not None
    assert free.attempt is not None
    assert ("strict faults", "yes", "none") in strict.attempt.held.terms.unlike(free.attempt.held.terms)
    assert "strict_faults" not in free.attempt.held.terms.settings


async def test_an_answer_to_a_second_try_breaks_no_law() -> None:
    pairs = tuple(
        Question(f"{n}{copy}", f"{copy} {n}?", accepted=("1",), cluster=str(n), law="same") for n in range(20) for copy in "ab"
    )

    class Contradicts:
        name = "test:contradicts"

        def __init__(self, *, fails: bool) -> None:
            self._fails = fails
            self._failed: set[str] = set()

        async def answer(self, prompt: Prompt, /) -> Reply:
            if self._fails and prompt.id.endswith("b") and prompt.id not in self._failed:
                self._failed.add(prompt.id)
                raise TransportFault("status 500")
            return Reply(f"Answer: {1 if prompt.id.endswith('a') else 2}")

    plain, after_faults = [
        await certify(quick(Contradicts(fails=fails)), ListedScope("pairs", pairs), Criterion(0.5, None), seed=0)
        for fails in (False, True)
    ]
    assert plain.broken_laws is not None
    assert after_faults.broken_laws is not None
    assert plain.broken_laws.count > after_faults.broken_laws.count == 0


async def test_many_scopes_count_them_each() -> None:
    letters, more = scope(200), ListedScope("more", scope(200).questions[:100])
    scopes = await certify(quick(FaultyExpert(0.5)), [letters, more], GRADE_ONLY, seed=0, questions=160)
    assert all(result.verdict is Verdict.UNDECIDED for result in scopes.scopes)
    assert all(result.replies.faults > 0.2 * result.questions for result in scopes.scopes)
    total = sum(result.replies.faults for result in scopes.scopes)
    assert any(caveat.startswith(f"{total} questions met a fault") for caveat in scopes.caveats)
    assert [values["faults"] for values in scopes.as_json()["figures"]["scopes"]] == [
        result.replies.faults for result in scopes.scopes
    ]


async def test_as_people_use_it_they_count_as_well() -> None:
    used = ListedScope("used", tuple(Question(f"{n}", f"Question {n}?", accepted=("A",), weight=1 + n % 3) for n in range(200)))
    certificate = await certify(quick(FaultyExpert(0.5)), deployment_of(used), GRADE_ONLY, seed=0, questions=100)
    assert {certificate.whole.verdict, certificate.deployed.verdict} == {Verdict.UNDECIDED}
    assert certificate.whole.replies.faults > 0.3 * certificate.whole.questions


@pytest.mark.parametrize("by", ["judge", "people", "both"])
async def test_nobody_grades_an_answer_to_a_second_try(by: str) -> None:
    candidate, points = FaultyExpert(0.5), PointsJudge()
    wrote = essays(400)
    graders = Graders(
        judge=judge(points) if by != "people" else None, people=people(Expert(1.0), wrote) if by != "judge" else None, further=1
    )
    certificate = await certify(quick(candidate), wrote, GRADE_ONLY, Composition(grading=graders), seed=0, questions=80)
    assert certificate.verdict is Verdict.UNDECIDED
    assert certificate.replies.faults > 0.3 * certificate.questions
    assert certificate.score.interval.lower < 0.5 < certificate.score.interval.upper
    assert certificate.score_range is not None
    assert certificate.score_range.upper > 0.7 > certificate.score_range.lower
    if by == "judge":  # with both, a question may be drawn again, and that draw is answered at once
        tried_twice = [f"Why {name.partition('.')[0]}, version" for name in candidate.failed]
        assert not any(question in asked.text for question in tried_twice for asked in points.prompts)


async def test_a_judges_own_faults_are_told_and_cost_nothing() -> None:
    class Falters(PointsJudge):
        failed = 0

        async def answer(self, prompt: Prompt, /) -> Reply:
            if not self.failed:
                self.failed += 1
                raise TransportFault("status 500")
            return await super().answer(prompt)

    graders = Graders(judge=judge(Falters(), clock=Clock(sleep=lambda _: asyncio.sleep(0))))
    certificate = await certify(quick(Expert(0.95)), essays(200), GRADE_ONLY, Composition(grading=graders), seed=0)
    assert (certificate.verdict, certificate.replies.faults) == (Verdict.PASS, 0)
    assert any("1 question to test:points met a fault" in caveat for caveat in certificate.caveats)
