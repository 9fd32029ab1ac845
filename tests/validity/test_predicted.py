"""Seeded error rates of people and a judge together, and how many grades by people the judge saves."""

from math import sqrt

import numpy as np
import pytest

from tests.validity.predicted import CASES, CRITERION, PredictedScoresCase, error_rates, grades_needed, near, two_point
from vivavoce.certificate.claims.claim import Verdict
from vivavoce.certificate.graders.judge_predictions import PredictedSequentialTest

RUNS = 4_000
SLACK = 3 * sqrt(0.05 * 0.95 / RUNS)
"""Three standard errors."""


SOME = ("good judge", "useless judge", "harsh judge")
"""The others take as long, and are left to the study."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [pytest.param(c, id=c.name, marks=[] if c.name in SOME else [pytest.mark.study]) for c in CASES]
)
def test_each_wrong_verdict_is_as_rare_as_promised(case: PredictedScoresCase) -> None:
    errors = error_rates(case, runs=RUNS)
    assert max(errors.understands, errors.does_not_understand) <= 0.05 + SLACK


@pytest.mark.slow
def test_the_judge_saves_most_where_the_score_is_near_the_grade_and_costs_little_elsewhere() -> None:
    near_grade = grades_needed(0.75, 0.2, 9, runs=200, looks=2_000)
    assert near_grade.both < 0.55 * near_grade.people
    far = grades_needed(0.9, 0.2, 9, runs=200, looks=300)
    assert far.both <= far.people + 5


def test_wrong_verdicts_are_rare_in_a_small_study_that_can_tell() -> None:
    errors = error_rates(PredictedScoresCase("generous judge", two_point, near(0.4, 0.2), 4), runs=60)
    # 60 runs at 5%: nine errors or more have a chance of .3% (binomial), and the seed is fixed
    assert max(errors.understands, errors.does_not_understand) < 9 / 60
    assert errors.judge_for_people == 1.0
    assert errors.liked_best > 0.9


def test_whole_runs_at_once_are_the_same_as_answer_by_answer() -> None:
    rng = np.random.default_rng(3)
    x = two_point(rng, 0.9, (100, 5))
    g = near(0.1, 0.3)(rng, x)
    at_once, one_by_one = (PredictedSequentialTest(CRITERION, further=4) for _ in range(2))
    at_once.predict(g[:, -1], g[:, :-1].mean(axis=1))
    at_once.update(x[:, -1], np.zeros(100))
    for scores, judged in zip(x, g, strict=True):
        one_by_one.predict(judged[-1], judged[:-1].mean())
        if one_by_one.update(scores[-1], 0.0) is not Verdict.UNDECIDED:
            break
    assert (at_once.verdict, at_once.n) == (one_by_one.verdict, one_by_one.n)
    assert at_once.verdict is Verdict.PASS
    assert at_once.estimate == pytest.approx(one_by_one.estimate)
    assert at_once.score_bounds(0.05) == pytest.approx(one_by_one.score_bounds(0.05))
