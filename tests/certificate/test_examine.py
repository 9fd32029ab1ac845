"""The examination from the first question to the certificate."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.certificate.candidates import Expert, TalksFirst, certified, interview, scope
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.graders.rule_grading import ByRule
from vivavoce.errors import BadInput, CandidateMisconfigured, TransportFault
from vivavoce.formats.interval import Interval
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

GRADE_ONLY = Criterion(0.7, None)


@pytest.mark.long
async def test_a_candidate_that_knows_all_understands() -> None:
    certificate = await certified(Expert(1.0), scope(20_000), Criterion(0.7, 0.01), seed=0)
    assert certificate.verdict is Verdict.PASS
    # 0 unacceptable in n at .01: (1 - .01)^-n / 2 = 20 at n = 367; the other bets help a little, as 6,282 of 7,093 at .00052
    assert 300 < certificate.questions < 367
    assert certificate.score.value == 1
    assert certificate.unacceptable.value == 0
    assert certificate.worst == ()
    assert certificate.why_not == ""
    assert certificate.path[-1].questions == certificate.questions
    assert certificate.path[-1].unacceptable_pass == pytest.approx(certificate.threshold, abs=0.02)
    evidence = certificate.log_e_values or {}
    assert [evidence[name] for name in ("score_pass", "unacceptable_pass", "fail")] == list(certificate.path[-1][1:])


async def test_a_candidate_that_knows_nothing_does_not() -> None:
    certificate = await certified(Expert(0.0), scope(1_000), GRADE_ONLY, seed=0)
    assert certificate.verdict is Verdict.FAIL
    assert certificate.questions == 4  # as calculated in test_evidence, but for the finite scope
    assert [(a.score, a.answer, a.expected) for a in certificate.worst] == [(0.0, "Answer: B", "A")] * 4


async def test_unacceptable_answers_fail_a_good_score() -> None:
    certificate = await certified(Expert(0.9), scope(1_000, unacceptable=True), Criterion(0.7, 0.001), seed=0)
    assert certificate.verdict is Verdict.FAIL
    assert certificate.unacceptable_count >= 1
    assert certificate.unacceptable.interval.lower > 0.001


async def test_the_same_seed_gives_the_same_certificate_however_many_at_once() -> None:
    candidate = Expert(0.8, seconds_when_wrong=0.002)
    some = [await certified(candidate, scope(2_000), GRADE_ONLY, seed=4, concurrency=n) for n in (1, 20)]
    assert some[0] == some[1]
    other = await certified(candidate, scope(2_000), GRADE_ONLY, seed=5)
    assert other.questions != some[0].questions or other.path != some[0].path


async def test_a_finite_scope_is_decided_exactly_in_the_end() -> None:
    candidate, listed = Expert(0.7), scope(300)
    truth = sum(candidate.right(listed.prompt(q)) for q in listed.questions) / 300
    criterion = Criterion(round(truth, 10), None, 1e-6)
    certificate = await certified(candidate, listed, criterion, seed=0)
    assert certificate.verdict is Verdict.PASS
    assert certificate.questions == 300
    assert certificate.score.interval.lower == pytest.approx(truth, abs=0.005)
    assert any("nothing about these questions is left to chance" in caveat for caveat in certificate.caveats)


async def test_too_few_questions_is_no_conclusion_with_a_cost_estimate() -> None:
    certificate = await certified(Expert(1.0), scope(20_000, weight=2.0), Criterion(0.7, 0.001), questions=100, seed=0)
    assert certificate.verdict is Verdict.UNDECIDED
    assert certificate.questions == 100
    assert "100 questions allowed" in certificate.why_not
    assert certificate.still_needed is not None
    assert 3_000 < certificate.still_needed < 3_700
    assert "Undecided" in certificate.statement


async def test_one_question_is_one_question() -> None:
    certificate = await certified(Expert(1.0), scope(1), GRADE_ONLY, seed=0)
    assert certificate.basis == "The only question of the scope was asked."
    certificate = await certified(Expert(1.0), scope(20), GRADE_ONLY, questions=1, seed=0)
    assert certificate.why_not == "the evidence is not sufficient within the one question allowed"


async def test_a_budget_ends_it_without_an_exception() -> None:
    certificate = await certified(Expert(0.75), scope(20_000), GRADE_ONLY, seed=0, budget=Budget(questions=30))
    assert certificate.verdict is Verdict.UNDECIDED
    assert certificate.questions == 30
    assert certificate.why_not == "the budget for questions is used up"


async def test_nothing_asked_is_said_and_never_0() -> None:
    certificate = await certified(Expert(0.75), scope(50), GRADE_ONLY, seed=0, budget=Budget(questions=0))
    assert certificate.questions == 0
    assert certificate.score.value is None
    assert certificate.as_json()["figures"]["score"] == {"mean": None, "lower": 0.0, "upper": 1.0}
    assert certificate.still_needed is None


@pytest.mark.long
@pytest.mark.parametrize(("n", "verdict"), [(60, Verdict.UNDECIDED), (2_000, Verdict.PASS)])
async def test_the_fixed_procedure_looks_once(n: int, verdict: Verdict) -> None:
    # at 60 questions passing takes a score of .79 (L(.79, 60, .05) = .69), at 2,000 one of .73 (L(.73, 2000, .05) = .7049)
    certificate = await certified(Expert(0.74, salt="fixed"), scope(20_000), GRADE_ONLY, procedure="fixed", questions=n, seed=0)
    assert certificate.questions == n
    assert certificate.verdict is verdict
    assert certificate.path == ()
    assert certificate.still_needed is None  # there is no second look
    assert certificate.as_json()["figures"]["log_e_values"] is None


async def test_clusters_count_once() -> None:
    """Five copies of one question tell no more than one: the verdict takes as many clusters as it takes questions."""
    single = await certified(Expert(1.0), scope(5_000), GRADE_ONLY, seed=0)
    clusters = await certified(Expert(1.0), scope(5_000, copies=5), GRADE_ONLY, seed=0)
    assert clusters.questions == 5 * single.questions
    assert clusters.score.n == single.questions
    assert any("cluster" in caveat for caveat in clusters.caveats)
    limited = await certified(Expert(1.0), scope(5_000, copies=5), GRADE_ONLY, questions=12, seed=0)
    assert limited.questions == 10  # a cluster is not cut in two


async def test_weighted_questions_follow_their_weights() -> None:
    """Right on one heavy question, wrong on 99 light ones: the weighted score is 990/(990 + 99) = .909."""
    heavy = Question("heavy", "Heavy?", ("x", "y"), ("A",), weight=990)
    light = tuple(Question(f"{i}", f"Light {i}?", ("x", "y"), ("B",)) for i in range(99))
    certificate = await certified(Expert(1.0), ListedScope("weighted", (heavy, *light)), GRADE_ONLY, seed=0)
    assert certificate.verdict is Verdict.PASS
    assert certificate.scope_size == 100


class Absent:
    """Does not answer every second question, and mumbles on every third."""

    name = "test:absent"

    async def answer(self, prompt: Prompt, /) -> Reply:
        if int(prompt.id) % 2 == 0:
            raise TransportFault("HTTP 500", worth_retrying=False)
        return Reply("hm" if int(prompt.id) % 3 == 0 else "I don't know")


async def test_absences_and_mumbling_are_counted_not_dropped() -> None:
    listed = scope(60, dont_know_score=0.9)
    certificate = await certified(Absent(), listed, GRADE_ONLY, procedure="fixed", questions=60, seed=0, concurrency=4)
    assert certificate.questions == 60
    assert (certificate.replies.no_answers, certificate.replies.unreadable, certificate.replies.dont_know) == (30, 10, 20)
    # 20 of 60 know that they do not know, at .9 each: .3
    assert certificate.score.value == pytest.approx(0.3)
    assert any("30 questions got no answer" in caveat for caveat in certificate.caveats)
    assert "; 30 of 60 questions got no answer, which counts as wrong." in certificate.headline
    assert any("10 replies could not be graded" in caveat for caveat in certificate.caveats)
    # the ten that mumble may have been right: .3 + 10/60, still below the grade
    assert certificate.score_range is not None
    assert (certificate.score_range.lower, certificate.score_range.upper) == pytest.approx((0.3, 0.3 + 1 / 6))
    assert certificate.verdict is Verdict.FAIL


class MumbleExpert(Expert):
    """Knows, but says it so that some of it cannot be read: by the question's number, of every so many."""

    every: int = 2

    async def answer(self, prompt: Prompt, /) -> Reply:
        return Reply("hm") if int(prompt.id) % self.every == 0 else await super().answer(prompt)


async def test_a_verdict_never_rests_on_what_could_not_be_read() -> None:
    # right wherever it can be read, which is every second question: .5 to 1
    certificate = await certified(MumbleExpert(1.0), scope(400), GRADE_ONLY, seed=0)
    assert (certificate.verdict, certificate.unexamined) == (Verdict.UNDECIDED, True)
    assert certificate.questions < 100  # no endless asking
    assert "of the replies could not be graded" in certificate.why_not
    assert certificate.still_needed is None
    assert certificate.score_range is not None
    assert certificate.score_range.lower < 0.7 <= certificate.score_range.upper == 1
    assert certificate.score.interval.lower < 0.7 < certificate.score.interval.upper
    assert [reply.answer for reply in certificate.unread] == ["hm"] * 5
    assert certificate.worst == ()
    assert any("--set reply-format" in remedy for remedy in certificate.remedies)
    # counted as wrong it is a verdict, as it used to be
    wrong = await certified(MumbleExpert(1.0), scope(400), GRADE_ONLY, ByRule("wrong"), seed=0)
    assert (wrong.verdict, wrong.score_range, wrong.remedies) == (Verdict.FAIL, None, ())
    assert wrong.signature.settings["unreadable"] == "wrong"


@pytest.mark.parametrize(
    ("score", "every", "verdict"), [(1.0, 5, Verdict.PASS), (1.0, 3, Verdict.UNDECIDED), (0.0, 3, Verdict.FAIL)]
)
async def test_a_scope_asked_whole_has_a_verdict_if_what_is_unread_does_not_matter(
    score: float, every: int, verdict: Verdict
) -> None:
    candidate = MumbleExpert(score)
    candidate.every = every
    # ten questions: with every fifth unread .8 to 1, with every third .6 to 1, or 0 to .4
    certificate = await certified(candidate, scope(10), Criterion(0.7, None, 1e-6), seed=0)
    assert certificate.verdict is verdict
    unread = sum(number % every == 0 for number in range(10))
    right = (10 - unread) * score / 10
    assert certificate.score.interval.lower <= right + 1e-6
    assert certificate.score.interval.upper >= right + unread / 10 - 1e-6


async def test_the_fixed_procedure_looks_at_both_ends() -> None:
    # half unread, half right: L(.5, 400, .05) < .7 <= U(1, 400, .05)
    certificate = await certified(MumbleExpert(1.0), scope(1_000), GRADE_ONLY, procedure="fixed", questions=400, seed=0)
    assert (certificate.verdict, certificate.unexamined) == (Verdict.UNDECIDED, True)
    certificate = await certified(MumbleExpert(0.0), scope(1_000), GRADE_ONLY, procedure="fixed", questions=400, seed=0)
    assert certificate.verdict is Verdict.FAIL


async def test_where_zero_is_unacceptable_an_unread_reply_may_be() -> None:
    strict = ListedScope("letters", scope(400).questions, zero_is_unacceptable=True)
    candidate = MumbleExpert(1.0)
    candidate.every = 100
    certificate = await certified(candidate, strict, Criterion(0.7, 0.005), seed=0)
    assert certificate.verdict is Verdict.UNDECIDED
    assert certificate.unacceptable_range == Interval(0.0, 0.01)
    assert certificate.unexamined
    # not unacceptable by itself: the rate is 0 for sure
    certificate = await certified(candidate, scope(400), Criterion(0.7, 0.005), seed=0)
    assert (certificate.verdict, certificate.unacceptable_range) == (Verdict.PASS, None)


class WrongKey:
    name = "test:key"

    async def answer(self, prompt: Prompt, /) -> Reply:
        raise CandidateMisconfigured("the key is refused")


async def test_a_wrong_key_is_no_verdict() -> None:
    with pytest.raises(CandidateMisconfigured):
        await certified(WrongKey(), scope(60), GRADE_ONLY, seed=0)


async def test_a_second_run_over_the_transcript_asks_nothing(tmp_path: Path) -> None:
    file = tmp_path / "t.sqlite"
    with Transcript.open(file) as transcript:
        first = await certified(Expert(0.8), scope(2_000), GRADE_ONLY, seed=0, transcript=transcript)
        asked = transcript.head.count
    with Transcript.open(file) as transcript:
        again = await certified(replace(Expert(0.8)), scope(2_000), GRADE_ONLY, seed=0, transcript=transcript)
        assert again == first
        assert transcript.head.count <= asked + 16  # what lay ahead of the verdict when the first run stopped


async def test_json_is_json() -> None:
    certificate = await certified(Expert(0.8), scope(50), Criterion(0.7, 0.001), seed=0)
    text = json.dumps(certificate.as_json(), allow_nan=False)
    document = json.loads(text)
    assert list(document)[:9] == [
        "kind", "format", "version", "statement", "verdict", "candidates", "figures", "caveats", "signature",
    ]  # fmt: skip
    assert {"questions", "score", "unacceptable", "delta", "unreadable", "scope"} <= set(document["figures"])
    assert document["seed"] == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"procedure": "fixed"}, "--questions N"),
        ({"questions": 0}, "at least 1"),
        ({"procedure": "hasty"}, "sequential or fixed"),
    ],
)
async def test_nonsense_is_refused(settings: dict[str, Any], message: str) -> None:
    composition = Composition(procedure=settings.get("procedure", "sequential"))
    with pytest.raises(BadInput, match=message):
        await certify(interview(Expert(0.8)), scope(50), GRADE_ONLY, composition, questions=settings.get("questions"), seed=0)


async def test_answers_that_were_read_after_a_further_turn_are_counted() -> None:
    certificate = await certified(TalksFirst(0.5), scope(40), GRADE_ONLY, procedure="fixed", questions=40, seed=0)
    plain = await certified(Expert(0.5), scope(40), GRADE_ONLY, procedure="fixed", questions=40, seed=0)
    assert (certificate.replies.after_turn, certificate.as_json()["figures"]["after_turn"], certificate.replies.unreadable) == (
        20,
        20,
        0,
    )
    assert (plain.replies.after_turn, plain.score) == (0, certificate.score)
    late = next(answer for answer in certificate.worst if int(answer.id) % 2 == 0)
    assert late.answer == "Let me think about this.\n[after a further turn]\nAnswer: B"


async def test_what_cannot_be_read_after_the_turn_either_is_not_counted_as_read() -> None:
    class Rambles(Expert):
        ways = ("text", "turn")

        async def answer(self, prompt: Prompt, /) -> Reply:
            return Reply("I could say more.")

    certificate = await certified(Rambles(1.0), scope(10), GRADE_ONLY, procedure="fixed", questions=10, seed=0)
    assert (certificate.replies.after_turn, certificate.replies.unreadable) == (0, 10)
