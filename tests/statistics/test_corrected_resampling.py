"""The corrected resampled t test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t, ttest_1samp

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.luna.predict.comparison import resampled_t

VALUES = (0.3, 0.1, 0.25, -0.05, 0.2)


def test_it_is_the_usual_t_test_with_a_wider_error() -> None:
    """Student's statistic times sqrt((1/k) / (1/k + tested/learnt)): with k = 5 and 1/4 it is 2/3 of it."""
    found = resampled_t(VALUES, tested=1, learnt=4)
    usual = ttest_1samp(VALUES, 0.0)
    assert found.mean == pytest.approx(0.16)
    assert found.p == pytest.approx(2 * t.sf(usual.statistic * 2 / 3, 4))
    width = usual.confidence_interval(0.95)
    assert found.bounds.upper - found.mean == pytest.approx(1.5 * (width.high - 0.16))
    assert found.mean - found.bounds.lower == pytest.approx(found.bounds.upper - found.mean)


def test_the_interval_touches_0_where_p_is_what_it_leaves_out() -> None:
    p = resampled_t(VALUES, tested=1, learnt=4).p
    assert resampled_t(VALUES, tested=1, learnt=4, confidence=1 - p).bounds.lower == pytest.approx(0, abs=1e-12)


def test_values_that_do_not_vary() -> None:
    assert resampled_t([0.0, 0.0], tested=1, learnt=4).p == 1
    assert resampled_t([0.5, 0.5], tested=1, learnt=4).p == 0
    assert resampled_t([0.5, 0.5], tested=1, learnt=4).bounds == (0.5, 0.5)


def test_noise_is_seldom_taken_for_a_difference() -> None:
    """Two predictors alike: per person a difference of noise, 100 people, 30 splits of 4:1; 200 data sets.

    The usual test finds a difference in most of them, for all splits share the same noise.
    """
    rng = np.random.default_rng(7)
    ours: list[bool] = []
    usual: list[bool] = []
    for _ in range(200):
        noise = rng.normal(size=100)
        means = [noise[rng.permutation(100)[:20]].mean() for _ in range(30)]
        ours.append(resampled_t(means, tested=20, learnt=80).p < 0.05)
        usual.append(float(ttest_1samp(means, 0.0).pvalue) < 0.05)
    assert np.mean(ours) < 0.09
    assert np.mean(usual) > 0.3


@pytest.mark.parametrize(
    ("values", "settings", "kind"),
    [
        ([1.0], {}, NotEnoughEvidence),
        ([1.0, float("nan")], {}, BadInput),
        ([1.0, 2.0], {"tested": 0}, BadInput),
        ([1.0, 2.0], {"confidence": 1.0}, BadInput),
    ],
)
def test_what_cannot_be_judged_is_refused(values: list[float], settings: dict[str, float], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        resampled_t(values, **{"tested": 1, "learnt": 4, **settings})  # type: ignore[arg-type]
