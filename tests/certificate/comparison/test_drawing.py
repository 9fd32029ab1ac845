"""Comparisons over strata and by weight: by hand, exactly once all was asked, over all orders, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import log

import numpy as np
import pytest

from tests.certificate.candidates import interview
from vivavoce.certificate.claims.deployed import deployment_of
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.drawing import OneByOne, OverStrata, UnitPosition, paired_drawing
from vivavoce.certificate.comparison.evidence import PairStatement
from vivavoce.certificate.comparison.gate import gate
from vivavoce.certificate.config import Drawing
from vivavoce.errors import BadInput, OtherTerms
from vivavoce.formats.interval import Estimate
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question
from vivavoce.statistics.differences import FRACTIONS

CONFIG = ComparisonConfig(seed=0, margin=0.0)


class RangeExpert:
    """Right on the questions of these numbers, wrong on the others, and unreadable on some."""

    asked_again: RepeatReason = "same"

    def __init__(self, name: str, right: range, unreadable: range = range(0)) -> None:
        self.name, self._right, self._unreadable = f"test:{name}", right, unreadable

    async def answer(self, prompt: Prompt, /) -> Reply:
        number = int(prompt.id)
        return Reply("Well." if number in self._unreadable else "Answer: A" if number in self._right else "Answer: B")


def weighted(weights: list[float], categories: str = "") -> ListedScope:
    of = categories or "a" * len(weights)
    return ListedScope(
        "weighted",
        tuple(
            Question(f"{n}", f"Question {n}?", ("first", "second"), ("A",), weight=weight, category=of[n])
            for n, weight in enumerate(weights)
        ),
    )


FIRST, SECOND = RangeExpert("first", range(20)), RangeExpert("second", range(10, 39))
WEIGHTS = [2.0] * 20 + [1.0] * 20
"""First: 20 x 2 = 40 of 60; second: 10 x 2 + 19 = 39 of 60. By number it is 20 against 29 of 40."""


def ends(difference: Estimate) -> tuple[float, float]:
    return difference.interval.lower, difference.interval.upper


async def test_by_weight_the_difference_on_all_questions_is_exact() -> None:
    comparison = await compare([interview(right) for right in (FIRST, SECOND)], weighted(WEIGHTS), CONFIG, drawing="weights")
    (pair,) = comparison.pairs
    assert (pair.verdict, comparison.complete, comparison.questions) == ("better", True, 40)
    assert pair.shown is None  # the difference itself is known
    assert pair.difference.value == pytest.approx(1 / 60)
    assert ends(pair.difference) == pytest.approx((1 / 60, 1 / 60))
    assert [candidate.score.value for candidate in comparison.candidates] == [pytest.approx(40 / 60), pytest.approx(39 / 60)]
    assert (pair.better, pair.worse) == (10, 19)
    assert pair.shares is not None
    assert pair.shares == pytest.approx((20 / 60, 19 / 60))
    assert [question.weight for question in pair.discordant] == pytest.approx(
        [4 / 3 if question.better == 0 else 2 / 3 for question in pair.discordant]
    )
    assert comparison.largest_weight == pytest.approx(4 / 3)  # 40 x 2 / 60
    values = comparison.as_json()
    assert (values["figures"]["drawing"], values["figures"]["largest_weight"]) == ("weights", pytest.approx(4 / 3))
    assert values["figures"]["share_better"] == [pytest.approx(20 / 60), pytest.approx(19 / 60)]
    assert "the heaviest 1.33 times its share" in str(comparison.report())
    # each counted alike, it is the other way round
    alike = await compare([interview(right) for right in (FIRST, SECOND)], weighted([1.0] * 40), CONFIG)
    assert alike.verdict == "worse"
    assert "drawing" not in alike.as_json()
    assert alike.pairs[0].shares is None


async def test_before_all_is_asked_interval_and_need_are_by_weight() -> None:
    scope = weighted([3.0 if n % 3 == 0 else 1.0 for n in range(600)])
    good, poor = RangeExpert("good", range(420)), RangeExpert("poor", range(60, 450))  # 100 against 50 of 1000
    comparison = await compare(
        [interview(right) for right in (good, poor)], scope, replace(CONFIG, questions=150), drawing="weights"
    )
    (pair,) = comparison.pairs
    assert comparison.verdict == "undecided"
    assert pair.difference.interval.lower < 0.05 < pair.difference.interval.upper
    assert pair.difference.interval.lower < (pair.difference.value or 0.0) < pair.difference.interval.upper
    assert 0 < (pair.still_needed or 0) <= 450
    turned = await compare(
        [interview(right) for right in (poor, good)], scope, replace(CONFIG, questions=150), drawing="weights"
    )
    assert turned.pairs[0].still_needed == pair.still_needed


async def test_categories_by_weight_are_populations_of_their_own() -> None:
    scope = weighted(WEIGHTS, "ab" * 20)
    comparison = await compare([interview(right) for right in (FIRST, SECOND)], scope, CONFIG, drawing="weights")
    a, b = comparison.pairs[0].categories
    # all of each was asked: 5 x 2 - 10 x 1 of 30, and 5 x 2 - 9 x 1
    assert [difference.difference.value for difference in (a, b)] == [pytest.approx(0.0), pytest.approx(1 / 30)]
    assert ends(b.difference) == pytest.approx((1 / 30, 1 / 30))


async def test_over_strata_the_difference_on_all_questions_is_exact() -> None:
    scope = weighted([1.0] * 40, "a" * 10 + "b" * 30)
    close = RangeExpert("close", range(1, 22))
    comparison = await compare([interview(right) for right in (FIRST, close)], scope, CONFIG, drawing="strata")
    (pair,) = comparison.pairs
    assert (pair.verdict, comparison.complete) == ("worse", True)
    assert pair.difference.value == pytest.approx(-1 / 40)
    assert pair.difference.interval.upper == pytest.approx(-1 / 40)
    assert [(difference.name, difference.difference.value) for difference in pair.categories] == [
        ("a", 0.1),
        ("b", pytest.approx(-2 / 30)),
    ]
    assert comparison.as_json()["figures"]["drawing"] == "strata"
    few = await compare([interview(right) for right in (FIRST, SECOND)], scope, replace(CONFIG, questions=8), drawing="strata")
    # two of a, all won, and six of b: the mean is by mass, 1/4 + 3/4 of the mean of the six
    (pair,) = few.pairs
    assert [difference.difference.n for difference in pair.categories] == [2, 6]
    assert pair.difference.value == pytest.approx(0.25 + 0.75 * (pair.categories[1].difference.value or 0.0))


@pytest.mark.parametrize("means", [OneByOne(None), OverStrata((0.5, 0.5), None)])
def test_score_bounds_hold_the_mean_and_mirror_those_of_the_opposite_score(means: OneByOne | OverStrata) -> None:
    places = [UnitPosition(stratum=number % 2) for number in range(200)]
    scores = np.array([float(number % 5 > 0) for number in range(200)])
    low, high = means.score_bounds(scores, scores, places, 0.05)
    assert 0.6 < low < 0.8 < high < 0.9
    assert means.score_bounds(1 - scores, 1 - scores, places, 0.05) == pytest.approx((1 - high, 1 - low))


async def test_strata_without_an_end_and_by_weight() -> None:
    both = [interview(RangeExpert(name, range(n))) for name, n in (("all", 40), ("none", 0))]
    by_weight = await compare(both, weighted(WEIGHTS, "ab" * 20), CONFIG, drawing="strata")
    assert (by_weight.verdict, by_weight.complete) == ("better", False)
    endless = paired_drawing("strata", open_scope("arithmetic")).means
    assert isinstance(endless, OverStrata)
    assert endless.population is None
    tests = endless.tests(1, 0.1)
    for n in range(30):
        log_e = tests.take(np.array([1.0]), np.array([1.0]), UnitPosition(stratum=n % 3))
    assert log_e[0, PairStatement.BETTER] > log(40)
    assert log_e[0, PairStatement.NO_WORSE] > log_e[0, PairStatement.BETTER]
    assert (log_e[0, [PairStatement.WORSE, PairStatement.NO_BETTER]] < 0).all()


async def test_clusters_of_one_size_are_drawn_once() -> None:
    questions = tuple(
        Question(f"{n}", f"Question {n}?", ("first", "second"), ("A",), category="ab"[n // 12], cluster=f"{n // 3}")
        for n in range(24)
    )
    scope = ListedScope("clusters", questions)
    assert paired_drawing("strata", scope).population == 8
    comparison = await compare(
        [interview(RangeExpert(name, range(n))) for name, n in (("all", 24), ("some", 21))], scope, CONFIG, drawing="strata"
    )
    assert (comparison.complete, comparison.questions) == (True, 24)
    assert comparison.pairs[0].difference.value == pytest.approx(1 / 8)


@pytest.mark.parametrize(("drawing", "open_"), [("weights", 5 / 60), ("strata", 5 / 40)])
async def test_what_cannot_be_read_leaves_its_share_open(drawing: Drawing, open_: float) -> None:
    # of ten replies that cannot be read five are to questions of weight 1 that the other has right: D is 0, up to five each way
    both = RangeExpert("mumbling", range(20), range(20, 30)), RangeExpert("other", range(25))
    scope = weighted(WEIGHTS if drawing == "weights" else [1.0] * 40, "ab" * 20)
    comparison = await compare([interview(right) for right in both], scope, CONFIG, drawing=drawing)
    (pair,) = comparison.pairs
    assert (pair.verdict, pair.complete, comparison.questions) == ("undecided", False, 40)
    assert ends(pair.difference) == pytest.approx((-open_, open_))


@pytest.mark.parametrize(("drawing", "verdict"), [("weights", "pass"), ("strata", "fail"), ("scope", "fail")])
async def test_a_gate_decides_exactly(drawing: Drawing, verdict: str) -> None:
    scope = weighted(WEIGHTS if drawing == "weights" else [1.0] * 40, "ab" * 20)
    config = GateConfig(seed=0, margin=0.01, delta=0.001)
    finding = await gate([interview(right) for right in (FIRST, SECOND)], scope, config, drawing=drawing)
    assert finding.verdict == verdict
    assert (finding.comparison.questions >= 39) == (drawing == "weights")
    assert finding.pair.difference.value == pytest.approx(1 / 60 if drawing == "weights" else -0.25, abs=0.1)
    assert finding.as_json()["figures"].get("drawing", "scope") == drawing


def test_by_weight_by_hand() -> None:
    # weights 3 and 1: W = 1.5. The first drawn is the heavy one, won: g = 1, x = 1 at m = 1/2, and both halves earn 1 + u
    means = OneByOne(2, 1.5)
    tests = means.tests(1, 0.15)
    log_e = tests.take(np.array([1.0]), np.array([1.0]), UnitPosition(1.0))
    assert np.exp(log_e[0, 0]) == pytest.approx(np.mean(1 + FRACTIONS))
    # margin .15: the null of "not worse" is -.1 of g. Of four alike in weight, won: x / m = 1 / .45
    tests = OneByOne(4, 1.5).tests(1, 0.15)
    log_e = tests.take(np.array([1.0]), np.array([1.0]), UnitPosition(2 / 3))
    x, m = (1 + 2 / 3) / 2, 0.45
    fixed, conditioned = 1 + FRACTIONS * (x / m - 1), 1 + (1 - m) * FRACTIONS * (x - m) / (m * (1 - m))
    assert np.exp(log_e[0, PairStatement.NO_WORSE]) == pytest.approx(np.mean(np.concatenate([fixed, conditioned])))


def test_under_the_null_by_weight_the_e_value_has_a_mean_of_at_most_one_over_all_orders() -> None:
    # weights 1, 2, 3, 4 of 10: 4 won against 3 and 1 lost, 2 alike: D = 0, the edge of the null
    weights, d = np.array([1.0, 2.0, 3.0, 4.0]), np.array([-1.0, 0.0, -1.0, 1.0])
    means = OneByOne(4, 1.6)
    paths = []
    for order in permutations(range(4)):
        tests = means.tests(1, 0.0)
        taken = [tests.take(d[[number]], d[[number]], UnitPosition(weights[number] / 4))[0, :2] for number in order[:3]]
        paths.append(np.exp(taken))
    assert np.mean(paths, axis=0) == pytest.approx(np.ones((3, 2)))


async def test_what_is_not_sound_is_refused() -> None:
    both = [interview(right) for right in (FIRST, SECOND)]
    with pytest.raises(BadInput, match="two on the same answers"):
        await compare(both, deployment_of(weighted(WEIGHTS)), CONFIG)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="endless scope has no weights"):
        await compare(both, open_scope("arithmetic"), CONFIG, drawing="weights")
    with pytest.raises(BadInput, match="the same category: leave out --strata"):
        await compare(both, weighted(WEIGHTS), CONFIG, drawing="strata")
    for drawing in ("strata", "weights"):
        with pytest.raises(BadInput, match="draws questions with replacement"):
            await compare(both, weighted(WEIGHTS, "ab" * 20), replace(CONFIG, draws=3), drawing=drawing)


async def test_another_way_to_draw_is_another_question() -> None:
    with Transcript.open(None) as transcript:
        both = [interview(right, transcript=transcript) for right in (FIRST, SECOND)]
        scope = weighted(WEIGHTS, "ab" * 20)
        first = await compare(both, scope, CONFIG, drawing="weights")
        again = [interview(right, transcript=transcript) for right in (FIRST, SECOND)]
        assert (await compare(again, scope, CONFIG, drawing="weights")).as_json() == first.as_json()
        with pytest.raises(OtherTerms, match="strata"):
            await compare(
                [interview(right, transcript=transcript) for right in (FIRST, SECOND)], scope, CONFIG, drawing="strata"
            )
