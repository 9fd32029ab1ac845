"""Pairs and answers made by hand or by a known law, for the tests of the alignment."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vivavoce.generalization.alignment.measures import BelievedPairs, GradedModel, believed_pairs, graded_model
from vivavoce.generalization.alignment.resampling import IndependentSets
from vivavoce.generalization.pairs import BeliefPair, Beliefs, Grade, GradedAnswers


def pair(q1: str, q2: str, after: bool, **more: object) -> BeliefPair:
    """A pair of one task."""
    return BeliefPair(q1, q2, "task", "task", previous_correct=after, **more)  # type: ignore[arg-type]


def answers(**models: Mapping[str, Grade]) -> GradedAnswers:
    """Answers from one table of grades a model."""
    keys = dict.fromkeys(key for grades in models.values() for key in grades)
    names = tuple(models)
    return GradedAnswers(names, {key: tuple(models[name].get(key) for name in names) for key in keys}, {})


def seen(
    pairs: list[BeliefPair], grades: Mapping[str, Grade], beliefs: Beliefs | None = None
) -> tuple[BelievedPairs, GradedModel]:
    """What people believe and what one model did."""
    people = believed_pairs(pairs, beliefs or Beliefs())
    return people, graded_model(people, grades, "model")


def sets_of(people: BelievedPairs) -> IndependentSets:
    """Their independent sets, always drawn again in the same way."""
    return IndependentSets(people.groups, rng=np.random.default_rng(0))


def world(
    n: int, rng: np.random.Generator, *, skills: dict[str, float], each: int = 1
) -> tuple[list[BeliefPair], dict[str, dict[str, Grade]]]:
    """Pairs of new questions, both rows each, with chances of a change spread evenly; models answer with their own skill.

    With `each` above 1 so many pairs ask about the same second question.
    """
    pairs, grades = [], {name: dict[str, Grade]() for name in skills}
    for number in range(n):
        q1, q2 = f"first {number}", f"second {number // each}"
        pairs += [pair(q1, q2, after, pred=float(rng.random())) for after in (True, False)]
        for name, skill in skills.items():
            for question in (q1, q2):
                grades[name].setdefault(question, bool(rng.random() < skill))
    return pairs, grades


def expected(skill: float, alpha: float, beliefs: Beliefs) -> float:
    """The weighted accuracy that `world` tends to: beliefs depend on the first answer only, so that sums part.

    The mean belief is skill (prior + after_right) / 2 + (1 - skill)(prior + after_wrong) / 2, chances of a change being even
    on (0, 1); then (p b + alpha (1 - p)(1 - b)) / (p + alpha (1 - p)).
    """
    b = skill * (beliefs.prior + beliefs.after_right) / 2 + (1 - skill) * (beliefs.prior + beliefs.after_wrong) / 2
    return (skill * b + alpha * (1 - skill) * (1 - b)) / (skill + alpha * (1 - skill))
