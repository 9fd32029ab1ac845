"""Seeded error rates of strata, finite scopes, weights and clusters: 4,000 runs each, looked at after every answer."""

from collections.abc import Callable
from itertools import islice
from math import sqrt

import numpy as np
import pytest

from tests.validity.design_error_rates import GRADE, LIMIT, MASSES, SCORES, STUDIES, Errors, ever
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.stratified import StratifiedSequentialTest
from vivavoce.statistics.stratified import mean_above_in_strata, proportional

RUNS = 4_000
SLACK = 3 * sqrt(0.05 * 0.95 / RUNS)
"""Three standard errors."""


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.__name__)
def test_wrong_verdicts_are_as_rare_as_promised(study: Callable[[int, np.random.Generator], Errors]) -> None:
    errors = study(RUNS, np.random.default_rng(0))
    # what is not allowed for errs ten times as often as it says: the study can tell
    assert errors.pop("clusters, copies counted one by one", 1.0) > 0.3
    assert max(errors.values()) <= 0.05 + SLACK
    assert max(errors.values()) > 0


def test_the_study_runs_what_the_examination_runs() -> None:
    order = np.array(list(islice(proportional(MASSES), 200)))
    right = (np.random.default_rng(1).random(200) < np.array(SCORES)[order]).astype(float)
    test = StratifiedSequentialTest(Criterion(GRADE, LIMIT), MASSES)
    for score, stratum in zip(right, order, strict=True):
        if test.update(score, 0.0, stratum) is not Verdict.UNDECIDED:
            break
    expected = mean_above_in_strata(GRADE, MASSES).update(right[None, : test.n], order[: test.n])
    assert test.log_evidence.score_pass[-1] == pytest.approx(expected[0, -1])
    assert ever(expected) == (test.verdict is Verdict.PASS)
