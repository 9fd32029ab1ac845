"""What is counted of held-out cases, against hand calculation and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from vivavoce.consistency.legal.measures import DecidedCase, f1, measured, share
from vivavoce.consistency.legal.trials import published


def decided(pairs: list[tuple[bool, float]]) -> list[DecidedCase]:
    return [DecidedCase(str(i), truth, p, facts=4, top=1, top_fact="") for i, (truth, p) in enumerate(pairs)]


def test_by_hand() -> None:
    # 3 violations found, 1 missed; 2 others taken for one, 4 not: accuracy 7/10, precision 3/5, recall 3/4, F1 6/9
    pairs = [(True, 0.9)] * 3 + [(True, 0.1)] + [(False, 0.5)] * 2 + [(False, 0.49)] * 4
    measures = measured(decided(pairs), 0.5)
    assert (measures.true_positives, measures.false_negatives, measures.false_positives, measures.true_negatives) == (
        3,
        1,
        2,
        4,
    )
    assert measures.accuracy.value == 0.7
    assert measures.violation.precision.value == 3 / 5
    assert measures.violation.recall.value == 3 / 4
    assert measures.violation.f1.value == pytest.approx(6 / 9)
    assert measures.no_violation.precision.value == 4 / 5
    assert measures.no_violation.recall.value == 4 / 6
    assert measures.no_violation.f1.value == pytest.approx(8 / 11)
    assert measures.macro_f1.value == pytest.approx((6 / 9 + 8 / 11) / 2)
    assert (measures.majority, measures.violations, measures.attention) == (0.6, 4, None)
    exact = binomtest(7, 10).proportion_ci(0.95)
    assert (measures.accuracy.interval.lower, measures.accuracy.interval.upper) == pytest.approx((exact.low, exact.high))


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=40), st.floats(0.1, 0.9))
def test_the_numbers_are_those_of_scikit_learn(pairs: list[tuple[bool, float]], threshold: float) -> None:
    from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score  # type: ignore[import-untyped]

    measures = measured(decided(pairs), threshold)
    truth, flags = [yes for yes, _ in pairs], [p >= threshold for _, p in pairs]
    assert measures.accuracy.value == pytest.approx(accuracy_score(truth, flags))
    for of, label in ((measures.violation, True), (measures.no_violation, False)):
        for ours, theirs in ((of.precision, precision_score), (of.recall, recall_score), (of.f1, f1_score)):
            expected = theirs(truth, flags, pos_label=label, zero_division=np.nan)
            if ours.value is None:
                assert np.isnan(expected)
            else:
                assert ours.value == pytest.approx(expected)
                assert ours.value in ours.interval
    if measures.macro_f1.value is not None:
        assert measures.macro_f1.value in measures.macro_f1.interval


def test_the_papers_own_numbers_fit_together() -> None:
    """F1 is the harmonic mean of precision and recall (Table 15)."""
    paper = published("measures")
    harmonic = 2 * paper["precision"] * paper["recall"] / (paper["precision"] + paper["recall"])
    assert round(harmonic, 3) == paper["f1"]
    assert (paper["accuracy"], *published("training").values(), *published("flips").values()) == (
        0.816,
        7,
        64,
        0.001,
        0,
        0.5,
        0.07,
    )


def test_nothing_observed_is_no_number() -> None:
    measures = measured(decided([(False, 0.1), (False, 0.2)]), 0.5)
    assert (measures.violation.recall.value, measures.violation.f1.value, measures.macro_f1.value) == (None, None, None)
    assert measures.violation.recall.interval.upper == 1.0
    assert share(0, 0).n == 0


def test_the_interval_of_f1_covers() -> None:
    """Cases whose F1 is 2*.4/(2*.4+.1+.1) = .8 in truth; 95% intervals miss it in 5% of 2,000 rounds at most."""
    rng = np.random.default_rng(0)
    cells = rng.multinomial(120, [0.4, 0.1, 0.1, 0.4], 2_000)
    missed = sum(0.8 not in f1(*map(int, row[:3])).interval for row in cells)
    assert missed / 2_000 < 0.05 + 3 * (0.05 * 0.95 / 2_000) ** 0.5


def test_attention_by_hand() -> None:
    cases = [
        DecidedCase("a", True, 0.9, facts=4, top=1, top_fact="", decisive=(1, 2), on_decisive=0.75),
        DecidedCase("b", False, 0.9, facts=5, top=0, top_fact="", decisive=(3,), on_decisive=0.25),
        DecidedCase("c", False, 0.9, facts=5, top=0, top_fact=""),
    ]
    attention = measured(cases, 0.5).attention
    assert attention is not None
    assert (attention.top.value, attention.top.n, attention.weight.value) == (0.5, 2, 0.5)
    assert (attention.top_violation.value, attention.top_none.value) == (1.0, 0.0)
    assert attention.chance == pytest.approx((2 / 4 + 1 / 5) / 2)
