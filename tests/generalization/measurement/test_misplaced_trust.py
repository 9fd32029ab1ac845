"""Misplaced trust, by hand and planted."""

from __future__ import annotations

import numpy as np
import pytest

from tests.generalization.alignment.aligned import answers, pair, world
from vivavoce.formats.interval import Interval
from vivavoce.generalization.alignment.measures import believed_pairs, graded_model
from vivavoce.generalization.alignment.resampling import IndependentSets
from vivavoce.generalization.answers import GradedAnswers
from vivavoce.generalization.config import AlignConfig, MeasureConfig
from vivavoce.generalization.measurement.measured_candidates import MeasuredCandidate
from vivavoce.generalization.measurement.measurement import measure
from vivavoce.generalization.measurement.misplaced_trust import MisplacedTrust, misplaced_trust
from vivavoce.generalization.pairs import BeliefPair, Beliefs


def trust_of(pairs: list[BeliefPair], grades: dict[str, bool], most: int = 9) -> MisplacedTrust:
    people = believed_pairs(pairs, Beliefs())
    sets = IndependentSets(people.groups, rng=np.random.default_rng(0))
    return misplaced_trust(people, [graded_model(people, grades, "m")], Beliefs(), sets, threshold=0.5, most=most)


def test_shares_and_cost_by_hand() -> None:
    """Of four pairs trust rises on three, and two of these are mistakes, believed with .9 and .7: at .5 they cost .4 a pair."""
    pairs = [
        pair("a", "b", True, prior=0.5, posterior=0.9),
        pair("c", "d", True, prior=0.5, posterior=0.7),
        pair("e", "f", True, prior=0.5, posterior=0.8),
        pair("g", "h", True, prior=0.5, posterior=0.4),
    ]
    grades = {"a": True, "b": False, "c": True, "d": False, "e": True, "f": True, "g": True, "h": False}
    trust = trust_of(pairs, grades)
    (model_trust,) = trust.models.values()
    assert model_trust.of_pairs.value == 0.5
    assert model_trust.of_trusted.value == pytest.approx(2 / 3)
    assert model_trust.cost.value == pytest.approx(0.5 * (0.9 + 0.7) / 4)
    assert [(m.pair.q1, m.before, m.after.value, m.people) for m in trust.pairs] == [("a", 0.5, 0.9, 1), ("c", 0.5, 0.7, 1)]
    assert trust.found == 2
    assert len(trust_of(pairs, grades, most=1).pairs) == 1
    assert trust_of(pairs, grades, most=1).found == 2


def test_a_wrong_answer_and_what_was_not_answered_are_no_trust() -> None:
    pairs = [pair("a", "b", False, prior=0.5, posterior=0.9), pair("c", "d", True, prior=0.5, posterior=0.9)]
    trust = trust_of(pairs, {"a": False, "b": False, "c": True})
    assert trust.found == 0
    assert trust.models["m"].of_trusted.value is None


def test_several_people_have_a_mean_with_students_interval() -> None:
    """Mean .7 of .6, .7 and .8: t(2, .975) = 4.302653, s = .1."""
    pairs = [pair("a", "b", True, prior=0.5, posterior=b, person=str(b)) for b in (0.6, 0.7, 0.8)]
    (misplaced_pair,) = trust_of(pairs, {"a": True, "b": False}).pairs
    assert misplaced_pair.after.value == pytest.approx(0.7)
    assert misplaced_pair.people == 3
    half = 4.302653 * 0.1 / 3**0.5
    assert misplaced_pair.after.interval.lower == pytest.approx(0.7 - half)
    assert misplaced_pair.after.interval.upper == pytest.approx(0.7 + half)
    alone = trust_of(pairs[:1], {"a": True, "b": False}).pairs[0]
    assert alone.after.interval == Interval(0, 1)


def planted(rng: np.random.Generator) -> tuple[list[BeliefPair], GradedAnswers]:
    """Three models, of which one is wrong exactly on the tenth that people trust most."""
    pairs, grades = world(100, rng, skills={"steady": 0.9, "weak": 0.6, "trap": 1.0})
    after_right = sorted((entry for entry in pairs if entry.previous_correct), key=lambda entry: -(entry.pred or 0.0))
    for entry in after_right[:10]:
        grades["trap"][entry.q2] = False
    return pairs, answers(**grades)


def test_planted_trust_is_found_and_listed_first() -> None:
    pairs, graded_answers = planted(np.random.default_rng(3))
    measured = [MeasuredCandidate(name, name) for name in graded_answers.models]
    measurement = measure(pairs, graded_answers, measured, MeasureConfig(most=500), AlignConfig(thresholds=(0.5,)))
    trap = [misplaced_pair for misplaced_pair in measurement.trust.pairs if misplaced_pair.model == "trap"]
    assert len(trap) == 10
    top = measurement.trust.pairs[0]
    assert top.after.value == pytest.approx(max(misplaced_pair.after.value or 0 for misplaced_pair in measurement.trust.pairs))
    assert {misplaced_pair.pair.q2 for misplaced_pair in trap} == {
        entry.q2
        for entry in sorted((entry for entry in pairs if entry.previous_correct), key=lambda entry: -(entry.pred or 0.0))[:10]
    }
    # beliefs in its mistakes are above all beliefs in the other models' that are not about the same questions
    others = [
        misplaced_pair for misplaced_pair in measurement.trust.pairs if misplaced_pair.pair.q2 not in {t.pair.q2 for t in trap}
    ]
    assert min(misplaced_pair.after.value or 0 for misplaced_pair in trap) >= max(
        misplaced_pair.after.value or 0 for misplaced_pair in others
    )
    alone = measure(pairs, graded_answers, measured, MeasureConfig(), AlignConfig(models=("trap",), thresholds=(0.5,)))
    assert next(iter(alone.trust.models.values())).of_pairs.value == pytest.approx(0.1)
    assert "it was wrong in 10%" in alone.statement


def test_everything_is_wrong_or_right() -> None:
    pairs, grades = world(30, np.random.default_rng(1), skills={"good": 1.0, "bad": 0.0})
    measurement = measure(pairs, answers(**grades), [], MeasureConfig(), AlignConfig(thresholds=(0.5, 0.9)))
    assert measurement.trust.found == 0
    assert "no model was wrong: 0% [0, " in measurement.statement
    reverse = measure(pairs, answers(**dict(reversed(grades.items()))), [], MeasureConfig(), AlignConfig(thresholds=(0.5, 0.9)))
    assert "no model was wrong: 0% [0, " in reverse.statement  # whoever stands first
    assert {name: model.of_trusted.value for name, model in measurement.trust.models.items()} == {"good": 0.0, "bad": None}
    good = measurement.trust.models["good"]
    # none of 30 pairs is a mistake: Clopper and Pearson's upper end is 1 - .025^(1/30) = .1157
    assert good.of_pairs.interval.upper == pytest.approx(1 - 0.025 ** (1 / 30))
    assert good.cost.interval.upper == pytest.approx(0.9 * (1 - 0.025 ** (1 / 30)))
