"""How often 95% intervals of differences between arms hold the true difference, in surveys of synthetic participants.

Fixed before any run: 400 surveys of 120 participants in four arms, seed 2026, and at least 92% of the intervals of each arm and
measure hold the truth (an interval of 95% falls below that in 400 surveys with a chance of about 0.4%).

    python -m tests.validity.test_arms [--surveys 400] [--people 120]
"""

from __future__ import annotations

import argparse

import numpy as np
import pytest

from tests.generalization.survey.simulated_arms import EFFECTS, simulated_survey, true_difference
from vivavoce.generalization.survey.arm_effects import MEASURES, arm_figures

pytestmark = [pytest.mark.slow, pytest.mark.study]

SURVEYS, PEOPLE, SEED, LEAST = 400, 120, 2026, 0.92


def coverage(surveys: int = SURVEYS, people: int = PEOPLE, seed: int = SEED) -> dict[tuple[str, str], float]:
    """By arm and measure the share of surveys whose interval holds the true difference."""
    rng = np.random.default_rng(seed)
    held = {(arm, measure): 0 for arm in EFFECTS if arm != "plain" for measure in MEASURES}
    for _ in range(surveys):
        for figures in arm_figures(simulated_survey(people, rng))[1:]:
            for measure in MEASURES:
                held[figures.arm, measure] += (
                    true_difference(EFFECTS[figures.arm], measure) in figures.differences[measure].interval
                )
    return {key: number / surveys for key, number in held.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--surveys", type=int, default=SURVEYS)
    parser.add_argument("--people", type=int, default=PEOPLE)
    given = parser.parse_args()
    print("| arm | measure | true difference | intervals that hold it |\n| --- | --- | --- | --- |")
    for (arm, measure), share in coverage(given.surveys, given.people).items():
        truth = true_difference(EFFECTS[arm], measure)  # type: ignore[arg-type]
        print(f"| {arm} | {measure} | {truth:+.3f} | {share:.1%} |", flush=True)


def test_intervals_hold_what_is_true() -> None:
    values = coverage()
    assert min(values.values()) >= LEAST, values


if __name__ == "__main__":
    main()
