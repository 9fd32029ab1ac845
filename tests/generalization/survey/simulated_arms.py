"""Synthetic participants of a survey with arms, whose effects are known exactly.

Each participant has a level of belief, a leaning to change it, and a chance to be moved up, all of their own; all answers of a
participant go up and down together. Levels and steps are bounded, so that no belief is cut off at 0 or 1, and what an arm adds
is what it adds on average: the true differences need no simulation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.survey.arm_effects import BeliefMeasure
from vivavoce.generalization.survey.plan import PAIRS_EACH, PLAIN, drawn_arm
from vivavoce.generalization.survey.responses import SurveyResponse

LEVEL: Final = 0.5
"""Mean first belief in the plain arm."""
STEP: Final = 0.15
"""Farthest that a belief moves, apart from what an arm adds."""
RISES: Final = 0.5
"""Mean chance that a belief rises in the plain arm."""
SHARE_RIGHT: Final = 0.6
"""Of the answers that are shown, and of second questions, each by itself."""
STOPS: Final = 0.1
"""Chance that a participant stops after some pair, whatever the arm."""


@dataclass(frozen=True, slots=True)
class ArmEffect:
    """What an arm adds: at most .1 each, in absolute value."""

    before: float = 0.0
    """To the first belief."""
    rises: float = 0.0
    """To the chance that the belief rises instead of falling."""


EFFECTS: Final[Mapping[str, ArmEffect]] = {
    PLAIN: ArmEffect(),
    "explanation": ArmEffect(rises=0.1),
    "confidence": ArmEffect(rises=-0.05),
    "card": ArmEffect(before=0.08),
}


def true_difference(effect: ArmEffect, measure: BeliefMeasure) -> float:
    """The difference from the plain arm: in a rise the belief moves `STEP` / 2 up on average, in a fall as far down.

    >>> measures = ("before", "after", "change", "misplaced_trust")
    >>> [round(true_difference(ArmEffect(rises=0.1), measure), 4) for measure in measures]
    [0.0, 0.015, 0.015, 0.024]
    """
    change = effect.rises * STEP
    misplaced = effect.rises * SHARE_RIGHT * (1 - SHARE_RIGHT)
    return {"before": effect.before, "after": effect.before + change, "change": change, "misplaced_trust": misplaced}[measure]


def simulated_survey(
    people: int, rng: np.random.Generator, *, effects: Mapping[str, ArmEffect] = EFFECTS, pairs_each: int = PAIRS_EACH
) -> list[SurveyResponse]:
    """What so many synthetic participants say, their arms drawn as the site draws them; a few stop on the way.

    >>> pairs = simulated_survey(8, np.random.default_rng(0))
    >>> sorted({pair.arm for pair in pairs}), max(len([pair for pair in pairs if pair.pair.person == "p0"]), 1) <= 15
    (['card', 'confidence', 'explanation', 'plain'], True)
    """
    seed = int(rng.integers(0, 2**31))
    responses: list[SurveyResponse] = []
    for number in range(people):
        arm = drawn_arm(tuple(effects), seed, number)
        responses += _person(number, arm, effects[arm], pairs_each, rng)
    return responses


def _person(number: int, arm: str, effect: ArmEffect, pairs_each: int, rng: np.random.Generator) -> list[SurveyResponse]:
    level = LEVEL + effect.before + rng.uniform(-0.1, 0.1)
    rises = RISES + effect.rises + rng.uniform(-0.4, 0.4)
    count = pairs_each if rng.random() >= STOPS else int(rng.integers(1, pairs_each + 1))
    responses = []
    for index in range(count):
        first, second = rng.random(2) < SHARE_RIGHT
        before = level + rng.uniform(-0.1, 0.1)
        step = rng.uniform(0, STEP) * (1 if rng.random() < rises else -1)
        pair = BeliefPair(
            f"shown {index}",
            f"asked {index}",
            "simulated",
            "simulated",
            previous_correct=bool(first),
            person=f"p{number}",
            prior=before,
            posterior=before + step,
        )
        responses.append(SurveyResponse(pair, arm, second_correct=bool(second)))
    return responses
