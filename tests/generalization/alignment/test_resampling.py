"""Intervals and p-values of ratios over pairs that may share questions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.generalization.alignment.aligned import expected, world
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.generalization.alignment.measures import believed_pairs, graded_model, right_share, weighted_accuracy
from vivavoce.generalization.alignment.resampling import IndependentSets, Ratio
from vivavoce.generalization.pairs import Beliefs
from vivavoce.statistics.clustered import share_interval


def alone(n: int) -> list[frozenset[object]]:
    return [frozenset({f"a{index}", f"b{index}"}) for index in range(n)]


def sets_alone(n: int) -> IndependentSets:
    return IndependentSets(alone(n), rng=np.random.default_rng(0))


def shares(hits: list[int], counted: list[int] | None = None) -> Ratio:
    below = np.array(counted or [1] * len(hits), dtype=float)
    return Ratio(np.array(hits, dtype=float) * below, below, int(below.sum()))


def test_linear_values_have_the_ratio_as_their_mean() -> None:
    ratio = Ratio(np.array([1.0, 0.0, 2.0]), np.array([1.0, 3.0, 4.0]), 3)
    assert ratio.value == 3 / 8
    assert ratio.linear.mean() == pytest.approx(3 / 8)
    with pytest.raises(NotEnoughEvidence):
        _ = shares([0, 0], [0, 0]).linear


def test_the_interval_of_a_mean_is_that_of_scipys_bootstrap() -> None:
    values = np.random.default_rng(3).random(60)
    sets = sets_alone(60)
    estimate = sets.estimate(Ratio(values, np.ones(60), 60))
    other = scipy.stats.bootstrap((values,), np.mean, method="percentile", rng=np.random.default_rng(1)).confidence_interval
    assert sets.drawn_again
    # two sets of resamples; the ends of one such interval scatter by about .002 here
    assert (estimate.interval.lower, estimate.interval.upper) == pytest.approx((other.low, other.high), abs=0.006)


def test_few_pairs_get_students_t() -> None:
    values = np.array([0.1, 0.4, 0.5, 0.9])
    sets = sets_alone(4)
    estimate = sets.estimate(Ratio(values, np.ones(4), 4))
    half = scipy.stats.t.ppf(0.975, 3) * values.std(ddof=1) / 2
    assert not sets.drawn_again
    assert (estimate.interval.lower, estimate.interval.upper) == pytest.approx((values.mean() - half, values.mean() + half))


def test_the_error_of_a_predictor_widens_intervals_and_p_values() -> None:
    values = np.random.default_rng(3).random(60)
    first, second = (Ratio(numbers, np.ones(60), 60) for numbers in (values, values * 0.8))
    shifts = np.tile([-0.05, 0.05], 100)
    drawn = [replace(ratio, drawn=ratio.value + sign * shifts) for ratio, sign in ((first, 1), (second, -1))]
    sure, unsure = (sets_alone(60).estimate(ratio) for ratio in (first, drawn[0]))
    assert sure.value is not None
    assert unsure.value == sure.value
    for near, far in ((sure.interval.lower, unsure.interval.lower), (sure.interval.upper, unsure.interval.upper)):
        assert near is not None
        assert far is not None
        assert abs(far - sure.value) == pytest.approx(np.hypot(near - sure.value, 1.96 * 0.05), rel=1e-4)
    known, predicted = sets_alone(60).difference(first, second), sets_alone(60).difference(*drawn)
    assert known.value is not None
    assert known.p is not None
    assert predicted.p is not None
    # the draws move both apart, so their errors add up
    error = abs(known.value) / scipy.stats.norm.isf(known.p / 2)
    assert predicted.p == pytest.approx(2 * scipy.stats.norm.sf(abs(known.value) / np.hypot(error, 0.1)), rel=1e-6)
    assert predicted.p > known.p
    alike = sets_alone(60).difference(drawn[0], replace(second, drawn=second.value + shifts))
    assert (alike.interval.lower, alike.interval.upper) == pytest.approx((known.interval.lower, known.interval.upper))
    assert alike.p == pytest.approx(known.p)


@each_case("belief", [0.6, 0.551, 1.0, 0.0])
def test_a_few_equal_values_are_no_certainty(belief: float) -> None:
    estimate = sets_alone(7).estimate(Ratio(np.full(7, belief) / 3, np.full(7, 1 / 3), 7))
    assert estimate.value == pytest.approx(belief)
    assert (estimate.interval.lower, estimate.interval.upper) == (-np.inf, np.inf)


def test_pairs_that_share_a_question_are_one_set() -> None:
    sets = IndependentSets([frozenset("ab"), frozenset("bc"), frozenset("de"), frozenset("f")], rng=np.random.default_rng(0))
    assert sets.number == 3
    # 30 questions of which each is in 10 pairs: as uncertain as 30 pairs, not as 300
    groups = [frozenset({n // 10, f"first {n}"}) for n in range(300)]
    hits = np.repeat(np.random.default_rng(1).integers(0, 2, 30), 10).astype(float)
    clustered = IndependentSets(groups, rng=np.random.default_rng(0)).estimate(Ratio(hits, np.ones(300), 300)).interval
    naive = sets_alone(300).estimate(Ratio(hits, np.ones(300), 300)).interval
    assert (clustered.upper - clustered.lower) / (naive.upper - naive.lower) == pytest.approx(np.sqrt(10), rel=0.15)


def test_a_share_of_equal_weights_is_that_of_clopper_and_pearson() -> None:
    hits = [1, 0, 1, 1, 0, 1, 1, 1, 0, 1]
    estimate = sets_alone(10).share(shares(hits))
    assert (estimate.interval.lower, estimate.interval.upper) == pytest.approx(tuple(share_interval(hits, [()] * 10)))


def test_where_all_are_right_the_interval_still_has_a_width() -> None:
    sets = sets_alone(10)
    estimate = sets.share(shares([1] * 10, [1] * 3 + [0] * 7))
    assert (estimate.value, estimate.n) == (1.0, 3)
    # three of three: the lower end is .025 ** (1 / 3)
    assert estimate.interval.lower == pytest.approx(0.025 ** (1 / 3))
    # one of them weighs 8, two weigh 1: as good as 10^2 / 66 = 1.52 of equal weight
    uneven = Ratio(np.array([8.0, 1.0, 1.0]), np.array([8.0, 1.0, 1.0]), 3)
    assert sets_alone(3).share(uneven).interval.lower == pytest.approx(0.025 ** (66 / 100))


def test_nothing_counted_is_no_zero() -> None:
    sets, empty = sets_alone(30), shares([0] * 30, [0] * 30)
    assert sets.estimate(empty).value is None
    assert (sets.share(empty).value, sets.share(empty).interval.upper) == (None, 1.0)
    assert sets.difference(empty, empty).value is None
    assert sets.difference_of_shares(shares([1] * 30), empty).p is None


def test_of_few_pairs_the_p_value_is_that_of_bets() -> None:
    ratio, other = shares([1] * 8), shares([0] * 8)
    difference = sets_alone(8).difference(ratio, other)
    assert difference.value == 1.0
    # bets spread evenly over [0, 1] earn (2^9 - 1) / 9 on one side and 1/9 on the other; p is 2 over the sum
    assert difference.p == pytest.approx(2 * 9 / 2**9, rel=0.01)
    assert sets_alone(8).difference(ratio, ratio).p == 1.0


def test_the_p_value_allows_for_pairs_that_the_bets_may_lose() -> None:
    rng = np.random.default_rng(2)
    hits, weights = rng.random(12), rng.integers(1, 20, 12).astype(float)
    ratio, other = (
        Ratio(hits * weights, weights, 12, largest=5.0),
        Ratio((5 - hits) * weights[::-1], weights[::-1], 12, largest=5.0),
    )
    difference = IndependentSets(alone(12), rng=rng).difference(ratio, other)
    assert difference.p is not None
    assert 0 < difference.p <= 1


def of_skewed(run: int, n: int, mean: float) -> float | None:
    """The p-value of a ratio that is the same everywhere against one of lognormal values up to 1, with the same mean."""
    rng = np.random.default_rng(run)
    values = np.minimum(np.exp(rng.standard_normal(n) - 0.5) / 20, 1.0)
    first, second = Ratio(np.full(n, mean), np.ones(n), n), Ratio(values, np.ones(n), n)
    return IndependentSets(alone(n), rng=rng).difference(first, second).p


@pytest.mark.slow
@pytest.mark.parametrize("n", [24, 40])
def test_skewed_differences_are_found_no_more_often_than_promised(n: int) -> None:
    mean = float(np.minimum(np.exp(np.random.default_rng(0).standard_normal(1_000_000) - 0.5) / 20, 1.0).mean())
    values = [of_skewed(run, n, mean) for run in range(2_000)]
    # 6% and two standard errors; a test that exchanges the two errs in 13% and 9% (1,000 runs)
    assert np.mean([p is not None and p <= 0.05 for p in values]) <= 0.06 + 2 * (0.06 * 0.94 / 2_000) ** 0.5


def test_pairs_that_do_not_count_say_nothing() -> None:
    # three questions used of each model, other ones: exchanging 494 others changes nothing, so that 2^6 outcomes are left
    first, second = [1] * 3 + [0] * 497, [0] * 3 + [1] * 3 + [0] * 494
    sets = sets_alone(500)
    difference = sets.difference_of_shares(shares([1] * 500, first), shares([0] * 500, second))
    assert difference.value == 1.0
    assert difference.p is not None
    assert difference.p > 0.02
    # Newcombe's, from [.292, 1] and [0, .708]: 1 - sqrt(.708^2 + .708^2)
    gap = 1 - 0.025 ** (1 / 3)
    assert difference.interval.lower == pytest.approx(1 - np.hypot(gap, gap))


def test_confidence_must_be_a_share() -> None:
    with pytest.raises(BadInput, match="confidence"):
        IndependentSets(alone(3), rng=np.random.default_rng(0), confidence=1.0)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=1, max_size=30), st.integers(1, 8))
def test_an_interval_holds_its_value(rows: list[tuple[int, int]], shared: int) -> None:
    groups = [frozenset({f"q{index % shared}", f"r{index}"}) for index in range(len(rows))]
    ratio = shares([hit for hit, _ in rows], [weight for _, weight in rows])
    sets = IndependentSets(groups, rng=np.random.default_rng(0))
    share, mean = sets.share(ratio), sets.estimate(ratio)
    if ratio.value is None:
        assert share.value is mean.value is None
    else:
        assert 0 <= share.interval.lower <= ratio.value + 1e-9
        assert ratio.value - 1e-9 <= share.interval.upper <= 1
        assert mean.interval.lower <= ratio.value <= mean.interval.upper


@pytest.mark.slow
def test_intervals_cover_what_was_planted() -> None:
    rng, runs, beliefs = np.random.default_rng(7), 200, Beliefs()
    skills, held = {"one": 0.7, "other": 0.7, "worse": 0.5}, dict.fromkeys(("fit", "strict", "share", "apart"), 0)
    wrong = 0
    for _ in range(runs):
        pairs, grades = world(120, rng, skills=skills)
        people = believed_pairs(pairs, beliefs)
        models = {name: graded_model(people, table, name) for name, table in grades.items()}
        sets = IndependentSets(people.groups, rng=rng)
        model, other, worse = (models[name] for name in skills)
        held["fit"] += expected(0.7, 1, beliefs) in sets.estimate(weighted_accuracy(people, model, 1)).interval
        held["strict"] += expected(0.7, 19, beliefs) in sets.estimate(weighted_accuracy(people, model, 19)).interval
        held["share"] += 0.7 in sets.share(right_share(people, model)).interval
        truth = expected(0.7, 19, beliefs) - expected(0.5, 19, beliefs)
        held["apart"] += (
            truth in sets.difference(weighted_accuracy(people, model, 19), weighted_accuracy(people, worse, 19)).interval
        )
        alike = sets.difference(weighted_accuracy(people, model, 19), weighted_accuracy(people, other, 19))
        wrong += alike.p is not None and alike.p <= 0.05
    # 200 runs: the share of a 95% interval scatters by .015, that of a 5% test as well
    for what, number in held.items():
        assert 0.905 <= number / runs <= 0.995, (what, number / runs)
    assert wrong / runs <= 0.095


@pytest.mark.slow
def test_intervals_cover_where_questions_recur() -> None:
    # each second question is asked about by five pairs; taken for independent, intervals cover 64% of the time
    rng, runs, beliefs, held, naive = np.random.default_rng(8), 100, Beliefs(), 0, 0
    for _ in range(runs):
        pairs, grades = world(200, rng, skills={"one": 0.7}, each=5)
        people = believed_pairs(pairs, beliefs)
        model = graded_model(people, grades["one"], "one")
        ratio = weighted_accuracy(people, model, 1)
        truth = expected(0.7, 1, beliefs)
        held += truth in IndependentSets(people.groups, rng=rng).estimate(ratio).interval
        naive += truth in IndependentSets(alone(200), rng=rng).estimate(ratio).interval
    assert 0.87 <= held / runs <= 0.99
    assert naive / runs < 0.8
