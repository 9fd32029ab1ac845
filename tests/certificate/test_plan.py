"""The plan against exact distributions and against the procedure that it predicts."""

import numpy as np
import pytest

from tests.statistics.clean import chance_of_clean
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.certificate.plan import estimate_power, looks
from vivavoce.errors import BadInput


def test_looks_are_dense_then_one_percent_apart() -> None:
    points = looks(10_000)
    assert list(points[:200]) == list(range(1, 201))
    assert points[-1] == 10_000
    assert (np.diff(points) > 0).all()
    assert (points[200:] / points[199:-1]).max() < 1.02  # 1%, and up to one question of rounding
    assert list(looks(3)) == [1, 2, 3]


@pytest.mark.parametrize(("score", "median"), [(0.9, 26), (0.95, 13), (0.8, 120)])
def test_median_against_the_exact_one(score: float, median: int) -> None:
    """The exact medians are those of `tests/statistics/test_betting.py`, by dynamic programming."""
    predicted = estimate_power(Criterion(0.7, None), score=score, runs=4_000)
    assert predicted.median == pytest.approx(median, rel=0.05)
    assert predicted.chances[Verdict.PASS].value == pytest.approx(1, abs=0.02)


def test_the_unacceptable_limit_against_its_exact_chance() -> None:
    """At a high score nearly all depends on the rate: P(pass by 20,000) has an exact value."""
    predicted = estimate_power(Criterion(0.7, 0.00052), score=0.99, unacceptable=0.0002, questions=20_000, runs=4_000)
    exact = chance_of_clean(0.0002, 0.00052, 0.05, 20_000)
    interval = predicted.chances[Verdict.PASS].interval
    # looking every 1% only, and failing runs that would pass later, cost a little
    assert interval.lower - 0.01 <= exact <= interval.upper + 0.02


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


@pytest.mark.parametrize(
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
