"""Wrong verdicts where replies cannot be read: as rare as promised, whatever decides which."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.validity.error_studies import slack
from tests.validity.unreadable import (
    ALL_READ,
    GRADE,
    STUDIES,
    Errors,
    Readability,
    UnreadRepliesCase,
    endless,
    finite,
    naive_judge,
    questions,
    verdicts,
)
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest

RUNS = 1_000
SLACK = slack(RUNS)
_VERDICT = {1: Verdict.PASS, -1: Verdict.FAIL, 0: Verdict.UNDECIDED}


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_neither_verdict_is_wrong_more_often_than_promised(study: Callable[[int], Errors]) -> None:
    errors = study(RUNS)
    assert max(errors.values()) <= 0.05 + SLACK
    assert errors["0%"] > 0
    assert errors["100%"] <= 0.05 + SLACK


@pytest.mark.long
def test_wrong_verdicts_are_rare_in_a_small_study() -> None:
    # 200 runs at 5%: twenty errors or more have a chance of .3% (binomial), and the seed is fixed
    for errors in (endless(200), finite(50, 200)):
        assert max(errors.values()) < 20 / 200
        assert errors["100%"] == 0


def test_a_number_in_place_of_a_missing_prediction_is_no_better_than_a_guess() -> None:
    # why predictions have ends: an adversary that hides those of people's answers would win every time
    assert naive_judge(20) > 0.9


@pytest.mark.slow
def test_what_unread_replies_cost() -> None:
    assert questions(0.0, runs=500) == pytest.approx(27, abs=2)  # as docs/validity.md has it without any
    # half as many again; on average no valid test needs fewer than ln 20 / K = 46 for lower ends of mean .9 * .95 = .855
    assert questions(0.05, runs=2_000) <= 1.5 * 27
    # what is wrong anyway costs nothing if it cannot be read
    rng = np.random.default_rng(0)
    x = (rng.random(400) < 0.9).astype(float)
    hidden = (x == 0) & (rng.random(400) < 0.5)
    unread, read = (SequentialTest(Criterion(GRADE, None)) for _ in range(2))
    read.update(x, np.zeros(400))
    unread.update(np.where(hidden, 0.0, x), np.zeros(400), upper=np.where(hidden, 1.0, x))
    assert (unread.verdict, unread.n) == (read.verdict, read.n)


@pytest.mark.parametrize("runs", [10, pytest.param(40, marks=pytest.mark.long)])
@pytest.mark.parametrize("population", [None, 60])
@pytest.mark.parametrize("readability", [ALL_READ, Readability("at random", 0.2), Readability("in its favour", 0.3)])
def test_the_study_runs_what_the_examination_runs(readability: Readability, population: int | None, runs: int) -> None:
    worth = (np.random.default_rng(4).random((runs, 60, 1)) < 0.6).astype(float)
    [values] = verdicts((UnreadRepliesCase(worth, population=population),), readability, np.random.default_rng(5))
    hidden = np.empty(worth.shape, dtype=bool)
    rng, nothing = np.random.default_rng(5), np.zeros(runs)
    for t in range(60):  # these ways do not look at the evidence
        hidden[:, t] = readability.hides(worth[:, t], rng, passing=nothing, failing=nothing)
    low, high = (np.where(hidden, end, worth)[..., 0] for end in (0.0, 1.0))
    for run in range(runs):
        test = SequentialTest(Criterion(GRADE, None), population=population)
        test.update(low[run], np.zeros(60), upper=high[run])
        ended_open = test.over and test.verdict is Verdict.UNDECIDED and test.n < 60
        assert ended_open or test.verdict is _VERDICT[int(values[run])]
