"""What forecasters that know nothing get: one that answers at random, and one that always says the same.

Consistency alone can be gamed: a forecaster that says 40% to everything never contradicts a paraphrase. So no share of
contradictions is shown without these beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import fsum
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


DRAWN: Final[Mapping[tuple[str, int], Reference]] = {
    ("neg", 2): Reference(0.33332369215804647, 0.6419677734375, 0.26632177640801685),
    ("and", 3): Reference(0.2916637806468998, 0.553955078125, 0.24595089724958907),
    ("or", 3): Reference(0.29167218058728395, 0.5545654296875, 0.2459474456677102),
    ("and-or", 4): Reference(0.4668940117430793, 0.7403564453125, 0.5441400804580958),
    ("but", 3): Reference(0.583341765322757, 0.800537109375, 0.5076533540685153),
    ("cond", 3): Reference(0.3611762409615398, 0.666015625, 0.3340768781341348),
    ("cond-cond", 4): Reference(0.41206753181528205, 0.7073974609375, 0.47263927020455937),
    ("consequence", 2): Reference(0.16666381780362372, 0.319580078125, 0.13317025125891824),
    ("expected-evidence", 4): Reference(0.3056260139225675, 0.616455078125, 0.20576613660588106),
    ("bayes", 4): Reference(0.44341891521733845, 0.8607177734375, 0.1983308207402809),
    ("paraphrase", 2): Reference(0.33332763560724743, 0.639404296875, 0.2662998792345924),
    ("paraphrase", 4): Reference(0.5999503224237515, 0.9718017578125, 0.852235618780005),
    ("repeat", 2): Reference(0.33332763560724743, 0.639404296875, 0.2662998792345924),
    ("repeat", 4): Reference(0.5999503224237515, 0.9718017578125, 0.852235618780005),
}
"""By a law's name and its number of statements: what `drawn` gives, which takes two seconds for all of them."""


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
        fsum(reference.mean * number for reference, number in found) / total,
        fsum(reference.strong * number for reference, number in found) / total,
        fsum(value * number for value, number in known) / total if len(known) == len(found) else None,
    )


def drawn(law: Law) -> Reference:
    """Of forecasts from 0 to 1 that are spread evenly."""
    from scipy.stats.qmc import Sobol  # to import it takes half a second

    return _of(law, Sobol(len(law.statements), rng=np.random.default_rng(0)).random(DRAWS))


@cache
def _random(kind: Kind) -> Reference:
    if isinstance(kind, Law):
        known = DRAWN.get((kind.name, len(kind.statements))) if is_named(kind) else None
        return known or drawn(kind)
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
