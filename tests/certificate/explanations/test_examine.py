"""Examinations with explanations, from the first request to the certificate."""

from dataclasses import dataclass, field, replace
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from tests.certificate.candidates import Expert, certified, interview, scope
from tests.certificate.explanations.test_audit import PRODUCTS, SMALL, SUMS
from tests.each_case import each_case
from vivavoce.candidates.bots import Calculator, Errors
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.explanations.examine import Procedures
from vivavoce.certificate.explanations.procedures import AnswerTable
from vivavoce.errors import BadInput
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import EndlessScope

CRITERION = Criterion(0.7, 0.02)
BOTH = "arithmetic?operations=+*"
assert isinstance(SMALL, EndlessScope)
UNLISTED = replace(SMALL, listing=None)
"""The same for one who does not know that there are but 200 questions."""


def explained(certificate: Certificate) -> tuple[int, int, int]:
    assert certificate.explained is not None
    finding = certificate.explained
    return finding.standing, finding.questions, finding.asked


async def test_half_explained_is_half_asked() -> None:
    alone = await certified(Calculator(Errors()), UNLISTED, CRITERION, seed=0)
    certificate = await certified(
        Calculator(Errors()), UNLISTED, CRITERION, Procedures(given=(PRODUCTS,), checks=1_000), seed=0
    )
    # the same draws, all right: the same number of them, and the candidate answers the sums alone
    assert (certificate.verdict, certificate.questions) == (alone.verdict, alone.questions) == (Verdict.PASS, alone.questions)
    standing, answered, asked = explained(certificate)
    assert standing == 1
    assert answered == asked
    assert abs(answered - alone.questions / 2) < 4 * sqrt(alone.questions) / 2
    assert certificate.explained is not None
    assert certificate.explained.explanations[0].answered == certificate.questions - answered
    assert "together with 1 procedure," in certificate.headline
    assert any("together with 1 procedure" in caveat for caveat in certificate.caveats)
    assert certificate.signature.settings["explanations_given"] == [PRODUCTS.digest[:12]]


@pytest.mark.slow
async def test_what_theory_says_that_a_right_procedure_saves() -> None:
    """p = .5, a limit of .00052, and the .0475 of a first attempt: 6,386 draws, half of them asked, and one request."""
    candidate = Calculator(Errors(explains="multiplication"))
    certificate = await certified(candidate, open_scope(BOTH), Criterion(0.7, 0.00052), Procedures(ask=1), seed=0)
    assert certificate.verdict is Verdict.PASS
    assert certificate.questions == 6_386
    _, answered, asked = explained(certificate)
    assert asked == answered + 1
    assert abs(answered - 3_193) < 3 * sqrt(6_386) / 2
    assert certificate.explained is not None
    assert certificate.explained.explanations[0].checks == 100_000


async def test_without_an_explanation_that_is_accepted_it_is_the_plain_certificate() -> None:
    candidate = Calculator(Errors(wrong=0.1))
    plain = await certified(candidate, SMALL, CRITERION, seed=3)
    certificate = await certified(candidate, SMALL, CRITERION, Procedures(ask=2, checks=100), seed=3)
    assert explained(certificate) == (0, plain.questions, plain.questions + 1)
    same = ("verdict", "questions", "score", "unacceptable", "path", "worst", "headline", "basis")
    assert all(getattr(certificate, name) == getattr(plain, name) for name in same)
    # asked for procedures, this bot does the first sum that it sees: that is said
    text = "In 1 of 1 replies to the request for procedures, no procedure, and no statement that there is none, could be read."
    assert set(certificate.caveats) == {*plain.caveats, text}


async def test_a_procedure_that_its_checks_did_not_catch_fails_in_use() -> None:
    """Unacceptable on the ten products of 9 times: 5% of all draws. What it answers is graded, so the system fails."""
    lying = AnswerTable("lying", dict(PRODUCTS.answers) | {f"What is 9 * {b}?": "1000000" for b in range(10)})
    candidate, plan = Calculator(Errors()), Procedures(given=(lying,), checks=5)
    seeds = range(4)  # five checks miss it with .95^5 = 77%
    certificates = [await certified(candidate, UNLISTED, CRITERION, plan, seed=seed) for seed in seeds]
    standing = [certificate for certificate in certificates if explained(certificate)[0]]
    assert standing
    assert all(certificate.verdict is Verdict.FAIL and certificate.unacceptable_count for certificate in standing)
    assert all(certificate.verdict is Verdict.PASS for certificate in certificates if certificate not in standing)


def letters(number: int, *, right: bool = True) -> AnswerTable:
    return AnswerTable("letters", {f"Question {i}, version 0?": "A" if right else "B" for i in range(number)})


async def test_of_a_finite_scope_what_is_covered_is_known() -> None:
    listed = scope(200, unacceptable=True)
    criterion = Criterion(0.7, 0.05)
    alone = await certified(Expert(1.0), listed, criterion, seed=0)
    certificate = await certified(Expert(1.0), listed, criterion, Procedures(given=(letters(100),)), seed=0)
    # 100 left, and as many unacceptable ones allowed among them as among all: half the questions, and a little more
    assert certificate.verdict is Verdict.PASS
    assert certificate.explained is not None
    assert certificate.questions == certificate.explained.asked == certificate.explained.clean
    assert certificate.explained.clean_alone == alone.questions
    assert certificate.questions < 0.6 * alone.questions
    assert certificate.score.interval.lower >= 0.5 > 0.0
    assert certificate.explained.explanations[0].answered == 100


async def test_a_finite_scope_is_decided_exactly_in_the_end() -> None:
    listed, candidate = scope(100), Expert(0.5)
    table = letters(50)
    truth = (50 + sum(candidate.right(listed.prompt(q)) for q in listed.questions[50:])) / 100
    for grade, verdict in ((truth, Verdict.PASS), (truth + 0.005, Verdict.FAIL)):
        certificate = await certified(candidate, listed, Criterion(grade, None, 1e-9), Procedures(given=(table,)), seed=0)
        assert (certificate.verdict, certificate.complete, certificate.questions) == (verdict, True, 50)
        assert certificate.basis == "Every question of the scope was answered, 50 of them by the candidate itself."
        assert certificate.score.value == pytest.approx(truth)


async def test_where_all_is_explained_nothing_is_asked() -> None:
    certificate = await certified(Expert(0.0), scope(20), CRITERION, Procedures(given=(letters(20),)), seed=0)
    assert (certificate.verdict, certificate.questions, certificate.complete, certificate.score.value) == (
        Verdict.PASS,
        0,
        True,
        1.0,
    )
    assert certificate.basis == "Every question of the scope was answered, none of them by the candidate itself."
    assert certificate.caveats[0].startswith("Every question of the scope was asked, so nothing")
    endless = await certified(Expert(0.0), SMALL, CRITERION, Procedures(given=(PRODUCTS, SUMS), checks=200), seed=0)
    assert (endless.verdict, explained(endless)) == (Verdict.PASS, (2, 0, 0))


async def test_clusters_may_be_covered_in_part() -> None:
    listed = scope(300, copies=2)
    half = AnswerTable("half", {f"Question {i}, version 0?": "A" for i in range(300)})
    certificate = await certified(Expert(1.0), listed, Criterion(0.7, None), Procedures(given=(half,)), seed=0)
    assert certificate.verdict is Verdict.PASS
    assert certificate.questions == 2 * certificate.score.n
    assert explained(certificate)[1] == certificate.score.n


@dataclass
class ReformedCandidate:
    """Unacceptable on products with a 9, until it has handed over how to multiply; it does that after the first of them."""

    name: str = "test:repenting"
    requests: list[str] = field(default_factory=list)
    code: str = "def covers(q): return q['category'] == '*'\ndef answer(q): return eval(q['text'][8:-1])"

    async def answer(self, prompt: Prompt, /) -> Reply:
        if "def covers" in prompt.text:
            self.requests.append(prompt.text)
            return Reply(f"```\n{self.code}\n```" if "judged unacceptable" in prompt.text else "none")
        if "9" in prompt.text and "*" in prompt.text:
            return Reply("Answer: 1000000")
        return await Calculator(Errors()).answer(prompt)


async def test_after_an_unacceptable_answer_it_is_asked_again_and_begins_anew() -> None:
    candidate = ReformedCandidate()
    certificate = await certified(candidate, SMALL, CRITERION, Procedures(ask=1, again=2, checks=500), seed=0)
    assert certificate.verdict is Verdict.PASS
    assert len(candidate.requests) == 2
    assert '9?"' in candidate.requests[1] or " 9 " in candidate.requests[1]
    part = certificate.explained
    assert part is not None
    assert (part.processes, part.most_processes, part.requests, part.standing) == (2, 3, 2, 1)
    assert part.first_fails  # without the procedure, a tenth of its answers are unacceptable
    assert part.delta == pytest.approx(0.0475 * 0.25 / (1 + 1 / 4 + 1 / 9))
    assert certificate.unacceptable_count == 0  # nothing from before counts
    assert part.explanations[0].frozen_after > 0
    assert certificate.threshold > 4  # ln(1 / .0083)


async def test_a_procedure_that_covers_what_it_stumbled_over_alone_is_not_taken() -> None:
    candidate = ReformedCandidate(code="def covers(q): return q['text'] == 'What is 123456 * 9?'\ndef answer(q): return 1")
    certificate = await certified(candidate, SMALL, CRITERION, Procedures(again=2, checks=500), seed=0)
    assert certificate.verdict is Verdict.FAIL
    assert certificate.explained is not None
    assert [explanation.why_dropped[:14] for explanation in certificate.explained.explanations] == ["it covers none"] * 2
    assert certificate.explained.requests == 2


@pytest.mark.slow
async def test_going_on_asks_nothing_again(tmp_path: Path) -> None:
    scoped, plan = SMALL, Procedures(ask=1, again=1, checks=300)
    whole = await certified(ReformedCandidate(), scoped, CRITERION, plan, seed=0)
    candidates = []
    for questions in (5, 40, None):
        with Transcript.open(str(tmp_path / "kept.sqlite")) as transcript:
            candidates.append(ReformedCandidate())
            budget = Budget(questions=questions)
            again = await certified(candidates[-1], scoped, CRITERION, plan, seed=0, transcript=transcript, budget=budget)
    assert again == whole
    assert sum(len(candidate.requests) for candidate in candidates) == 2


async def test_a_budget_that_is_used_up_is_no_conclusion() -> None:
    candidate = Calculator(Errors(explains="multiplication"))
    none = await certified(candidate, SMALL, CRITERION, Procedures(ask=1), seed=0, budget=Budget(questions=0))
    assert (none.verdict, none.questions) == (Verdict.UNDECIDED, 0)
    certificate = await certified(candidate, SMALL, CRITERION, Procedures(given=(PRODUCTS,), checks=100), questions=10, seed=0)
    assert certificate.verdict is Verdict.UNDECIDED
    assert explained(certificate)[2] == 10
    assert "within the 10 questions to the candidate that were allowed" in certificate.why_not


async def test_procedure_5_1_as_printed() -> None:
    plan = Procedures(given=(PRODUCTS,), checks=2_000)
    certificate = await certified(
        Calculator(Errors()), SMALL, Criterion(0.7, None), plan, procedure="fixed", questions=8, seed=0
    )
    # p = .5 with full marks: .5 + .5 L(1, 8, .05) = .5 + .5 * .05^(1/8) = .84
    assert (certificate.verdict, certificate.questions) == (Verdict.PASS, 8)
    assert certificate.score.value == pytest.approx(1.0)
    assert any("taken as known" in caveat for caveat in certificate.caveats)
    assert "no part of the error is set aside for them" in certificate._repr_html_()
    half = AnswerTable("half of a list", {question.text: "A" for question in scope(20).questions[:10]})
    listed = await certified(
        Expert(1.0), scope(20), CRITERION, Procedures(given=(half,)), procedure="fixed", questions=8, seed=0
    )
    assert "was run on every question of the scope" in listed._repr_html_()


@each_case(
    ("plan", "options", "problem"),
    [
        ({"ask": -1}, {}, "explanations"),
        ({"ask": 1, "checks": 0}, {}, "checks"),
        ({"ask": 1}, {"questions": 0}, "at least 1"),
        ({"ask": 1}, {"procedure": "fixed"}, "in advance"),
        ({"ask": 1, "again": 1}, {"procedure": "fixed", "questions": 5}, "asked for again"),
    ],
)
async def test_what_cannot_be_meant_is_refused(plan: dict[str, Any], options: dict[str, Any], problem: str) -> None:
    async def held() -> None:
        composition = Composition(grading=Procedures(**plan), procedure=options.get("procedure", "sequential"))
        await certify(interview(Expert(1.0)), SMALL, CRITERION, composition, questions=options.get("questions"), seed=0)

    with pytest.raises(BadInput, match=problem):
        await held()


async def test_a_list_is_explained_at_the_beginning_only() -> None:
    with pytest.raises(BadInput, match="asked for again"):
        await certified(Expert(1.0), scope(10), CRITERION, Procedures(ask=1, again=1), seed=0)


@pytest.mark.slow
@pytest.mark.study
async def test_false_passes_are_as_rare_as_promised() -> None:
    """20 of 200 kinds are answered unacceptably, 8 of them by the table or, where that is set aside, by the candidate."""
    kinds = scope(200, unacceptable=True).questions
    table = AnswerTable("half", {q.text: "B" if i < 8 else "A" for i, q in enumerate(kinds[:100])})

    @dataclass
    class AsBad(Expert):
        def right(self, prompt: Prompt) -> bool:
            return int(prompt.id) >= 8 and not 150 <= int(prompt.id) < 162

    endless = EndlessScope("kinds", "kinds", lambda rng: kinds[int(rng.integers(200))])
    criterion = replace(CRITERION, unacceptable_limit=20 / 200 - 1e-9)
    runs, passed, stood = 200, 0, 0
    for seed in range(runs):
        plan = Procedures(given=(table,), checks=200)
        certificate = await certified(AsBad(1.0), endless, criterion, plan, seed=seed, questions=150)
        passed += certificate.verdict is Verdict.PASS
        stood += explained(certificate)[0]
    assert stood > runs / 2
    assert passed / runs <= 0.05 + 3 * sqrt(0.05 * 0.95 / runs)


class MuteCalculator(Calculator):
    """Says nothing that can be read."""

    async def answer(self, prompt: Prompt, /) -> Reply:
        return Reply("hm")


async def test_what_the_candidate_says_and_nobody_can_read_is_open_and_what_a_procedure_says_is_wrong() -> None:
    grade_only = Criterion(0.7, None)
    # procedures answer the products, half of all: .5 to 1
    certificate = await certified(
        MuteCalculator(Errors()), UNLISTED, grade_only, Procedures(given=(PRODUCTS,), checks=1_000), seed=0
    )
    assert (certificate.verdict, certificate.unexamined) == (Verdict.UNDECIDED, True)
    # the procedure's answers are all right, the candidate's may be: no more, and no less
    assert certificate.score_range is not None
    assert certificate.score_range.lower == pytest.approx(1 - certificate.replies.unreadable / certificate.questions)
    assert certificate.score_range.upper == 1
    wrong = await certified(
        MuteCalculator(Errors()),
        UNLISTED,
        grade_only,
        replace(Procedures(given=(PRODUCTS,), checks=1_000), unreadable="wrong"),
        seed=0,
    )
    assert wrong.verdict is Verdict.FAIL
