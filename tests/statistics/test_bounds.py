"""Roots of functions, and bounds at a fixed number of observations."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, exp, expm1, inf, log, tanh

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.papers.understanding_tables import TABLE_1, TABLE_2, TABLE_3, TABLE_4
from vivavoce.certificate.plan import published_tables
from vivavoce.errors import BadInput
from vivavoce.statistics.bounds import (
    RTOL,
    clopper_pearson_lower,
    clopper_pearson_upper,
    divergence,
    hoeffding_upper,
    kl_lower,
    kl_upper,
    root,
)


def counted(f: Callable[[float], float]) -> tuple[Callable[[float], float], list[float]]:
    """The function, and where it was looked at."""
    places: list[float] = []

    def count(x: float) -> float:
        places.append(x)
        return f(x)

    return count, places


CURVES: dict[str, Callable[[float, float], float]] = {
    "line": lambda x, c: x - c,
    "cubic": lambda x, c: x**3 - c**3,
    "steep": lambda x, c: tanh(1e6 * (x - c)),
    "step": lambda x, c: -1.0 if x < c else 2.0,
    "exponential": lambda x, c: expm1(5 * (x - c)),
    "pole nearby": lambda x, c: 1 / (1.001 - c) - 1 / (1.001 - x),
    "wave": lambda x, c: x - c + 0.01 * (cos(40 * x) - cos(40 * c)),
    "logarithm": lambda x, c: log(x + 1e-9) - log(c + 1e-9),
    "tiny": lambda x, c: 1e-290 * (x - c) * exp(x),
}


@each_case("curve", CURVES.values())
def test_it_takes_the_steps_of_scipy(curve: Callable[[float, float], float]) -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        c, sign = rng.uniform(0.01, 0.99), rng.choice([-1.0, 1.0])
        xtol, rtol = 10.0 ** rng.uniform(-300, -3), float(rng.choice([RTOL, 1e-14, 1e-6]))
        here, places = counted(lambda x, c=c, sign=sign: float(sign * curve(x, c)))  # type: ignore[misc]
        there, places_there = counted(lambda x, c=c, sign=sign: float(sign * curve(x, c)))  # type: ignore[misc]
        assert root(here, 0, 1, xtol=xtol, rtol=rtol) == scipy.optimize.brentq(there, 0, 1, xtol=xtol, rtol=rtol)
        assert places == places_there


def test_an_end_may_be_the_root() -> None:
    assert root(lambda x: x, 0, 1) == 0
    assert root(lambda x: x - 1, 0, 1) == 1


@pytest.mark.parametrize("sign", [1, -1])
def test_where_signs_do_not_differ_nothing_is_made_up(sign: int) -> None:
    with pytest.raises(ValueError, match=r"at 0 and .* at 1: one must be below zero, the other above"):
        root(lambda x: sign * (x + 1), 0, 1)


def test_no_end_is_said_where_scipy_finds_none() -> None:
    def flat(x: float) -> float:
        return (x - 0.3) ** 9

    with pytest.raises(ValueError, match="no root between 0 and 1 was found in 100 steps"):
        root(flat, 0, 1, xtol=1e-300)
    with pytest.raises(RuntimeError):
        scipy.optimize.brentq(flat, 0, 1, xtol=1e-300)


def test_what_has_no_sign_has_no_root() -> None:
    with pytest.raises(ValueError, match="one must be below zero"):
        root(lambda x: float("nan"), 0, 1)


means = st.floats(0, 1)
counts = st.integers(1, 10**7)
levels = st.floats(1e-9, 0.5)


@each_case(("number", "printed"), list(enumerate((TABLE_1, TABLE_2, TABLE_3, TABLE_4))))
def test_the_published_tables(number: int, printed: str) -> None:
    """The caption's L(0.001, n, .025) in Table 2 is a slip for L(0.01, n, .025): only the latter gives the printed column."""
    assert [" ".join(cells) for cells in published_tables()[number].cells] == printed.strip().splitlines()


def test_the_text_of_section_4_is_off_by_one_digit() -> None:
    # Text: U(0, 1000, .05) = 0.0029913; Table 2 and the closed form 1 - .05^(1/1000) have 0.0029912
    assert f"{kl_upper(0, 1_000, 0.05):.7f}" == f"{1 - 0.05 ** (1 / 1_000):.7f}" == "0.0029912"


def test_hoeffding_with_its_two_needs_half_of_ten_million() -> None:
    # sqrt(ln 20 / (2n)) <= .00052  <=>  n >= ln 20 / (2 * .00052^2) = 5,539,446.0...
    assert hoeffding_upper(0, 5_539_447, 0.05) <= 0.00052 < hoeffding_upper(0, 5_539_445, 0.05)


def test_divergence_at_the_corners() -> None:
    """Definition A.1 gives d(1, 1) two values; the limit is 0."""
    assert divergence(0, 0) == divergence(1, 1) == 0
    assert divergence(0, 1) == divergence(1, 0) == divergence(0.5, 0) == divergence(0.5, 1) == inf
    assert divergence(0, 0.2) == pytest.approx(log(1 / 0.8))  # ln(1/(1-y))
    assert divergence(1, 0.2) == pytest.approx(log(1 / 0.2))  # ln(1/y)
    # .5 ln(.5/.2) + .5 ln(.5/.8) = .5 ln 2.5 + .5 ln .625 = .458145 - .235002
    assert divergence(0.5, 0.2) == pytest.approx(0.223144, abs=1e-6)


@given(mean=means, n=counts, delta=levels)
def test_kl_bound_solves_its_equation_and_mirrors(mean: float, n: int, delta: float) -> None:
    upper = kl_upper(mean, n, delta)
    assert mean <= upper <= 1
    if mean < upper < 1 - 1e-9 and upper - mean > 1e-6:
        assert divergence(mean, upper) == pytest.approx(log(1 / delta) / n, rel=1e-3)
    assert kl_lower(1 - mean, n, delta) == pytest.approx(1 - kl_upper(mean, n, delta), abs=1e-9)


@given(mean=means, n=counts, delta=levels)
def test_kl_is_never_looser_than_hoeffding(mean: float, n: int, delta: float) -> None:
    """Pinsker: d(x, y) >= 2 (x - y)^2."""
    assert kl_upper(mean, n, delta) <= hoeffding_upper(mean, n, delta) + 1e-9


@given(n=st.integers(1, 5_000), share=means, delta=levels)
def test_clopper_pearson_against_the_binomial_tail(n: int, share: float, delta: float) -> None:
    count = round(share * n)
    upper = clopper_pearson_upper(count, n, delta)
    assert count / n <= upper <= 1
    if upper < 1:
        assert scipy.stats.binom.cdf(count, n, upper) == pytest.approx(delta, rel=1e-4)
    assert clopper_pearson_lower(n - count, n, delta) == pytest.approx(1 - upper, abs=1e-12)


def test_what_an_unacceptable_answer_costs_at_fixed_n() -> None:
    # three unacceptable answers at a limit of .00052: KL needs 18,136 questions, Clopper-Pearson 14,909
    assert kl_upper(3 / 18_136, 18_136, 0.05) <= 0.00052 < kl_upper(3 / 18_135, 18_135, 0.05)
    assert clopper_pearson_upper(3, 14_909, 0.05) <= 0.00052 < clopper_pearson_upper(3, 14_908, 0.05)
    # none: (1 - .00052)^n <= .05  <=>  n >= ln .05 / ln .99948 = 5,759.5
    assert kl_upper(0, 5_760, 0.05) <= 0.00052 < kl_upper(0, 5_759, 0.05)


@each_case(("mean", "n", "delta"), [(1.5, 10, 0.05), (0.5, 0, 0.05), (0.5, 10, 0.0), (0.5, 10, 1.0)])
def test_nonsense_is_refused(mean: float, n: int, delta: float) -> None:
    with pytest.raises(BadInput):
        kl_upper(mean, n, delta)
