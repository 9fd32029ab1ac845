"""Features of pairs by hand, and what they must not look at."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.generalization.pairs import Pair
from vivavoce.generalization.predictors.stacked_logistic_features import FEATURES, Vocabulary, pair_features

FIRST = "What is 12 + 3?"
SECOND = "<b>Which is even?</b>(A) one<br>(B) two"
PAIR = Pair(FIRST, SECOND, "mmlu_high_school_mathematics", "mmlu_college_mathematics", previous_correct=False)
KNOWN = Vocabulary.of([FIRST, SECOND])


def features_of(pair: Pair) -> dict[str, float]:
    return dict(zip(FEATURES, pair_features([pair], KNOWN).features[0].tolist(), strict=True))


def test_features_by_hand() -> None:
    found = features_of(PAIR)
    # words of the first: what is # #; of the second: which is even one two ("a" and "b" are no words). Rarity: "is" is in both
    # questions, 1 + log(3/3) = 1; all others in one, r = 1 + log(3/2). "#" comes twice: (1 + log 2) r. All lengths are roots.
    r = 1 + np.log(1.5)
    one = np.sqrt(r**2 + 1 + ((1 + np.log(2)) * r) ** 2)
    two = np.sqrt(4 * r**2 + 1)
    assert found["words alike"] == pytest.approx(1 / (one * two))
    assert found["rarity up"] == pytest.approx((4 * r + 1) / 5 - (2 * r + 1) / 3)
    assert (found["same task"], found["tasks alike"], found["families alike"]) == (0, 1, 1)
    assert found["options apart"] == 2
    assert found["level up"] == 1
    assert found["numbers 1"] == pytest.approx(3 / 15)  # digits of "what is 12 + 3?"
    assert found["length 2"] == pytest.approx(np.log(1 + len("which is even? (a) one (b) two")))
    assert found["numbers apart"] == pytest.approx(3 / 15)
    assert 0 < found["spelling alike"] < 0.3
    assert (found["puzzle 1"], found["puzzle 2"]) == (0, 0)


def test_a_question_beside_itself_is_as_alike_as_can_be() -> None:
    found = features_of(replace(PAIR, q2=FIRST, source2=PAIR.source1))
    assert [found[name] for name in list(FEATURES)[:5]] == pytest.approx([1] * 5)
    assert [found[name] for name in list(FEATURES)[5:10]] == pytest.approx([0] * 5)


def test_the_answer_is_in_the_sign_alone() -> None:
    right, wrong = pair_features([replace(PAIR, previous_correct=True)], KNOWN), pair_features([PAIR], KNOWN)
    assert (right.sign.tolist(), wrong.sign.tolist()) == ([-1], [1])
    np.testing.assert_array_equal(right.features, wrong.features)


@given(st.text(min_size=1, max_size=80), st.text(min_size=1, max_size=80), st.text(max_size=30), st.booleans())
def test_any_pair_has_finite_features_and_labels_are_not_among_them(q1: str, q2: str, task: str, right: bool) -> None:
    pair = Pair(q1, q2, task, "mmlu_virology", right)
    told = replace(pair, belief_change=True, weight=7.0, prior=0.1, posterior=0.9, pred=0.99, person="x", stage=3)
    look, same = pair_features([pair], KNOWN), pair_features([told], KNOWN)
    assert look.features.shape == (1, len(FEATURES))
    assert np.isfinite(look.features).all()
    np.testing.assert_array_equal(look.features, same.features)
    np.testing.assert_array_equal(look.first.toarray(), same.first.toarray())
