"""What a history saves, and that it is wrong no more often than promised, whatever it is worth."""

from __future__ import annotations

import numpy as np
import pytest

from tests.validity import history_compared
from tests.validity.error_studies import DELTA, RecordedAnswers, data_folder
from tests.validity.history import BOUNDARY, CHOICES, Boundary, bound, examined, rates, saved
from tests.validity.history_shuffled import first_verdicts
from vivavoce.certificate.claims.claim import Verdict
from vivavoce.certificate.design.history import share_of_others

RUNS = 1_000


@pytest.fixture
def recorded() -> RecordedAnswers:
    folder = data_folder()
    return RecordedAnswers.read(folder)


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("case", [pytest.param(boundary, id=boundary.name) for boundary in BOUNDARY])
def test_wrong_verdicts_are_as_rare_as_promised(case: Boundary) -> None:
    runs = RUNS if case.unread is None else RUNS // 4  # those are not made in arrays
    assert max(rates(case, 0.5, runs=runs)) <= bound(DELTA, runs)


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("case", [pytest.param(equals, id=equals.name) for equals in history_compared.EQUALS])
def test_equals_are_told_apart_as_rarely_as_promised(case: history_compared.EqualCandidates) -> None:
    assert history_compared.wrong(case, runs=RUNS) <= bound(DELTA, RUNS)


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.data
def test_it_saves_questions_on_recorded_models_and_costs_few_where_it_is_worthless(recorded: RecordedAnswers) -> None:
    some = ("law", "math", "psychology")  # of all models: of fewer, one long examination decides
    known = saved(recorded, CHOICES["all others"], 0.5, strict=True, categories=some)
    assert known.total < -0.1
    assert known.wrong == 0
    assert saved(recorded, CHOICES["worthless"], 0.5, strict=True, categories=some).total < 0.03


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.data
def test_a_baseline_on_record_saves_questions_on_recorded_models(recorded: RecordedAnswers) -> None:
    without, known = history_compared.saved(recorded, pairs=20, own=True).sum(axis=0)
    assert known < 0.9 * without


def test_a_small_study_that_can_tell() -> None:
    # a test that took the history's word would be wrong always; 200 runs at 5%: 20 or more have a chance of .3% (binomial),
    # and the seed is fixed
    for name in ("the answers themselves", "their opposite"):
        case = next(boundary for boundary in BOUNDARY if boundary.name == name)
        assert max(rates(case, 0.5, runs=200, size=30)) < 20 / 200


@pytest.mark.parametrize("grade", [0.4, 0.7])
def test_another_program_gives_the_same_verdicts_after_as_many_questions(grade: float) -> None:
    rng = np.random.default_rng(1)
    for case in range(6):
        right = (rng.random(60) < rng.uniform(0.2, 0.9)).astype(float)
        history = np.abs(right[:, None] - (rng.random((60, 5)) < (0.2, 0.5, 0.8)[case % 3])) if case else np.ones((60, 2))
        order = rng.permutation(60)
        until, which = first_verdicts(
            right[None, order], share_of_others(history)[None, order], history.mean(axis=0)[None], grade, DELTA
        )
        n, verdict = examined(right, right, grade, order, history)
        assert (int(until[0]), int(which[0])) == (n, 1 if verdict is Verdict.PASS else -1)


def test_a_history_that_knows_all_shows_it_in_a_fraction_of_the_questions() -> None:
    rng = np.random.default_rng(0)
    right = (np.arange(400) < 240).astype(float)
    order = rng.permutation(400)
    plain, verdict = examined(right, right, 0.5, order, None)
    known, same = examined(right, right, 0.5, order, right[:, None].repeat(5, axis=1))
    assert (verdict, same) == (Verdict.PASS, Verdict.PASS)
    assert known < plain / 2
