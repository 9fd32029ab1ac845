"""Which observations depend on each other, and intervals of means and shares that allow for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from math import inf, sqrt
from time import process_time

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.each_case import each_case
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.statistics.bounds import Bounds
from vivavoce.statistics.clustered import (
    ClusterDependence,
    bounded_mean,
    bounded_share,
    mean_estimate,
    mean_interval,
    share_estimate,
    share_interval,
)

some_groups = st.lists(st.sets(st.integers(0, 7), max_size=5), min_size=1, max_size=25)


def written_out(groups: list[set[int]]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    n = len(groups)
    return np.array([[float(i == j or bool(groups[i] & groups[j])) for j in range(n)] for i in range(n)])


@given(groups=some_groups, seed=st.integers(0, 100))
def test_both_ways_are_the_matrix(groups: list[set[int]], seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=len(groups))
    sharing, matrix = ClusterDependence(groups), written_out(groups)
    assert sharing.sums(values) == pytest.approx(matrix @ values)
    assert sharing.partners == pytest.approx(matrix.sum(axis=1))
    for sums_of in (sharing._by_subsets, sharing._by_pairs):
        together = matrix.sum(axis=1) > 1
        assert sums_of(values)[together] == pytest.approx((matrix @ values)[together])


@given(groups=some_groups)
def test_components_are_what_walks_reach(groups: list[set[int]]) -> None:
    reached = np.linalg.matrix_power(written_out(groups), len(groups)) > 0
    components = ClusterDependence(groups).components
    assert ((components[:, None] == components[None, :]) == reached).all()
    assert sorted(set(components.tolist())) == list(range(components.max() + 1))


@given(groups=st.lists(st.sets(st.integers(0, 7), max_size=3), min_size=1, max_size=9))
def test_so_many_observations_that_share_nothing_can_be_picked(groups: list[set[int]]) -> None:
    """The largest independent set by trying all; the bound is at most that."""
    matrix = written_out(groups)
    largest = max(
        size
        for size in range(len(groups) + 1)
        for picked in combinations(range(len(groups)), size)
        if all(matrix[i, j] == 0 for i, j in combinations(picked, 2))
    )
    assert ClusterDependence(groups).independent <= largest + 1e-9


def test_with_one_group_each_the_bound_is_the_number_of_groups() -> None:
    assert ClusterDependence(["a", "b", "a", "c", "c", "c", ()]).independent == pytest.approx(4)  # a, b, c and the last alone


def test_a_text_is_one_group_not_its_letters() -> None:
    assert ClusterDependence(["ab", "bc", "ab"]).partners.tolist() == [2, 1, 2]


def test_pairs_that_do_not_fit_into_memory_are_written_out_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    groups = [set(rng.choice(12, 8, replace=False).tolist()) for _ in range(60)]
    whole = ClusterDependence(groups).partners
    monkeypatch.setattr("vivavoce.statistics.clustered._PAIRS_AT_ONCE", 100)
    assert ClusterDependence(groups).partners.tolist() == whole.tolist() == written_out(groups).sum(axis=1).tolist()


def test_nothing_at_all() -> None:
    assert ClusterDependence([]).components.size == ClusterDependence([]).partners.size == 0
    assert ClusterDependence([(), ()]).sums([1, 2]).tolist() == [1, 2]


Floats = NDArray[np.float64]
samples = st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=40)


@given(values=samples, confidence=st.floats(0.5, 0.99))
def test_where_nothing_is_shared_it_is_the_usual_t_interval(values: list[float], confidence: float) -> None:
    ours = mean_interval(values, [()] * len(values), confidence=confidence)
    half = float(scipy.stats.sem(values)) * float(scipy.stats.t.ppf((1 + confidence) / 2, len(values) - 1))
    assert ours == pytest.approx((np.mean(values) - half, np.mean(values) + half), abs=1e-9)
    assert mean_interval(values, [(i,) for i in range(len(values))], confidence=confidence) == ours


@given(hits=st.lists(st.booleans(), min_size=1, max_size=60), confidence=st.floats(0.5, 0.99))
def test_where_nothing_is_shared_it_is_clopper_and_pearsons(hits: list[bool], confidence: float) -> None:
    theirs = scipy.stats.binomtest(sum(hits), len(hits)).proportion_ci(confidence, method="exact")
    assert share_interval(hits, [()] * len(hits), confidence=confidence) == pytest.approx((theirs.low, theirs.high))


def test_groups_of_equal_size_are_the_t_interval_of_their_means() -> None:
    # V = G/(G-1) sum (m e_g)^2 / (mG)^2 = var(means)/G, with G - 1 degrees of freedom: that of six means
    values = np.random.default_rng(3).normal(size=(6, 4)) + np.arange(6)[:, None]
    means = values.mean(axis=1)
    half = float(scipy.stats.sem(means)) * float(scipy.stats.t.ppf(0.975, 5))
    ours = mean_interval(values.ravel(), [f"g{i}" for i in range(6) for _ in range(4)])
    assert ours == pytest.approx((means.mean() - half, means.mean() + half))


def test_the_crossed_variance_by_hand() -> None:
    # values 2, 0, 0, 4, mean 1.5, e = .5, -1.5, -1.5, 2.5; groups {a,c} {a,d} {b,c} {b,d}: all share but 1-4 and 2-3
    # sum e e' over sharing pairs = (sum e)^2 - 2 e1 e4 - 2 e2 e3 = 0 - 2.5 - 4.5 = -7: negative, so the independent one counts,
    # (.25 + 2.25 + 2.25 + 6.25) / 4 / 3 = 11/12. ClusterDependence pairs: 12 of 16; trace = 4 - 12/4 = 1;
    # of square = 12 - 2 * 4 * 9 / 4 + 3^2 = 3; degrees = 1/3
    half = float(scipy.stats.t.ppf(0.975, 1 / 3)) * sqrt(11 / 12)
    groups = [set("ac"), set("ad"), set("bc"), set("bd")]
    assert mean_interval([2, 0, 0, 4], groups) == pytest.approx((1.5 - half, 1.5 + half))
    # with values 0, 0, 3, 5: mean 2, e = -2, -2, 1, 3: -2 (-6) - 2 (-2) = 16; / 16 / (1 - 12/16) = 4; independent 18/12 = 1.5
    half = float(scipy.stats.t.ppf(0.975, 1 / 3)) * sqrt(4)
    assert mean_interval([0, 0, 3, 5], groups) == pytest.approx((2 - half, 2 + half))


def test_the_effective_number_by_hand() -> None:
    # four groups of five, in which all agree, two of them hits: p = .5; e = +-.5; V = 4/3 * 4 * 2.5^2 / 20^2 = 1/12,
    # independent: .25/19; n over the design effect = 20 * (.25/19) / (1/12) = 60/19; times (t19/t3)^2
    size = 60 / 19 * (float(scipy.stats.t.ppf(0.975, 19)) / float(scipy.stats.t.ppf(0.975, 3))) ** 2
    ours = share_interval([i < 10 for i in range(20)], [str(i // 5) for i in range(20)])
    lower = float(scipy.stats.beta.ppf(0.025, size / 2, size / 2 + 1))
    assert ours == pytest.approx((lower, 1 - lower))


def test_where_all_agree_the_number_of_groups_counts() -> None:
    theirs = scipy.stats.binomtest(0, 10).proportion_ci(0.95, method="exact")
    assert share_interval([False] * 50, [str(i // 5) for i in range(50)]) == pytest.approx((0, theirs.high))
    # crossed pairs of six nodes: each of 15 shares with 2 * 4 + 1 = 9, so 15/9 (three could be picked: 01, 23, 45)
    pairs = list(combinations(range(6), 2))
    upper = 1 - 0.025 ** (9 / 15)  # (1 - p)^n = .025
    assert share_interval([False] * 15, pairs) == pytest.approx((0, upper))


@given(
    data=st.lists(st.tuples(st.floats(-9, 9), st.booleans(), st.sets(st.integers(0, 5), max_size=2)), min_size=3, max_size=20),
    seed=st.integers(0, 99),
)
def test_order_and_names_do_not_matter(data: list[tuple[float, bool, set[int]]], seed: int) -> None:
    def intervals(rows: Sequence[tuple[float, bool, set[str]]]) -> list[float] | None:
        try:
            groups = [names for _, _, names in rows]
            share = share_interval([hit for _, hit, _ in rows], groups)
            return [*mean_interval([value for value, _, _ in rows], groups), *share]
        except NotEnoughEvidence:
            return None

    plain = [(value, hit, {str(i) for i in ids}) for value, hit, ids in data]
    renamed = [(value, hit, {f"question {9 - i}" for i in ids}) for value, hit, ids in data]
    first = intervals(plain)
    assert first == pytest.approx(intervals(renamed))
    again = intervals([plain[i] for i in np.random.default_rng(seed).permutation(len(plain))])
    assert (first is None) == (again is None)
    if first is not None and again is not None:
        assert again == pytest.approx(first, rel=1e-6, abs=1e-9)


@given(hits=st.lists(st.booleans(), min_size=2, max_size=30), groups=st.lists(st.integers(0, 4), min_size=30, max_size=30))
def test_an_interval_is_never_narrower_than_without_groups(hits: list[bool], groups: list[int]) -> None:
    ids = [(group,) for group in groups[: len(hits)]]
    if len(set(ids)) < 2:
        return
    shared, alone = share_interval(hits, ids), share_interval(hits, [()] * len(hits))
    assert 0 <= shared.lower <= alone.lower + 1e-9
    assert alone.upper - 1e-9 <= shared.upper <= 1
    shared, alone = mean_interval(hits, ids), mean_interval(hits, [()] * len(hits))
    assert shared.upper - shared.lower >= alone.upper - alone.lower - 1e-9


def coverage(
    groups: Sequence[tuple[object, ...]],
    interval: Callable[[Floats, Sequence[tuple[object, ...]]], Bounds],
    *,
    strength: float,
    rate: float | None = None,
    runs: int = 2_000,
) -> float:
    """How often the interval covers, when each group has a normal effect of this strength, beside noise of 1.

    With a rate, an observation is a hit where the sum lies in the upper tail of that rate.
    """
    rng = np.random.default_rng(1)
    names = sorted({name for ids in groups for name in ids}, key=str)
    belongs = np.array([[name in ids for name in names] for ids in groups], dtype=np.float64)
    spread = np.sqrt(1 + strength**2 * belongs.sum(axis=1))
    covered = 0
    for _ in range(runs):
        values = belongs @ rng.normal(0, strength, len(names)) + rng.normal(0, 1, len(groups))
        if rate is not None:
            values = (values / spread > scipy.stats.norm.isf(rate)).astype(np.float64)
        bounds = interval(values, groups)
        covered += bounds.lower <= (rate or 0.0) <= bounds.upper
    return covered / runs


def one_way(sizes: Sequence[int]) -> list[tuple[object, ...]]:
    return [(group,) for group, size in enumerate(sizes) for _ in range(size)]


DESIGNS: dict[str, list[tuple[object, ...]]] = {
    "10 groups of 5": one_way([5] * 10),
    "30 groups of 5": one_way([5] * 30),
    "groups of 1 to 20": one_way(range(1, 21)),
    "pairs of 12": list(combinations(range(12), 2)),
    "pairs of 30": list(combinations(range(30), 2)),
    "crossed 5 by 40": [(f"a{i}", f"b{j}") for i, j in product(range(5), range(40))],
}


@pytest.mark.parametrize("strength", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.slow
def test_the_interval_of_a_mean_covers(design: str, strength: float) -> None:
    # binomial noise over 2,000 runs: .95 - 2.6 * sqrt(.95 * .05 / 2000) = .937
    assert coverage(DESIGNS[design], mean_interval, strength=strength) >= 0.937


@pytest.mark.parametrize(("strength", "rate"), [(0.0, 0.02), (0.0, 0.3), (1.0, 0.02), (1.0, 0.3)])
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.slow
def test_the_interval_of_a_share_covers(design: str, strength: float, rate: float) -> None:
    # rare hits of which one group holds many are the hardest: 93% with pairs of 30
    rare = rate == 0.02 and strength == 1.0
    assert coverage(DESIGNS[design], share_interval, strength=strength, rate=rate) >= (0.92 if rare else 0.937)


@pytest.mark.slow
def test_where_one_group_holds_half_it_still_covers_nine_times_in_ten() -> None:
    """The figures in the docstring: the plain count of groups covers 68% here, and 86% with 5 by 100 crossed groups."""

    def plain(values: Floats, groups: Sequence[tuple[object, ...]]) -> Bounds:
        names = sorted({name for ids in groups for name in ids}, key=str)
        belongs = np.array([[name in ids for name in names] for ids in groups], dtype=np.float64)
        e, n, g = values - values.mean(), len(values), len(names)
        variance = max(float(e @ ((belongs @ belongs.T) > 0) @ e) / n**2 * g / (g - 1), float(e @ e) / n / (n - 1))
        half = sqrt(variance) * float(scipy.stats.t.ppf(0.975, g - 1))
        return Bounds(float(values.mean()) - half, float(values.mean()) + half)

    half = one_way([50] + [1] * 50)
    assert coverage(half, plain, strength=2.0) == pytest.approx(0.68, abs=0.03)
    assert coverage(half, mean_interval, strength=2.0) == pytest.approx(0.90, abs=0.03)
    crossed: list[tuple[object, ...]] = [(f"a{i}", f"b{j}") for i, j in product(range(5), range(100))]
    assert coverage(crossed, plain, strength=2.0, runs=1_000) == pytest.approx(0.86, abs=0.04)
    assert coverage(crossed, mean_interval, strength=2.0, runs=1_000) == pytest.approx(0.97, abs=0.02)


def test_a_quick_look_at_coverage() -> None:
    assert coverage(DESIGNS["10 groups of 5"], mean_interval, strength=1.0, runs=300) >= 0.91
    assert coverage(DESIGNS["pairs of 12"], share_interval, strength=1.0, rate=0.3, runs=300) >= 0.91


def test_a_hundred_thousand_observations_are_not_compared_each_with_each() -> None:
    rng = np.random.default_rng(0)
    groups = [tuple(pair) for pair in rng.integers(0, 500, (100_000, 2)).tolist()]
    hits = rng.random(100_000) < 0.05
    began = process_time()
    share_interval(hits, groups)
    assert process_time() - began < 5  # .2 s of CPU; comparing each with each would take minutes


def test_too_little_is_said() -> None:
    for values, groups in (([], []), ([1.0], [()])):
        with pytest.raises(NotEnoughEvidence, match="needs at least 2"):
            mean_interval(values, groups)
    with pytest.raises(NotEnoughEvidence, match="shares a group with every other"):
        mean_interval([1, 2, 3], ["a", "a", "a"])
    with pytest.raises(NotEnoughEvidence, match="shares a group with every other"):
        share_interval([1, 0, 1], [{"a", "b"}, {"b", "c"}, {"c", "a"}])
    with pytest.raises(NotEnoughEvidence, match="needs at least 1"):
        share_interval([], [])


def test_nonsense_is_refused() -> None:
    with pytest.raises(BadInput, match="2 observations and groups for 1"):
        mean_interval([1, 2], [()])
    with pytest.raises(BadInput, match="finite"):
        mean_interval([1, float("nan")], [(), ()])
    with pytest.raises(BadInput, match="truth values"):
        share_interval([0.5, 1], [(), ()])
    with pytest.raises(BadInput, match="confidence"):
        mean_interval([1, 2], [(), ()], confidence=1.0)


def test_two_groups_that_differ_say_nothing_about_a_share() -> None:
    hits, groups = [True] * 20 + [False] * 2 + [True] * 10, ["one"] * 22 + ["other"] * 10
    assert share_interval(hits, groups) == (0, 1)
    # as many independent observations say much
    assert share_interval(hits, [()] * 32)[0] > 0.7


VALUES = st.lists(st.floats(-1, 1), max_size=12)


def test_with_enough_it_is_the_interval_kept_within_bounds() -> None:
    values, groups = [0.1, 0.2, 0.3, 0.2, 0.1], [()] * 5
    assert bounded_mean(values, groups) == mean_interval(values, groups)
    lower, upper = mean_interval([0, 1, 1, 1], [()] * 4)
    assert upper > 1
    assert lower < 0
    assert tuple(bounded_mean([0, 1, 1, 1], [()] * 4)) == (0.0, 1.0)
    assert tuple(bounded_mean([0, 1, 1, 1], [()] * 4, smallest=-1.0)) == (lower, 1.0)
    assert bounded_share([True, False, True], "abc") == share_interval([True, False, True], "abc")


def test_too_little_reaches_everywhere() -> None:
    assert tuple(bounded_mean([0.5], ["a"], smallest=-1.0)) == (-1.0, 1.0)
    assert tuple(bounded_mean([0.5, 0.6], ["a", "a"])) == (0.0, 1.0)
    assert tuple(bounded_mean([], [], largest=inf)) == (0.0, inf)
    assert tuple(bounded_share([], [])) == (0.0, 1.0)


@each_case("value", [-1.0, 0.0, 0.25, 1.0])
def test_equal_values_leave_room_for_what_was_never_seen(value: float) -> None:
    # Never seen in 3 groups: 1 - .025^(1/3).
    unseen = 1 - 0.025 ** (1 / 3)
    for values in ([value] * 6, [value, *[value * (1 + 1e-15)] * 5]):
        lower, upper = bounded_mean(values, list("aabbcc"), smallest=-1.0)
        assert (lower, upper) == pytest.approx((value - (value + 1) * unseen, value + (1 - value) * unseen))


def test_two_equal_values_do_not_prove_the_mean() -> None:
    # never seen in 2 alone: 1 - .025^(1/2)
    assert tuple(bounded_mean([0.5, 0.5], [()] * 2)) == pytest.approx((0.5 * 0.025**0.5, 1 - 0.5 * 0.025**0.5))


@given(VALUES, st.data())
def test_the_mean_lies_within_and_all_within_the_possible(values: list[float], data: st.DataObject) -> None:
    groups = data.draw(st.lists(st.sampled_from("abc"), min_size=len(values), max_size=len(values)))
    lower, upper = bounded_mean(values, groups, smallest=-1.0)
    assert -1 <= lower <= upper <= 1
    if values:
        assert lower - 1e-12 <= sum(values) / len(values) <= upper + 1e-12


def test_estimates_have_the_value_the_interval_and_the_number() -> None:
    estimate = share_estimate([True, False, True], "abc")
    assert (estimate.value, estimate.n) == (2 / 3, 3)
    assert (estimate.interval.lower, estimate.interval.upper) == tuple(bounded_share([True, False, True], "abc"))
    # half-width t.975 at 2 degrees, 4.303, times .1 / sqrt(3)
    mean = mean_estimate([0.1, 0.2, 0.3], [()] * 3, smallest=-1.0)
    assert (mean.value, mean.interval.lower, mean.interval.upper) == pytest.approx(
        (0.2, 0.2 - 0.24841, 0.2 + 0.24841), abs=1e-5
    )
    assert (share_estimate([], []).value, mean_estimate([], []).n) == (None, 0)
