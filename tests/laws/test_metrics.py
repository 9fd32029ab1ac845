"""The paper's metrics and the follow-up's frequentist one, on cases done by hand."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from vivavoce.errors import BadInput
from vivavoce.laws.law import BUILT_IN, law_named
from vivavoce.laws.monotone import monotonicity
from vivavoce.laws.violation import frequentist, is_strong, metric, most, violations

KEYS = {
    "neg": ("P", "not_P"),
    "and": ("P", "Q", "P_and_Q"),
    "or": ("P", "Q", "P_or_Q"),
    "and-or": ("P", "Q", "P_and_Q", "P_or_Q"),
    "but": ("P", "Q_and_not_P", "P_or_Q"),
    "cond": ("P", "Q_given_P", "P_and_Q"),
    "cond-cond": ("P", "Q_given_P", "R_given_P_and_Q", "P_and_Q_and_R"),
    "consequence": ("P", "cons_P"),
    "expected-evidence": ("P", "Q", "P_given_Q", "P_given_not_Q"),
    "bayes": ("P", "Q", "P_given_Q", "Q_given_P"),
}
B = 0.001  # added to each variance


def var(p: float) -> float:
    """Of a forecast, as the frequentist metric has it."""
    return p * (1 - p)


# Law, forecasts, metric by hand, and by hand the variance of the side that is violated.
CASES = [
    ("neg", (0.7, 0.6), 0.3, var(0.7) + var(0.6)),
    ("neg", (0.7, 0.3), 0.0, 1.0),
    ("paraphrase", (0.2, 0.5, 0.4, 0.3), 0.3, var(0.2) + var(0.5)),  # max - min
    ("and", (0.8, 0.9, 0.5), 0.2, var(0.8) + var(0.9) + var(0.5)),  # below .8 + .9 - 1 = .7
    ("and", (0.3, 0.6, 0.5), 0.2, var(0.3) + var(0.5)),  # above min = .3, which counts alone
    ("and", (0.3, 0.6, 0.2), 0.0, 1.0),
    ("or", (0.1, 0.2, 0.6), 0.3, var(0.1) + var(0.2) + var(0.6)),  # above .1 + .2
    ("or", (0.7, 0.2, 0.5), 0.2, var(0.7) + var(0.5)),  # below max = .7
    ("and-or", (0.5, 0.6, 0.2, 0.7), 0.2, var(0.5) + var(0.6) + var(0.2) + var(0.7)),  # 1.1 against .9
    ("but", (0.3, 0.4, 0.6), 0.1, var(0.3) + var(0.4) + var(0.6)),  # .7 against .6
    ("cond", (0.5, 0.4, 0.3), 0.1, 0.4**2 * var(0.5) + 0.5**2 * var(0.4) + var(0.3)),  # .2 against .3
    ("cond-cond", (0.5, 0.8, 0.5, 0.1), 0.1, 0.4**2 * var(0.5) + 0.25**2 * var(0.8) + 0.4**2 * var(0.5) + var(0.1)),
    ("consequence", (0.6, 0.4), 0.2, var(0.6) + var(0.4)),
    ("consequence", (0.4, 0.6), 0.0, 1.0),
    ("chain", (0.2, 0.5, 0.3), 0.2, var(0.5) + var(0.3)),
    # .4 * .8 + .6 * .3 = .5 against .7; the variance of .4 counts by the square of .8 - .3
    ("expected-evidence", (0.7, 0.4, 0.8, 0.3), 0.2, var(0.7) + 0.16 * var(0.8) + 0.36 * var(0.3) + 0.25 * var(0.4)),
    ("exclusive", (0.5, 0.4, 0.3), 0.2, var(0.5) + var(0.4) + var(0.3)),
    ("exhaustive", (0.5, 0.2, 0.1), 0.2, var(0.5) + var(0.2) + var(0.1)),
    ("partition", (0.5, 0.2, 0.1), 0.2, var(0.5) + var(0.2) + var(0.1)),
]


@pytest.mark.parametrize(("name", "forecasts", "expected", "variance"), CASES)
def test_metrics_by_hand(name: str, forecasts: tuple[float, ...], expected: float, variance: float) -> None:
    law = law_named(name, KEYS.get(name) or tuple(f"k{i}" for i in range(len(forecasts))))
    assert metric(law, [forecasts], [forecasts])[0] == pytest.approx(expected)
    standard = frequentist(law, [forecasts])
    assert standard is not None
    assert standard[0] == pytest.approx(expected / sqrt(variance + B))


def test_bayes_by_hand() -> None:
    # P(A)=.5, P(B)=.4, P(A|B)=.9, P(B|A)=.22: .36 - .11 = .25, whose root is .5
    law, forecasts = law_named("bayes", KEYS["bayes"]), (0.5, 0.4, 0.9, 0.22)
    assert metric(law, [forecasts], [forecasts])[0] == pytest.approx(0.5)
    variance = 0.9**2 * var(0.4) + 0.4**2 * var(0.9) + 0.22**2 * var(0.5) + 0.5**2 * var(0.22)
    standard = frequentist(law, [forecasts])
    assert standard is not None
    assert standard[0] == pytest.approx(0.25 / sqrt(variance + B))


def test_a_users_own_law_is_measured_by_its_repair() -> None:
    law = law_named("A, B, x = A ^ B", ["A", "B", "x"])
    # All three .9 is incoherent; by symmetry each is moved to 2/3, the most that events of which two or none happen can have.
    violation = violations(law, [[0.9, 0.9, 0.9]])
    assert violation.repair[0] == pytest.approx([2 / 3] * 3, abs=1e-5)
    assert metric(law, [[0.9, 0.9, 0.9]], violation.repair)[0] == pytest.approx(0.7, abs=1e-5)
    assert frequentist(law, [[0.9, 0.9, 0.9]]) is None


@pytest.mark.parametrize(
    "line", ["and: A, B where A implies B", "neg: A, B, C where A implies B", "chain: A, B where A implies B"]
)
def test_a_users_own_law_may_be_called_as_another_is(line: str) -> None:
    law = law_named(line, line.partition(": ")[2].partition(" where")[0].split(", "))
    coherent = [[0.2, 0.4, 0.1][: len(law.keys)]]
    assert violations(law, coherent).value[0] == metric(law, coherent, coherent)[0] == 0.0
    assert frequentist(law, coherent) is None
    assert most(law) == len(law.keys)


def test_a_named_law_that_is_written_out_is_that_law() -> None:
    law = law_named(BUILT_IN["neg"].line, KEYS["neg"])
    assert metric(law, [[0.7, 0.6]], [[0.7, 0.6]])[0] == pytest.approx(0.3)


def test_strong_is_above_a_fifth_whatever_the_last_digit() -> None:
    # .2 itself is not above .2, although .9 + .3 - 1 is .20000000000000018 to a computer
    assert is_strong([0.9 + 0.3 - 1, 0.2, 0.2001]).tolist() == [False, False, True]
    # on a user's law it counts: .8 - .6 is .20000000000000007 to a computer, and .7 - .5 is .19999999999999996
    assert is_strong([0.8 - 0.6, 0.2, 0.7 - 0.5, 0.1999], own=True).tolist() == [True, True, True, False]


@given(st.lists(st.integers(0, 9), min_size=3, max_size=7).filter(lambda values: len(set(values)) > 1))
def test_monotonicity_is_spearmans_correlation(values: list[int]) -> None:
    years = {str(2025 + 3 * index): float(value) for index, value in enumerate(values)}
    rho = spearmanr(range(len(values)), values).statistic
    assert monotonicity("increasing", years).metric == pytest.approx((1 - rho) / 2)
    assert monotonicity("decreasing", years).metric == pytest.approx((1 + rho) / 2)


def test_monotonicity_by_hand() -> None:
    # Ranks 1 2 3 4 5 against 2 1 3 4 5: D = 2, rho = 1 - 12 / 120 = .9, so .05
    records = {"2025": 10.0, "2028": 9.0, "2032": 11.0, "2036": 12.0, "2040": 13.0}
    result = monotonicity("increasing", records)
    assert result.metric == pytest.approx(0.05)
    assert result.repair == {"2025": 9.5, "2028": 9.5, "2032": 11.0, "2036": 12.0, "2040": 13.0}  # the two that cross meet
    assert monotonicity("decreasing", records).metric == pytest.approx(0.95)
    turned = dict(reversed(records.items()))
    assert monotonicity("increasing", turned).metric == pytest.approx(0.05)  # by year, not by place


def test_a_constant_series_never_goes_the_wrong_way() -> None:
    assert monotonicity("increasing", {"2025": 5.0, "2028": 5.0, "2032": 5.0}).metric == 0.0


@pytest.mark.parametrize(
    "years",
    [("2025", "2028"), ("2025", "2025.0", "2028"), ("2025", "2028", "later"), ("2025", "2028", "nan"), ("1", "2", "inf")],
)
def test_what_is_no_series_is_refused(years: tuple[str, ...]) -> None:
    with pytest.raises(BadInput, match="number"):
        monotonicity("increasing", dict.fromkeys(years, 1.0))


@pytest.mark.parametrize("quantity", [1e308, -1e151, float("inf"), float("nan")])
def test_quantities_that_cannot_be_reckoned_with_are_refused(quantity: float) -> None:
    with pytest.raises(BadInput, match="of '2' is not a quantity: give a number of at most 1e\\+150 in size"):
        monotonicity("increasing", {"1": 1.0, "2": quantity, "3": 1.0})
    assert np.isfinite(list(monotonicity("increasing", {"1": 1e150, "2": 1e150, "3": -1e150}).repair.values())).all()


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_metrics_are_between_0_and_2(forecasts: list[float]) -> None:
    for name in ("and-or", "cond-cond", "expected-evidence", "bayes"):
        result = metric(law_named(name, KEYS[name]), [forecasts], [forecasts])[0]
        assert 0 <= result <= 2
        assert np.isfinite(result)
