"""How many questions to ask at once, where what is drawn after the verdict is paid for in vain.

Whatever the sizes of blocks rest on, they change no verdict: evidence is reckoned answer by answer in drawn order, and whoever
stops within a block stops at the same answer as without blocks. So the sizes may rest on a rough forecast, and do.

The forecast: further values come with the shares of those that have come, and of `PRIOR` as if it had; which shares these are
is drawn anew for each of `RUNS` runs (a Bayesian bootstrap), and the evidence goes on in each from where it stands until the
end, as the bets of `evidence` do. For values without replacement n of N count as n N / (N - n) independent ones, as their
variance does.

The rule: let U be the questions that count, and W those drawn in vain. A block of b questions is expected to waste
E[b - min(b, t)], t being what is still needed. It is made as large as the sum of what all blocks so far were expected to waste
stays at most `SPARE` + `SHARE` E[U]. Summed over the blocks, since what a block was expected to waste differs from what it
wastes by a martingale's step, E[W] <= SPARE + SHARE E[U] holds for the whole examination, as far as the forecast is right. No
block needs to keep to that by itself: those that surely end before the verdict leave their part to later ones. Where several
are asked the same units side by side, each until it is needed no more, all answers are counted together, and SPARE for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf, isfinite, log
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.certificate.evidence import Taken
from vivavoce.certificate.verdict import Criterion
from vivavoce.interview.block_sizes import MOST_AT_ONCE
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.mean import mean_above, mean_below
from vivavoce.statistics.rate import rate_above, rate_below

Counts = NDArray[np.int64]

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

    def go_on(self, runs: Counts, units: int) -> Counts:
        """Let further units come in these runs; how many of those asked are needed still, in each of them."""
        ...


def foreseen(imagined: ImaginedRuns, *, most: int) -> Iterator[Look]:
    """What blocks of up to `most` units are worth; nothing where nobody is needed any more."""
    needed = imagined.go_on(np.arange(RUNS), 0)
    alive, over, before, look = np.flatnonzero(needed), 0.0, 0, 1
    while alive.size and before < most:
        still = imagined.go_on(alive, look - before)
        over += float((needed[alive] - still).sum()) * (before + 1 + look) / 2
        needed[alive] = still
        yield Look(look, (over + float(still.sum()) * look) / RUNS)
        alive, before, look = alive[still > 0], look, min(most, max(look + 1, int(look * _FINER)))


class Stands(NamedTuple):
    """Evidence as it is: log e-values that the score is high enough, that the rate is low enough, and against understanding."""

    n: int
    """After so many units."""
    score: float
    rate: float
    """Infinite where nothing is required of it."""
    fails: float


class Bootstrap:
    """Values of units that come in each run with the shares of those that have come, which are drawn anew for each run.

    values: of those that have come, a row each. prior: as if these rows had come. weights: so many times each.
    """

    def __init__(self, values: Floats, prior: Floats, weights: ArrayLike, rng: np.random.Generator) -> None:
        n = len(values)
        self.kinds, where = np.unique(np.concatenate((values, prior)), axis=0, return_inverse=True)
        """Of the values, a row each."""
        self.where = where.ravel()[:n]
        """Of which kind each value is that has come."""
        shape = np.bincount(where.ravel(), np.concatenate((np.ones(n), weights)), minlength=len(self.kinds))
        self.counts = np.tile(self.first(n), (RUNS, 1))
        """How many of each kind there are in each run."""
        self._shares = rng.dirichlet(shape, RUNS)
        self._rng = rng

    def first(self, n: int) -> Counts:
        """How many of each kind the first n values are that have come."""
        found: Counts = np.bincount(self.where[:n], minlength=len(self.kinds))
        return found

    def go_on(self, runs: Counts, units: int) -> Counts:
        """Let further values come in these runs; how many there are of each kind then."""
        if units:
            self.counts[runs] += self._rng.multinomial(units, self._shares[runs])
        return self.counts[runs]


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

    def next_block(self, units: Taken, *, stands: Stands | None = None) -> int:
        """Units of the next block, given what those drawn so far earned, as far as it is known; 0: none is needed.

        stands: the evidence after some of them, the first ones; None: as far as it goes without (see `ImaginedEvidence`).
        """
        n = units.score.size
        most = MOST_AT_ONCE if self._population is None else min(MOST_AT_ONCE, self._population - n)
        evidence = ImaginedEvidence(units, self._criterion, self._population, seed=n, stands=stands)
        looks = foreseen(_Runs(evidence, self._criterion, self._population, self._least), most=most)
        return self._rule.block_of(looks, n)


class ImaginedEvidence:
    """Runs of the bets on one scope, each with its own numbers of values of each kind.

    stands: the evidence as it is, with which the runs go on; None: as these bets would have it by the values alone, which is
    the same where these are independent.
    """

    def __init__(
        self,
        units: Taken,
        criterion: Criterion,
        population: int | None,
        *,
        seed: int,
        stands: Stands | None = None,
    ) -> None:
        prior = np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]])
        self._values = Bootstrap(np.column_stack(units), prior, PRIOR, np.random.default_rng(seed))
        self._rows = Taken(*self._values.kinds.T)
        self._population = population
        self._grade = grade = criterion.passing_grade
        self._threshold = -log(criterion.delta)
        self._score = mean_above(grade, population=population), mean_below(grade, population=population)
        limit = criterion.ridiculous_limit
        self._rate = None if limit is None else (rate_below(limit), rate_above(limit))
        self.n = units.score.size
        """Units in each run."""
        self._further: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """How much further the evidence is than these bets would be."""
        if stands is not None and stands.n:
            counts = as_independent(self._values.first(stands.n)[None], population)
            now = [float(part[0]) for part in self._of(counts)]
            beyond = [
                real - own if isfinite(real) and isfinite(own) else 0.0 for real, own in zip(stands[1:], now, strict=True)
            ]
            self._further = beyond[0], beyond[1], beyond[2]

    def go_on(self, runs: Counts, units: int) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
        """Let further units come in these runs.

        Returns
        -------
        Log e-values of each run: that the score is high enough, that the rate is low enough, and of "does not understand"; and
        whether it is shown that what cannot be read stands between either verdict.
        """
        counts = self._values.go_on(runs, units)
        self.n = int(counts[0].sum())
        if not self.n:
            nothing = np.zeros(runs.size)
            return nothing, nothing + (inf if self._rate is None else 0.0), nothing, nothing > 0
        # bets cost more than this
        alike, back = np.unique(as_independent(counts, self._population), axis=0, return_inverse=True)
        back = back.ravel()
        good, clean, fails = (part + by for part, by in zip(self._of(alike), self._further, strict=True))
        return good[back], clean[back], fails[back], self._stays_open(alike)[back]

    def _of(self, counts: Floats) -> tuple[Floats, Floats, Floats]:
        """The three after values that come in these numbers, however they come."""
        passing, failing = self._score
        good, fails = passing.after(self._rows.score, counts), failing.after(self._rows.upper, counts)
        if self._rate is None:
            return good, np.full(len(counts), inf), fails
        below, above = self._rate
        fails = np.logaddexp(fails, above.after(self._rows.ridiculous, counts)) - log(2)
        return good, below.after(self._rows.maybe, counts), fails

    def mean_scores(self, runs: Counts) -> Floats:
        """Of what has come in these runs, at least."""
        counts = self._values.counts[runs]
        found: Floats = counts @ self._rows.score / counts.sum(axis=1)
        return found

    def _stays_open(self, counts: Floats) -> NDArray[np.bool_]:
        if not self._rows.unread:
            return np.zeros(len(counts), dtype=bool)
        (passing, failing), rows, n = self._score, self._rows, counts.sum(axis=1)
        shown: NDArray[np.bool_] = (counts @ rows.score < self._grade * n) & (counts @ rows.upper >= self._grade * n)
        shown &= failing.after(rows.score, counts) >= self._threshold
        return shown & (passing.after(rows.upper, counts) >= self._threshold)


class _Runs:
    """Runs of a certificate of one scope, each until its verdict."""

    def __init__(self, evidence: ImaginedEvidence, criterion: Criterion, population: int | None, least: int) -> None:
        self._evidence = evidence
        self._threshold = -log(criterion.delta)
        self._population = population
        self._least = least
        self._good, self._clean = np.zeros((2, RUNS), dtype=bool)

    def go_on(self, runs: Counts, units: int) -> Counts:
        """Whether these runs are not at their end after further units: 1, or 0."""
        good, clean, fails, open_ = self._evidence.go_on(runs, units)
        n = self._evidence.n
        if n == self._population:
            return np.zeros(runs.size, dtype=np.int64)
        if n >= self._least:
            self._good[runs] |= good >= self._threshold
            self._clean[runs] |= clean >= self._threshold
        over = (self._good[runs] & self._clean[runs]) | (fails >= self._threshold) | open_
        going: Counts = (~over).astype(np.int64)
        return going
