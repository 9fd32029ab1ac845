"""A candidate that ends the program, or knows the draws of a seed, gains nothing by it."""

from math import sqrt

import pytest

from tests.validity.orphans import KNOWN, QUESTIONS, WAYS, leaked, orphans, second_tries
from tests.validity.unreadable import Readability, name_of

RUNS = 1_000
SLACK = 3 * sqrt(0.05 * 0.95 / RUNS)
"""Three standard errors."""


@pytest.mark.slow
@pytest.mark.parametrize("readability", WAYS, ids=map(name_of, WAYS))
def test_orphans_make_no_verdict_wrong_more_often(readability: Readability) -> None:
    assert max(orphans(RUNS, readability=readability)) <= 0.05 + SLACK


def test_wrong_answers_that_become_orphans_gain_nothing() -> None:
    # 200 runs: twenty errors of 5% or more have a chance of .3%
    assert max(orphans(200, readability=Readability("in its favour", 0.25), looks=120)) < 20 / 200
    # a second try for each wrong answer makes .75 of .5, which passes against .7
    assert second_tries(100, 1.0) > 0.5


def test_known_draws_help_with_that_seed_alone() -> None:
    assert leaked(1, right=KNOWN, known_seed=True, looks=KNOWN) == 1
    assert leaked(200, right=KNOWN, known_seed=False, looks=KNOWN) == 0


@pytest.mark.slow
def test_known_draws_pass_as_rarely_as_any_others() -> None:
    assert leaked(RUNS, right=int(0.7 * QUESTIONS) - 1, known_seed=False) <= 0.05 + SLACK
