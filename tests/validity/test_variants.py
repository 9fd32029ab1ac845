"""Ways to ask: how often intervals hold the planted difference, and how often one that does nothing is said to do something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from tests.validity.error_studies import slack
from vivavoce.studies.comparisons import SubjectComparison, adjusted
from vivavoce.studies.forecasting.counting import by_law, comparisons_of
from vivavoce.studies.forecasting.forecast_files import Row
from vivavoce.studies.forecasting.scoring import score_each

pytestmark = [pytest.mark.slow, pytest.mark.study]

RUNS, TUPLES = 400, 60
LEAST = 0.92
"""Of the runs; 95% less three standard errors of 400 runs would be 91.7%."""
SPREAD = 0.12
LAWS = ("neg", "paraphrase", "bayes")
SHIFTS = {"plain": 0.3, "better": 0.18, "worse": 0.42}
"""By how much the sum of P and not P lies above 1, before the noise, which is cut at twice its deviation."""


def forecasts(law: str, excess: float) -> dict[str, float]:
    """A tuple whose metric is |excess| by hand."""
    match law:
        case "neg":
            return {"P": 0.75, "not_P": 0.25 + excess}
        case "paraphrase":
            return {"P": 0.4, "para_P": 0.4 + excess}
    # the root of |(P given Q) Q - (Q given P) P|, with Q = P = 1
    return {"P": 1.0, "Q": 1.0, "P_given_Q": excess**2, "Q_given_P": 0.0}


def noise(rng: np.random.Generator, size: int) -> np.ndarray:
    return np.clip(rng.normal(0, SPREAD, size), -2 * SPREAD, 2 * SPREAD)


def run(seed: int, shifts: dict[str, float], laws: Sequence[str] = LAWS) -> tuple[SubjectComparison, ...]:
    """Each tuple has a difficulty of its own, common to all ways; each way adds noise of its own."""
    rng = np.random.default_rng(seed)
    rows = []
    for law in laws:
        common = noise(rng, TUPLES) / 3
        for variant, shift in shifts.items():
            excess = np.clip(shift + common + noise(rng, TUPLES) / 3, 0.0, 0.58)
            rows += [Row(variant, law, forecasts(law, float(value)), str(n)) for n, value in enumerate(excess)]
    first, *others = shifts
    pairs = [(variant, first) for variant in others]
    return adjusted(comparisons_of(by_law(score_each(rows)), pairs, rng=np.random.default_rng(seed))[1])


def test_intervals_hold_the_planted_difference() -> None:
    held, words = Counter[tuple[str, str]](), Counter[str]()
    for seed in range(RUNS):
        for comparison in run(seed, SHIFTS):
            held[comparison.first, comparison.treatment] += (
                SHIFTS[comparison.first] - SHIFTS["plain"] in comparison.difference.interval
            )
            words[comparison.first, comparison.verdict] += 1  # type: ignore[index]
    print(dict(held), dict(words))
    assert len(held) == 2 * len(LAWS)
    assert min(held.values()) >= LEAST * RUNS, held


def test_a_way_that_does_nothing_is_seldom_said_to_do_something() -> None:
    """Any wrong word among six comparisons: at most 5% of runs, plus three standard errors."""
    wrong = sum(
        any(comparison.verdict in ("better", "worse") for comparison in run(seed, {"plain": 0.3, "same": 0.3, "too": 0.3}))
        for seed in range(RUNS)
    )
    print(wrong)
    assert wrong <= RUNS * (0.05 + slack(RUNS))
