"""The plan and the forecast, against exact distributions and against the procedure that they predict."""

import re

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray

from tests.certificate.candidates import interview
from tests.certificate.claims.unsure import of, tasks
from tests.each_case import each_case
from tests.statistics.clean import chance_of_clean
from tests.validity.test_gate import _differences, _first
from vivavoce.certificate.attempts.attempt import delta_of
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.draws import Draws
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.certificate.forecast import (
    ASSUMED,
    ForecastCase,
    QuestionForecast,
    forecast_certificate,
    forecast_comparison,
    forecast_gate,
)
from vivavoce.certificate.plan import estimate_power, looks
from vivavoce.errors import BadInput
from vivavoce.statistics.differences import DifferenceTests


def test_looks_are_dense_then_one_percent_apart() -> None:
    points = looks(10_000)
    assert list(points[:200]) == list(range(1, 201))
    assert points[-1] == 10_000
    assert (np.diff(points) > 0).all()
    assert (points[200:] / points[199:-1]).max() < 1.02  # 1%, and up to one question of rounding
    assert list(looks(3)) == [1, 2, 3]


@pytest.mark.parametrize(("score", "median"), [(0.9, 27), (0.95, 12), (0.8, 126)])
def test_median_against_the_exact_one(score: float, median: int) -> None:
    """The exact medians are those of `tests/statistics/test_betting.py`, by dynamic programming."""
    predicted = estimate_power(Criterion(0.7, None), score=score, runs=4_000)
    assert predicted.median == pytest.approx(median, rel=0.05)
    assert predicted.chances[Verdict.PASS].value == pytest.approx(1, abs=0.02)


@pytest.mark.long
def test_the_unacceptable_limit_against_its_exact_chance() -> None:
    """At a high score nearly all depends on the rate: P(pass by 20,000) has an exact value."""
    predicted = estimate_power(Criterion(0.7, 0.00052), score=0.99, unacceptable=0.0002, questions=20_000, runs=4_000)
    exact = chance_of_clean(0.0002, 0.00052, 0.05, 20_000)
    interval = predicted.chances[Verdict.PASS].interval
    # looking every 1% only, and failing runs that would pass later, cost a little
    assert interval.lower - 0.01 <= exact <= interval.upper + 0.02


@pytest.mark.long
def test_against_the_procedure_itself() -> None:
    """200 seeded examinations of a candidate with score .85 and a rate of 1% at a limit of .2%."""
    criterion = Criterion(0.7, 0.002)
    predicted = estimate_power(criterion, score=0.85, unacceptable=0.01, questions=3_000, runs=4_000)
    rng = np.random.default_rng(2)
    ended, failed = [], 0
    for _ in range(200):
        test = SequentialTest(criterion)
        u = rng.random(3_000).reshape(-1, 500)
        while test.verdict is Verdict.UNDECIDED and test.n < u.size:
            part = u[test.n // 500]
            test.update(part < 0.85, part > 0.99)
        failed += test.verdict is Verdict.FAIL
        ended.append(test.n)
    share = predicted.chances[Verdict.FAIL].value
    assert share is not None
    assert failed / 200 == pytest.approx(share, abs=0.07)
    assert np.mean(ended) == pytest.approx(predicted.mean, rel=0.1)


def test_money_is_the_mean_number_of_questions_times_the_price() -> None:
    predicted = estimate_power(Criterion(0.7, None), score=0.9, runs=500, price=0.5)
    assert predicted.money == pytest.approx(predicted.mean * 0.5)


@each_case(
    ("wrong", "problem"),
    [
        ({"score": 1.2}, "add up to at most 1"),
        ({"unacceptable": 0.2}, "add up to at most 1"),
        ({"runs": 0}, "0 runs: give a number from 1"),
        ({"runs": 10**12}, "to 1000000"),
        ({"questions": 10**30}, "to 10000000"),
        ({"price": -1.0}, "must not be negative"),
        ({"price": float("nan")}, "must not be negative"),
    ],
)
def test_nonsense_is_refused(wrong: dict[str, float], problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        estimate_power(Criterion(), **({"score": 0.9} | wrong))  # type: ignore[arg-type]


DELTA, BUDGET, RUNS = delta_of(0.05, 1), 200, 400


def rejections(d: NDArray[np.float64], null: float, delta: float) -> NDArray[np.float64]:
    """After how many questions each run rejects "the difference is at most this", less one."""
    return _first(DifferenceTests(np.full(len(d), null)).update(d), delta)


def drawn(drop: float) -> NDArray[np.float64]:
    return _differences(np.random.default_rng(1), RUNS, drop, 1 - ASSUMED, None)[:, :BUDGET]


def is_that_of(case: ForecastCase, ended: NDArray[np.float64]) -> None:
    # standard errors: .05 of 100 simulated examinations, .025 of 400
    assert case.decided == pytest.approx(np.isfinite(ended).mean(), abs=3 * 0.056)
    assert case.mean == pytest.approx(np.minimum(ended + 1, BUDGET).mean(), rel=0.15)


def test_the_chance_of_a_verdict_is_that_of_gates() -> None:
    forecast = forecast_gate(GateConfig(margin=0.1, questions=BUDGET, draws=1))
    for case, drop in zip(forecast.cases, (0.0, 0.1), strict=True):
        d = drawn(drop)
        is_that_of(case, np.minimum(rejections(d, -0.1, DELTA), rejections(-d, 0.0, DELTA / 2)))


def test_so_it_is_of_comparisons() -> None:
    forecast = forecast_comparison(ComparisonConfig(margin=0.15, questions=BUDGET, draws=1), 2)
    for case, drop in zip(forecast.cases, (0.0, 0.15), strict=True):
        d = drawn(drop)
        no_worse, no_better = rejections(d, -0.15, DELTA), rejections(-d, -0.15, DELTA)
        direction = np.minimum(rejections(d, 0.0, DELTA / 2), rejections(-d, 0.0, DELTA / 2))
        ended = np.minimum(direction, np.maximum(no_worse, no_better))
        assert case.mean == pytest.approx(np.minimum(ended + 1, BUDGET).mean(), rel=0.15)
        # "not worse" alone is a verdict, too, though it ends nothing
        assert case.decided == pytest.approx(np.isfinite(np.minimum(ended, no_worse)).mean(), abs=3 * 0.056)


@pytest.mark.long
async def test_so_it_is_of_certificates() -> None:
    scope, runs, most = tasks(40), 40, 40
    criterion = Criterion(0.6, None)
    forecast = forecast_certificate(Criterion(0.6, None, DELTA), most, 1)
    for case, score in zip(forecast.cases, (0.7, 0.5), strict=True):
        once, ended = Composition(draws=Draws(1)), []
        for seed in range(runs):
            half = of(scope, score, seed=seed)
            certificate = await certify(interview(half), scope, criterion, once, seed=seed, questions=most)
            ended.append(certificate.verdict is not Verdict.UNDECIDED)
        # so many verdicts or fewer, and so many or more, each have a chance of more than .5% (binomial)
        assert (
            scipy.stats.binom.ppf(0.005, runs, case.decided) <= sum(ended) <= scipy.stats.binom.ppf(0.995, runs, case.decided)
        )


def test_a_larger_budget_and_a_wider_margin_decide_more() -> None:
    configs = [[GateConfig(margin, questions=budget, draws=1) for budget in (50, 200, 1_000)] for margin in (0.05, 0.1)]
    chances = [[forecast_gate(config).cases[0].decided for config in row] for row in configs]
    assert np.all(np.diff(chances, axis=0) >= 0)
    assert np.all(np.diff(chances, axis=1) >= 0)
    assert forecast_gate(configs[1][2]).cases[0].median is not None


def test_a_list_that_is_run_to_its_end_decides_and_more_candidates_take_more_questions() -> None:
    config = ComparisonConfig(margin=0.1)
    of_list = forecast_comparison(config, 2, 60)
    assert [case.decided for case in of_list.cases] == [1.0, 1.0]
    assert max(case.mean for case in of_list.cases) <= 60
    two, five = (forecast_comparison(ComparisonConfig(margin=0.1, draws=1), number).cases[1].mean for number in (2, 5))
    assert five > two


@pytest.mark.parametrize("margin", [0.0, 0.9])
def test_any_margin_has_a_forecast(margin: float) -> None:
    assert len(forecast_gate(GateConfig(margin, questions=100, draws=1)).cases) == 2
    assert len(forecast_comparison(ComparisonConfig(margin, questions=100, draws=1), 3).cases) == 2


def test_it_says_what_to_expect() -> None:
    words = forecast_gate(GateConfig(0.1, questions=1_000, draws=1)).words
    assert "drawn with replacement and answered afresh" in words
    assert re.search(
        r"at most 1\u202f000 questions: if both are equally good, \d+% reach a verdict, half of them within \d+", words
    )
    assert "; if NEW is worse by 0.10, " in words
    cases = ForecastCase("if its score is 0.80", 0.9, 50, 70.0), ForecastCase("if its score is 0.60", 0.4, None, 90.0)
    forecast = QuestionForecast(100, cases, 5)
    assert forecast.answers == 450
    assert forecast.words.endswith(
        "Expected for each candidate, at most 100 questions, 5 answers to each: if its score is 0.80, 90% reach a verdict, "
        "half of them within 50 questions; if its score is 0.60, 40% reach a verdict."
    )
