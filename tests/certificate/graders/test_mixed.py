"""Scopes of which a rule grades some questions, and a judge or people those with a rubric."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.certificate.candidates import certified
from tests.certificate.graders.graded import RIGHT, Expert, PointsJudge, judge, people, same_secrets
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.certificate.graders.graders import Graders
from vivavoce.certificate.graders.grades import GradingReport
from vivavoce.certificate.graders.judge import PredictedSequentialTest
from vivavoce.certificate.graders.people import People
from vivavoce.errors import OtherTerms, TransportFault
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question, mixed

GRADE_ONLY = Criterion(0.7, None)


def half(size: int, *, every: int = 2, name: str = "half", cluster: int = 0) -> ListedScope:
    """Questions to which A is right, by rule; each `every`-th has a rubric instead."""
    return ListedScope(
        name,
        tuple(
            Question(f"{i}", f"Why {i}?", rubric="10: is right", cluster=str(i // cluster) if cluster else "")
            if i % every == 0
            else Question(f"{i}", f"Which, {i}?", ("first", "second"), ("A",), cluster=str(i // cluster) if cluster else "")
            for i in range(size)
        ),
    )


def graded(certificate: Certificate) -> GradingReport:
    assert certificate.grading is not None
    return certificate.grading


async def test_a_judge_is_asked_about_rubrics_alone_and_all_are_counted() -> None:
    points = PointsJudge("9", "2")
    certificate = await certified(Expert(1.0), half(40, every=4), GRADE_ONLY, Graders(judge=judge(points)), seed=0)
    grading = graded(certificate)
    asked = [prompt.id for prompt in points.prompts]
    assert all(int(id_) % 4 == 0 for id_ in asked)
    assert (grading.by_rule + grading.by_judge, grading.graded_by_people) == (certificate.questions, 0)
    assert grading.judgements == grading.by_judge > 0
    # every rule's grade is 1, every one of the judge's is .9
    assert certificate.score.value == pytest.approx((grading.by_rule + 0.9 * grading.by_judge) / certificate.questions)
    assert f"({grading.by_rule} graded by rule, {grading.by_judge} by the judge)" in certificate.basis
    assert (
        f"graded the {grading.by_judge} answers to questions with a rubric, and no one graded the judge"
        in certificate.caveats[0]
    )
    values: dict[str, Any] = certificate.as_json()["figures"]["grading"]
    assert (values["graded_by_rule"], values["graded_by_judge"]) == (grading.by_rule, grading.by_judge)
    assert values.keys().isdisjoint({"graded_by_people", "waiting", "judged_only", "places_committed"})


async def test_the_evidence_is_that_of_the_same_grades_whoever_gave_them() -> None:
    """The path is that of the plain test on the grades in drawn order, put together here by hand."""
    scope, knows = half(200, every=3), Expert(0.8)
    certificate = await certified(knows, scope, GRADE_ONLY, Graders(judge=judge(PointsJudge("10", "3"))), seed=5)
    order = [unit[0] for unit in scope.draw(np.random.default_rng(5))]
    right = [knows.right(scope.prompt(question)) for question in order]
    grades = [float(r) if q.accepted else (1.0 if r else 0.3) for q, r in zip(order, right, strict=True)]
    test = SequentialTest(replace(GRADE_ONLY, delta=certificate.delta), population=200)
    test.update(np.array(grades), np.zeros(200))
    assert (certificate.verdict, certificate.questions) == (test.verdict, test.n)
    assert certificate.score.value == pytest.approx(np.mean(grades[: test.n]))


async def test_people_who_grade_as_the_rule_would_find_what_the_rule_finds() -> None:
    """A file with rubrics for some questions, and one where the rule knows what is right of them, too."""
    knows, scope = Expert(0.85), half(300)
    ruled = replace(
        scope, questions=tuple(replace(q, rubric="", accepted=("A",), options=("first", "second")) for q in scope.questions)
    )
    by_rule = await certified(knows, ruled, GRADE_ONLY, seed=3)
    certificate = await certified(knows, scope, GRADE_ONLY, Graders(people=people(knows, scope)), seed=3)
    assert (certificate.verdict, certificate.questions, certificate.score, certificate.path) == (
        by_rule.verdict, by_rule.questions, by_rule.score, by_rule.path,
    )  # fmt: skip
    grading = graded(certificate)
    assert 0 < grading.graded_by_people < certificate.questions
    assert grading.by_rule + grading.graded_by_people == certificate.questions
    assert f"({grading.by_rule} graded by rule, {grading.graded_by_people} by people)" in certificate.basis


async def test_answers_to_rubrics_wait_and_end_the_evidence_and_no_others() -> None:
    scope = half(60, every=4)
    certificate = await certified(Expert(1.0), scope, GRADE_ONLY, Graders(people=People(())), seed=0)
    order = [unit[0] for unit in scope.draw(np.random.default_rng(0))]
    first = next(index for index, question in enumerate(order) if question.rubric)
    grading = graded(certificate)
    assert (certificate.verdict, certificate.questions) == (Verdict.UNDECIDED, first)
    assert (grading.by_rule, grading.graded_by_people) == (first, 0)
    assert [answer.id for answer in grading.waiting] == [question.id for question in order if question.rubric]


async def test_with_both_the_rule_s_grade_is_people_s_and_the_judge_s(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict, its estimate and its interval are those of the test fed by hand with the grades of each block."""
    same_secrets(monkeypatch)
    scope, knows, further = half(300, every=3), Expert(0.85), 3
    shown: list[str] = []

    class WatchedPeople(People):
        async def grade(self, question: Question, asked: Prompt, answer: Reply, /) -> Any:
            shown.append(question.id)
            return await super().grade(question, asked, answer)

    given = people(knows, scope)
    watched = WatchedPeople(())
    watched._grades = given._grades
    transcript = Transcript.open(None)
    graders = Graders(judge=judge(PointsJudge("9", "2"), transcript=transcript), people=watched, further=further)
    certificate = await certified(knows, scope, GRADE_ONLY, graders, seed=1, transcript=transcript)
    grading = graded(certificate)
    assert certificate.verdict is Verdict.PASS
    assert all(scope.by_id[id_].rubric for id_ in shown)
    assert 0 < grading.graded_by_people < certificate.questions == grading.by_rule + grading.graded_by_people
    assert (grading.by_rule + grading.ruled_only) > 0.5 * 4 * certificate.questions  # two of three questions are the rule's
    assert grading.judged_only + grading.ruled_only == further * certificate.questions
    assert grading.agreement is not None
    assert grading.agreement.answers == grading.graded_by_people

    blocks = _blocks(transcript, scope, knows, certificate, further)
    test = PredictedSequentialTest(replace(GRADE_ONLY, delta=certificate.delta), further=further)
    for looked_up, predicted, others in blocks:
        test.predict(predicted, float(np.mean(others)))
        test.update(looked_up, 0.0)
    assert (test.verdict, test.n) == (certificate.verdict, certificate.questions)
    assert certificate.score.value == pytest.approx(test.estimate[0])
    bounds = test.score_bounds(certificate.delta)
    assert (certificate.score.interval.lower, certificate.score.interval.upper) == pytest.approx((bounds.lower, bounds.upper))


def _blocks(
    transcript: Transcript, scope: ListedScope, knows: Expert, certificate: Certificate, further: int
) -> list[tuple[float, float, list[float]]]:
    """Of each block people's or the rule's grade at its place, the prediction there, and those elsewhere."""
    from vivavoce.certificate.attempts.log import attempts
    from vivavoce.certificate.design.drawing import independent
    from vivavoce.certificate.graders.grades import answer_key
    from vivavoce.certificate.graders.people import Places

    [held] = attempts(transcript, "test:knows")
    assert held.places is not None
    places, units = Places(held.places, scope.digest, further), independent(scope).draw(np.random.default_rng(1))
    blocks = []
    for number in range(1, certificate.questions + 1):
        questions = [next(units)[0] for _ in range(further + 1)]
        right = [knows.right(scope.prompt(question)) for question in questions]
        values = [float(r) if q.accepted else (0.9 if r else 0.2) for q, r in zip(questions, right, strict=True)]
        answers = [RIGHT if r else "Answer: B" for r in right]
        judged = [[q.id, answer_key(q.id, a), g, g] for q, a, g in zip(questions, answers, values, strict=True)]
        index = places.place(number, judged)
        others = [g for here, g in enumerate(values) if here != index]
        blocks.append((float(right[index]), values[index], others))
    return blocks


async def test_clusters_of_both_kinds_count_once_each() -> None:
    scope = half(80, cluster=2)  # each cluster has one question of either kind
    certificate = await certified(Expert(1.0), scope, GRADE_ONLY, Graders(judge=judge(PointsJudge("9", "2"))), seed=0)
    grading = graded(certificate)
    assert grading.by_rule == grading.by_judge == certificate.score.n
    assert certificate.score.value == pytest.approx(0.95)


async def test_replies_that_the_rule_cannot_read_are_told_apart_from_judgements() -> None:
    class PartlyEvasiveExpert(Expert):
        async def answer(self, prompt: Prompt, /) -> Reply:
            return Reply("Well ..." if "Which" in prompt.text else "Answer: A")

    certificate = await certified(
        PartlyEvasiveExpert(1.0), half(40), GRADE_ONLY, Graders(judge=judge(PointsJudge("10", "0"))), seed=0
    )
    assert (certificate.verdict, certificate.unexamined) == (Verdict.UNDECIDED, True)
    assert re.match(r"\d\d% of the replies could not be graded or judged$", certificate.why_not)
    assert certificate.remedies[0].startswith("Use another judge")
    assert certificate.remedies[1].startswith("Ask in another way")
    assert graded(certificate).unreadable == 0
    wrong = Graders(judge=judge(PointsJudge("10", "0")), unreadable="wrong")
    strict = await certified(PartlyEvasiveExpert(1.0), half(40), GRADE_ONLY, wrong, seed=0)
    assert strict.verdict is Verdict.FAIL


async def test_a_score_of_nought_by_the_rule_is_unacceptable_where_every_one_is() -> None:
    strict = replace(half(40), zero_is_unacceptable=True)
    graders = Graders(judge=judge(PointsJudge("9", "9")), zero_is_unacceptable=True)
    certificate = await certified(Expert(0.0), strict, Criterion(0.3, 0.1), graders, seed=0)
    assert certificate.unacceptable_count == graded(certificate).by_rule > 0
    assert certificate.verdict is Verdict.FAIL


async def test_without_a_rubric_of_its_own_or_without_any_other_the_graders_grade_all() -> None:
    answered = half(40)
    every = replace(
        answered, questions=tuple(replace(q, rubric="10: right", accepted=("A",)) for q in answered.questions[1::2])
    )
    none = replace(answered, questions=answered.questions[1::2])
    for scope in (every, none, replace(answered, questions=answered.questions[::2])):
        assert not mixed(scope.questions)
        points = PointsJudge()
        certificate = await certified(Expert(1.0), scope, GRADE_ONLY, Graders(judge=judge(points)), seed=0)
        assert (graded(certificate).by_rule, graded(certificate).by_judge) == (0, certificate.questions)
        assert "by_rule" not in certificate.signature.settings
        assert "graded by rule" not in certificate.statement


async def test_a_question_with_both_goes_to_the_judge_who_sees_what_is_right() -> None:
    scope = half(20)
    both = replace(scope.questions[1], rubric="10: the first")
    points = PointsJudge()
    certificate = await certified(
        Expert(1.0), replace(scope, questions=(both, *scope.questions[3::2])), GRADE_ONLY, Graders(judge=judge(points)), seed=0
    )
    assert graded(certificate).by_rule >= 1
    assert {prompt.id for prompt in points.prompts} <= {"1"}
    assert all("<expected " in prompt.text for prompt in points.prompts)


async def test_an_attempt_whose_judge_graded_all_does_not_go_on_by_the_rule() -> None:
    scope, transcript = half(40), Transcript.open(None)
    judging = Graders(judge=judge(PointsJudge(), transcript=transcript), rule=False)
    all_judged = await certified(Expert(1.0), scope, GRADE_ONLY, judging, seed=0, transcript=transcript)
    assert graded(all_judged).by_judge == all_judged.questions
    assert "by_rule" not in judging.terms(scope)
    by_both = Graders(judge=judge(PointsJudge(), transcript=transcript))
    assert by_both.terms(scope)["by_rule"] is True
    with pytest.raises(OtherTerms, match="graded by their rule"):
        await certified(Expert(1.0), scope, GRADE_ONLY, by_both, seed=0, transcript=transcript)
    again = await certified(Expert(1.0), scope, GRADE_ONLY, by_both, seed=0, again=True, transcript=transcript)
    assert again.attempt is not None
    assert again.attempt.number == 2


async def test_an_answer_that_does_not_come_is_nobody_s_to_grade() -> None:
    class RefusingExpert(Expert):
        async def answer(self, prompt: Prompt, /) -> Reply:
            if int(prompt.id) % 3 == 0:
                raise TransportFault("HTTP 500", worth_retrying=False)
            return await super().answer(prompt)

    scope = half(60)
    certificate = await certified(RefusingExpert(0.6), scope, Criterion(0.5, None), Graders(judge=judge()), seed=0)
    order = [unit[0] for unit in scope.draw(np.random.default_rng(0))][: certificate.questions]
    assert certificate.replies.no_answers == sum(int(question.id) % 3 == 0 for question in order) > 0
    # the rule gives 0 to those that are its own, and no judge is asked about the others
    assert graded(certificate).by_rule == sum(not question.rubric for question in order)
    judged = sum(bool(question.rubric) and int(question.id) % 3 > 0 for question in order)
    assert (graded(certificate).by_judge, graded(certificate).judgements) == (judged, judged)
