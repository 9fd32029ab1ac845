"""Sums over observations that share a group, against the matrix written out."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.statistics.clustered import ClusterDependence

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
    for way in (sharing._by_subsets, sharing._by_pairs):
        together = matrix.sum(axis=1) > 1
        assert way(values)[together] == pytest.approx((matrix @ values)[together])


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
