"""Averaged logistic regression against numerical integration, a general optimizer, and coverage of planted weights."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import expit, logsumexp

from vivavoce.generalization.predictors.stacked_logistic import LEVEL_SPREAD, AveragedLogistic, _mode, _spread

Floats = NDArray[np.float64]
PENALTIES = np.geomspace(1, 300, 12)


def planted(n: int, weights: Floats, seed: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(n, len(weights)))
    return inputs, (rng.random(n) < expit(inputs @ weights)).astype(float)


def fitted(inputs: Floats, labels: Floats, weights: Floats | None = None, strictness: Floats | None = None) -> AveragedLogistic:
    """With one penalty for all inputs, each times its strictness; averaged over penalties by their evidence."""
    design, offset = np.column_stack([np.ones(len(labels)), inputs]), np.full(len(labels), 0.2)
    weights = np.ones(len(labels)) if weights is None else weights
    strictness = np.ones(inputs.shape[1]) if strictness is None else strictness
    modes = [
        _mode(design, labels, offset, weights, np.concatenate([[LEVEL_SPREAD**-2], penalty * strictness]))
        for penalty in PENALTIES
    ]
    means, covariances, evidence = (np.array(column) for column in zip(*modes, strict=True))
    return AveragedLogistic(means, covariances, np.exp(evidence - logsumexp(evidence)))


def test_modes_are_those_of_a_general_optimizer() -> None:
    inputs, labels = planted(60, np.array([1.0, -2.0, 0.0]), 0)
    weights, strictness = np.linspace(0.5, 1.5, 60), np.array([1.0, 0.1, 3.0])
    ours = fitted(inputs, labels, weights, strictness)
    for penalty, mean, covariance in zip(PENALTIES, ours.means, ours.covariances, strict=True):
        precision = np.array([LEVEL_SPREAD**-2, *(penalty * strictness)])

        def cost(w: Floats, precision: Floats = precision) -> float:
            odds = w[0] + inputs @ w[1:] + 0.2
            return float(weights @ (np.logaddexp(0, odds) - labels * odds) + 0.5 * precision @ w**2)

        theirs = minimize(cost, np.zeros(4), method="BFGS", options={"gtol": 1e-7})
        np.testing.assert_allclose(mean, theirs.x, atol=1e-5)
        # the inverse of the curvature, by differences of the cost
        step = 1e-3 * np.eye(4)
        bent = [[cost(mean + a + b) - cost(mean + a) - cost(mean + b) + cost(mean) for a in step] for b in step]
        np.testing.assert_allclose(covariance @ np.array(bent) * 1e6, np.eye(4), atol=0.01)


def test_shares_follow_the_evidence_found_by_integration() -> None:
    # with one input, P(labels | penalty) is an integral over the level and one weight
    inputs, labels = planted(40, np.array([1.5]), 1)
    ours = fitted(inputs, labels)

    def evidence(penalty: float) -> float:
        def over_level(weight: float) -> float:
            def inner(level: float) -> float:
                odds = level + inputs[:, 0] * weight + 0.2
                return float(np.exp(labels @ odds - np.logaddexp(0, odds).sum() + 20 - level**2 / 2 / LEVEL_SPREAD**2))

            return float(quad(inner, -4, 4, epsabs=0, epsrel=1e-4)[0]) * float(
                np.exp(-(weight**2) * penalty / 2) * np.sqrt(penalty)
            )

        return float(np.log(quad(over_level, -6, 6, epsabs=0, epsrel=1e-4)[0]))

    some = [0, 6, 11]
    theirs = np.array([evidence(PENALTIES[index]) for index in some])
    logs = np.log(ours.shares[some])
    # Laplace's approximation, with 40 labels: within some hundredths
    np.testing.assert_allclose(logs - logsumexp(logs), theirs - logsumexp(theirs), atol=0.1)


def test_chances_average_over_what_the_weights_may_be() -> None:
    one = AveragedLogistic(np.array([[0.3, 1.0]]), np.array([[[0.5, 0.1], [0.1, 2.0]]]), np.ones(1))
    given = one.chances(np.array([[1.5]]), np.array([0.4]))
    mean, variance = 0.4 + 0.3 + 1.5, 0.5 + 2 * 1.5 * 0.1 + 1.5**2 * 2.0

    def weighed(odds: float) -> float:
        return float(expit(odds) * np.exp(-((odds - mean) ** 2) / 2 / variance) / np.sqrt(2 * np.pi * variance))

    # the approximation is known to be within .02 of the integral
    assert given[0] == pytest.approx(quad(weighed, -25, 30)[0], abs=0.02)


def test_without_labels_the_offset_stands() -> None:
    odds = np.array([-2.0, 0.0, 1.0])
    np.testing.assert_allclose(AveragedLogistic.ignorant(3).chances(np.ones((3, 3)), odds), expit(odds))


def test_planted_weights_are_found() -> None:
    truth = np.array([1.5, -1.0, 0.0, 0.5])
    covered = []
    for seed in range(30):
        ours = fitted(*planted(400, truth, seed))
        best = int(np.argmax(ours.shares))
        deviations = np.sqrt(np.diag(ours.covariances[best]))[1:]
        covered += (np.abs(ours.means[best][1:] - truth) < 1.96 * deviations).tolist()
    # 120 intervals of 95%, drawn in a little by the prior: fewer than 102 would be a chance below 1 in 10^5
    assert sum(covered) >= 102


def test_with_few_labels_and_many_inputs_chances_stay_near_the_base_rate() -> None:
    rng = np.random.default_rng(0)
    labels = np.array([1.0] * 6 + [0.0] * 14)
    given = fitted(rng.normal(size=(20, 70)), labels).chances(rng.normal(size=(500, 70)), np.full(500, 0.2))
    assert 0.25 < given.mean() < 0.5
    assert given.std() < 0.1


def test_a_pair_of_weight_two_is_a_pair_given_twice() -> None:
    inputs, labels = planted(30, np.array([1.0, 0.0]), 3)
    twice = fitted(np.vstack([inputs, inputs[:5]]), np.concatenate([labels, labels[:5]]))
    once = fitted(inputs, labels, np.array([2.0] * 5 + [1.0] * 25))
    np.testing.assert_allclose(once.means, twice.means, atol=1e-8)
    np.testing.assert_allclose(once.shares, twice.shares, atol=1e-8)


def test_labels_that_an_input_separates_do_not_run_away() -> None:
    inputs = np.linspace(-3, 3, 40)[:, None]
    given = fitted(inputs, (inputs[:, 0] > 0).astype(float)).chances(inputs, np.zeros(40))
    assert ((given > 0) & (given < 1)).all()
    assert (np.diff(given) >= 0).all()


def over_blocks(inputs: Floats, labels: Floats, ways: list[set[int]]) -> AveragedLogistic:
    return AveragedLogistic.over_blocks(
        inputs, labels, offset=np.zeros(len(labels)), weights=np.ones(len(labels)), blocks=[1, 2], ways=ways
    )


def test_ways_of_looking_have_equal_shares_and_a_block_left_out_has_no_say() -> None:
    inputs, labels = planted(80, np.array([1.5, 1.0, -1.0]), 5)
    new = np.random.default_rng(6).normal(size=(20, 3))
    every: list[list[set[int]]] = [[set(), {1}], [set()], [{1}]]
    both, full, less = (over_blocks(inputs, labels, ways).chances(new, np.zeros(20)) for ways in every)
    np.testing.assert_allclose(both, (full + less) / 2, atol=1e-3)
    apart = new + np.array([0.0, 3.0, -2.0])
    np.testing.assert_allclose(over_blocks(inputs, labels, [{1}]).chances(apart, np.zeros(20)), less, atol=1e-6)


def test_each_block_finds_its_own_penalty() -> None:
    # thirty worthless inputs beside one that tells much: a common penalty holds that one back
    rng = np.random.default_rng(8)
    inputs, new = rng.normal(size=(120, 31)), rng.normal(size=(2_000, 31))
    labels = (rng.random(120) < expit(3 * inputs[:, 0])).astype(float)
    ours = AveragedLogistic.over_blocks(
        inputs, labels, offset=np.zeros(120), weights=np.ones(120), blocks=[1, 30], ways=[set()]
    ).chances(new, np.zeros(2_000))
    common = fitted(inputs, labels).chances(new, np.full(2_000, 0.2))
    truth = expit(3 * new[:, 0])
    losses = [-(truth * np.log(one) + (1 - truth) * np.log(1 - one)).mean() for one in (ours, common)]
    assert losses[0] < losses[1] - 0.01


def test_penalties_fill_their_range_evenly() -> None:
    points = _spread(200, 3)
    for column in points.T:
        # of 200 points in 10 equal parts each has 20; of points drawn at random the squares would be 18 on average
        assert np.square(np.histogram(column, bins=10, range=(0, 1))[0] - 20).mean() < 12
    assert np.abs(np.corrcoef(points.T) - np.eye(3)).max() < 0.1
