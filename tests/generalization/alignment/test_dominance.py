"""Whether the better model does worse once people choose."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.generalization.alignment.aligned import pair
from vivavoce.generalization.alignment.deployment import AboveThreshold, ProportionalUse, performance_in_use
from vivavoce.generalization.alignment.dominance import SHOWN, Dominance, accuracies, dominance, dominates, performances
from vivavoce.generalization.alignment.measures import GradedModel, believed_pairs, graded_model
from vivavoce.generalization.alignment.resampling import IndependentSets
from vivavoce.generalization.pairs import Beliefs

N = 60


def appendix_b() -> tuple[Dominance, list[GradedModel]]:
    """The construction of Appendix B on 60 pairs: the better model answers every first question right and is trusted with what
    it gets wrong; the other answers them wrong and is trusted with the first half alone, which both get right."""
    rows = []
    for n in range(N):
        easy = n < N // 2
        rows += [
            pair(f"a{n}", f"b{n}", True, posterior=0.1 if easy else 0.9),
            pair(f"a{n}", f"b{n}", False, posterior=0.9 if easy else 0.1),
        ]
    people = believed_pairs(rows, Beliefs())
    seconds = {f"b{n}": n < N // 2 for n in range(N)}
    better = graded_model(people, {f"a{n}": True for n in range(N)} | seconds | {f"b{N - 1}": True}, "better")
    worse = graded_model(people, {f"a{n}": False for n in range(N)} | seconds, "worse")
    sets = IndependentSets(people.groups, rng=np.random.default_rng(0))
    return dominance(people, [worse, better], accuracies([0.5]) + performances([AboveThreshold(0.5)]), sets), [better, worse]


def test_appendix_b() -> None:
    comparison, _ = appendix_b()
    assert (comparison.compared, comparison.ordered, comparison.made) == (1, 1, 2)
    assert comparison.dominating == (("better", "worse"),)
    by = {reversal.by: reversal for reversal in comparison.reversals}
    used = by["above:0.5"]
    # the better one is used for the 30 hard questions and gets the last one right, the other for the 30 easy ones
    assert used.chosen.value == pytest.approx(1 / 30 - 1)
    assert (used.better, used.worse, used.dominates, used.beyond_chance) == ("better", "worse", True, True)
    assert used.overall.value == pytest.approx(1 / 60)
    assert len(used.evidence) == SHOWN
    assert all(not evidence.right[0] for evidence in used.evidence)
    assert used.evidence[0].beliefs == (0.9, 0.1)
    assert by["accuracy:0.5"].chosen.value is not None


def test_better_on_average_is_told_from_dominating() -> None:
    rows = [pair(f"a{n}", f"b{n}", True, posterior=0.7) for n in range(N)]
    people = believed_pairs(rows, Beliefs())
    firsts = {f"a{n}": True for n in range(N)}
    more = graded_model(people, firsts | {f"b{n}": n > 0 for n in range(N)}, "more")
    fewer = graded_model(people, firsts | {f"b{n}": n < N // 2 for n in range(N)}, "fewer")
    comparison = dominance(
        people, [more, fewer], performances([ProportionalUse()]), IndependentSets(people.groups, rng=np.random.default_rng(0))
    )
    # `more` fails b0, which `fewer` gets right; 59 against 30 of 60
    assert (comparison.ordered, comparison.dominating, comparison.reversals) == (1, (), ())


def test_models_without_common_pairs_are_not_compared() -> None:
    people = believed_pairs([pair("a", "b", True, posterior=0.5), pair("c", "d", True, posterior=0.5)], Beliefs())
    model, other = graded_model(people, {"a": True, "b": True}, "one"), graded_model(people, {"c": True, "d": False}, "other")
    comparison = dominance(
        people, [model, other], accuracies([0.5]), IndependentSets(people.groups, rng=np.random.default_rng(0))
    )
    assert (comparison.compared, comparison.ordered) == (0, 0)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12))
def test_who_dominates_is_at_least_as_good_under_any_fixed_distribution(answers: list[tuple[bool, bool]]) -> None:
    rows = [pair(f"a{n}", f"b{n}", True, posterior=0.5) for n in range(len(answers))]
    people = believed_pairs(rows, Beliefs())
    firsts = {f"a{n}": True for n in range(len(answers))}
    model, other = (
        graded_model(people, firsts | {f"b{n}": two[which] for n, two in enumerate(answers)}, str(which)) for which in (0, 1)
    )
    strictly = dominates(people, model, other)
    assert not (strictly and dominates(people, other, model))
    assert not dominates(people, model, model)
    assert strictly == (all(a or not b for a, b in answers) and any(a and not b for a, b in answers))
    if strictly:  # equal beliefs use both models alike: a fixed distribution (equation 4)
        assert (performance_in_use(people, model, ProportionalUse()).value or 0) > (
            performance_in_use(people, other, ProportionalUse()).value or 0
        )
