"""What forecasters that know nothing get: one that answers at random, and one that always says the same.

Consistency alone can be gamed: a forecaster that says 40% to everything never contradicts a paraphrase. So no share of
contradictions is shown without these beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.laws import Law, violations
from vivavoce.laws.builtin import is_named
from vivavoce.laws.metrics import is_strong, metric

CONSTANT: Final = 0.4
"""What the constant forecaster says, as the baseline of paleka2024forecasters does."""
DRAWS: Final = 1 << 13
"""Of the random forecaster a law, spread evenly (Sobol's sequence): figures are right to about .003."""
_MOST_ORDERS: Final = 7
"""Statements of a series of which all orders are gone through."""

Kind = Law | tuple[str, int]
"""A law, or the direction of a series and its length."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The same figures for a forecaster that knows nothing."""

    mean: float
    """Of the metric."""
    strong: float
    """Share of strong violations."""
    violation: float | None
    """Mean violation in nats; None for quantities."""


def random_reference(kinds: Iterable[Kind]) -> Reference:
    """Of a forecaster that draws each forecast from 0 to 1, or each series in random order; of these tuples together.

    >>> from vivavoce.laws import BUILT_IN
    >>> found = random_reference([BUILT_IN["neg"]])  # exactly 1/3 and .8 squared
    >>> round(found.mean, 2), round(found.strong, 2)
    (0.33, 0.64)
    """
    return _together(Counter(kinds), _random)


def constant_reference(kinds: Iterable[Kind]) -> Reference:
    """Of a forecaster that says .4 to everything, or the same quantity every time.

    >>> from vivavoce.laws import BUILT_IN
    >>> constant_reference([BUILT_IN["but"]]).mean
    0.4
    """
    return _together(Counter(kinds), _constant)


def _together(numbers: Counter[Kind], of: Callable[[Kind], Reference]) -> Reference:
    found = [(of(kind), number) for kind, number in numbers.items()]
    total = sum(number for _, number in found)
    known = [(reference.violation, number) for reference, number in found if reference.violation is not None]
    return Reference(
        sum(reference.mean * number for reference, number in found) / total,
        sum(reference.strong * number for reference, number in found) / total,
        sum(value * number for value, number in known) / total if len(known) == len(found) else None,
    )


@cache
def _random(kind: Kind) -> Reference:
    if isinstance(kind, Law):
        from scipy.stats.qmc import Sobol  # to import it takes half a second

        return _of(kind, Sobol(len(kind.statements), rng=np.random.default_rng(0)).random(DRAWS))
    _, length = kind
    if length <= _MOST_ORDERS:
        orders = np.array(list(permutations(range(length))))
    else:
        orders = np.random.default_rng(0).permuted(np.tile(np.arange(length), (DRAWS, 1)), axis=1)
    # Spearman's correlation without ties is 1 - 6 D / (n^3 - n), D the sum of squared differences of ranks.
    found = 3 * ((orders - np.arange(length)) ** 2).sum(axis=1) / (length**3 - length)
    return Reference(float(found.mean()), float(is_strong(found).mean()), None)


@cache
def _constant(kind: Kind) -> Reference:
    if not isinstance(kind, Law):
        return Reference(0.0, 0.0, None)
    return _of(kind, np.full((1, len(kind.statements)), CONSTANT))


def _of(law: Law, forecasts: NDArray[np.float64]) -> Reference:
    found = violations(law, forecasts)
    metrics = metric(law, forecasts, found.repair)
    strong = is_strong(metrics, own=not is_named(law))
    return Reference(float(metrics.mean()), float(strong.mean()), float(found.value.mean()))
