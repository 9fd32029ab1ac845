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
block needs to keep to that by itself: those that surely end before the verdict leave their part to later ones. Where several
are asked the same units side by side, each until it is needed no more, all answers are counted together, and SPARE for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf, log
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.certificate.evidence import Taken
from vivavoce.certificate.verdict import Criterion
from vivavoce.statistics.betting import Floats
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


class Look(NamedTuple):
    """What is foreseen of a block of some size."""

    size: int
    """Units of the block."""
    used: float
    """Answers of it that are expected to count."""


class Allowance:
    """The rule by which the sizes of blocks follow from what is foreseen, one after the other.

    askers: how many are asked side by side; each has `SPARE`.

    >>> rule = Allowance()
    >>> sure = [Look(size, min(size, 8.0)) for size in range(1, 30)]  # 8 more are needed
    >>> rule.block_of(sure, 0), rule.block_of(sure, 0)  # 2.28 may be wasted, of which the first has 2
    (10, 8)
    """

    def __init__(self, askers: int = 1) -> None:
        self._spare = askers * SPARE
        self._expected_waste = 0.0

    def block_of(self, foreseen: Iterable[Look], counted: float, *, asked: int = 1) -> int:
        """The size of the next block; 0 where none is foreseen.

        foreseen: sizes of it, ascending. counted: answers that count already. asked: how many are asked each unit of the block.
        """
        size, waste, last = 0, 0.0, -inf
        for look, used in foreseen:
            beyond = asked * look - used - self._spare - SHARE * (counted + used) + self._expected_waste
            if beyond > 0 and beyond > last and size:
                break  # it only rises from here on
            if beyond <= 0 or not size:
                size, waste = look, asked * look - used
            last = beyond
        self._expected_waste += waste
        return size


class ImaginedRuns(Protocol):
    """`RUNS` runs of the evidence, which go on independently of each other."""

    def go_on(self, runs: Counts, further: Counts | int) -> Counts:
        """Let further values of each kind come in these runs; how many of those asked are needed still, in each of them."""
        ...


def foreseen(imagined: ImaginedRuns, shape: ArrayLike, *, most: int, rng: np.random.Generator) -> Iterator[Look]:
    """What blocks of up to `most` units are worth; nothing where nobody is needed any more.

    shape: of each kind of values, how many have come, and as if they had.
    """
    needed = imagined.go_on(np.arange(RUNS), 0)
    alive, shares = np.flatnonzero(needed), rng.dirichlet(np.asarray(shape, dtype=np.float64), RUNS)
    over, before, look = 0.0, 0, 1
    while alive.size and before < most:
        still = imagined.go_on(alive, rng.multinomial(look - before, shares[alive]))
        over += float((needed[alive] - still).sum()) * (before + 1 + look) / 2
        needed[alive] = still
        yield Look(look, (over + float(still.sum()) * look) / RUNS)
        alive, before, look = alive[still > 0], look, min(most, max(look + 1, int(look * _FINER)))


def as_independent(counts: Counts, population: int | None) -> Floats:
    """How many independent values of each kind show as much as these do, shape (..., V)."""
    n = counts.sum(axis=-1, keepdims=True)
    found: Floats = counts * (1.0 if population is None else population / np.maximum(1, population - n))
    return found


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
        self._rule = Allowance()

    def next_block(self, units: Taken) -> int:
        """Units of the next block, given what those drawn so far earned, as far as it is known; 0: none is needed."""
        n = units.score.size
        most = MOST_AT_ONCE if self._population is None else min(MOST_AT_ONCE, self._population - n)
        return self._rule.block_of(self._foreseen(units, most), n)

    def _foreseen(self, units: Taken, most: int) -> Iterator[Look]:
        n = units.score.size
        prior = np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]])
        rows, where = np.unique(np.vstack((np.column_stack(units), prior)), axis=0, return_inverse=True)
        counts = np.bincount(where.ravel()[:n], minlength=len(rows))
        shape = np.bincount(where.ravel(), np.concatenate((np.ones(n), PRIOR)), minlength=len(rows))
        runs = _Runs(Taken(*rows.T), self._criterion, self._population, np.tile(counts, (RUNS, 1)), self._least)
        return foreseen(runs, shape, most=most, rng=np.random.default_rng(n))


class _Runs:
    """Runs of the bets, each with its own numbers of values of each kind."""

    def __init__(self, rows: Taken, criterion: Criterion, population: int | None, counts: Counts, least: int) -> None:
        self._rows = rows
        self._population = population
        self._counts = counts
        self._least = least
        self._grade = criterion.passing_grade
        self._threshold = -log(criterion.delta)
        self._good = np.zeros(len(counts), dtype=bool)
        limit = criterion.ridiculous_limit
        self._clean = np.full(len(counts), limit is None)
        self._score = mean_above(criterion.passing_grade), mean_below(criterion.passing_grade)
        self._rate = None if limit is None else (rate_below(limit), rate_above(limit))

    def go_on(self, runs: Counts, further: Counts | int) -> Counts:
        """Whether these runs are not at their end after further values: 1, or 0."""
        self._counts[runs] += further
        n = int(self._counts[runs[0]].sum())
        if not n:
            return np.ones(runs.size, dtype=np.int64)
        if n == self._population:
            return np.zeros(runs.size, dtype=np.int64)
        early = n < self._least
        passing, failing = self._score
        # bets cost more than this
        counts, back = np.unique(as_independent(self._counts[runs], self._population), axis=0, return_inverse=True)
        back = back.ravel()
        if not early:
            self._good[runs] |= (passing.after(self._rows.score, counts) >= self._threshold)[back]
        fails = failing.after(self._rows.upper, counts)
        if self._rate is not None:
            below, above = self._rate
            if not early:
                self._clean[runs] |= (below.after(self._rows.maybe, counts) >= self._threshold)[back]
            fails = np.logaddexp(fails, above.after(self._rows.ridiculous, counts)) - log(2)
        over = (self._good[runs] & self._clean[runs]) | ((fails >= self._threshold) | self._stays_open(counts))[back]
        going: Counts = (~over).astype(np.int64)
        return going

    def _stays_open(self, counts: Floats) -> NDArray[np.bool_]:
        """Whether it is shown that what cannot be read stands between either verdict."""
        if not self._rows.unread:
            return np.zeros(len(counts), dtype=bool)
        (passing, failing), rows, n = self._score, self._rows, counts.sum(axis=1)
        shown: NDArray[np.bool_] = (counts @ rows.score < self._grade * n) & (counts @ rows.upper >= self._grade * n)
        shown &= failing.after(rows.score, counts) >= self._threshold
        return shown & (passing.after(rows.upper, counts) >= self._threshold)
