"""Judged certificates where the candidate, its judge, or both are asked by batch."""

from __future__ import annotations

from dataclasses import replace

from tests.certificate.by_batch import ByBatch
from tests.certificate.candidates import Expert, interview
from tests.certificate.graders.graded import Points, essays, judge
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.graders.graders import Graders
from vivavoce.interview.candidate import Usage

CRITERION = Criterion(0.7, None)


async def examined(candidate: object, by: object, *, draws: int = 1) -> Certificate:
    composition = Composition(grading=Graders(judge=judge(by, draws=draws)))  # type: ignore[arg-type]
    certificate = await certify(interview(candidate), essays(400), CRITERION, composition, seed=2)  # type: ignore[arg-type]
    assert certificate.grading is not None
    return replace(certificate, spending=Usage(), grading=replace(certificate.grading, judge_spending=Usage()))


def minds() -> tuple[Expert, Points]:
    return Expert(0.9), Points("10", "1")


async def test_the_judges_blocks_are_the_candidates_and_change_no_finding() -> None:
    candidate, points = (ByBatch(mind) for mind in minds())
    certificate = await examined(candidate, points)
    assert certificate == await examined(*minds())
    assert points.batches == candidate.batches
    assert len(points.batches) <= 10
    assert sum(points.batches) <= 1.3 * certificate.questions + 5


async def test_all_draws_of_a_judge_go_together() -> None:
    candidate, points = (ByBatch(mind) for mind in minds())
    certificate = await examined(candidate, points, draws=3)
    assert certificate == await examined(*minds(), draws=3)
    assert points.batches == [3 * size for size in candidate.batches]


async def test_of_a_candidate_that_is_asked_at_once_the_judge_has_as_large_blocks() -> None:
    both, points = (ByBatch(mind) for mind in minds())
    await examined(both, points)
    alone = ByBatch(minds()[1])
    certificate = await examined(minds()[0], alone)
    assert certificate == await examined(*minds())
    assert alone.batches == points.batches


async def test_of_a_judge_that_is_asked_at_once_the_candidate_has_as_large_blocks() -> None:
    both, points = (ByBatch(mind) for mind in minds())
    await examined(both, points)
    alone = ByBatch(minds()[0])
    certificate = await examined(alone, minds()[1])
    assert certificate == await examined(*minds())
    assert alone.batches == both.batches


async def test_all_that_was_asked_is_told_of_candidate_and_judge() -> None:
    candidate, points = (ByBatch(mind) for mind in minds())
    asking, judging = interview(candidate), judge(points)
    certificate = await certify(asking, essays(400), CRITERION, Composition(grading=Graders(judge=judging)), seed=2)
    for entry, asked in ((asking, candidate.batches), (judging.interview, points.batches)):
        account = entry.transcript.by_batch
        assert account is not None
        assert account.asked == sum(asked) > certificate.questions
