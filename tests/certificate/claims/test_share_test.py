"""The share of questions with a probability: evidence by hand, what is found of whom, and intervals that cover."""

from __future__ import annotations

from itertools import product
from math import exp, sqrt

import numpy as np
import pytest

from tests.each_case import each_case
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.draws import Draws, ShareInference, ShareTest, nulls_of
from vivavoce.certificate.evidence.sequential import UnitValues
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question
from vivavoce.scopes.score import UnitMean
from vivavoce.statistics.confidence_sequences import mean_above, mean_below, mean_passes

CRITERION = Criterion(0.5, None)
DRAWS = Draws(2, "share", 0.8)


def test_nulls_by_hand() -> None:
    # r^N = .64, (1 - r)^N = .04: .5 + .5 x .64, .5 x .64, .5 + .5 x .04
    assert nulls_of(0.5, DRAWS) == pytest.approx((0.82, 0.32, 0.52))


def outcomes(*kinds: str) -> tuple[UnitValues, np.ndarray]:
    """Units: `a`, all right; `n`, none; `s`, some; `?`, all or none, nobody knows."""
    least, most, none = (np.array([kind in of for kind in kinds], float) for of in ("a", "a?", "n"))
    zeros = np.zeros(len(kinds))
    return UnitValues(least, zeros, most, zeros), none


def test_evidence_is_that_of_three_bets() -> None:
    test = ShareTest(CRITERION, DRAWS)
    test.take(*outcomes("a", "n", "s"))
    assert test.log_evidence.score_pass == pytest.approx(mean_passes(0.82).update([1, 0, 0]))
    against = (np.exp(mean_below(0.32).update([1, 0, 0])) + np.exp(mean_above(0.52).update([0, 1, 0]))) / 2
    assert np.exp(test.log_evidence.fail) == pytest.approx(against)
    # a bet on p = m + d (1 - m) alone would have earned p / m with the first; the few alternatives have a mean d of .51246, by
    # hand, and .145 of the capital has one of .5
    assert exp(test.log_evidence.score_pass[0]) == pytest.approx(1 + (0.855 * 0.51246 + 0.145 * 0.5) * 0.18 / 0.82)


@each_case("draws", [Draws(1, "share", 0.6), Draws(2, "share", 0.8), Draws(4, "share", 0.9)])
@each_case("share", [0.3, 0.8])
def test_no_bet_earns_anything_at_the_edge_of_its_null(draws: Draws, share: float) -> None:
    """The mean e-value over all sequences of four units, by their exact probabilities; after each of them."""
    r = draws.reliability or 0.0
    all_right, none_right = r**draws.number, (1 - r) ** draws.number
    # for it: a share always right, the others just below r. Against it: a share just at r, the others never right
    chances = {
        "score_pass": {"a": share + (1 - share) * all_right, "n": (1 - share) * none_right},
        "fail": {"a": share * all_right, "n": share * none_right + (1 - share)},
    }
    for side, of in chances.items():
        of["s"] = 1 - of["a"] - of["n"]
        mean = np.zeros(4)
        for kinds in product("ans", repeat=4):
            test = ShareTest(Criterion(share, None, 1e-9), draws)
            test.take(*outcomes(*kinds))
            mean += np.prod([of[kind] for kind in kinds]) * np.exp(getattr(test.log_evidence, side))
        assert mean == pytest.approx(np.ones(4))


def test_units_together_or_one_by_one() -> None:
    kinds = list("aasa?aasnaas" * 30)
    together, single = ShareTest(CRITERION, DRAWS), ShareTest(CRITERION, DRAWS)
    together.take(*outcomes(*kinds))
    for kind in kinds:
        single.take(*outcomes(kind))
    assert (together.verdict, together.n, together.over) == (single.verdict, single.n, single.over)
    assert together.over


@each_case(
    ("kinds", "verdict"),
    [
        ("a", Verdict.PASS),
        ("n", Verdict.FAIL),
        ("s", Verdict.FAIL),
        ("aas", Verdict.UNDECIDED),
        ("annn", Verdict.FAIL),
        ("?", Verdict.UNDECIDED),
    ],
)
def test_each_candidate_comes_to_an_end(kinds: str, verdict: Verdict) -> None:
    test = ShareTest(CRITERION, DRAWS)
    test.take(*outcomes(*(kinds * 1000)))
    assert (test.verdict, test.over, test.stuck) == (verdict, True, verdict is Verdict.UNDECIDED)
    n = test.n
    assert test.take(*outcomes("a")) is verdict  # it never changes again
    assert test.n == n


def test_half_of_them_sure_and_half_never_right_is_found_by_none_right() -> None:
    """Of 80% required 60% are always right. All right: .6 > .8 x .59 shows nothing; none right: .4 > .2 + .8 x .00001 does."""
    draws = Draws(5, "share", 0.9)
    test = ShareTest(Criterion(0.8, None), draws)
    assert test.take(*outcomes(*("aaann" * 200))) is Verdict.FAIL
    passes, fails, none = test.nulls
    assert fails < 0.6 < passes
    assert none < 0.4


def inferred(p: np.ndarray, rng: np.random.Generator, units: int, draws: Draws, delta: float) -> ShareInference:
    inference = ShareInference(Criterion(0.9999, None, delta), draws)
    unit = draws.repeated((Question("1", "1?"),))
    for chosen in rng.choice(p, size=units):
        grades = [Grade(float(right), False) for right in rng.random(draws.number) < chosen]
        inference.add(unit, grades, draws.value(unit, grades), early=True)
    return inference


def test_intervals_cover_the_share_and_the_estimate_is_within() -> None:
    rng, draws, delta, runs = np.random.default_rng(0), Draws(3, "share", 0.8), 0.2, 30
    p = np.array([1.0] * 6 + [0.8] * 2 + [0.79999] * 1 + [0.0] * 1)  # a share of .8
    missed = 0
    for _ in range(runs):
        inference = inferred(p, rng, 80, draws, delta)
        (low, high), _ = inference.intervals()
        estimate = inference.estimates()
        assert isinstance(estimate, UnitMean)
        assert 0 <= low <= estimate.score <= estimate.upper <= high <= 1
        missed += not low <= 0.8 <= high
    assert missed / runs <= delta + 3 * sqrt(delta * (1 - delta) / runs)


def test_estimates_by_hand() -> None:
    inference = ShareInference(CRITERION, DRAWS)
    unit = DRAWS.repeated((Question("1", "1?"),))
    assert inference.estimates() is None
    assert inference.intervals()[0] == (0.0, 1.0)
    for scores in ((1, 1), (1, 1), (1, 1), (0, 0)):
        grades = [Grade(float(score), False) for score in scores]
        inference.add(unit, grades, DRAWS.value(unit, grades), early=False)
    estimates = inference.estimates()
    assert estimates is not None
    # all right: 3/4, so (.75 - .64) / .36 at least, and .75 / .64 > 1 at most; none right: 1/4, so .75 / .96 at most
    assert (estimates.score, estimates.upper) == pytest.approx((0.11 / 0.36, 0.75 / 0.96))
