"""How many questions to ask at once, where what is drawn after the verdict is paid for in vain.

Whatever the sizes of blocks rest on, they change no verdict: evidence is reckoned answer by answer in drawn order, and whoever
stops within a block stops at the same answer as without blocks. So the sizes may rest on a rough forecast, and do.

The forecast: further values come with the shares of those that have come, and of `PRIOR` as if it had; which shares these are
is drawn anew for each of `RUNS` runs (a Bayesian bootstrap), and the bets of `evidence` go on in each until the end. For values
without replacement the evidence after n of N counts as that after n N / (N - n) independent ones, as their variance does.

The rule: let U be the questions that count, and W those drawn in vain. A block of b questions is expected to waste
E[b - min(b, t)], t being what is still needed. It is made as large as the sum of what all blocks so far were expected to waste
stays at most `SPARE` + `SHARE` E[U]. Summed over the blocks, since what a block was expected to waste differs from what it
wastes by a martingale's step, E[W] <= SPARE + SHARE E[U] holds for the whole examination, as far as the forecast is right. No
block needs to keep to that by itself: those that surely end before the verdict leave their part to later ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.certificate.evidence import Taken
from vivavoce.certificate.verdict import Criterion
from vivavoce.statistics.mean import mean_above, mean_below
from vivavoce.statistics.rate import rate_above, rate_below

Counts = NDArray[np.int64]

MOST_AT_ONCE: Final = 50_000
"""Questions of a block where all are needed."""
SHARE: Final = 0.035
"""Questions that may be wasted for each that counts."""
SPARE: Final = 2.0
"""Questions that may be wasted besides: without them first blocks would be small, and many."""
PRIOR: Final = (0.5, 2.5)
"""Wrong and right answers as if they had come: a first block is for a good candidate, and what comes soon outweighs them."""
RUNS: Final = 256
_FINER: Final = 1.06
"""Each number of questions at which the forecast looks is larger than the last by this factor, or by 1."""


class BlockPlan:
    """Chooses the sizes of blocks, one after the other.

    Parameters
    ----------
    criterion: what is required of the values.
    population: number of units, where each is drawn once; None: i.i.d.
    least: no verdict "understands" before so many units.

    >>> plan, none = BlockPlan(Criterion(0.7, None), population=None), np.empty(0)
    >>> first = plan.next_block(Taken(none, none, none, none))
    >>> right, never = np.ones(first), np.zeros(first)
    >>> first, plan.next_block(Taken(right, never, right, never))
    (19, 0)
    """

    def __init__(self, criterion: Criterion, *, population: int | None, least: int = 0) -> None:
        self._criterion = criterion
        self._population = population
        self._least = least
        self._expected_waste = 0.0

    def next_block(self, units: Taken) -> int:
        """Units of the next block, given what those drawn so far earned, as far as it is known; 0: none is needed."""
        n = units.score.size
        most = MOST_AT_ONCE if self._population is None else min(MOST_AT_ONCE, self._population - n)
        size, waste, last = 0, 0.0, -inf
        for look, used in self._forecast(units, most):
            beyond = look - used - SPARE - SHARE * (n + used) + self._expected_waste
            if beyond > 0 and beyond > last and size:
                break  # it only rises from here on
            if beyond <= 0 or not size:
                size, waste = look, look - used
            last = beyond
        self._expected_waste += waste
        return size

    def _forecast(self, units: Taken, most: int) -> Iterator[tuple[int, float]]:
        """Sizes of blocks, ascending, and how many units of each are expected to count; none where none does."""
        n, least = units.score.size, self._least
        rng = np.random.default_rng(n)
        prior = np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]])
        rows, where = np.unique(np.vstack((np.column_stack(units), prior)), axis=0, return_inverse=True)
        counts = np.bincount(where.ravel()[:n], minlength=len(rows))
        shape = np.bincount(where.ravel(), np.concatenate((np.ones(n), PRIOR)), minlength=len(rows))
        runs = _Runs(Taken(*rows.T), self._criterion, self._population, np.tile(counts, (RUNS, 1)))
        alive = runs.go_on(np.arange(RUNS), 0, early=n < least)
        shares, over, before, look = rng.dirichlet(shape, RUNS), 0.0, 0, 1
        while alive.size and before < most:
            going = runs.go_on(alive, rng.multinomial(look - before, shares[alive]), early=n + look < least)
            over += (alive.size - going.size) * (before + 1 + look) / 2
            yield look, (over + going.size * look) / RUNS
            alive, before, look = going, look, min(most, max(look + 1, int(look * _FINER)))


class _Runs:
    """Runs of the bets, each with its own numbers of values of each kind."""

    def __init__(self, rows: Taken, criterion: Criterion, population: int | None, counts: Counts) -> None:
        self._rows = rows
        self._population = population
        self._counts = counts
        self._threshold = -log(criterion.delta)
        self._good = np.zeros(len(counts), dtype=bool)
        limit = criterion.ridiculous_limit
        self._clean = np.full(len(counts), limit is None)
        self._score = mean_above(criterion.passing_grade), mean_below(criterion.passing_grade)
        self._rate = None if limit is None else (rate_below(limit), rate_above(limit))

    def go_on(self, alive: Counts, further: Counts | int, *, early: bool) -> Counts:
        """Those of these runs that are not at their end after further values."""
        self._counts[alive] += further
        counts, n = self._counts[alive].astype(np.float64), int(self._counts[alive[0]].sum())
        if not n:
            return alive
        if self._population is not None:
            if n >= self._population:
                return alive[:0]
            counts *= self._population / (self._population - n)
        passing, failing = self._score
        counts, back = np.unique(counts, axis=0, return_inverse=True)  # bets cost more than this
        back = back.ravel()
        if not early:
            self._good[alive] |= (passing.after(self._rows.score, counts) >= self._threshold)[back]
        fails = failing.after(self._rows.upper, counts)
        if self._rate is not None:
            below, above = self._rate
            if not early:
                self._clean[alive] |= (below.after(self._rows.maybe, counts) >= self._threshold)[back]
            fails = np.logaddexp(fails, above.after(self._rows.ridiculous, counts)) - log(2)
        over = (self._good[alive] & self._clean[alive]) | (fails >= self._threshold)[back]
        found: Counts = alive[~over]
        return found
