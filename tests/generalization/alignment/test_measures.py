"""How well beliefs fit a model, by hand."""

from __future__ import annotations

import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.generalization.alignment.aligned import pair, seen
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.generalization.alignment.measures import (
    NEAREST,
    alpha_of,
    averages,
    believed_pairs,
    common_pairs,
    cost_per_question,
    estimate_beliefs,
    graded_model,
    narrowed,
    right_share,
    weighted_accuracy,
    weighted_cross_entropy,
)
from vivavoce.generalization.pairs import BeliefPair, Beliefs

TWO = [pair("a", "b", True, posterior=0.8), pair("a", "c", True, posterior=0.6)]


def test_two_pairs_by_hand() -> None:
    people, model = seen(TWO, {"a": True, "b": True, "c": False})
    # right with belief .8, wrong with belief .6: at alpha 1, (.8 + .4) / 2; at alpha 3, (.8 + 3 * .4) / (1 + 3)
    assert weighted_accuracy(people, model, 1).value == pytest.approx(0.6)
    assert weighted_accuracy(people, model, 3).value == pytest.approx(0.5)
    # -ln .8 - 3 ln .4, over 4
    assert weighted_cross_entropy(people, model, 3).value == pytest.approx((-math.log(0.8) - 3 * math.log(0.4)) / 4)
    # the right answer is distrusted by .2, the wrong one trusted by .6: (.2 / 4 + 3/4 * .6) / 2
    assert cost_per_question(people, model, 3).value == pytest.approx(0.25)
    assert right_share(people, model).value == 0.5
    assert (model.pairs, model.unanswered, model.unseen) == (2, 0, 0)


def test_the_row_is_the_one_after_what_the_model_really_did() -> None:
    both = [pair("a", "b", True, posterior=0.9), pair("a", "b", False, posterior=0.2)]
    for first, belief in ((True, 0.9), (False, 0.2)):
        people, model = seen(both, {"a": first, "b": True})
        assert weighted_accuracy(people, model, 1).value == pytest.approx(belief)
        assert (model.pairs, len(people.keys)) == (1, 1)
    people, model = seen(both[:1], {"a": False, "b": True})  # nobody was asked after a wrong answer
    assert weighted_accuracy(people, model, 1).value is None
    assert (model.pairs, model.unanswered, model.unseen) == (0, 0, 1)


def test_pairs_without_an_answer_are_counted_not_guessed() -> None:
    people, model = seen(TWO, {"a": True, "b": True})
    assert (model.pairs, model.unanswered, model.unseen) == (1, 1, 0)
    assert weighted_accuracy(people, model, 99).value == pytest.approx(0.8)
    assert model.shown.tolist() == [True, True]  # what it did with the first is known for both


def test_weights_count_pairs_so_many_times() -> None:
    heavy = [pair("a", "b", True, posterior=0.8, weight=3.0), TWO[1]]
    people, model = seen(heavy, {"a": True, "b": True, "c": False})
    assert weighted_accuracy(people, model, 1).value == pytest.approx((3 * 0.8 + 0.4) / 4)


def test_where_beliefs_come_from() -> None:
    rows = [
        pair("a", "b", True, posterior=0.9, pred=0.1),
        pair("a", "c", True, pred=0.5),
        pair("a", "d", False, belief_change=True),
        pair("a", "e", False, belief_change=False),
        pair("a", "f", False),
    ]
    people = believed_pairs(rows, Beliefs(0.5, 0.7, 0.2))
    # said; half way from .5 to .7; changed to .2; unchanged
    assert people.beliefs.tolist() == pytest.approx([0.9, 0.6, 0.2, 0.5])
    assert people.without == 1
    assert {str(source): number for source, number in people.sources.items()} == {
        "said by people": 1,
        "from a predicted change": 1,
        "from an observed change": 2,
    }
    with pytest.raises(NotEnoughEvidence, match="posterior, pred or belief_change"):
        believed_pairs(rows[-1:], Beliefs())


def test_a_sure_mistake_does_not_make_the_cross_entropy_infinite() -> None:
    people, model = seen([pair("a", "b", True, posterior=1.0)], {"a": True, "b": False})
    assert weighted_cross_entropy(people, model, 1).value == pytest.approx(-math.log(NEAREST))


@pytest.mark.parametrize("threshold", [0.0, 1.0, -1.0, math.nan])
def test_thresholds_lie_between_0_and_1(threshold: float) -> None:
    with pytest.raises(BadInput, match="strictly between"):
        alpha_of(threshold)


def test_two_models_are_compared_where_both_have_an_answer() -> None:
    people = believed_pairs(TWO, Beliefs())
    model, other = (
        graded_model(people, {"a": True, "b": True, "c": False}, "one"),
        graded_model(people, {"a": True, "c": True}, "other"),
    )
    shared = common_pairs(people, model, other)
    assert shared.tolist() == [False, True]
    assert right_share(people, narrowed(people, model, shared)).value == 0.0
    assert right_share(people, narrowed(people, other, shared)).value == 1.0


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[BeliefPair], dict[str, bool | None], float]:
    n = draw(st.integers(1, 12))
    chance = st.floats(0, 1, allow_nan=False)
    rows = [
        pair(f"q{draw(st.integers(0, 5))}", f"r{draw(st.integers(0, 5))}", draw(st.booleans()), posterior=draw(chance),
             weight=draw(st.floats(0.1, 10)))
        for _ in range(n)
    ]  # fmt: skip
    grades = {name: draw(st.sampled_from([True, False, None])) for row in rows for name in (row.q1, row.q2)}
    return rows, grades, draw(st.floats(0.01, 200))


@given(cases(), st.randoms())
def test_accuracy_is_between_0_and_1_and_order_does_not_matter(
    case: tuple[list[BeliefPair], dict[str, bool | None], float], shuffler: object
) -> None:
    rows, grades, alpha = case
    people, model = seen(rows, grades)
    shuffled = list(rows)
    shuffler.shuffle(shuffled)  # type: ignore[attr-defined]
    again, model_again = seen(shuffled, grades)
    for measure in (weighted_accuracy, weighted_cross_entropy, cost_per_question):
        value, other = measure(people, model, alpha).value, measure(again, model_again, alpha).value
        assert (value is None) == (other is None) == (not model.used.any())
        if value is not None:
            assert value == pytest.approx(other)
            assert value >= 0
            assert measure is weighted_cross_entropy or value <= 1 + 1e-12
    assert model.pairs + model.unanswered + model.unseen == len(people.keys)


@given(cases())
def test_beliefs_that_are_always_right_fit_perfectly(case: tuple[list[BeliefPair], dict[str, bool | None], float]) -> None:
    rows, grades, alpha = case
    sure = [
        BeliefPair(row.q1, row.q2, "t", "t", row.previous_correct, posterior=float(grades[row.q2] is True), weight=row.weight)
        for row in rows
    ]
    people, model = seen(sure, grades)
    if model.used.any():
        assert weighted_accuracy(people, model, alpha).value == pytest.approx(1)
        assert cost_per_question(people, model, alpha).value == pytest.approx(0)


def raw(n: int, rng: np.random.Generator) -> list[BeliefPair]:
    """People of whom half change, to .8 after right and .3 after wrong answers, from .5."""
    pairs = []
    for number in range(n):
        after, moved = bool(rng.random() < 0.5), bool(rng.random() < 0.5)
        to = (0.8 if after else 0.3) if moved else 0.5
        pairs.append(pair(f"a{number}", f"b{number}", after, prior=0.5, posterior=to, belief_change=moved))
    return pairs


def test_average_beliefs_of_a_survey() -> None:
    pairs = raw(1_500, np.random.default_rng(5))
    every = estimate_beliefs(pairs, rng=np.random.default_rng(0))
    # half stay at .5: means of .5 and .8, and of .5 and .3
    for estimate, truth in ((every.prior, 0.5), (every.after_right, 0.65), (every.after_wrong, 0.4)):
        assert estimate.value == pytest.approx(truth, abs=0.02)
        assert truth in estimate.interval
    changed = estimate_beliefs(pairs, rng=np.random.default_rng(0), among="changed").or_else(Beliefs())
    assert (changed.prior, changed.after_right, changed.after_wrong) == pytest.approx((0.5, 0.8, 0.3))
    # with these a mixture at the observed rate of change has the observed mean posterior; over all it moves half as far
    assert changed.after(0.5, True) == pytest.approx(0.65)
    assert every.or_else(Beliefs()).after(0.5, True) == pytest.approx(0.575, abs=0.02)


def test_what_a_survey_does_not_tell_is_taken_from_elsewhere() -> None:
    pairs = [pair("a", f"b{n}", True, prior=0.4, posterior=0.6) for n in range(3)]
    estimated_beliefs = estimate_beliefs(pairs, rng=np.random.default_rng(0))
    assert (estimated_beliefs.after_wrong.value, estimated_beliefs.after_wrong.n) == (None, 0)
    assert astuple(estimated_beliefs.or_else(Beliefs())) == pytest.approx((0.4, 0.6, 0.551))
    beliefs, estimated = averages(pairs, {"after_right": 0.9}, rng=np.random.default_rng(0))
    assert astuple(beliefs) == pytest.approx((0.4, 0.9, 0.551))
    assert estimated is not None
    with pytest.raises(BadInput, match="from 0 to 1"):
        averages([], {"prior": 2.0}, rng=np.random.default_rng(0))
