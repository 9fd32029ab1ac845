"""Games needed to tell two versions of a machine apart.

By the two-sided two-sample t test with as many guesses for either version, each of another person: its power is a tail of the
noncentral t distribution. Who guesses both versions makes it fewer, and who guesses one of them often makes it more.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import ceil, exp, fsum, log, sqrt
from typing import Final

import numpy as np
from scipy.special import nctdtr, ndtri, stdtrit

from vivavoce.errors import BadInput
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.finding import Signature
from vivavoce.luna.config import MachinePlanConfig
from vivavoce.luna.machine_plan_finding import MachinePlan, PlannedRow
from vivavoce.luna.rules import HIGHEST
from vivavoce.version import __version__

STATED: Final = (15.0, 20.0, 25.0)
"""Standard deviations of people's guesses of one machine, in points of 100, to plan with where a site has none to show."""
FEWEST: Final = 5
"""People whose guesses an estimated deviation needs."""
MOST: Final = 10_000_000
"""Guesses of a version that are planned at most."""
CONFIDENCE: Final = 0.95


def power_of(difference: float, deviation: float, number: int, *, alpha: float = 0.05) -> float:
    """The chance that a two-sided t test of two groups of `number` guesses each finds this difference.

    >>> round(power_of(10.0, 20.0, 86), 3)  # the usual table: 86 a group for d = .5 at 90%
    0.903
    """
    degrees, shift = 2.0 * number - 2, difference / deviation * sqrt(number / 2)
    far = float(stdtrit(degrees, 1 - alpha / 2))
    return float(1 - nctdtr(degrees, shift, far) + nctdtr(degrees, shift, -far))


def guesses_needed(difference: float, deviation: float, *, power: float = 0.9, alpha: float = 0.05) -> int:
    """The fewest guesses of each version with at least that power. Raises `BadInput` where it takes more than `MOST`.

    >>> guesses_needed(5.0, 20.0), guesses_needed(10.0, 20.0)
    (338, 86)
    """
    about = 2 * ((ndtri(1 - alpha / 2) + ndtri(power)) * deviation / difference) ** 2
    if about > MOST:
        raise BadInput(
            f"a difference of {difference:g} points takes more than {MOST} guesses of each version: plan a larger one"
        )
    number = max(2, ceil(about) - 10)  # the normal approximation errs by a few guesses at most, and downwards
    while number > 2 and power_of(difference, deviation, number, alpha=alpha) >= power:
        number = max(2, number - 10)
    while power_of(difference, deviation, number, alpha=alpha) < power:
        number += 1
    return number


def guess_deviation(values: Sequence[float], targets: Sequence[Hashable], people: Sequence[Hashable]) -> Estimate | None:
    """The standard deviation of people's guesses of one machine in one version, pooled over all of these.

    The interval is of a jackknife that leaves out one person at a time, on the scale of logarithms.

    Parameters
    ----------
    targets: of which version of which machine each guess is.
    people: who made it.

    None for fewer than `FEWEST` people, or where guesses do not differ.
    """
    whole = _pooled(values, targets)
    everybody = list(dict.fromkeys(people))
    if whole is None or len(everybody) < FEWEST:
        return None
    left_out = []
    for person in everybody:
        rest = [place for place, one in enumerate(people) if one != person]
        found = _pooled([values[place] for place in rest], [targets[place] for place in rest])
        if found is None:
            return None
        left_out.append(log(found))
    n = len(left_out)
    error = sqrt((n - 1) / n * float(((np.array(left_out) - np.mean(left_out)) ** 2).sum()))
    half = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * error
    return Estimate(whole, Interval(whole * exp(-half), min(HIGHEST, whole * exp(half))), len(values))


def plan_machine(
    config: MachinePlanConfig,
    *,
    deviation: float | None = None,
    estimated: Estimate | None = None,
    source: str = "",
) -> MachinePlan:
    """How many guesses of people each version needs.

    Parameters
    ----------
    deviation: of people's guesses of one version, as given.
    estimated: the same from a site's guesses; without both a stated range is planned with.

    Raises `BadInput` for a difference or a deviation that the scale cannot have.
    """
    if config.difference > HIGHEST:
        raise BadInput(f"a difference of {config.difference:g} points: the scale has {HIGHEST:g}")
    if deviation is not None and not 0 < deviation <= HIGHEST / 2:
        raise BadInput(
            f"a standard deviation of {deviation:g}: guesses from 0 to {HIGHEST:g} have one of {HIGHEST / 2:g} at most"
        )
    if deviation is not None:
        planned: tuple[float, ...] = (deviation,)
    elif estimated is not None and estimated.value is not None:
        planned = (estimated.interval.lower, estimated.value, estimated.interval.upper)
    else:
        planned = STATED
    rows = tuple(
        PlannedRow(one, guesses_needed(config.difference, one, power=config.power, alpha=config.alpha)) for one in planned
    )
    return MachinePlan(
        difference=config.difference,
        power=config.power,
        alpha=config.alpha,
        origin="given" if deviation is not None else "stated" if estimated is None else "estimated",
        guesses=0 if estimated is None else estimated.n,
        plans=rows,
        signature=Signature(
            version=__version__,
            examination="luna machine plan",
            candidate="two versions of a machine",
            scope=source,
            scope_digest="",
            seed=0,
            settings={"difference": config.difference, "power": config.power, "alpha": config.alpha},
        ),
    )


def _pooled(values: Sequence[float], targets: Sequence[Hashable]) -> float | None:
    """Within targets; None where none has two guesses, or they do not differ."""
    by_target: dict[Hashable, list[float]] = {}
    for value, target in zip(values, targets, strict=True):
        by_target.setdefault(target, []).append(value)
    squares = fsum(float(((np.array(own) - np.mean(own)) ** 2).sum()) for own in by_target.values())
    degrees = len(values) - len(by_target)
    return sqrt(squares / degrees) if degrees > 0 and squares > 0 else None
