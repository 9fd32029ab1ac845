"""How far forecasts are from the nearest coherent ones, exactly and for many tuples at once; and simpler measures of a
violation.

Forecasts p of the statements of a law are coherent if some distribution w over its worlds gives every statement its
probability. The violation is the least, over all w, of the sum over statements of KL(probability under w ‖ forecast). The term
of a conditional statement is weighted by the probability of its condition. By the minimax theorem, the violation is also the
largest sure profit, in nats, of a trader against the forecaster under the logarithmic score (the "arbitrage" metric of
paleka2024forecasters, which its authors search for numerically).

Each w gives an upper bound on the violation. The prices that follow from w give a lower bound: the profit in the worst world.
The bounds meet at the solution. Their difference, the duality gap, proves how exact the number is, whatever the solver did.

The simpler measures have their authors' form: differences of probabilities, and differences in standard errors.

The paper's metrics (fluri2024, section 6.2) are: for negation |P + ~P - 1|, for paraphrases max - min, for Bayes' rule the root
of |P(A|B) P(B) - P(B|A) P(A)|, for monotonicity (1 - Spearman's rank correlation) / 2. For laws that the paper does not have,
the metric is the same kind of difference between the two sides of the law. For users' laws it is the sum of all changes to the
nearest coherent forecasts.

The frequentist metric is from paleka2024forecasters: the same difference divided by the square root of its variance + .001.
Each forecast p has variance p (1 - p), products use the delta method, and of an inequality only the violated side counts. For
the double conditional their formula has the factor PQR, where the delta method gives PR; this module uses the delta method, so
its numbers differ for that law. They have no such metric for Bayes' rule; the delta method gives the one here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput
from vivavoce.laws.law import FALSE, TRUE, VOID, Law, is_named

Floats = NDArray[np.float64]

NEARLY_NEVER, NEARLY_ALWAYS = 0.001, 0.999
"""Replacements of forecasts 0 and 1, whose failure would have an infinite price. Other forecasts stay unchanged."""
TOLERANCE = 1e-12
"""The target gap, in nats."""
COHERENT = 1e-9
"""In nats. A smaller violation counts as 0: forecasts of a half would have to be off by 3e-5 to reach it."""
MOST_STEPS = 100
"""The most Newton steps; about 20 are typical, and 40 for laws with conditional statements."""
_BLOCK = 1 << 22
"""Entries of the largest array."""
_NOTHING = 1e-300
"""Replaces the total weight 0 of missing worlds, as for a statement that is always true; it is multiplied by 0 later."""


@dataclass(frozen=True, slots=True)
class Violations:
    """Violations of k tuples of forecasts for the n statements of a law."""

    value: Floats
    """Nats, from 0; k."""
    gap: Floats
    """The most, in nats, by which `value` can be too large; 0 for a value of 0, which is exact to `COHERENT`; k."""
    repair: Floats
    """The nearest coherent forecasts; k x n."""


def violations(law: Law, forecasts: ArrayLike) -> Violations:
    """The violation of each tuple of forecasts, with its duality gap, and the nearest coherent forecasts.

    Parameters
    ----------
    law: names the statements in the order of the columns.
    forecasts: probabilities, k x n.

    Forecasts of exactly 0 and 1 count as .001 and .999, unless they are coherent unchanged.

    Raises `BadInput` for a forecast that is not a number from 0 to 1.

    >>> from vivavoce.laws import BUILT_IN
    >>> found = violations(BUILT_IN["neg"], [[0.5, 0.7], [0.3, 0.7]])
    >>> found.value.round(4).tolist(), found.repair.round(2).tolist()
    ([0.0426, 0.0], [[0.4, 0.6], [0.3, 0.7]])
    """
    given, beliefs = np.asarray(forecasts, dtype=float), taken(forecasts)
    if given.ndim != 2 or given.shape[1] != len(law.statements):
        raise BadInput(
            f"the law '{law.name[:80]}' takes {len(law.statements)} forecasts a tuple, not an array of {given.shape}"
        )
    true, false = (law.worlds == TRUE).astype(float), (law.worlds == FALSE).astype(float)
    value, gap, repair = np.zeros(len(beliefs)), np.zeros(len(beliefs)), np.zeros(beliefs.shape)
    size = max(1, _BLOCK // (len(true) + 1) ** 2)
    for start in range(0, len(beliefs), size):
        block = slice(start, start + size)
        value[block], gap[block], weights = _solve(beliefs[block], true, false)
        happens, fails = weights @ true, weights @ false
        repair[block] = happens / (happens + fails)
    coherent = (value < COHERENT) | _coherent_as_said(law.worlds, given)
    repair, gap = np.where(coherent[:, None], given, repair), np.where(coherent, 0.0, gap)
    return Violations(np.where(coherent, 0.0, value), np.maximum(gap, 0.0), repair)


def taken(forecasts: ArrayLike) -> Floats:
    """The forecasts used in computations: 0 and 1 become .001 and .999.

    >>> taken([0, 0.0002, 1]).tolist()
    [0.001, 0.0002, 0.999]
    """
    given = np.asarray(forecasts, dtype=float)
    if not ((given >= 0) & (given <= 1)).all():
        raise BadInput("a forecast must be a number from 0 to 1")
    return np.where(given == 0, NEARLY_NEVER, np.where(given == 1, NEARLY_ALWAYS, given))


def _coherent_as_said(worlds: NDArray[np.int8], given: Floats) -> NDArray[np.bool_]:
    """Whether each tuple with forecasts of 0 or 1 is coherent if these are exact; False for all others.

    A forecast of 0 rules out the worlds where its statement is true, a forecast of 1 those where it is false. The remaining
    worlds must give the other statements their probability. A conditional statement is free if its condition then never holds.
    """
    ends = np.where(given == 0, TRUE, np.where(given == 1, FALSE, VOID))
    coherent = np.zeros(len(given), dtype=bool)
    for ruled_out in np.unique(ends[(ends != VOID).any(axis=1)], axis=0):
        rows, between = np.flatnonzero((ends == ruled_out).all(axis=1)), ruled_out == VOID
        left = worlds[~((worlds == ruled_out) & ~between).any(axis=1)][:, between]
        if len(left):
            true, false = (left == TRUE).astype(float), (left == FALSE).astype(float)
            coherent[rows] = _solve(given[np.ix_(rows, between)], true, false)[0] < COHERENT
    return coherent


def _solve(beliefs: Floats, true: Floats, false: Floats) -> tuple[Floats, Floats, Floats]:
    """Value, gap and weights of worlds of each tuple, by a primal-dual interior-point method on all tuples at once.

    Two worlds in which every statement differs need no steps: the nearest log-odds are the mean of all statements'. The
    objective is homogeneous of degree one in the weights, so it equals their product with its gradient. The gradient is the
    profit in each world, and its least entry the lower bound. The best bounds of all steps are kept.
    """
    tuples, worlds = len(beliefs), len(true)
    log_true, log_false = np.log(beliefs), np.log1p(-beliefs)
    value, gap, best = np.zeros(tuples), np.full(tuples, np.inf), np.full((tuples, worlds), 1 / worlds)
    opposite = worlds == 2 and true.size > 0 and bool((true[0] == false[1]).all() and (true + false).all())
    if opposite:
        best = np.exp((log_true @ true.T + log_false @ false.T) / true.shape[1])
        best /= best.sum(axis=1, keepdims=True)
    # faster than by half, ratios of vanishing weights would stray from the central path, and so would conditional forecasts
    shrink = 0.2 if (true + false).all() else 0.5
    going, weights = np.arange(tuples), best.copy()
    slack, level = np.ones((tuples, worlds)), np.zeros(tuples)
    for step in range(MOST_STEPS):
        happens, fails = np.maximum(weights @ true, _NOTHING), np.maximum(weights @ false, _NOTHING)
        both = happens + fails
        pays = (np.log(happens / both) - log_true[going]) @ true.T + (np.log(fails / both) - log_false[going]) @ false.T
        upper = (weights * pays).sum(axis=1)
        apart = upper - np.maximum(pays.min(axis=1), 0)  # no violation is below 0
        better = apart < gap[going]
        value[going[better]], gap[going[better]], best[going[better]] = upper[better], apart[better], weights[better]
        on = apart > (0 if step == 0 and not opposite else TOLERANCE)
        if not on.any():
            break
        going, weights, slack, level = going[on], weights[on], slack[on], level[on]
        curve = _curvature(happens[on], fails[on], true, false)
        weights, slack, level = _newton(weights, slack, level, pays[on], curve, shrink)
    return value, gap, best


def _curvature(happens: Floats, fails: Floats, true: Floats, false: Floats) -> Floats:
    """Second derivatives of the objective by the weights; k x m x m."""
    worlds, values = len(true), true + false
    parts = ((1 / happens, true), (1 / fails, false), (-1 / (happens + fails), values))
    pairs = ((scale, (rows[:, None, :] * rows).reshape(worlds**2, -1)) for scale, rows in parts)
    # one large product, as many small ones take twice as long
    return np.asarray(sum(scale @ both.T for scale, both in pairs)).reshape(-1, worlds, worlds)


def _newton(
    weights: Floats, slack: Floats, level: Floats, pays: Floats, curve: Floats, shrink: float
) -> tuple[Floats, Floats, Floats]:
    """One damped Newton step towards the optimality conditions: pays - slack = level, weights · slack = barrier, sum = 1."""
    count, worlds = weights.shape
    barrier = (weights * slack).sum(axis=1, keepdims=True) / worlds * shrink
    system = np.zeros((count, worlds + 1, worlds + 1))
    system[:, :worlds, :worlds] = curve
    system[:, range(worlds), range(worlds)] += slack / weights
    system[:, :worlds, worlds], system[:, worlds, :worlds] = -1, 1
    wanted = np.zeros((count, worlds + 1, 1))
    wanted[:, :worlds, 0] = level[:, None] + barrier / weights - pays
    change = np.linalg.solve(system, wanted)[..., 0]
    towards = change[:, :worlds]
    slack_towards = barrier / weights - slack - slack / weights * towards
    length = np.minimum(_room(weights, towards), _room(slack, slack_towards))[:, None]
    moved = weights + length * towards
    return moved / moved.sum(axis=1, keepdims=True), slack + length * slack_towards, level + length[:, 0] * change[:, worlds]


def _room(values: Floats, change: Floats) -> Floats:
    """How far each row can go along `change`, at most all of it, and stay well above 0."""
    shrinking = np.where(change < 0, -change / values, 0.0).max(axis=1)
    return np.asarray(1 / np.maximum(1.0, shrinking / 0.95))


STRONG: Final = 0.2
"""A larger metric is a strong violation (fluri2024, section 6.3); for a user's law, an equal one is too."""
ROUNDING: Final = 1e-9
"""Sums of decimals such as .9 + .3 - 1 exceed .2 by rounding errors of this size, which do not count."""
PRIOR_VARIANCE: Final = 1e-3
"""Added to the variance of a difference, as in the follow-up paper: without it, certain forecasts would have variance 0."""


@dataclass(frozen=True, slots=True)
class SideExcess:
    """How far one side of a law exceeds the other against the law, and the variance of that."""

    difference: Floats
    variance: Floats


Columns = Sequence[Floats]
"""The forecasts of each statement of a law."""
Told = Callable[[Columns], Sequence[SideExcess]]


def metric(law: Law, forecasts: ArrayLike, repair: ArrayLike) -> Floats:
    """The paper's metric; without one the difference of the law's sides; for users' laws the repair's total change.

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
    """The largest possible metric; for users' laws, whose metric is a sum of changes, an upper bound.

    >>> from vivavoce.laws import law_named
    >>> most(law_named("partition", ["a", "b", "c"])), most(law_named("but", ["P", "Q_and_not_P", "P_or_Q"]))
    (2.0, 2.0)
    """
    if not is_named(law):
        return float(len(law.statements))
    wide = {"and-or": 2.0, "but": 2.0, "exclusive": len(law.statements) - 1.0, "partition": max(1.0, len(law.statements) - 1.0)}
    return wide.get(law.name, 1.0)


def is_strong(metrics: ArrayLike, *, own: bool = False) -> NDArray[np.bool_]:
    """Whether each violation is strong; with `own`, for a user's law, .2 itself is strong.

    >>> is_strong([0.9 + 0.3 - 1, 0.21]).tolist(), is_strong([0.19, 0.9 + 0.3 - 1], own=True).tolist()
    ([False, True], [False, True])
    """
    values = np.asarray(metrics)
    return np.asarray(values >= STRONG - ROUNDING if own else values > STRONG + ROUNDING)


def _v(p: Floats) -> Floats:
    return p * (1 - p)


def _both_ways(difference: Floats, *variances: Floats) -> list[SideExcess]:
    return [SideExcess(np.abs(difference), np.asarray(sum(variances)))]


def _neg(f: Columns) -> Sequence[SideExcess]:
    return _both_ways(f[0] + f[1] - 1, _v(f[0]), _v(f[1]))


def _same(f: Columns) -> Sequence[SideExcess]:
    return [SideExcess(np.abs(p - q), _v(p) + _v(q)) for p, q in combinations(f, 2)]


def _and(f: Columns) -> Sequence[SideExcess]:
    p, q, both = f
    least = np.minimum(p, q)
    return [SideExcess(p + q - 1 - both, _v(p) + _v(q) + _v(both)), SideExcess(both - least, _v(least) + _v(both))]


def _or(f: Columns) -> Sequence[SideExcess]:
    p, q, either = f
    most = np.maximum(p, q)
    return [SideExcess(either - p - q, _v(p) + _v(q) + _v(either)), SideExcess(most - either, _v(most) + _v(either))]


def _and_or(f: Columns) -> Sequence[SideExcess]:
    return _both_ways(f[0] + f[1] - f[2] - f[3], *map(_v, f))


def _but(f: Columns) -> Sequence[SideExcess]:
    return _both_ways(f[0] + f[1] - f[2], *map(_v, f))


def _cond(f: Columns) -> Sequence[SideExcess]:
    p, q, both = f
    return _both_ways(p * q - both, q**2 * _v(p), p**2 * _v(q), _v(both))


def _cond_cond(f: Columns) -> Sequence[SideExcess]:
    p, q, r, all_three = f
    return _both_ways(p * q * r - all_three, (q * r) ** 2 * _v(p), (p * r) ** 2 * _v(q), (p * q) ** 2 * _v(r), _v(all_three))


def _implied(f: Columns) -> Sequence[SideExcess]:
    return [SideExcess(first - later, _v(first) + _v(later)) for first, later in combinations(f, 2)]


def _expected_evidence(f: Columns) -> Sequence[SideExcess]:
    p, q, if_so, if_not = f
    variances = (_v(p), q**2 * _v(if_so), (1 - q) ** 2 * _v(if_not), (if_so - if_not) ** 2 * _v(q))
    return _both_ways(if_so * q + if_not * (1 - q) - p, *variances)


def _bayes(f: Columns) -> Sequence[SideExcess]:
    p, q, p_if_q, q_if_p = f
    variances = (p_if_q**2 * _v(q), q**2 * _v(p_if_q), q_if_p**2 * _v(p), p**2 * _v(q_if_p))
    return _both_ways(p_if_q * q - q_if_p * p, *variances)


def _exclusive(f: Columns) -> Sequence[SideExcess]:
    return [SideExcess(np.sum(f, axis=0) - 1, np.asarray(sum(map(_v, f))))]


def _exhaustive(f: Columns) -> Sequence[SideExcess]:
    return [SideExcess(1 - np.sum(f, axis=0), np.asarray(sum(map(_v, f))))]


def _partition(f: Columns) -> Sequence[SideExcess]:
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
"""A short formula of each law's metric."""
OWN_LAW: Final = "total change by the repair"
"""The metric of users' laws."""
