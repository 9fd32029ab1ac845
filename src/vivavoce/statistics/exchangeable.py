"""An e-process against "these yes-or-no values came in random order": did their source stay the same?

Null: the values of a fixed candidate in the order in which its questions were drawn. Within each stratum they are i.i.d., or
drawn from a finite population without replacement; nothing else is assumed. (If answers are random, imagine that the answer to
each unit of the population is fixed before the order is drawn.)

E = Q(x) / max P(x), taken after any number of values.

- P: the probability of this sequence under a member of the null. In a stratum of unknown rate p, with n values of which k are
  1, it is p^k (1-p)^(n-k), with its maximum at p = k/n. Without replacement from N units of which K are 1, it is
  C(N-n, K-k) / C(N, K), with its maximum at K = floor((N+1) k/n). The maximum is the product over strata, each with its own.
- Q: one distribution of sequences, fixed beforehand. With probability w_s the rates change after s values. In each stratum the
  values before and after are independent mixtures of Krichevsky and Trofimov, Beta(1/2, 1/2) (`krichevsky1981`). w_s =
  1/log2(s+1) - 1/log2(s+2), s = 1, 2, ..., adds up to 1, and to 1/log2(n+1) for all s >= n.

Guarantee: E[E_t] <= 1 at every stopping time t, and P(E_n >= 1/a for any n) <= a. Besides the values, t may depend on anything
that is independent of them.

Proof. Each member of the null is such a P, or a mixture of them over K. So the true probability of x_1..x_n is at most max P
for each n. So E_n <= Q(x_1..x_n) / P_true(x_1..x_n). This is a likelihood ratio of two distributions of the same sequence: a
martingale that begins at 1 (a supermartingale if P_true can be 0) and is never negative. Ville's inequality and optional
stopping hold for it. Q is the same distribution at n and at n + 1, since for each s the counts since the last change predict
the values.

No test martingale has any power here, but this e-process does (the construction is from `ramdas2022`). The order of strata must
not depend on the values. A rank-based (conformal) martingale would also take values between 0 and 1. But it is valid only at
stopping times of its own p-values, and a verdict is a stopping time of the values themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import log_beta
from vivavoce.statistics.confidence_sequences import log_choose

_BLOCK: Final = 16_384
"""Values processed together, so that memory does not grow with their number."""


class RateChange(NamedTuple):
    """Evidence for a change of the rate over time."""

    log_e: float
    """Natural logarithm of the e-value; at most 0 without evidence."""
    after: int
    """The number of values before the likeliest change; 0 for fewer than two values."""


def change_evidence(
    values: ArrayLike, *, strata: ArrayLike | None = None, populations: Sequence[int | None] = (None,)
) -> RateChange:
    """The evidence that the rate of ones changed, from values in the order of drawing.

    values: booleans. strata: the stratum of each, from 0; None: one stratum. populations: the number of units in each stratum
    for draws without replacement, else None.

    >>> change_evidence([True] * 60).log_e < 0
    True
    >>> bool(np.exp(change_evidence([True] * 60 + [False] * 12).log_e) > 10**9)
    True
    """
    ones = np.asarray(values, dtype=bool)
    if not ones.size:
        return RateChange(0.0, 0)
    of = np.zeros(ones.size, dtype=np.intp) if strata is None else np.asarray(strata, dtype=np.intp)
    if of.shape != ones.shape or of.min() < 0 or of.max() >= len(populations):
        raise BadInput(f"{ones.size} values and {of.size} strata of {len(populations)}: give each value one of them")
    n, unchanged, most = ones.size, 0.0, 0.0
    units, events = (np.bincount(those, minlength=len(populations)) for those in (of, of[ones]))
    for stratum, population in enumerate(populations):
        if population is not None and units[stratum] > population:
            raise BadInput(f"there are more values than the population of {population}")
        unchanged += float(_mixture(events[stratum : stratum + 1], units[stratum : stratum + 1])[0])
        most += _likeliest(int(events[stratum]), int(units[stratum]), population)
    log_q, best, after = unchanged - np.log(np.log2(n + 1)), -np.inf, 0
    before = np.zeros((2, len(populations)), dtype=np.intp)
    for start in range(0, n - 1, _BLOCK):
        block = slice(start, min(start + _BLOCK, n - 1))
        by_change = _by_change(ones[block], of[block], before, np.stack([events, units]))
        s = np.arange(block.start + 1, block.stop + 1)
        by_change += np.log(1 / np.log2(s + 1) - 1 / np.log2(s + 2))
        log_q = float(np.logaddexp.reduce(np.append(by_change, log_q)))
        if by_change.max() > best:
            best, after = by_change.max(), int(s[np.argmax(by_change)])
    return RateChange(float(log_q) - most, after)


def _by_change(ones: NDArray[np.bool_], of: NDArray[np.intp], before: NDArray[np.intp], in_all: NDArray[np.intp]) -> Floats:
    """The log probability of all values if the rates change after each of these values; adds them to `before`.

    before, in_all: numbers of events and of units in each stratum, shape (2, strata).
    """
    changed = np.zeros(ones.size)
    for stratum in range(in_all.shape[1]):
        here = of == stratum
        so_far = before[:, stratum, None] + np.cumsum([ones & here, here], axis=1)
        before[:, stratum] = so_far[:, -1]
        changed += _mixture(*so_far) + _mixture(*(in_all[:, stratum, None] - so_far))
    return changed


def _mixture(events: NDArray[np.intp], n: NDArray[np.intp]) -> Floats:
    """The logarithm of the probability of a sequence with this many ones among n, over rates from Beta(1/2, 1/2)."""
    return log_beta(events + 0.5, n - events + 0.5) - log_beta(0.5, 0.5)


def _likeliest(events: int, n: int, population: int | None) -> float:
    """The logarithm of the largest probability of a sequence under any fixed rate, or any number of ones in the population."""
    if not n:
        return 0.0
    if population is None:
        return sum(count * log(count / n) for count in (events, n - events) if count)
    peak = (population + 1) * events // n
    ones = np.clip([peak - 1, peak, peak + 1], events, population - n + events)
    return float((log_choose(population - n, ones - events) - log_choose(population, ones)).max())
