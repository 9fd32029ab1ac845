"""Plainer measures of a violation, each in its authors' form: differences of probabilities, and differences in standard errors.

The paper's metrics (fluri2024, section 6.2): negation |P + ~P - 1|, paraphrases max - min, Bayes' rule the root of
|P(A|B) P(B) - P(B|A) P(A)|, monotonicity (1 - Spearman's rank correlation) / 2. For laws that the paper does not have, the
metric here is the same kind of difference between the two sides of the law; for users' own laws it is the sum of all changes by
which the nearest coherent forecasts differ.

The frequentist metric is that of paleka2024forecasters: the same difference divided by the square root of its variance + .001,
each forecast p having variance p (1 - p), products by the delta method, and only the side of an inequality that is violated.
For the double conditional their formula has the factor PQR where the delta method gives PR; the delta method is used here, so
that numbers differ from theirs for that law. They have no such metric for Bayes' rule; the delta method gives the one here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.laws.builtin import is_named
from vivavoce.laws.law import Law
from vivavoce.laws.violation import taken

Floats = NDArray[np.float64]

STRONG: Final = 0.2
"""A metric above it is a strong violation (fluri2024, section 6.3); of a user's own law, one that reaches it."""
ROUNDING: Final = 1e-9
"""Sums of decimals such as .9 + .3 - 1 come out this much above .2, and are not above it."""
PRIOR_VARIANCE: Final = 1e-3
"""Added to the variance of a difference, as the follow-up paper does: without it certainty would have none."""


@dataclass(frozen=True, slots=True)
class Sides:
    """By how much one side of a law exceeds the other where it must not, and the variance of that."""

    difference: Floats
    variance: Floats


Columns = Sequence[Floats]
"""The forecasts of each statement of a law."""
Told = Callable[[Columns], Sequence[Sides]]


def metric(law: Law, forecasts: ArrayLike, repair: ArrayLike) -> Floats:
    """The paper's metric, where it has none the difference of the law's sides, for users' own laws the repair's total change.

    >>> from vivavoce.laws import BUILT_IN
    >>> metric(BUILT_IN["neg"], [[0.5, 0.75]], [[0.37, 0.63]]).tolist()
    [0.25]
    """
    given = np.asarray(forecasts, dtype=float)
    if not is_named(law):
        return np.asarray(np.abs(taken(given) - np.asarray(repair)).sum(axis=1))
    worst = np.max([np.maximum(sides.difference, 0.0) for sides in TOLD[law.name](list(given.T))], axis=0)
    return np.asarray(np.sqrt(worst) if law.name == "bayes" else worst)


def frequentist(law: Law, forecasts: ArrayLike) -> Floats | None:
    """The difference of the law's sides in standard errors; None for users' own laws.

    >>> from vivavoce.laws import BUILT_IN
    >>> frequentist(BUILT_IN["neg"], [[0.5, 0.75]]).round(4).tolist()  # .25 / sqrt(.25 + .1875 + .001)
    [0.3775]
    """
    if not is_named(law):
        return None
    sides = TOLD[law.name](list(np.asarray(forecasts, dtype=float).T))
    scaled = [np.maximum(side.difference, 0.0) / np.sqrt(side.variance + PRIOR_VARIANCE) for side in sides]
    return np.asarray(np.max(scaled, axis=0))


def most(law: Law) -> float:
    """The largest value that the metric can have; of users' own laws, where it is a sum of changes, a bound for it.

    >>> from vivavoce.laws import law_named
    >>> most(law_named("partition", ["a", "b", "c"])), most(law_named("but", ["P", "Q_and_not_P", "P_or_Q"]))
    (2.0, 2.0)
    """
    if not is_named(law):
        return float(len(law.statements))
    wide = {"and-or": 2.0, "but": 2.0, "exclusive": len(law.statements) - 1.0, "partition": max(1.0, len(law.statements) - 1.0)}
    return wide.get(law.name, 1.0)


def is_strong(metrics: ArrayLike, *, own: bool = False) -> NDArray[np.bool_]:
    """Whether each violation is strong; `own` for a user's law, where .2 itself is.

    >>> is_strong([0.9 + 0.3 - 1, 0.21]).tolist(), is_strong([0.19, 0.9 + 0.3 - 1], own=True).tolist()
    ([False, True], [False, True])
    """
    found = np.asarray(metrics)
    return np.asarray(found >= STRONG - ROUNDING if own else found > STRONG + ROUNDING)


def _v(p: Floats) -> Floats:
    return p * (1 - p)


def _both_ways(difference: Floats, *variances: Floats) -> list[Sides]:
    return [Sides(np.abs(difference), np.asarray(sum(variances)))]


def _neg(f: Columns) -> Sequence[Sides]:
    return _both_ways(f[0] + f[1] - 1, _v(f[0]), _v(f[1]))


def _same(f: Columns) -> Sequence[Sides]:
    return [Sides(np.abs(p - q), _v(p) + _v(q)) for p, q in combinations(f, 2)]


def _and(f: Columns) -> Sequence[Sides]:
    p, q, both = f
    least = np.minimum(p, q)
    return [Sides(p + q - 1 - both, _v(p) + _v(q) + _v(both)), Sides(both - least, _v(least) + _v(both))]


def _or(f: Columns) -> Sequence[Sides]:
    p, q, either = f
    most = np.maximum(p, q)
    return [Sides(either - p - q, _v(p) + _v(q) + _v(either)), Sides(most - either, _v(most) + _v(either))]


def _and_or(f: Columns) -> Sequence[Sides]:
    return _both_ways(f[0] + f[1] - f[2] - f[3], *map(_v, f))


def _but(f: Columns) -> Sequence[Sides]:
    return _both_ways(f[0] + f[1] - f[2], *map(_v, f))


def _cond(f: Columns) -> Sequence[Sides]:
    p, q, both = f
    return _both_ways(p * q - both, q**2 * _v(p), p**2 * _v(q), _v(both))


def _cond_cond(f: Columns) -> Sequence[Sides]:
    p, q, r, all_three = f
    return _both_ways(p * q * r - all_three, (q * r) ** 2 * _v(p), (p * r) ** 2 * _v(q), (p * q) ** 2 * _v(r), _v(all_three))


def _implied(f: Columns) -> Sequence[Sides]:
    return [Sides(first - later, _v(first) + _v(later)) for first, later in combinations(f, 2)]


def _expected_evidence(f: Columns) -> Sequence[Sides]:
    p, q, if_so, if_not = f
    variances = (_v(p), q**2 * _v(if_so), (1 - q) ** 2 * _v(if_not), (if_so - if_not) ** 2 * _v(q))
    return _both_ways(if_so * q + if_not * (1 - q) - p, *variances)


def _bayes(f: Columns) -> Sequence[Sides]:
    p, q, p_if_q, q_if_p = f
    variances = (p_if_q**2 * _v(q), q**2 * _v(p_if_q), q_if_p**2 * _v(p), p**2 * _v(q_if_p))
    return _both_ways(p_if_q * q - q_if_p * p, *variances)


def _exclusive(f: Columns) -> Sequence[Sides]:
    return [Sides(np.sum(f, axis=0) - 1, np.asarray(sum(map(_v, f))))]


def _exhaustive(f: Columns) -> Sequence[Sides]:
    return [Sides(1 - np.sum(f, axis=0), np.asarray(sum(map(_v, f))))]


def _partition(f: Columns) -> Sequence[Sides]:
    return _both_ways(np.sum(f, axis=0) - 1, *map(_v, f))


TOLD: Final[Mapping[str, Told]] = {
    "neg": _neg,
    "paraphrase": _same,
    "repeat": _same,
    "and": _and,
    "or": _or,
    "and-or": _and_or,
    "but": _but,
    "cond": _cond,
    "cond-cond": _cond_cond,
    "consequence": _implied,
    "chain": _implied,
    "expected-evidence": _expected_evidence,
    "bayes": _bayes,
    "exclusive": _exclusive,
    "exhaustive": _exhaustive,
    "partition": _partition,
}
"""The sides of each law, from its forecasts in the order of its statements."""

FORMULA: Final[Mapping[str, str]] = {
    "neg": "|P + ~P − 1|",
    "paraphrase": "highest − lowest",
    "repeat": "highest − lowest",
    "and": "P&Q outside [P + Q − 1, min(P, Q)]",
    "or": "P|Q outside [max(P, Q), P + Q]",
    "and-or": "|P + Q − P&Q − P|Q|",
    "but": "|P + Q&~P − P|Q|",
    "cond": "|P · (Q given P) − P&Q|",
    "cond-cond": "|P · (Q given P) · (R given P&Q) − P&Q&R|",
    "consequence": "P above C",
    "chain": "earlier above later",
    "expected-evidence": "|Q · (P given Q) + ~Q · (P given ~Q) − P|",
    "bayes": "√|(P given Q) · Q − (Q given P) · P|",
    "exclusive": "sum above 1",
    "exhaustive": "sum below 1",
    "partition": "|sum − 1|",
    "increasing": "(1 − rank correlation) / 2",
    "decreasing": "(1 − rank correlation) / 2",
}
"""What the metric of each law is, in short."""
OWN_LAW: Final = "total change by the repair"
"""The metric of users' own laws."""
