"""What a gate between two candidates that may answer differently each time will take, before anything is asked."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np

from vivavoce.certificate.attempts import delta_of
from vivavoce.formats.wording import count, percent, score
from vivavoce.statistics.differences import DifferenceTests

RUNS, MOST = 100, 10_000
"""Simulated gates, and questions of each at most."""
ASSUMED: Final = 0.3
"""Share of the drawn questions that one of two has right and the other wrong: two models that are right four times of five each
differ on 32%, if their answers to a question do not depend on each other."""
_BLOCK: Final = 128


@dataclass(frozen=True, slots=True)
class GateForecast:
    """How simulated gates end at one difference."""

    difference: float
    """Of the mean scores, new minus baseline."""
    decided: float
    """Share of the gates with a verdict within the budget."""
    median: int | None
    """Questions until the verdict; None where fewer than half have one."""
    mean: float
    """Questions of each until the end, whatever it is."""


@dataclass(frozen=True, slots=True)
class GatePlan:
    """What is expected where the new one is as good, and where it is worse by the margin."""

    margin: float
    questions: int
    """Drawn at most."""
    equal: GateForecast
    worse: GateForecast

    @property
    def words(self) -> str:
        """What to expect, in sentences."""
        told = [_told("if both are equally good", self.equal), _told(f"if NEW is worse by {score(self.margin)}", self.worse)]
        return (
            "At least one of the two may answer differently each time, so questions are drawn with replacement and answered "
            f"afresh. Expected for each candidate, at most {count(self.questions)} questions: {'; '.join(told)}."
        )


def plan_gate(margin: float, delta: float, questions: int, *, discordance: float = ASSUMED) -> GatePlan:
    """Simulate gates, first attempts, by the tests of `gate`.

    questions: at most so many of each; of more than 10,000 so many are simulated.
    discordance: share of the questions that one of the two has right and the other wrong.

    >>> plan = plan_gate(0.1, 0.05, 500)
    >>> plan.equal.decided > 0.5, plan_gate(0.1, 0.05, 50).equal.decided < 0.2
    (True, True)
    """
    most = min(MOST, questions)
    found = [_forecast(drop, margin, delta_of(delta, 1), most, max(discordance, margin)) for drop in (0.0, margin)]
    return GatePlan(margin, most, *found)


def _forecast(drop: float, margin: float, delta: float, most: int, discordance: float) -> GateForecast:
    rng = np.random.default_rng(0)
    ended = np.full(RUNS, most)
    decided, alive = np.zeros(RUNS, dtype=bool), np.arange(RUNS)
    tests, goal = DifferenceTests(np.repeat([-margin, 0.0], RUNS)), log(1 / delta)
    while tests.n < most and alive.size:
        before = tests.n
        u = rng.random((alive.size, min(_BLOCK, most - before)))
        d = np.where(u < (discordance + drop) / 2, -1.0, np.where(u < discordance, 1.0, 0.0))
        passes, fails = np.split(tests.update(np.concatenate([d, -d])) >= goal, 2)
        over = fails | passes if margin else fails
        first, is_over = over.argmax(axis=1), over.any(axis=1)
        ended[alive[is_over]] = before + 1 + first[is_over]
        decided[alive[is_over]] = True
        alive = alive[~is_over]
        tests.drop(np.tile(is_over, 2))
    median = float(np.median(np.where(decided, ended, np.inf)))
    return GateForecast(-drop, float(decided.mean()), int(median) if np.isfinite(median) else None, float(ended.mean()))


def _told(case: str, forecast: GateForecast) -> str:
    half = "" if forecast.median is None else f", half of them within {count(forecast.median)} questions"
    return f"{case}, {percent(forecast.decided)} of such gates reach a verdict{half}"
