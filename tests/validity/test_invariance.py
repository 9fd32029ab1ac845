"""Flip rates of planted candidates: how often intervals hold them, and how often a certificate at the limit is wrong."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.consistency.invariance.planted import Planted, examined, scope
from vivavoce.consistency.invariance.config import InvarianceConfig

RUNS, QUESTIONS = 400, 80
PREFERS_A, GERMAN, NOISE = 0.15, 0.3, 0.05
LEAST = 0.92
"""Of the runs; 95% less three standard errors of 400 runs would be 91.7%."""
BOTH = InvarianceConfig(vary=("order", "translate:de"), questions=QUESTIONS)


def truths() -> dict[str, float]:
    """By hand: each ask says its favourite with probability a, and each of the three others with probability b."""
    a, b = 1 - NOISE + NOISE / 4, NOISE / 4
    same, other = 1 - (a * a + 3 * b * b), 1 - (2 * a * b + 2 * b * b)
    rates = {"order": PREFERS_A * other + (1 - PREFERS_A) * same, "control": same}
    # who prefers A holds to what A is in the original when it is asked in German, unless it is another one there
    rates["translate:de"] = GERMAN * other + (1 - GERMAN) * same
    return rates | {f"excess of {name}": rates[name] - same for name in ("order", "translate:de")}


@pytest.mark.slow
@pytest.mark.study
def test_intervals_hold_the_planted_rates() -> None:
    true, held = truths(), Counter[str]()
    for run in range(RUNS):
        who = Planted(PREFERS_A, GERMAN, NOISE, seed=run)
        found = examined(who, scope(QUESTIONS, f"-{run}"), BOTH, in_german=True)
        held["control"] += true["control"] in found.control.interval
        for row in found.kinds:
            held[row.name] += true[row.name] in row.rate.interval
            held[f"excess of {row.name}"] += true[f"excess of {row.name}"] in row.excess.interval
    print(dict(held))
    assert set(held) == set(true)
    assert min(held.values()) >= LEAST * RUNS, held


@pytest.mark.slow
@pytest.mark.study
def test_a_certificate_at_the_limit_is_seldom_wrong() -> None:
    """Planted at the limit itself, "not robust" is wrong, and "robust" is for one that flips by next to nothing more."""
    config = InvarianceConfig(
        vary=("order", "translate:de"), questions=QUESTIONS, flip_limit=1 - (1 - PREFERS_A) * (1 - GERMAN)
    )
    verdicts = Counter[str]()
    for run in range(RUNS):
        found = examined(Planted(PREFERS_A, GERMAN), scope(QUESTIONS, f"-limit-{run}"), config, in_german=True)
        assert found.robustness is not None
        verdicts[found.robustness.verdict] += 1
    print(dict(verdicts))
    highest = RUNS * 0.05 + 3 * (RUNS * 0.05 * 0.95) ** 0.5
    assert max(verdicts["robust"], verdicts["not robust"]) <= highest, verdicts
