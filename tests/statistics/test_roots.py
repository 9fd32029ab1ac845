"""The root of a function is that of SciPy, to the last bit: bounds that were printed once come out again."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, exp, expm1, log, tanh

import numpy as np
import pytest
from scipy.optimize import brentq

from vivavoce.statistics.bounds import RTOL, root


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


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
def test_it_takes_the_steps_of_scipy(curve: Callable[[float, float], float]) -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        c, sign = rng.uniform(0.01, 0.99), rng.choice([-1.0, 1.0])
        xtol, rtol = 10.0 ** rng.uniform(-300, -3), float(rng.choice([RTOL, 1e-14, 1e-6]))
        here, places = counted(lambda x, c=c, sign=sign: float(sign * curve(x, c)))  # type: ignore[misc]
        there, places_there = counted(lambda x, c=c, sign=sign: float(sign * curve(x, c)))  # type: ignore[misc]
        assert root(here, 0, 1, xtol=xtol, rtol=rtol) == brentq(there, 0, 1, xtol=xtol, rtol=rtol)
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
        brentq(flat, 0, 1, xtol=1e-300)


def test_what_has_no_sign_has_no_root() -> None:
    with pytest.raises(ValueError, match="one must be below zero"):
        root(lambda x: float("nan"), 0, 1)
