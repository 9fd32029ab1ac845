"""Draws of a survey's stages, and estimates that undo them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.generalization.survey.pair_sampling import majority, sample_stage, sample_test, weighted_share


@given(size=st.integers(2, 400), share=st.floats(0.01, 1), seed=st.integers(0, 2**32 - 1), top=st.floats(0.01, 0.9))
def test_each_pair_at_most_once_and_weights_count_the_pool(size: int, share: float, seed: int, top: float) -> None:
    n = max(2, int(size * share))
    rng = np.random.default_rng(seed)
    draw = sample_stage(rng.random(size), n, rng=rng, top=top, epsilon=0.3)
    assert draw.indices.size == n == np.unique(draw.indices).size
    assert draw.weights.sum() == pytest.approx(size)  # both parts of the ranking are drawn from, whatever their sizes
    assert (draw.weights >= 1 - 1e-12).all()


def test_the_first_stage_is_uniform() -> None:
    draw = sample_stage(None, 50, rng=np.random.default_rng(0), pool=200)
    assert set(draw.weights) == {4.0}


def test_most_come_from_the_top_tenth() -> None:
    # 100 of 1,000: 70 from the top 100, each standing for 100/70; 30 from the other 900, each for 30.
    draw = sample_stage(-np.arange(1000.0), 100, rng=np.random.default_rng(0))
    assert (draw.indices < 100).sum() == 70
    assert draw.weights[draw.indices < 100] == pytest.approx(100 / 70)
    assert draw.weights[draw.indices >= 100] == pytest.approx(30)


def test_ties_are_broken_at_random() -> None:
    # Were equal chances kept in order, the top tenth would be the first hundred, and most draws would come from them.
    rng = np.random.default_rng(0)
    early = [(sample_stage(np.zeros(1000), 100, rng=rng).indices < 100).mean() for _ in range(50)]
    assert np.mean(early) == pytest.approx(0.1, abs=0.02)


def test_the_test_stage_is_two_thirds_from_the_top_hundredth() -> None:
    draw = sample_test(np.arange(10_000.0), 90, rng=np.random.default_rng(1))
    assert ((draw.indices >= 9_900).sum(), (draw.indices < 100).sum()) == (60, 30)


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"chances": [0.5], "n": 1}, "at least two pairs"),
        ({"chances": [0.5, float("nan")], "n": 2}, "finite"),
        ({"chances": [0.1, 0.2], "n": 1}, "at least 2"),
        ({"chances": [0.1, 0.2], "n": 3}, "drawn from"),
        ({"chances": None, "n": 3}, "size of the pool"),
        ({"chances": None, "n": 0, "pool": 3}, "at least 1"),
        ({"chances": [0.1, 0.2], "n": 2, "epsilon": 0.0}, "between 0 and 1"),
    ],
)
def test_what_cannot_be_drawn(given_: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        sample_stage(**given_, rng=np.random.default_rng(0))  # type: ignore[arg-type]


def test_majorities() -> None:
    assert majority([True] * 5 + [False] * 3) is True
    assert majority([False, False, True]) is False
    assert majority([True, False] * 4) is None
    assert majority([]) is None


def test_a_share_needs_both_kinds() -> None:
    with pytest.raises(NotEnoughEvidence):
        weighted_share([True, True, True], [1, 2, 3])


def test_equal_weights_are_no_weights() -> None:
    # 30 of 100: the share itself; standard error sqrt(.3 * .7 / 100) = .0458, on the log-odds scale .218, t(99) = 1.984:
    # logit(.3) -+ .433 = -1.280, -.414, that is .2175 and .3979.
    estimate = weighted_share([True] * 30 + [False] * 70, np.full(100, 7.0))
    assert estimate.value == pytest.approx(0.3)
    assert estimate.interval.lower == pytest.approx(0.2175, abs=5e-4)
    assert estimate.interval.upper == pytest.approx(0.3979, abs=5e-4)


@pytest.mark.long
def test_weights_undo_the_choice() -> None:
    """A predictor that knows the truth chooses: without weights the share is far too high, with weights it is right."""
    rng = np.random.default_rng(3)
    chances = rng.beta(1, 6, 3_000)
    changed = rng.random(3_000) < chances
    truth = changed.mean()
    weighted, plain, covered = [], [], 0
    for _ in range(2_000):
        draw = sample_stage(chances, 200, rng=rng)
        estimate = weighted_share(changed[draw.indices].tolist(), draw.weights)
        assert estimate.value is not None
        weighted.append(estimate.value)
        plain.append(changed[draw.indices].mean())
        covered += truth in estimate.interval
    assert np.mean(plain) > 2 * truth
    assert np.mean(weighted) == pytest.approx(truth, abs=4 * np.std(weighted) / np.sqrt(2_000))
    assert covered >= 0.93 * 2_000
