"""The process that learns a teacher's log odds: against its definition, a general program, and planted teachers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from tests.generalization.predictors.planted_teacher import taught
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.predictors import stacked_logistic_student
from vivavoce.generalization.predictors.stacked_logistic_features import Vocabulary, pair_features
from vivavoce.generalization.predictors.stacked_logistic_student import TeacherProcess, _kernels, _parts, _weights, standardised


def student_of(pairs: list[BeliefPair], vectors: np.ndarray | None = None) -> tuple[TeacherProcess, Vocabulary]:
    known = Vocabulary.of(text for pair in pairs for text in (pair.q1, pair.q2))
    return TeacherProcess.taught(pair_features(pairs, known), pairs, vectors, rng=np.random.default_rng(0)), known


def log_odds(pairs: list[BeliefPair]) -> np.ndarray:
    return np.array([np.log(pair.pred / (1 - pair.pred)) for pair in pairs if pair.pred is not None])


def test_a_planted_teacher_is_found_again_on_new_questions() -> None:
    student, known = student_of(taught(150, 0))
    new = taught(100, 1)
    assert np.corrcoef(student.odds(pair_features(new, known), None), log_odds(new))[0, 1] > 0.95


def test_it_is_the_mean_of_a_normal_with_these_covariances() -> None:
    pairs, new = taught(12, 2), taught(4, 3)
    known = Vocabulary.of(text for pair in pairs for text in (pair.q1, pair.q2))
    student = TeacherProcess.taught(pair_features(pairs, known), pairs, None, rng=np.random.default_rng(0))
    both = pair_features([*pairs, *new], known)
    features = standardised(both.features, student.centre, student.scale)
    n, every = len(pairs), np.arange(len(pairs) + len(new))
    kernels = _kernels(_parts(both, features, None), features, every)
    weights = _weights([kernel[:n, :n] for kernel in kernels], both.sign[:n], log_odds(pairs))
    product = np.outer(both.sign, both.sign)
    covariance = sum((weights[2 * index] + weights[2 * index + 1] * product) * kernel for index, kernel in enumerate(kernels))
    inside = covariance[:n, :n] + weights[-1] * np.eye(n)
    expected = covariance[n:, :n] @ np.linalg.solve(inside, log_odds(pairs))
    np.testing.assert_allclose(student.odds(pair_features(new, known), None), expected, atol=1e-6)


def test_weights_are_those_of_the_greatest_evidence() -> None:
    pairs = taught(20, 4)
    known = Vocabulary.of(text for pair in pairs for text in (pair.q1, pair.q2))
    look = pair_features(pairs, known)
    features = standardised(look.features, look.features.mean(axis=0), np.maximum(look.features.std(axis=0), 1e-9))
    kernels = _kernels(_parts(look, features, None), features, np.arange(len(pairs)))
    values = _weights(kernels, look.sign, log_odds(pairs))

    def evidence(weights: np.ndarray) -> float:
        product = np.outer(look.sign, look.sign)
        total = weights[-1] * np.eye(len(pairs))
        for index, kernel in enumerate(kernels):
            total = total + (weights[2 * index] + weights[2 * index + 1] * product) * kernel
        prior = -0.5 * np.square((np.log(weights) + 2) / 3).sum()
        return float(multivariate_normal(np.zeros(len(pairs)), total).logpdf(log_odds(pairs)) + prior)

    best = evidence(values)
    for index in range(len(values)):
        for factor in (0.7, 1.4):
            other = values.copy()
            other[index] *= factor
            if -9 < np.log(other[index]) < 4:
                assert evidence(other) < best + 0.02


def test_embeddings_are_learnt_from_where_they_tell() -> None:
    rng = np.random.default_rng(0)
    pairs = [BeliefPair(f"{n} a", f"{n} b", "s", "t", bool(n % 2)) for n in range(300)]
    vectors = rng.normal(size=(300, 6)) / np.sqrt(3)
    odds = 2 * vectors[:, 0] - vectors[:, 4]
    results = [replace(pair, pred=float(1 / (1 + np.exp(-value)))) for pair, value in zip(pairs, odds, strict=True)]
    known = Vocabulary.of(text for pair in pairs for text in (pair.q1, pair.q2))
    student = TeacherProcess.taught(pair_features(results[:200], known), results[:200], vectors[:200], rng=rng)
    assert np.corrcoef(student.odds(pair_features(results[200:], known), vectors[200:]), odds[200:])[0, 1] > 0.95


def test_one_side_alone_is_enough() -> None:
    right = [pair for pair in taught(40, 3) if pair.previous_correct]
    student, known = student_of(right)
    assert np.isfinite(student.odds(pair_features([replace(right[0], previous_correct=False)], known), None)).all()


@pytest.mark.parametrize("pred", [0.0, 1.0])
def test_a_teacher_who_is_certain_is_taken_for_nearly_certain(pred: float) -> None:
    pairs = [replace(pair, pred=pred) for pair in taught(10, 4)]
    student, known = student_of(pairs)
    assert np.abs(student.odds(pair_features(pairs, known), None)).max() == pytest.approx(np.log(149), abs=0.1)


def test_some_of_many_are_enough_for_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacked_logistic_student, "MOST_TUNED", 100)
    student, known = student_of(taught(150, 0))
    new = taught(60, 1)
    assert np.corrcoef(student.odds(pair_features(new, known), None), log_odds(new))[0, 1] > 0.95
