"""The difference of two means with shared sources: Welch and the paired test at its ends, regression's algebra between them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import fractional_matrix_power
from scipy.stats import ttest_ind, ttest_rel

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.statistics.two_groups import mean_difference


def test_without_shared_sources_the_standard_error_is_welchs() -> None:
    rng = np.random.default_rng(0)
    one, other = rng.normal(50, 10, 12), rng.normal(55, 20, 30)
    found = mean_difference([*one, *other], [False] * 12 + [True] * 30, range(42))
    theirs = ttest_ind(other, one, equal_var=False)
    assert found.value == pytest.approx(other.mean() - one.mean())
    assert found.value / found.error == pytest.approx(theirs.statistic)


def test_where_everybody_is_in_both_it_is_the_paired_test() -> None:
    rng = np.random.default_rng(1)
    one = rng.normal(50, 10, 9)
    other = one + rng.normal(3, 4, 9)
    found = mean_difference([*one, *other], [False] * 9 + [True] * 9, [*range(9)] * 2)
    theirs = ttest_rel(other, one)
    assert (found.value / found.error, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert found.degrees == pytest.approx(8)
    bounds = theirs.confidence_interval()
    assert tuple(found.bounds) == pytest.approx((bounds.low, bounds.high))


def by_regression(values: list[float], second: list[bool], sources: list[int]) -> tuple[float, float]:
    """Variance and degrees of freedom by `bell2002`'s matrices, as they are written down."""
    x = np.column_stack([np.ones(len(values)), np.array(second, dtype=float)])
    inverse = np.linalg.inv(x.T @ x)
    hat = x @ inverse @ x.T
    residuals = np.array(values) - hat @ np.array(values)
    variance, columns = 0.0, []
    for source in sorted(set(sources)):
        own = np.flatnonzero(np.array(sources) == source)
        adjusted = fractional_matrix_power(np.eye(own.size) - hat[np.ix_(own, own)], -0.5).real
        weight = adjusted @ x[own] @ inverse[:, 1]
        variance += float(weight @ residuals[own]) ** 2
        columns.append((np.eye(len(values)) - hat)[:, own] @ weight)
    eigenvalues = np.linalg.eigvalsh(np.array(columns) @ np.array(columns).T)
    return variance, float(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 100), st.booleans(), st.integers(0, 5)), min_size=6, max_size=25))
def test_between_them_it_is_the_bias_reduced_regression(rows: list[tuple[int, bool, int]]) -> None:
    values, second, sources = [float(row[0]) for row in rows], [row[1] for row in rows], [row[2] for row in rows]
    try:
        found = mean_difference(values, second, sources)
    except NotEnoughEvidence:
        in_group = [len({one for one, which in zip(sources, second, strict=True) if which == group}) for group in (False, True)]
        sums = by_regression(values, second, sources)[0] if min(in_group) > 1 else 0.0
        assert min(in_group) < 2 or sums == pytest.approx(0, abs=1e-9)
        return
    variance, degrees = by_regression(values, second, sources)
    assert found.error**2 == pytest.approx(variance, rel=1e-6, abs=1e-9)
    assert found.degrees == pytest.approx(degrees, rel=1e-6)


@pytest.mark.parametrize(("both", "each"), [(0.0, 1), (0.5, 1), (1.0, 1), (0.5, 3)])
def test_intervals_cover_whoever_guesses_what(both: float, each: int) -> None:
    rng = np.random.default_rng(7)
    hits, trials = 0, 400
    for _ in range(trials):
        values, second, sources = [], [], []
        for person in range(14):
            level = rng.normal(0, 12)
            for group in (False, True) if rng.random() < both else (person % 2 == 0,):
                drawn = 50 + 5 * group + level + rng.normal(0, 12, each)
                values += drawn.tolist()
                second += [group] * each
                sources += [person] * each
        lower, upper = mean_difference(values, second, sources).bounds
        hits += lower <= 5 <= upper
    # 95% of 400, give or take three standard deviations of 4.4
    assert 366 <= hits <= 394


def test_too_little_is_said() -> None:
    for values, second, sources in (
        ([], [], []), ([1.0, 2.0], [False, True], [1, 2]), ([1.0, 2.0, 3.0], [False, False, True], [1, 2, 3]),
        ([1.0, 2.0, 3.0, 4.0], [False, False, True, True], [1, 2, 3, 3]),
        ([1.0, 1.0, 2.0, 2.0], [False, False, True, True], range(4)),
    ):  # fmt: skip
        with pytest.raises(NotEnoughEvidence):
            mean_difference(values, second, list(sources))
    with pytest.raises(BadInput):
        mean_difference([1.0, float("nan")], [True, False], [1, 2])
    with pytest.raises(BadInput):
        mean_difference([1.0, 2.0], [True, False], [1])
