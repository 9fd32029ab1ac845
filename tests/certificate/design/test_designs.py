"""Examinations over strata, and of weighted questions that are drawn evenly."""

from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from tests.certificate.candidates import Expert, interview, scope
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.config import Drawing
from vivavoce.certificate.design.drawing import strata_of
from vivavoce.certificate.evidence.drawn_once import importance_weighting_of
from vivavoce.certificate.graders.rule_grading import ByRule
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

GRADE_ONLY = Criterion(0.7, None)


def in_categories(size: int, weight: float = 1.0) -> ListedScope:
    """Half of the questions in "a", three in ten in "b", two in ten in "c"."""
    plain = scope(size, weight=weight)
    questions = [replace(q, category="aaaaabbbcc"[i % 10]) for i, q in enumerate(plain.questions)]
    return replace(plain, questions=tuple(questions))


def weighted(size: int) -> ListedScope:
    """Weights 1 and 3 in turn: the heaviest counts 1.5 times its share."""
    plain = scope(size)
    return replace(plain, questions=tuple(replace(q, weight=1.0 + 2 * (i % 2)) for i, q in enumerate(plain.questions)))


class AllButC(Expert):
    """Right, but for questions whose number ends in 8 or 9."""

    def right(self, prompt: Prompt) -> bool:
        return prompt.id[-1] not in "89"


async def test_each_stratum_is_asked_by_its_share_and_reported() -> None:
    listed = in_categories(2_000)
    certificate = await certify(interview(AllButC(1.0)), listed, GRADE_ONLY, Composition("strata"), seed=0)
    assert certificate.verdict is Verdict.PASS
    a, b, c = certificate.strata
    assert [s.name for s in certificate.strata] == ["a", "b", "c"]
    assert [s.mass for s in certificate.strata] == pytest.approx([0.5, 0.3, 0.2])
    assert (a.score, b.score, c.score) == (1.0, 1.0, 0.0)
    assert certificate.score.value == pytest.approx(0.8)  # .5 + .3
    assert [s.questions for s in certificate.strata] == pytest.approx(
        [certificate.questions * s.mass for s in certificate.strata], abs=1
    )
    assert certificate.as_json()["figures"]["strata"][2]["score"] == 0.0
    assert certificate.signature.settings["strata"] == "category"


async def test_a_finite_scope_in_strata_is_decided_exactly_in_the_end() -> None:
    listed = in_categories(100)
    criterion = Criterion(0.8, None, 1e-9)
    certificate = await certify(interview(AllButC(1.0)), listed, criterion, Composition("strata"), seed=0)
    assert (certificate.verdict, certificate.questions, certificate.complete) == (Verdict.PASS, 100, True)
    assert (certificate.score.interval.lower, certificate.score.interval.upper) == pytest.approx((0.8, 0.8))
    certificate = await certify(
        interview(AllButC(1.0)), listed, replace(criterion, passing_grade=0.805), Composition("strata"), seed=0
    )
    assert certificate.verdict is Verdict.FAIL


async def test_within_strata_units_are_drawn_as_the_scope_draws_them() -> None:
    clustered, weights = scope(20, copies=3), in_categories(50, weight=2.0)
    named = tuple(replace(q, category="x" if int(q.cluster) % 2 else "y") for q in clustered.questions)
    strata = strata_of(replace(clustered, questions=named))
    assert strata.sizes == (10, 10)
    drawn = list(strata.draw(np.random.default_rng(0)))
    assert {len(unit) for unit in drawn} == {3}
    assert Counter(strata.of(unit) for unit in drawn) == {0: 10, 1: 10}
    assert strata_of(weights).sizes == (25, 15, 10)  # equal weights are no weights
    heavy = replace(weights, questions=(replace(weights.questions[0], weight=6.0), *weights.questions[1:]))
    assert strata_of(heavy).sizes is None
    assert strata_of(heavy).masses == pytest.approx((27 / 52, 15 / 52, 10 / 52))  # 24 of 2 and one of 6 are 54 of 104
    certificate = await certify(interview(Expert(0.0)), heavy, GRADE_ONLY, Composition("strata"), seed=0)
    assert certificate.verdict is Verdict.FAIL


async def test_strata_of_an_endless_scope() -> None:
    arithmetic = open_scope("arithmetic?operations=+-*/")
    strata = strata_of(arithmetic)
    assert dict(zip(strata.names, strata.masses, strict=True)) == dict.fromkeys("+-*/", 0.25)
    drawn = [unit[0].category for unit in islice(strata.draw(np.random.default_rng(3)), 400)]
    assert set(Counter(drawn).values()) == {100}


async def test_a_run_that_is_taken_up_again_ends_the_same(tmp_path: Path) -> None:
    listed, path = in_categories(500), tmp_path / "run.sqlite"
    criterion = Criterion(0.7, 0.05)

    results = []
    for questions in (20, None):
        with Transcript.open(path) as transcript:
            asked = interview(Expert(0.9), transcript=transcript)
            results.append(await certify(asked, listed, criterion, Composition("strata"), seed=2, questions=questions))
    whole = await certify(interview(Expert(0.9)), listed, criterion, Composition("strata"), seed=2)
    assert results[1].path == whole.path
    assert results[1].strata == whole.strata


async def test_what_was_not_asked_about_is_said() -> None:
    listed = in_categories(500)
    certificate = await certify(interview(Expert(1.0)), listed, GRADE_ONLY, Composition("strata"), questions=1, seed=0)
    assert [s.score for s in certificate.strata] == [1.0, None, None]
    assert any("2 strata were not asked about" in caveat for caveat in certificate.caveats)


def test_what_cannot_be_strata_is_refused() -> None:
    with pytest.raises(BadInput, match="not known"):
        strata_of(open_scope("intervals"))
    with pytest.raises(BadInput, match="same category"):
        strata_of(scope(10))
    many = tuple(Question(f"{i}", "?", accepted=("1",), category=f"{i}") for i in range(101))
    with pytest.raises(BadInput, match="at most 100"):
        strata_of(ListedScope("many", many))
    mixed = tuple(replace(q, category=f"{i % 2}") for i, q in enumerate(scope(3, copies=2).questions))
    with pytest.raises(BadInput, match="several categories"):
        strata_of(ListedScope("mixed", mixed))


@pytest.mark.parametrize("drawing", ["strata", "weights"])
async def test_the_fixed_procedure_looks_once_whatever_is_drawn(drawing: Drawing) -> None:
    listed = in_categories(50)
    design = Composition(drawing, procedure="fixed")
    certificate = await certify(interview(Expert(1.0)), listed, GRADE_ONLY, design, questions=30, seed=0)
    assert (certificate.verdict, certificate.questions, certificate.path) == (Verdict.PASS, 30, ())
    assert certificate.score.value == pytest.approx(1.0)
    few = await certify(interview(Expert(1.0)), listed, GRADE_ONLY, design, questions=5, seed=0)
    assert few.why_not == "the bounds after the fixed number of questions allow either verdict"
    whole = await certify(interview(Expert(0.5)), listed, GRADE_ONLY, design, questions=50, seed=0)
    assert (whole.verdict, whole.complete) == (Verdict.FAIL, True)


async def test_a_look_at_strata_allows_for_their_uneven_shares() -> None:
    # 15 right answers bound the mean of those drawn by .05^(1/15) = .819; that "a" has 8 of them, not half, moves that by 1/30
    drawn = Composition("strata", procedure="fixed")
    for grade, verdict in ((0.77, Verdict.PASS), (0.8, Verdict.UNDECIDED)):
        certificate = await certify(
            interview(Expert(1.0)), in_categories(500), Criterion(grade, None), drawn, questions=15, seed=0
        )
        assert [stratum.questions for stratum in certificate.strata] == [8, 4, 3]
        assert certificate.verdict is verdict


async def test_weights_count_where_questions_are_drawn_evenly() -> None:
    class OnlyTheHeavy(Expert):
        def right(self, prompt: Prompt) -> bool:
            return int(prompt.id) % 2 == 1

    listed = weighted(400)
    weighting = importance_weighting_of(listed)
    assert weighting.largest == pytest.approx(1.5)  # 3 of a mean of 2
    criterion = Criterion(0.75, None, 1e-12)
    certificate = await certify(interview(OnlyTheHeavy(1.0)), listed, criterion, Composition("weights"), seed=0)
    # all asked, each once: 200 * 3 of 800
    assert (certificate.questions, certificate.complete) == (400, True)
    assert certificate.score.value == pytest.approx(0.75)
    assert certificate.verdict is Verdict.PASS
    assert certificate.largest_weight == pytest.approx(1.5)
    certificate = await certify(
        interview(OnlyTheHeavy(1.0)), listed, replace(criterion, passing_grade=0.76), Composition("weights"), seed=0
    )
    assert certificate.verdict is Verdict.FAIL


@pytest.mark.long
async def test_a_weight_that_makes_the_verdict_impossible_is_said() -> None:
    listed, criterion = weighted(5_000), Criterion(0.7, 0.01)
    weighting = importance_weighting_of(listed)
    clean = weighting.fewest_clean(replace(criterion, delta=0.0475))  # of a first attempt
    # without an end it would be about W ln(1/delta)/limit = 1.5 * 3.1011/.01 = 465 at one look
    assert clean is not None
    assert 400 < clean < 600
    assert len(weighting.cost_estimate(replace(criterion, delta=0.0475), clean)) == 1
    assert "no pass is possible" in weighting.cost_estimate(replace(criterion, delta=0.0475), clean - 1)[1]
    certificate = await certify(interview(Expert(1.0)), listed, criterion, Composition("weights"), questions=clean - 1, seed=0)
    assert certificate.verdict is Verdict.UNDECIDED
    assert f"not even {clean - 1} clean answers" in certificate.why_not
    certificate = await certify(interview(Expert(1.0)), listed, criterion, Composition("weights"), seed=0)
    assert (certificate.verdict, certificate.questions) == (Verdict.PASS, clean)
    assert weighting.cost_estimate(GRADE_ONLY, None) == ()
    with pytest.raises(BadInput, match="no weights"):
        importance_weighting_of(open_scope("arithmetic"))


@pytest.mark.long
async def test_of_clusters_their_questions_are_counted() -> None:
    plain, criterion = scope(2_000, copies=3), Criterion(0.7, 0.01)
    listed = replace(plain, questions=tuple(replace(q, weight=1.0 + 2 * (int(q.cluster) % 2)) for q in plain.questions))
    weighting = importance_weighting_of(listed)
    clean = weighting.fewest_clean(replace(criterion, delta=0.0475))  # of a first attempt
    certificate = await certify(interview(Expert(1.0)), listed, criterion, Composition("weights"), seed=0)
    assert clean == certificate.questions == 3 * certificate.score.n
    assert (
        f"at least {clean} answers without one, of 6000" in weighting.cost_estimate(replace(criterion, delta=0.0475), None)[0]
    )
    assert "no pass" in weighting.cost_estimate(replace(criterion, delta=0.0475), clean - 1)[1]


async def test_equal_weights_are_as_none() -> None:
    listed = scope(300)
    plain = await certify(interview(Expert(0.9)), listed, GRADE_ONLY, seed=3)
    even = await certify(interview(Expert(0.9)), listed, GRADE_ONLY, Composition("weights"), seed=3)
    assert (even.verdict, even.questions, even.score.value) == (plain.verdict, plain.questions, plain.score.value)
    assert even.path == plain.path
    assert even.caveats == plain.caveats


class MumblesAt(Expert):
    """Knows, but the reply to one question in fifty cannot be read."""

    async def answer(self, prompt: Prompt, /) -> Reply:
        return Reply("hm") if int(prompt.id) % 50 == 7 else await super().answer(prompt)


@pytest.mark.long
@pytest.mark.parametrize("once", [True, False])
async def test_in_strata_score_and_rate_take_the_ends_of_what_cannot_be_read(once: bool) -> None:
    drawn = in_categories(2_000, weight=2.0)
    if not once:
        drawn = replace(drawn, questions=(replace(drawn.questions[0], weight=4.0), *drawn.questions[1:]))
    assert (strata_of(drawn).sizes is not None) is once
    for grading in (ByRule(), ByRule("wrong")):
        limited = await certify(
            interview(MumblesAt(0.95)), drawn, Criterion(0.7, 0.01), Composition("strata", grading=grading), seed=0
        )
        assert limited.verdict is Verdict.PASS
        assert 0.7 < limited.score.interval.lower < 0.95
        assert 0 <= limited.unacceptable.interval.upper < 0.02
        assert limited.questions < 450


async def test_a_finite_scope_in_strata_is_decided_by_the_ends_when_all_is_asked() -> None:
    listed = in_categories(200)
    strata = strata_of(listed)
    assert strata.population == 200
    # a grade so near to the least mean, .945, that nothing less than all of it will do
    certificate = await certify(
        interview(MumblesAt(0.95)), listed, Criterion(0.94, None, 1e-300), Composition("strata"), seed=0
    )
    assert (certificate.verdict, certificate.questions, certificate.complete) == (Verdict.PASS, 200, True)
    assert certificate.score_range is not None
    assert certificate.score_range.upper - certificate.score_range.lower == pytest.approx(4 / 200)
    assert (certificate.score.interval.lower, certificate.score.interval.upper) == pytest.approx(
        (certificate.score_range.lower, certificate.score_range.upper)
    )


async def test_weights_multiply_both_ends() -> None:
    listed = weighted(400)
    # a grade so near to the least mean that nothing less than all of it will do
    certificate = await certify(
        interview(MumblesAt(1.0)), listed, Criterion(0.9699, None, 1e-300), Composition("weights"), seed=0
    )
    assert certificate.complete
    # 8 of 400 are unread, at numbers 7, 57 ... which are odd and weigh 3 of 2 on average: 8 * 3 / 800
    assert certificate.score_range is not None
    assert certificate.score_range.lower == pytest.approx(1 - 0.03)
    assert certificate.score_range.upper == pytest.approx(1)
