"""Certificates on several answers to each question: verdicts, records, what is refused, what a reader is told."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.certificate.candidates import interview
from tests.certificate.claims.unsure import Guesser, of, tasks
from tests.certificate.graders.graded import PointsJudge, judge
from vivavoce.candidates import open_candidate
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.deployed import deployment_of
from vivavoce.certificate.claims.draws import Draws
from vivavoce.certificate.design.drawing import Endurance, WithReplacement
from vivavoce.certificate.explanations.examine import Procedures
from vivavoce.certificate.graders.graders import Graders
from vivavoce.certificate.graders.people import People
from vivavoce.errors import BadInput, OtherTerms
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.results import ResultRows
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

GRADE_ONLY = Criterion(0.7, None)
SCOPE = tasks(12)


def composed(number: int, claim: str = "mean", reliability: float | None = None, **more: object) -> Composition:
    return Composition(draws=Draws(number, claim, reliability), **more)  # type: ignore[arg-type]


async def held(candidate: Guesser, composition: Composition, *, scope: ListedScope = SCOPE, **more: object) -> Certificate:
    certificate = await certify(interview(candidate), scope, GRADE_ONLY, composition, seed=1, **more)  # type: ignore[call-overload]
    assert isinstance(certificate, Certificate)
    return certificate


@pytest.mark.parametrize(
    ("p", "composition", "verdict"),
    [
        ((0.9,), composed(3), Verdict.PASS),
        ((0.9,), composed(8, "all-right"), Verdict.FAIL),  # .9^8 = .43
        ((0.99,), composed(8, "all-right"), Verdict.PASS),  # .99^8 = .92
        ((0.5,), composed(3), Verdict.FAIL),
        ((1.0,), composed(3, "share", 0.8), Verdict.PASS),
        ((1.0, 0.0), composed(3, "share", 0.8), Verdict.FAIL),  # half of them, where .7 is required
        ((0.85,), composed(3, procedure="fixed"), Verdict.PASS),
        ((0.99,), composed(8, "all-right", procedure="fixed"), Verdict.PASS),
        ((0.9,), composed(1), Verdict.PASS),
    ],
)
async def test_verdicts(p: tuple[float, ...], composition: Composition, verdict: Verdict) -> None:
    certificate = await held(of(SCOPE, *p), composition, questions=200)
    assert certificate.verdict is verdict
    assert certificate.draws is not None
    assert certificate.asked == certificate.draws.answers == certificate.questions * composition.draws.number  # type: ignore[union-attr]
    assert not certificate.complete
    assert certificate.score.n == certificate.questions
    assert certificate.draws.questions == certificate.draws.always + certificate.draws.never + certificate.draws.mixed <= 12


async def test_a_list_never_ends_and_its_last_question_is_no_exact_verdict() -> None:
    certificate = await held(of(SCOPE, 0.7), composed(2), questions=100)
    assert (certificate.verdict, certificate.complete, certificate.questions) == (Verdict.UNDECIDED, False, 100)
    assert certificate.still_needed is None or certificate.still_needed > 0


async def test_the_same_question_comes_again_and_each_answer_is_a_record() -> None:
    candidate, record = of(SCOPE, 0.7), Transcript.open(None)
    asks = interview(candidate, transcript=record, concurrency=1)
    certificate = await certify(asks, SCOPE, GRADE_ONLY, composed(3), seed=1, questions=30)
    keys = [(entry.question_digest, entry.draw) for entry in record.records(candidate=candidate.name)]
    assert len(keys) == len(set(keys))
    draws = Counter(digest for digest, _ in keys)
    assert max(draws.values()) > 3  # of 12 questions some came again
    assert max(draw for _, draw in keys) == max(draws.values()) - 1
    assert certificate.questions * 3 == len(keys) == 90
    assert all(number % 3 == 0 for number in draws.values())


async def test_what_is_on_record_is_not_asked_again_and_says_the_same() -> None:
    record = Transcript.open(None)
    composition, whole = composed(3), await held(of(SCOPE, 0.8), composed(3), questions=60)

    async def resumed(limit: int | None) -> Certificate:
        asks = interview(candidate, transcript=record, concurrency=1, budget=Budget(questions=limit))
        return await certify(asks, SCOPE, GRADE_ONLY, composition, seed=1, questions=60)

    candidate = of(SCOPE, 0.8)
    stopped = await resumed(20)  # in the middle of the answers to the seventh question
    assert (stopped.questions, stopped.verdict) == (6, Verdict.UNDECIDED)
    assert "budget" in stopped.why_not
    again = await resumed(None)
    assert again.as_json() == whole.as_json()
    asked = candidate.asked.copy()
    assert (await resumed(None)).as_json() == whole.as_json()
    assert candidate.asked == asked
    with pytest.raises(OtherTerms, match="answers to each question 3, now 4"):
        await certify(interview(candidate, transcript=record), SCOPE, GRADE_ONLY, composed(4), seed=1)
    with pytest.raises(OtherTerms, match="claim on these mean, now all-right"):
        await certify(interview(candidate, transcript=record), SCOPE, GRADE_ONLY, composed(3, "all-right"), seed=1)


async def test_terms_without_draws_are_as_they_were() -> None:
    record = Transcript.open(None)
    certificate = await certify(interview(of(SCOPE, 1.0), transcript=record), SCOPE, GRADE_ONLY, seed=1)
    assert "draws" not in certificate.as_json()
    assert "draws" not in certificate.signature.settings
    assert not any("draws" in entry.answer for entry in record.records(topic="attempts"))


@given(st.integers(1, 6), st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_units_are_drawn_independently_and_repeat_their_questions(number: int, seed: int) -> None:
    scope, draws = tasks(3, copies=2), Draws(number)
    units = WithReplacement(scope, draws).draw(np.random.default_rng(seed))
    for unit, _ in zip(units, range(20), strict=False):
        assert len(unit) == 2 * number
        assert unit == draws.questions_of(unit) * number
        assert draws.questions_of(unit) in scope.units
    assert WithReplacement(scope, draws).population is None


def test_each_question_of_a_list_is_as_likely() -> None:
    units = WithReplacement(tasks(5), Draws(2)).draw(np.random.default_rng(0))
    counts = Counter(next(units)[0].id for _ in range(5000))
    # five counts of mean 1,000 and variance 800; chi-squared with 4 degrees of freedom is above 18.5 once in 1,000
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 18.5


def test_weights_are_probabilities() -> None:
    scope = ListedScope("two", (Question("1", "1?", accepted=("1",), weight=3.0), Question("2", "2?", accepted=("2",))))
    units = WithReplacement(scope, Draws(2)).draw(np.random.default_rng(0))
    first = sum(next(units)[0].id == "1" for _ in range(4000))
    assert abs(first - 3000) < 4 * 27.4  # standard deviations of a binomial


async def test_clusters_and_endless_scopes() -> None:
    clustered = tasks(6, copies=2)
    certificate = await held(of(clustered, 0.95), composed(3, "all-right"), scope=clustered, questions=200)
    assert certificate.draws is not None
    assert certificate.draws.answers == 3 * certificate.questions
    assert certificate.score.n * 2 == certificate.questions
    endless = open_scope("arithmetic?operations=+")
    again = await certify(interview(open_candidate("bot:calculator")), endless, GRADE_ONLY, composed(2), seed=1)
    assert again.verdict is Verdict.PASS
    assert again.draws is not None
    assert again.draws.identical


async def test_unreadable_answers_decide_nothing() -> None:
    for composition in (composed(3), composed(3, "all-right"), composed(3, "share", 0.8)):
        certificate = await held(of(SCOPE, 1.0, unreadable=1.0), composition)
        assert certificate.verdict is Verdict.UNDECIDED
        assert certificate.unexamined
        assert certificate.replies.unreadable == certificate.asked
        assert certificate.score.value == 0
        assert certificate.score_range is not None
        assert certificate.score_range.upper == 1
    some = await held(of(SCOPE, 1.0, unreadable=0.08), composed(3, "all-right"))
    assert some.verdict is Verdict.PASS
    assert some.score_range is not None
    assert some.score_range.upper == 1
    wrong = Composition(grading=composed(3).grading, draws=Draws(3))
    strictly = replace(wrong, grading=replace(wrong.grading, unreadable="wrong"))  # type: ignore[type-var]
    assert (await held(of(SCOPE, 1.0, unreadable=1.0), strictly)).verdict is Verdict.FAIL


async def test_a_share_that_the_draws_cannot_tell_ends_with_the_reason() -> None:
    certificate = await held(of(SCOPE, 0.9), composed(3, "share", 0.9))  # .9^3 = .73 lies between .7 x .73 and .7 + .3 x .73
    assert certificate.verdict is Verdict.UNDECIDED
    assert certificate.why_not.startswith("3 answers to a question cannot tell")
    assert not certificate.unexamined
    assert certificate.score_range is not None
    assert certificate.score_range.lower < 0.7 < certificate.score_range.upper


async def test_a_judge_grades_equal_replies_once() -> None:
    scope = ListedScope("essays", tuple(Question(f"{i}", f"Why {i}?", rubric="Be right.") for i in range(12)))
    points = PointsJudge(right="10")
    graders = Graders(judge=judge(points))
    certificate = await held(Guesser({f"{i}": 0.95 for i in range(12)}), composed(3, grading=graders), scope=scope)
    assert certificate.verdict is Verdict.PASS
    assert certificate.grading is not None
    assert certificate.grading.judge_alone
    assert "by the judgement of test:points" in certificate.headline
    assert len(points.prompts) <= 24  # a right and a wrong reply to each of 12 questions
    assert certificate.draws is not None
    assert certificate.draws.mixed > 0


async def test_what_does_not_go_together() -> None:
    candidate = of(SCOPE, 1.0)
    weighted = ListedScope("w", (Question("1", "1?", accepted=("1",), weight=3.0), Question("2", "2?", accepted=("2",))))
    law = open_scope("arithmetic?laws=commute")
    people = Graders(people=People(()))
    for scope, composition, reason in (
        (SCOPE, composed(2, drawing="strata"), "leave out --strata"),
        (SCOPE, composed(2, drawing="weights"), "leave out --set importance-weighting"),
        (deployment_of(weighted), composed(2), "leave out --deployed"),
        ([SCOPE], composed(2), "is for one scope"),
        (law, composed(2), "laws over answers"),
        (SCOPE, composed(2, grading=people), "people grade an answer once"),
        (SCOPE, composed(2, grading=replace(people, judge=judge())), "people grade an answer once"),
        (SCOPE, composed(2, grading=Procedures(ask=1)), "answers the same each time"),
        (SCOPE, composed(2, "share", 0.9, procedure="fixed"), "looks at one mean"),
    ):
        with pytest.raises(BadInput, match=reason):
            await certify(interview(candidate), scope, GRADE_ONLY, composition, seed=1, questions=9)


async def test_a_law_is_judged_where_each_question_is_answered_once() -> None:
    careless, law = open_candidate("bot:calculator?wrong=0.3"), open_scope("arithmetic?laws=commute")
    once, plain = [
        await certify(interview(careless), law, Criterion(0.7, 0.01), by, seed=0, questions=40)
        for by in (composed(1), Composition())
    ]
    assert once.broken_laws == plain.broken_laws
    assert once.broken_laws is not None
    assert once.broken_laws.count > 0
    assert once.verdict is plain.verdict is Verdict.FAIL


async def test_recordings_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "said.csv"
    file.write_text("id,a\n0.0,Answer: A\n", encoding="utf-8")
    with pytest.raises(BadInput, match="is a recording with one answer to each question"):
        await certify(interview(open_candidate(f"replay:{file}#a")), SCOPE, GRADE_ONLY, composed(2))


async def test_questions_at_least_and_over_hours() -> None:
    certificate = await held(of(SCOPE, 1.0), composed(3, endurance=Endurance(at_least=40)))
    assert (certificate.verdict, certificate.questions) == (Verdict.PASS, 40)


@dataclass
class RecordedDraws:
    """Says one after the other what a real model replied to the same sum, asked four times."""

    said: dict[str, list[str]]
    name: str = "test:recorded"
    asked: Counter[str] = field(default_factory=Counter)

    async def answer(self, prompt: Prompt, /) -> Reply:
        text = prompt.text.split("\n\n")[0]
        self.asked[text] += 1
        return Reply(self.said[text][(self.asked[text] - 1) % 4])


async def test_real_replies_to_the_same_sums() -> None:
    file = Path(__file__).parents[2] / "replies" / "sums.jsonl"
    document: dict[str, list[str]] = {}
    people_read: dict[str, list[str]] = {}
    for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        text = row["prompt"].split("\n\n")[0]
        document.setdefault(text, []).append(row["reply"])
        people_read.setdefault(text, []).append(row["person"])
    truth = {text: str(_value(text)) for text in document}
    scope = ListedScope("sums", tuple(Question(text, text, accepted=(truth[text],)) for text in document))
    certificate = await certify(
        interview(RecordedDraws(document), concurrency=1), scope, GRADE_ONLY, composed(4, "all-right"), seed=1
    )
    assert certificate.draws is not None
    # people read the same replies
    right = {text: sum(read == truth[text] for read in people_read[text]) for text in document}
    assert all(draws.right / draws.answers == right[draws.id] / 4 for draws in certificate.draws.shown)
    assert sum(0 < number < 4 for number in right.values()) > 0
    all_right = sum(number == 4 for number in right.values()) / len(right)
    assert certificate.score.interval.lower <= all_right <= certificate.score.interval.upper


def _value(text: str) -> int:
    first, operation, second = text.removeprefix("What is ").removesuffix("?").split()
    return {"+": int.__add__, "-": int.__sub__, "*": int.__mul__}[operation](int(first), int(second))


async def test_rows_of_results_tell_which_answer_it_is_and_how_many_are_right() -> None:
    results = ResultRows(("draw", "right"))
    asks = interview(of(SCOPE, 0.6), results=results)
    certificate = await certify(asks, SCOPE, GRADE_ONLY, composed(3), seed=1, questions=20)
    rows = results.rows
    assert len(rows) == certificate.asked
    for index in range(0, len(rows), 3):
        unit = rows[index : index + 3]
        assert len({row.id for row in unit}) == 1
        right = sum(row.score == 1 for row in unit)
        assert [row.front for row in unit] == [(f"{n} of 3", f"{right} of 3") for n in (1, 2, 3)]


async def test_a_reader_is_told_of_what_the_claim_is() -> None:
    certificate = await held(of(SCOPE, 0.95), composed(3, "all-right"))
    assert (
        ": the probability that all 3 answers to a question are right is 84% (shown: at least 70%), 70% "
        in certificate.headline
    )
    assert "drawn with replacement and answered afresh 3 times each" in certificate.basis
    numbers = next(table for table in certificate.report().tables if table.columns[0].head == "What")
    assert numbers.rows[0].head.text == "All 3 answers right"
    titles = [table.columns[0].head for table in certificate.report().tables]
    assert titles.count("Question") == bool(certificate.worst) + (certificate.draws is not None and certificate.draws.mixed > 0)
    words = certificate.as_json()["figures"]["draws"]
    assert (words["number"], words["claim"], words["reliability"], words["answers"]) == (
        3,
        "all-right",
        None,
        certificate.asked,
    )
    assert certificate.signature.settings["draws"] == 3
    json.dumps(certificate.as_json(), allow_nan=False)
    share = await held(of(SCOPE, 1.0), composed(3, "share", 0.8))
    claimed = "the share of questions with a probability of a right answer of at least 0.80"
    assert f"{claimed} is 100% (shown: at least 70%), 70% required" in share.headline


async def test_equal_answers_are_said_to_be_so() -> None:
    sure = await held(of(SCOPE, 1.0), composed(3))
    assert sure.draws is not None
    assert sure.draws.identical
    assert any("the same, word for word" in caveat for caveat in sure.caveats)
    unsure = await held(of(SCOPE, 0.9), composed(3))
    assert unsure.draws is not None
    assert not unsure.draws.identical
    assert not any("word for word" in caveat for caveat in unsure.caveats)
    once = await held(of(SCOPE, 1.0), composed(1))
    assert not any("word for word" in caveat for caveat in once.caveats)


async def test_of_several_wrong_answers_to_a_question_one_is_shown() -> None:
    certificate = await held(of(SCOPE, 0.0), composed(5))
    assert len({answer.id for answer in certificate.worst}) == len(certificate.worst) > 1
