"""What other programs print for two runs, beside ours: the figures are theirs, and looked at often they err as is known."""

from __future__ import annotations

import os
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import sem, ttest_rel

from tests.validity.peers import (
    CASES,
    DELTA,
    MOST,
    PeerCase,
    drawn_pairs,
    mean_and_error,
    paired,
    rates,
    recorded,
    wrong_of_recorded,
)

RUNS = 1_000
NOISE = 4 * sqrt(DELTA * (1 - DELTA) / RUNS)
"""Four standard errors at 5%."""


def test_the_figures_are_those_of_the_textbook() -> None:
    """By scipy: the standard error of a run, and the paired t test."""
    first, second = CASES[3].draw(np.random.default_rng(1), 20, 400)
    looks = np.array([50, 400])
    _, errors = mean_and_error(first, looks)
    assert errors[:, 1] == pytest.approx(sem(first, axis=1))
    values = paired(first, second, looks)
    for index, n in enumerate(looks):
        tested = ttest_rel(first[:, :n], second[:, :n], axis=1)
        assert (values[:, index] == np.where(tested.pvalue < DELTA, np.sign(tested.statistic), 0)).all()


def test_the_standard_error_is_the_one_that_inspect_prints() -> None:
    """By the program's own metrics, on the same scores."""
    scorer = pytest.importorskip("inspect_ai.scorer")
    first, _ = CASES[1].draw(np.random.default_rng(6), 5, 400)
    means, errors = mean_and_error(first, np.array([50, 400]))
    for run, scores in enumerate(first):
        for index, n in enumerate((50, 400)):
            samples = [scorer.SampleScore(score=scorer.Score(value=float(score))) for score in scores[:n]]
            assert means[run, index] == pytest.approx(scorer.mean()(samples))
            assert errors[run, index] == pytest.approx(scorer.stderr()(samples))


def test_the_standard_error_is_the_one_that_lm_evaluation_harness_prints() -> None:
    """Written out as its `mean_stderr` is: the deviation of the sample over the root of n. It is not installed here."""
    first, _ = CASES[1].draw(np.random.default_rng(7), 5, 300)
    _, errors = mean_and_error(first, np.array([300]))
    for run, scores in enumerate(first.tolist()):
        mu = sum(scores) / len(scores)
        deviation = sqrt(sum((score - mu) ** 2 for score in scores) / (len(scores) - 1))
        assert errors[run, 0] == pytest.approx(deviation / sqrt(len(scores)))


def test_the_cases_are_what_they_say() -> None:
    for case in CASES:
        first, second = case.draw(np.random.default_rng(2), 200)
        assert first.mean() == pytest.approx(0.8, abs=0.01)
        assert (first - second).mean() == pytest.approx(case.drop, abs=0.005)
        assert (first != second).mean() == pytest.approx(case.discordant, abs=0.005)
    for case in (CASES[1], CASES[3]):
        first, second = case.draw(np.random.default_rng(3), 200)
        assert np.corrcoef(first.ravel(), second.ravel())[0, 1] == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES[:2]])
def test_looked_at_often_only_betting_keeps_its_promise(case: PeerCase) -> None:
    values = rates(*case.draw(np.random.default_rng(4), RUNS))
    assert values["paired"].fixed == pytest.approx(DELTA, abs=NOISE)
    assert values["paired"].often > 3 * DELTA
    assert values["betting"].often <= DELTA + NOISE
    if case is CASES[0]:
        assert values["unpaired"].fixed < 0.01  # it sees twice the spread that there is
    else:
        assert values["unpaired"].often > 3 * DELTA


def test_a_drop_is_found_by_all_and_never_the_other_way_round() -> None:
    values = rates(*CASES[2].draw(np.random.default_rng(5), RUNS))
    assert values["betting"].often > 0.9
    assert all(entry.opposite == 0 for entry in values.values())
    assert values["betting"].fixed > values["unpaired"].fixed


@pytest.mark.slow
@pytest.mark.data
def test_so_it_is_with_recorded_models() -> None:
    folder = os.environ.get("VIVA_DATA")
    if not folder or not (Path(folder) / "mmlu_pro").is_dir():
        pytest.skip("$VIVA_DATA does not name a folder with mmlu_pro/")
    scores = recorded(Path(folder))
    first, second, _ = drawn_pairs(scores, times=4, equal=True)
    assert first.shape[1] == MOST
    values = rates(first, second)
    assert values["paired"].often > 3 * DELTA
    assert values["betting"].often <= DELTA + 4 * sqrt(DELTA * (1 - DELTA) / len(first))
    wrong = wrong_of_recorded(*drawn_pairs(scores, times=4, equal=False))
    assert wrong["betting"][0] < wrong["paired"][0]
