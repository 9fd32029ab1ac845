"""Questions that have a rubric, and certificates whose answers are graded by a judge, by people, or by both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.certificate.candidates import ByBatch, TalksFirst, certified
from tests.certificate.candidates import scope as letters
from tests.certificate.graders.graded import Expert, PointsJudge, essays, interview, judge, people, same_secrets
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.graders.graders import Graders
from vivavoce.certificate.graders.marking import graded_in_order
from vivavoce.certificate.graders.people import People, PersonsGrade
from vivavoce.errors import BadFile, BadInput, NotOnRecord
from vivavoce.interview.budget import Budget, SharedBudget
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.forms.number import Number
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes.question_file import read_question_file
from vivavoce.scopes.questions import Question, prompt
from vivavoce.statistics.confidence_sequences import mean_passes

GRADE_ONLY = Criterion(0.7, None)


def without_spending(certificate: Certificate) -> Certificate:
    """What must not depend on how fast graders are: all but the judgements that were under way at the end."""
    assert certificate.grading is not None
    return replace(certificate, spending=Usage(), grading=replace(certificate.grading, judge_spending=Usage()))


async def test_people_who_grade_as_the_rule_would_find_what_the_rule_finds() -> None:
    knows, questions = Expert(0.85), letters(300)
    by_rule = await certified(knows, questions, GRADE_ONLY, seed=3)
    by_people = await certified(knows, questions, GRADE_ONLY, Graders(people=people(knows, questions)), seed=3)
    assert (by_people.verdict, by_people.questions, by_people.score) == (by_rule.verdict, by_rule.questions, by_rule.score)
    assert by_people.path == by_rule.path
    assert f"After {by_rule.questions} questions that people graded" in by_people.statement


async def test_a_judge_alone_decides_on_the_judges_word_and_says_so() -> None:
    certificate = await certified(Expert(0.0), essays(200), GRADE_ONLY, Graders(judge=judge(PointsJudge("9", "9"))), seed=0)
    assert certificate.verdict is Verdict.PASS  # nothing is right: the judge is pleased by anything
    assert certificate.headline == (
        "test:knows passes essays by the judgement of test:points: 90% correct (shown: at least 70%), 70% required."
    )
    assert "no one graded the judge" in certificate.caveats[0]
    assert certificate.score.value == pytest.approx(0.9)
    assert certificate.grading is not None
    assert (certificate.grading.judgements, certificate.grading.unreadable) == (certificate.questions, 0)
    values = certificate.as_json()["figures"]["grading"]
    assert (values["by"], values["judge"], values["draws"]) == ("judge", "test:points", 1)
    assert certificate.signature.settings["judge"] == "test:points"


async def test_who_judges_itself_is_told_apart() -> None:
    certificate = await certified(Expert(0.9, name="test:points"), essays(50), GRADE_ONLY, Graders(judge=judge()), seed=0)
    assert "The judge is the candidate itself." in certificate.caveats


async def test_unreadable_judgements_are_counted_among_the_caveats() -> None:
    certificate = await certified(
        Expert(0.5), essays(50), GRADE_ONLY, Graders(judge=judge(PointsJudge("ten", "0"), draws=2)), seed=0
    )
    assert certificate.verdict is Verdict.FAIL
    assert certificate.grading is not None
    assert certificate.grading.unreadable == 2 * certificate.replies.unreadable > 0
    assert f"{certificate.grading.unreadable} of {certificate.grading.judgements} judgements could not be read" in " ".join(
        certificate.caveats
    )


async def test_a_judge_that_cannot_be_read_gives_no_verdict() -> None:
    mute = judge(PointsJudge("ten", "nought"), draws=2)
    certificate = await certified(Expert(0.5), essays(50), GRADE_ONLY, Graders(judge=mute), seed=0)
    assert (certificate.verdict, certificate.unexamined) == (Verdict.UNDECIDED, True)
    assert certificate.why_not == "no reply could be judged"
    mute = judge(PointsJudge("ten", "nought"), draws=2)
    certificate = await certified(Expert(0.5), essays(50), GRADE_ONLY, Graders(judge=mute, unreadable="wrong"), seed=0)
    assert certificate.verdict is Verdict.FAIL


async def test_a_missing_grade_ends_the_evidence_there_and_more_grades_go_on(tmp_path: Path) -> None:
    knows, questions = Expert(0.9), letters(200)
    whole = await certified(knows, questions, GRADE_ONLY, Graders(people=people(knows, questions)), seed=0)
    waited: list[str] = []
    but = frozenset(q.id for q in questions.questions[::9])
    for _ in range(50):
        with Transcript.open(tmp_path / "run.sqlite") as transcript:
            graders = Graders(people=people(knows, questions, but=but), batch=2)
            certificate = await certified(knows, questions, GRADE_ONLY, graders, seed=0, transcript=transcript)
        assert certificate.grading is not None
        if certificate.verdict is not Verdict.UNDECIDED:
            break
        waiting = certificate.grading.waiting
        assert 1 <= len(waiting) <= 2
        assert f"the first to question '{waiting[0].id}'" in certificate.why_not or len(waiting) == 1
        assert certificate.questions < whole.questions
        waited += [answer.id for answer in waiting]
        but -= {waiting[0].id}  # somebody grades one of them
    assert waited
    assert (certificate.verdict, certificate.questions, certificate.score, certificate.path) == (
        whole.verdict, whole.questions, whole.score, whole.path,
    )  # fmt: skip
    asked = {record.question for record in Transcript.open(tmp_path / "run.sqlite").records()}
    assert len(asked) <= 200


async def test_grades_after_a_missing_one_do_not_count_however_good() -> None:
    knows, questions = Expert(1.0), letters(100)
    first = next(questions.draw(np.random.default_rng(0)))[0].id
    certificate = await certified(
        knows, questions, GRADE_ONLY, Graders(people=people(knows, questions, but=frozenset({first}))), seed=0
    )
    assert certificate.verdict is Verdict.UNDECIDED
    assert certificate.questions == 0
    assert certificate.score.value is None
    assert certificate.why_not == f"the answer to question '{first}' waits for a grade by people"


async def test_both_together_rest_on_people_and_know_how_far_the_judge_agrees() -> None:
    knows, questions = Expert(0.9), letters(400)
    certificate = await certified(
        knows, questions, GRADE_ONLY, Graders(judge=judge(), people=people(knows, questions), further=3), seed=1
    )
    grading = certificate.grading
    assert certificate.verdict is Verdict.PASS
    assert grading is not None
    assert grading.graded_by_people == certificate.questions
    assert grading.judged_only == 3 * certificate.questions
    assert grading.agreement is not None
    assert grading.agreement.answers == certificate.questions
    # .9 for 1 and .2 for 0: each score is .1 too low or .2 too high
    assert -0.1 <= (grading.agreement.difference.value or 0) <= 0.2
    assert "by the judgement" not in certificate.headline
    assert certificate.score.interval.lower <= (certificate.score.value or 0) <= certificate.score.interval.upper


async def test_a_judge_that_praises_everything_cannot_carry_a_bad_candidate() -> None:
    knows, questions = Expert(0.3), letters(400)
    praises = Graders(judge=judge(PointsJudge("10", "10")), people=people(knows, questions))
    certificate = await certified(knows, questions, GRADE_ONLY, praises, seed=0)
    assert certificate.verdict is Verdict.FAIL


async def test_only_what_people_need_waits_for_them() -> None:
    certificate = await certified(
        Expert(0.9), essays(10_000), GRADE_ONLY, Graders(judge=judge(), people=People([]), further=4, batch=6), seed=0
    )
    assert certificate.grading is not None
    assert len(certificate.grading.waiting) == 6
    assert certificate.grading.judged_only == 24
    assert certificate.grading.agreement is None
    assert {answer.rubric for answer in certificate.grading.waiting} == {"Be right."}


@pytest.mark.parametrize("graders", ["judge", "both"])
async def test_the_same_finding_however_many_at_once_and_however_slow_the_judge(
    graders: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    same_secrets(monkeypatch)
    knows, questions = Expert(0.95, seconds_when_wrong=0.001), letters(300)
    certificates = []
    for concurrency in (1, 16):
        judging = judge(PointsJudge(seconds_when_wrong=0.002), draws=2, concurrency=concurrency)
        persons = people(knows, questions) if graders == "both" else None
        certificates.append(
            await certified(
                knows,
                questions,
                GRADE_ONLY,
                replace(Graders(judging, persons), ahead=concurrency),
                seed=2,
                concurrency=concurrency,
            )
        )
    assert without_spending(certificates[0]) == without_spending(certificates[1])


async def test_the_judges_money_counts_in_the_budget(tmp_path: Path) -> None:
    shared_budget = SharedBudget(Budget(money=0.30))
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        graders = Graders(judge=judge(budget=shared_budget.share(), transcript=transcript))
        asking = interview(Expert(0.75), budget=shared_budget.share(), transcript=transcript)
        certificate = await certify(asking, essays(500), GRADE_ONLY, Composition(grading=replace(graders, ahead=1)), seed=0)
        assert certificate.verdict is Verdict.UNDECIDED
        assert certificate.why_not == "the budget for money is used up"
        assert certificate.spending.money == pytest.approx(0.30)  # 30 judgements of .01, one at a time
        assert certificate.questions == 30
        more = SharedBudget(Budget(money=0.40))
        graders = Graders(judge=judge(budget=more.share(), transcript=transcript))
        asking = interview(Expert(0.75), budget=more.share(), transcript=transcript)
        assert (
            await certify(asking, essays(500), GRADE_ONLY, Composition(grading=replace(graders, ahead=1)), seed=0)
        ).questions == 40


async def test_clusters_count_once_with_the_mean_of_their_grades() -> None:
    questions = essays(200, copies=3)
    certificate = await certified(Expert(1.0), questions, GRADE_ONLY, Graders(judge=judge()), seed=0)
    assert certificate.questions == 3 * certificate.score.n
    both = await certified(
        Expert(1.0), questions, GRADE_ONLY, Graders(judge=judge(), people=people(Expert(1.0), questions)), seed=0
    )
    assert both.questions == 3 * both.score.n
    assert both.verdict is Verdict.PASS


async def test_answers_after_a_further_turn_are_judged_by_what_was_read_and_counted() -> None:
    points = PointsJudge("9", "9")
    # nine points for all: on the border, so that all of the scope is asked
    certificate = await certified(
        TalksFirst(0.5), letters(40), Criterion(0.9, None), Graders(judge=judge(points)), questions=40, seed=0
    )
    late = [asked for asked in points.prompts if "<final-answer" in asked.text]
    assert (certificate.questions, certificate.replies.after_turn, len(late)) == (40, 20, 20)
    assert all("Let me think about this." in asked.text and "\nAnswer: " in asked.text for asked in late)


class HalfSilentCandidate:
    """Answers every second question."""

    name = "test:silent"

    async def answer(self, prompt: Prompt, /) -> Reply:
        if int(prompt.id.partition(".")[0]) % 2:
            raise ValueError("no idea")
        return Reply("Answer: A")


@pytest.mark.parametrize("strict", [False, True])
async def test_an_answer_that_did_not_come_is_not_sent_to_graders(strict: bool) -> None:
    points = PointsJudge("8", "8")
    criterion = Criterion(0.7, 0.01)
    certificate = await certified(
        HalfSilentCandidate(), essays(100), criterion, Graders(judge=judge(points), zero_is_unacceptable=strict), seed=0
    )
    assert certificate.verdict is Verdict.FAIL
    assert certificate.replies.no_answers > 0
    assert certificate.unacceptable_count == (certificate.replies.no_answers if strict else 0)
    assert all(int(prompt.id.partition(".")[0]) % 2 == 0 for prompt in points.prompts)


async def test_strata_go_with_one_kind_of_grader_and_not_with_both() -> None:
    questions = replace(letters(100), questions=tuple(
        replace(q, category="odd" if int(q.id) % 2 else "even") for q in letters(100).questions
    ))  # fmt: skip
    knows = Expert(1.0)
    graders = Graders(people=people(knows, questions))
    certificate = await certify(interview(knows), questions, GRADE_ONLY, Composition("strata", grading=graders), seed=0)
    assert {stratum.name for stratum in certificate.strata} == {"even", "odd"}
    with pytest.raises(BadInput, match="strata"):
        await certify(
            interview(knows), questions, GRADE_ONLY, Composition("strata", grading=replace(graders, judge=judge())), seed=0
        )


async def test_an_open_question_is_refused_without_graders() -> None:
    asking = interview(Expert(1.0))
    with pytest.raises(BadInput, match="a judge or people"):
        await certify(asking, essays(5), GRADE_ONLY, seed=0)
    with pytest.raises(BadInput, match="a judge or people"):
        await certify(asking, [letters(5), essays(5)], GRADE_ONLY, seed=0)
    assert asking.progress.asked == 0  # it is said before anything is asked
    with pytest.raises(BadInput, match="there is no grader"):
        Graders()
    with pytest.raises(BadInput, match="at least 1"):
        Graders(people=People([PersonsGrade("a", "", 1.0, False)]), batch=0)
    with pytest.raises(BadInput, match="at least 1"):
        await certified(Expert(1.0), essays(5), GRADE_ONLY, Graders(judge=judge()), questions=0, seed=0)


async def _numbers(n: int) -> AsyncGenerator[tuple[int, int], None]:
    for i in range(n):
        yield i, i


async def test_grades_come_in_the_order_of_answers_and_never_too_many_at_once() -> None:
    busy = most = 0

    async def grade(_: int, i: int) -> int:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await asyncio.sleep(0.001 * (5 - i % 5))
        busy -= 1
        return i

    assert [i async for i in graded_in_order(_numbers(40), grade, ahead=6)] == list(range(40))
    assert 2 <= most <= 6


async def test_a_grader_that_breaks_ends_it_and_leaves_nothing_behind() -> None:
    async def grade(_: int, i: int) -> int:
        if i == 3:
            raise BadInput("broken")
        await asyncio.sleep(0.01 if i > 3 else 0)
        return i

    grades = graded_in_order(_numbers(40), grade, ahead=8)
    assert [await anext(grades) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(BadInput, match="broken"):
        await anext(grades)
    assert len(asyncio.all_tasks()) == 1


async def test_what_a_record_lacks_is_missed_only_after_the_grades_before_it() -> None:
    """Whoever has the verdict by then never knows."""

    async def lacking() -> AsyncGenerator[tuple[int, int], None]:
        yield 0, 0
        yield 1, 1
        raise NotOnRecord("the third is not there")

    async def grade(_: int, i: int) -> int:
        await asyncio.sleep(0.01)
        return i

    grades = graded_in_order(lacking(), grade, ahead=8)
    assert [await anext(grades) for _ in range(2)] == [0, 1]
    with pytest.raises(NotOnRecord, match="third"):
        await anext(grades)


async def examined(candidate: object, by: object, *, draws: int = 1) -> Certificate:
    composition = Composition(grading=Graders(judge=judge(by, draws=draws)))  # type: ignore[arg-type]
    certificate = await certify(interview(candidate), essays(400), GRADE_ONLY, composition, seed=2)  # type: ignore[arg-type]
    assert certificate.grading is not None
    return replace(certificate, spending=Usage(), grading=replace(certificate.grading, judge_spending=Usage()))


def minds() -> tuple[Expert, PointsJudge]:
    return Expert(0.85), PointsJudge("10", "1")


async def test_the_judges_blocks_are_the_candidates_and_change_no_finding() -> None:
    candidate, points = (ByBatch(mind) for mind in minds())
    certificate = await examined(candidate, points)
    assert certificate == await examined(*minds())
    assert points.batches == candidate.batches
    assert len(points.batches) <= 10
    assert sum(points.batches) <= 1.3 * certificate.questions + 5


async def test_a_judges_grades_have_bets_on_partial_credit() -> None:
    grading = Graders(judge=judge())
    judged = await certified(Expert(1.0), essays(60), GRADE_ONLY, grading, seed=1)
    by_rule = await certified(Expert(1.0), letters(60), GRADE_ONLY, seed=1)
    assert judged.signature.settings["partial_credit"] is True
    assert "partial_credit" not in by_rule.signature.settings
    # its nines, and the rule's ones
    for certificate, score, partial in ((judged, 0.9, True), (by_rule, 1.0, False)):
        expected = mean_passes(0.7, population=60, partial_credit=partial).update([score] * certificate.questions)
        assert [point.score_pass for point in certificate.path] == pytest.approx(expected.tolist())


async def test_questions_with_partial_scores_have_these_bets_and_a_few_of_them_have_not() -> None:
    half = tuple(replace(q, scores=(("A", 1.0), ("B", 0.5))) for q in letters(40).questions)
    for partial, questions in ((True, half), (False, (*half[:20], *letters(40).questions[20:]))):
        certificate = await certified(Expert(1.0), replace(letters(40), questions=questions), GRADE_ONLY, seed=1)
        assert certificate.signature.settings.get("partial_credit", False) is partial
        assert certificate.attempt is not None
        assert certificate.attempt.held.terms.settings.get("partial_credit", False) is partial


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
    certificate = await certify(asking, essays(400), GRADE_ONLY, Composition(grading=Graders(judge=judging)), seed=2)
    for entry, asked in ((asking, candidate.batches), (judging.interview, points.batches)):
        account = entry.transcript.by_batch
        assert account is not None
        assert account.asked == sum(asked) > certificate.questions


def questions_in(tmp_path: Path, text: str) -> tuple[Question, ...]:
    file = tmp_path / "q.jsonl"
    file.write_text(text, encoding="utf-8")
    return read_question_file(file).questions


def test_a_rubric_stands_for_an_answer_or_beside_it(tmp_path: Path) -> None:
    essay, marked = questions_in(
        tmp_path, '{"question": "Why?", "rubric": "10: a reason"}\n{"question": "2+2?", "answer": 4, "rubric": "10: 4"}\n'
    )
    assert (essay.open_ended, essay.rubric, essay.accepted) == (True, "10: a reason", ())
    assert (marked.open_ended, marked.accepted) == (False, ("4",))
    assert prompt(essay).text == "Why?\n\nIf you do not know, say so."
    assert prompt(essay).form is None
    assert isinstance(prompt(marked).form, Number)


def test_neither_is_a_slip(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="no 'answer', 'rubric', 'rule' or 'law'") as error:
        questions_in(tmp_path, '{"question": "Why?"}\n')
    assert error.value.line == 1
    with pytest.raises(BadFile, match="'rubric'"):
        questions_in(tmp_path, '{"question": "Why?", "rubric": "' + "x" * 50_001 + '"}\n')


def test_questions_without_a_rubric_keep_the_digest_they_had() -> None:
    assert "rubric" not in Question("a", "Why?", accepted=("x",)).as_json()
    assert Question("a", "Why?", rubric="r").as_json()["rubric"] == "r"
