"""Lists that were made of the answers on record show nothing."""

from math import sqrt

import pytest

from tests.validity.selected import CLAIMS, DELTA, Choice, Claim, share_wrong

RUNS = 2_000
SLACK = 3 * sqrt(DELTA * (1 - DELTA) / RUNS)
"""Three standard errors."""


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("choice", ["by answers", "by lot"])
@pytest.mark.parametrize("claim", CLAIMS)
def test_each_wrong_verdict_is_as_rare_as_promised(claim: Claim, choice: Choice) -> None:
    assert share_wrong(claim, choice, runs=RUNS) <= DELTA + SLACK
