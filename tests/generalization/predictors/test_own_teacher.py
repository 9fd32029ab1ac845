"""What a student learns of its teacher: the primal solution, a planted teacher, and questions it has not seen."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from vivavoce.generalization.pairs import Pair
from vivavoce.generalization.predictors.own_features import look_at
from vivavoce.generalization.predictors.own_teacher import RIDGES, Student, _inputs, folds_by_question
from vivavoce.generalization.predictors.own_text import Vocabulary

WORDS = ["sum", "river", "insulin", "treaty", "verb", "orbit", "novel", "prime", "glacier", "enzyme", "statute", "noun"]


def question(rng: np.random.Generator) -> str:
    return "Tell of " + " and ".join(rng.choice(WORDS, 3, replace=False)) + f" in {rng.integers(100)} words"


def taught(n: int, seed: int) -> list[Pair]:
    """By a teacher who believes that sums tell of everything after a wrong answer, and rivers of nothing."""
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(n):
        q1, q2 = question(rng), question(rng)
        odds = [0.5 * ("sum" in q1) - 0.8 * ("river" in q2) - 0.5, 1.0 * ("sum" in q1) - 0.8 * ("river" in q2)]
        pairs += [
            Pair(q1, q2, "a", "b", right, pred=float(expit(value)))
            for right, value in zip((True, False), odds, strict=True)
        ]  # fmt: skip
    return pairs


def student_of(pairs: list[Pair]) -> tuple[Student, Vocabulary]:
    known = Vocabulary.of(text for pair in pairs for text in (pair.q1, pair.q2))
    return Student.taught(look_at(pairs, known), pairs), known


def test_a_planted_teacher_is_found_again_on_new_questions() -> None:
    student, known = student_of(taught(200, 0))
    new = taught(100, 1)
    odds, part = student.odds(look_at(new, known))
    truth = np.array([np.log(pair.pred / (1 - pair.pred)) for pair in new if pair.pred is not None])
    assert np.corrcoef(odds, truth)[0, 1] > 0.95
    # the means: right -.5 + .5/4 - .8/4, wrong 1/4 - .8/4, since each word is in 3 of 12 draws
    assert student.level == pytest.approx([-0.575, 0.05], abs=0.06)
    np.testing.assert_allclose(odds, part + np.where([pair.previous_correct for pair in new], *student.level))


def test_the_dual_solution_is_the_primal_one() -> None:
    pairs = taught(8, 2)
    student, known = student_of(pairs)
    look = look_at(pairs, known)
    inputs = _inputs(look, student.centre, student.scale).toarray()
    after = (look.sign > 0).astype(int)
    # the primal of a kernel K * (1 + same side) has one common weight vector and one for each side
    inputs = inputs[:, np.abs(inputs).sum(axis=0) > 0]
    design = np.hstack([inputs, inputs * (after == 0)[:, None], inputs * (after == 1)[:, None]])
    odds = np.array([np.log(pair.pred / (1 - pair.pred)) for pair in pairs if pair.pred is not None]) - student.level[after]
    gaps = []
    for share in RIDGES:
        ridge = share * float((design**2).sum(axis=1).mean())
        weights = np.linalg.solve(design.T @ design + ridge * np.eye(design.shape[1]), design.T @ odds)
        gaps.append(float(np.abs(student.odds(look)[1] - design @ weights).max()))
    assert sorted(gaps)[0] < 1e-8 < sorted(gaps)[1]


def test_one_side_alone_is_enough() -> None:
    right = [pair for pair in taught(40, 3) if pair.previous_correct]
    student, known = student_of(right)
    assert student.level[0] == student.level[1]
    assert np.isfinite(student.odds(look_at([replace(right[0], previous_correct=False)], known))[0]).all()


@pytest.mark.parametrize("pred", [0.0, 1.0])
def test_a_teacher_who_is_certain_is_taken_for_nearly_certain(pred: float) -> None:
    pairs = [replace(pair, pred=pred) for pair in taught(5, 4)]
    student, known = student_of(pairs)
    assert np.abs(student.odds(look_at(pairs, known))[0]).max() == pytest.approx(np.log(149), abs=0.01)


def test_the_order_of_pairs_does_not_matter() -> None:
    pairs = taught(20, 5)
    (one, known), (two, _) = student_of(pairs), student_of(pairs[::-1])
    np.testing.assert_allclose(one.odds(look_at(pairs, known))[0], two.odds(look_at(pairs, known))[0], atol=1e-9)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=20), st.integers(1, 6))
def test_folds_never_part_pairs_with_a_common_question(asked: list[tuple[int, int]], folds: int) -> None:
    pairs = [Pair(str(a), str(b), "t", "t", previous_correct=True) for a, b in asked]
    found = folds_by_question(pairs, folds)
    for (i, a), (j, b) in product(enumerate(asked), enumerate(asked)):
        if set(a) & set(b):
            assert found[i] == found[j]
    again = folds_by_question(pairs[::-1], folds)[::-1]
    np.testing.assert_array_equal(found, again)
    assert set(found.tolist()) <= set(range(folds))
