"""Two verdicts on the same answers: a scope as a whole, and as people will use it."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import pytest

from vivavoce.candidates.function import Function
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.deployed import DeploymentCertificate, deployment_of, of_either
from vivavoce.certificate.evidence.drawn_once import importance_weighting_of
from vivavoce.certificate.graders.rule_grading import ByRule
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview, Monitor
from vivavoce.interview.results import ResultRows
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

YES, NO, OPEN = Verdict.PASS, Verdict.FAIL, Verdict.UNDECIDED
ALIKE = Criterion(0.7, None)


def scope_of(weights: list[float]) -> ListedScope:
    questions = (Question(f"q{n}", f"Number {n}?", accepted=(str(n),), weight=w) for n, w in enumerate(weights))
    return ListedScope("numbers", tuple(questions))


def knowing(knows: set[int], results: ResultRows | None = None) -> Interview[Prompt, Reply]:
    def answer(text: str) -> str:
        number = int(text.split()[1].rstrip("?"))
        return f"Answer: {number if number in knows else number + 1}"

    return Interview(Function("function:those", answer), answers=Reply, monitor=Monitor(results=results))


def examined(
    weights: list[float], knows: set[int], *, questions: int | None = None, criterion: Criterion = ALIKE
) -> DeploymentCertificate:
    return asyncio.run(certify(knowing(knows), deployment_of(scope_of(weights)), criterion, questions=questions, seed=0))


# 300 questions; people ask the first 60 of them five times as often as the others: 300 of 540
WEIGHTS = [5.0] * 60 + [1.0] * 240


@pytest.mark.parametrize(
    ("knows", "verdicts", "words"),
    [
        (set(range(300)), (YES, YES), "passes_ as a whole: 100% correct (shown: at least 70%), 70% required; it passes"),
        # 240 of 300 right, but only 240 of 540 that are asked
        (set(range(60, 300)), (YES, NO), "passes_ as a whole: 82% correct (shown: at least 70%), 70% required; it fails"),
        # 180 of 300 right, and 420 of 540
        (set(range(180)), (NO, YES), "fails_ as a whole: 60% correct (shown: below 70%), 70% required; it passes"),
        (set(), (NO, NO), "fails_ as a whole: 0% correct (shown: below 70%), 70% required; it fails"),
    ],
)
def test_the_whole_and_its_use_are_told_apart(knows: set[int], verdicts: tuple[Verdict, Verdict], words: str) -> None:
    certificate = examined(WEIGHTS, knows)
    assert certificate.verdicts == verdicts
    scope = " numbers (these answers; '--draws 1' tests the model)"
    assert f"function:those {words.replace('_', scope)} as people will use it: " in certificate.headline


def test_the_estimate_is_the_mean_by_weight_of_the_answers() -> None:
    every, none = examined(WEIGHTS, set(range(300)), questions=31), examined(WEIGHTS, set(), questions=31)
    assert (every.deployed.score.value, none.deployed.score.value) == (1.0, 0.0)  # however heavy the 31 questions are
    drawn = [
        unit[0] for _, unit in zip(range(31), deployment_of(scope_of(WEIGHTS)).draw(np.random.default_rng(0)), strict=False)
    ]
    some = examined(WEIGHTS, set(range(0, 300, 2)), questions=31, criterion=Criterion(0.5, None))
    assert some.asked == 31
    right = sum(question.weight for question in drawn if int(question.id[1:]) % 2 == 0)
    assert some.deployed.score.value == pytest.approx(right / sum(question.weight for question in drawn))
    assert (
        some.deployed.score.interval.lower
        < right / sum(question.weight for question in drawn)
        < some.deployed.score.interval.upper
    )


def test_how_unevenly_it_is_used() -> None:
    # of 540 askings 150 go to the first 30 of the 300 questions
    assert examined(WEIGHTS, set()).most_used == pytest.approx(150 / 540)


def test_each_is_exact_once_all_was_asked() -> None:
    # 10 questions, the first 2 asked 8 times as often as the others: 7 right of 10, and 21 of 24 askings
    certificate = examined([8.0] * 2 + [1.0] * 8, set(range(7)))
    assert certificate.verdicts == (YES, YES)
    assert certificate.whole.complete
    assert certificate.whole.score.value == pytest.approx(0.7)


def test_half_of_the_error_is_each_verdicts_and_said_beforehand() -> None:
    knows_all = set(range(300))
    certificate = examined(WEIGHTS, knows_all, criterion=Criterion(0.7, 0.05))
    clean = importance_weighting_of(scope_of(WEIGHTS)).fewest_clean(of_either(Criterion(0.7, 0.05, 0.0475)))
    assert certificate.deployed.questions == clean


def test_too_few_questions_are_no_verdict() -> None:
    certificate = examined(WEIGHTS, set(range(300)), questions=3)
    assert certificate.verdicts == (OPEN, OPEN)
    assert certificate.headline.startswith("Undecided whether")
    assert certificate.asked == 3


def test_one_verdict_may_come_alone() -> None:
    # a candidate that knows what is asked much is soon understood as used, and for the whole stands near the limit
    certificate = examined(WEIGHTS, set(range(225)), questions=120)
    assert OPEN in certificate.verdicts
    assert certificate.verdicts != (OPEN, OPEN)
    assert "undecided" in certificate.headline


def test_results_have_the_grade_of_every_answer_although_one_verdict_came_earlier() -> None:
    results = ResultRows(())
    interview = knowing(set(range(225)), results)
    certificate = asyncio.run(certify(interview, deployment_of(scope_of(WEIGHTS)), ALIKE, questions=120, seed=0))
    scores = [row.score for row in results.rows]
    assert len(scores) == certificate.asked
    assert None not in scores


def test_clusters_of_different_sizes_count_as_units() -> None:
    sizes = [1, 2, 3, 2]
    questions = tuple(
        Question(f"{c}-{i}", f"Number {c}{i}?", accepted=(f"{c}{i}",), cluster=f"c{c}", weight=1.0 + c)
        for c, size in enumerate(sizes)
        for i in range(size)
    )
    interview = Interview(Function("function:echo", lambda text: f"Answer: {text.split()[1][:-1]}"), answers=Reply)
    certificate = asyncio.run(certify(interview, deployment_of(ListedScope("clusters", questions)), ALIKE, seed=0))
    assert certificate.verdicts == (YES, YES)


def test_weights_that_are_alike_and_scopes_without_end_are_refused() -> None:
    with pytest.raises(BadInput, match="all weights are equal"):
        examined([1.0] * 10, set())


def test_its_json_has_both_in_full() -> None:
    certificate = examined(WEIGHTS, set(range(60, 300)))
    values = json.loads(json.dumps(certificate.as_json()))
    assert (values["figures"]["whole"]["verdict"], values["figures"]["deployed"]["verdict"]) == (YES.value, NO.value)
    assert values["figures"]["delta"] == 0.05
    assert values["figures"]["whole"]["figures"]["delta"] == values["figures"]["deployed"]["figures"]["delta"] == 0.02375
    assert any("taken as given" in caveat for caveat in values["caveats"])


def test_what_cannot_be_read_counts_by_its_weight_for_neither_verdict() -> None:
    def answer(text: str) -> str:
        number = int(text.split()[1].rstrip("?"))
        return "hm" if number < 60 else f"Answer: {number}"

    interview = Interview(Function("function:mumbles", answer), answers=Reply)
    certificate = asyncio.run(certify(interview, deployment_of(scope_of(WEIGHTS)), ALIKE, seed=0))
    # unread are 60 of 300, but 300 of the 540 that people ask: .8 to 1 as a whole, .44 to 1 as used
    assert certificate.verdicts == (YES, OPEN)
    assert certificate.deployed.unexamined
    assert certificate.deployed.score.interval.lower < 0.7 < certificate.deployed.score.interval.upper
    assert "undecided as people will use it" in certificate.headline
    interview = Interview(Function("function:mumbles", answer), answers=Reply)
    wrong = asyncio.run(
        certify(interview, deployment_of(scope_of(WEIGHTS)), ALIKE, Composition(grading=ByRule("wrong")), seed=0)
    )
    assert wrong.verdicts == (YES, NO)


def test_many_replies_that_cannot_be_read_stand_in_the_headline() -> None:
    interview = Interview(Function("function:mumbles", lambda text: "hm" if "1" in text else "Answer: -1"), answers=Reply)
    certificate = asyncio.run(certify(interview, deployment_of(scope_of(WEIGHTS)), ALIKE, seed=0))
    assert certificate.headline.endswith("70% required; 54% of the replies could not be graded.")
