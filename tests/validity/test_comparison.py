"""Seeded error rates of comparisons."""

from __future__ import annotations

import numpy as np
import pytest

from tests.validity.comparison import (
    CASES,
    ComparisonCase,
    Many,
    error_rates,
    errors_of_many,
    plain,
    recorded_pairs,
    share_of_runs,
)
from tests.validity.error_studies import data_folder, slack
from vivavoce.certificate.comparison.evidence import share_testing

RUNS = 4_000
SLACK = slack(RUNS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=case.name, marks=[] if index % 8 < 2 else [pytest.mark.study]) for index, case in enumerate(CASES)],
)
def test_wrong_statements_are_as_rare_as_promised(case: ComparisonCase) -> None:
    assert error_rates(case, runs=RUNS).wrong <= 0.05 + SLACK


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("finite", [False, True])
@pytest.mark.parametrize("better", [0.0, 0.2])
def test_so_they_are_among_many_candidates(better: float, finite: bool) -> None:
    rates = errors_of_many(Many(5, better, finite=finite), runs=200)
    # 200 runs at 5%: 20 or more have a chance of .3% (binomial), and the seed is fixed
    assert rates["any"][0] < 20 / 200
    assert rates["share"][1] < 20 / 200


def test_the_cases_are_what_they_say() -> None:
    for case in CASES:
        d = case.draw(np.random.default_rng(1), 3)
        assert min(abs(abs(case.difference) - edge) for edge in (0.0, case.margin)) < 1e-9
        assert case.nulls.any()
        if case.finite and case.drawing != "strata":
            assert d.mean(axis=1) * case.largest == pytest.approx(np.full(3, case.difference))
        elif case.finite:
            sums = [d[:, case.strata == stratum].sum(axis=1) for stratum in range(len(case.sizes))]
            assert sum(sums) / case.size == pytest.approx(np.full(3, case.difference))
    for several in (Many(3, 0.0, finite=True), Many(3, 0.2, finite=True)):
        means = several.draw(np.random.default_rng(1), 2).mean(axis=2)
        assert means == pytest.approx(np.array([[0.6, 0.6, 0.6 + several.better]] * 2))


def test_rules_over_many_runs_are_those_of_one() -> None:
    log_e = np.random.default_rng(2).normal(2, 3, size=(40, 3, 4))
    assert share_of_runs(log_e, 0.2).tolist() == [share_testing(entry, 0.2).tolist() for entry in log_e]


@pytest.mark.long
def test_a_small_study_that_can_tell() -> None:
    # 200 runs at 5%: 20 or more have a chance of .3% (binomial), and the seed is fixed
    assert error_rates(plain(0.0, 0.3, 0.05, finite=False, size=200), runs=200).wrong < 20 / 200
    assert error_rates(plain(0.2, 0.4, 0.05, finite=True, size=200), runs=200).stated == 1.0
    for case in (entry for entry in CASES if entry.drawing != "scope"):
        if case.difference == 0 and case.margin == 0.05:
            assert error_rates(case, runs=200).wrong < 20 / 200
    rates = errors_of_many(Many(3, 0.3, size=120), runs=60)
    assert max(rates["any"][0], rates["share"][1]) < 10 / 60


@pytest.mark.slow
@pytest.mark.data
def test_pairs_take_fewer_questions_than_two_certificates() -> None:
    folder = data_folder()
    results = [
        recorded_pair for recorded_pair in recorded_pairs(folder, limit=12, categories=4, looks=10) if recorded_pair.gap >= 0.05
    ]
    assert len(results) > 20
    assert np.median([entry.paired for entry in results]) < 0.6 * np.median([entry.apart for entry in results])
    assert sum(entry.wrong for entry in results) <= 0.1 * len(results)
    assert np.median([entry.paired for entry in results]) < 0.8 * np.median([entry.unpaired for entry in results])
    assert 0.75 < np.median([entry.informed for entry in results]) / np.median([entry.paired for entry in results]) <= 1.0
