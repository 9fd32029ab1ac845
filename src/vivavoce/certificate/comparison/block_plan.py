"""How many questions to ask at once of candidates that are compared, where what is drawn after the last verdict is in vain.

The rule is that of a certificate (`certificate.block_plan`), on the answers of all candidates that are asked by batches: each
counts until the last of its pairs is settled. All are asked up to the same unit, so that none waits for a batch of another.

The forecast: further units are answered as those so far, by all candidates together, and as `_prior` says; the bets on each
pair's difference go on from where they stand, as if they were of independent draws, until the statements of the comparison's
rule settle it. What others are known to have answered, and strata, make verdicts come earlier than that foresees.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.certificate.block_plan import RUNS, Allowance, Bootstrap, Counts, Look, as_independent, foreseen
from vivavoce.certificate.comparison.evidence import HIDDEN, LARGEST, PairedEvidence, settled_by, statements
from vivavoce.interview.block_sizes import MOST_AT_ONCE
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.differences import log_e_after

PRIOR: Final = 0.5
"""As if so many units had come that none could answer; as many that one alone could answer, or could not, for each of two
candidates; and twice as many that all could answer."""


class PairedBlockPlan:
    """Chooses the sizes of blocks of units, one after the other, for all candidates of a comparison.

    Parameters
    ----------
    evidence: of the comparison, as it comes.
    by_batch: which candidates are asked so, shape (K,).

    >>> evidence = PairedEvidence([(0, 1)], margin=0.0, delta=0.05)
    >>> plan = PairedBlockPlan(evidence, np.array([True, True]))
    >>> first, none = plan.next_block(np.empty((2, 0)), np.empty((2, 0))), np.zeros(9)
    >>> scores = np.array([none + 1, none])
    >>> first, plan.next_block(scores, scores)
    (23, 0)
    """

    def __init__(self, evidence: PairedEvidence, by_batch: NDArray[np.bool_]) -> None:
        self._evidence = evidence
        self._by_batch = by_batch
        self._rule = Allowance(int(by_batch.sum()))

    def next_block(self, least: Floats, most: Floats) -> int:
        """Units of the next block; 0: none is needed.

        least, most: what each answer is worth, shape (K, n), as tests take it: first of the units that the evidence has taken,
        then of those whose answers are all there.
        """
        evidence, n = self._evidence, least.shape[1]
        members = _members(evidence)
        wanted: NDArray[np.bool_] = np.logical_or.reduce(members[~evidence.settled], axis=0)
        counted = np.where(wanted, n, np.where(members, evidence.n[:, None], 0).max(axis=0))[self._by_batch].sum()
        population = evidence.means.population
        left = MOST_AT_ONCE if population is None else min(MOST_AT_ONCE, population - n)
        looks = self._foreseen(np.stack([least, most]) * wanted[:, None], wanted, left)
        return self._rule.block_of(looks, float(counted), asked=int((wanted & self._by_batch).sum()))

    def _foreseen(self, ends: Floats, wanted: NDArray[np.bool_], most: int) -> Iterator[Look]:
        prior, weights = _prior(wanted)
        rng = np.random.default_rng(ends.shape[2])
        values = Bootstrap(np.concatenate(list(ends)).T, np.tile(prior, 2), weights, rng)
        return foreseen(_PairedRuns(self._evidence, values, self._by_batch), most=most)


class _PairedRuns:
    """Runs of the bets on all pairs that are open, each with its own numbers of units of each kind.

    values: the least that each candidate earns by a unit, and the most of each.
    """

    def __init__(self, evidence: PairedEvidence, values: Bootstrap, by_batch: NDArray[np.bool_]) -> None:
        self._evidence = evidence
        self._values = values
        self._members = _members(evidence) & by_batch
        self._settled = np.tile(evidence.settled, (RUNS, 1))
        self._made = np.tile(evidence.made, (RUNS, 1, 1))
        self._log_e = np.tile(np.clip(evidence.log_e, -LARGEST, LARGEST), (RUNS, 1, 1))
        (first, second), ends = evidence.pairs.T, values.kinds.T.reshape(2, by_batch.size, -1)
        taken = values.first(int(evidence.n.max(initial=0)))
        self._least, self._most = ends[0, first] - ends[1, second], ends[1, first] - ends[0, second]
        self._unread = bool((self._least < self._most).any()) and evidence.means.population is None
        shown, open_ = as_independent(taken, evidence.means.population), np.flatnonzero(~evidence.settled).tolist()
        self._beyond: dict[int, Floats] = {pair: self._log_e[0, pair] - self._after(pair, shown) for pair in open_}
        """How much further each open pair's evidence is than these bets would be."""

    def go_on(self, runs: Counts, units: int) -> Counts:
        """How many candidates are needed after further units in these runs."""
        evidence, population = self._evidence, self._evidence.means.population
        came = self._values.go_on(runs, units)
        if population is not None and came[0].sum() >= population:
            return np.zeros(runs.size, dtype=np.int64)
        counts, back = np.unique(as_independent(came, population), axis=0, return_inverse=True)
        back, settled, log_e = back.ravel(), self._settled[runs], self._log_e[runs]
        hidden = np.zeros_like(settled)
        for pair, beyond in self._beyond.items():
            open_ = ~settled[:, pair]
            log_e[open_, pair] = (beyond + self._after(pair, counts))[back[open_]]
            if self._unread:
                hidden[:, pair] = self._hidden(pair, counts)[back]
        made = statements(log_e, evidence.rule, evidence.delta, evidence.margin) & ~settled[..., None]
        self._log_e[runs] = log_e
        self._made[runs] |= made
        self._settled[runs] = settled = settled | hidden | settled_by(self._made[runs], evidence.rule)
        needed: Counts = (~settled @ self._members).sum(axis=1)
        return needed

    def _after(self, pair: int, counts: Floats) -> Floats:
        """The log e-values of a pair's nulls, shape (..., 4)."""
        sides, edge = (self._least[pair], -self._most[pair]), -self._evidence.margin / self._evidence.means.largest
        found = [log_e_after(side, counts, null) for null in (0.0, edge)[: 2 if edge else 1] for side in sides]
        return np.clip(np.stack(found if edge else found * 2, axis=-1), -LARGEST, LARGEST)

    def _hidden(self, pair: int, counts: Floats) -> NDArray[np.bool_]:
        """Whether it is shown that what cannot be read hides who is better."""
        evidence, (least, most) = self._evidence, (self._least[pair], self._most[pair])
        edge, enough = max(evidence.margin, HIDDEN) / evidence.means.largest, -np.log(evidence.delta)
        outside, inside = ([log_e_after(side, counts, null) >= enough for side in (most, -least)] for null in (edge, -edge))
        found: NDArray[np.bool_] = (outside[0] | outside[1]) & inside[0] & inside[1]
        return found


def _members(evidence: PairedEvidence) -> NDArray[np.bool_]:
    """Which candidates are of which pairs, shape (P, K)."""
    everyone = np.arange(evidence.pairs.max() + 1)
    found: NDArray[np.bool_] = (evidence.pairs[..., None] == everyone).any(axis=1)
    return found


def _prior(wanted: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """What each candidate earns by units that are as if they had come, shape (V, K), and how many of each there are, (V,)."""
    places = np.flatnonzero(wanted)
    alone = np.zeros((places.size, wanted.size))
    alone[np.arange(places.size), places] = 1
    rows = np.concatenate([alone * 0, alone * 0 + 1, alone, 1 - alone]) * wanted
    each = np.array([PRIOR, 2 * PRIOR, PRIOR, PRIOR]) / max(1, places.size)
    return rows, np.repeat(each, places.size)
