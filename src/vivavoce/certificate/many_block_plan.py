"""How many questions to ask at once about several scopes, each of which is asked until its verdict stands.

The rule is that of one scope (`block_plan`), on the answers of all scopes together. A block has as many units of each scope
that is open, as turns go; the forecast lets the evidence on each go on by itself, and has the rule for several verdicts say in
each run which of them stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from vivavoce.certificate.block_plan import RUNS, Allowance, Counts, ImaginedEvidence, Look, Stands, foreseen
from vivavoce.certificate.evidence import Taken
from vivavoce.certificate.verdict import Criterion
from vivavoce.interview.block_sizes import MOST_AT_ONCE
from vivavoce.statistics.betting import Floats

CERTAIN: Final = 700.0
"""The log e-value of a verdict that is exact."""


class Standing(Protocol):
    """The rule for several verdicts."""

    def stand_at(self, log_e: Floats) -> NDArray[np.bool_]:
        """Which verdicts stand at these log e-values for "understands" and "does not understand": of (..., J, 2), (..., J)."""
        ...


class ManyBlockPlan:
    """Chooses the sizes of blocks, one after the other.

    Parameters
    ----------
    criteria: what is required on each scope, at the error at which it would have its verdict whatever became of the others.
    populations: number of units of each, where each is drawn once; None: i.i.d.
    least: nothing counts for "understands" before so many units of a scope.
    """

    def __init__(self, criteria: Sequence[Criterion], populations: Sequence[int | None], *, least: int = 0) -> None:
        self._criteria = criteria
        self._populations = populations
        self._least = least
        self._rule = Allowance(len(criteria))

    def next_block(
        self,
        units: Sequence[Taken],
        log_e: Sequence[tuple[float, float]],
        open_: Sequence[int],
        rule: Standing,
        *,
        stands: Sequence[Stands | None] = (),
    ) -> int:
        """Units of each open scope in the next block; 0: none is needed.

        units: what those of each scope earned that were drawn so far, as far as it is known. log_e: the evidence on each.
        stands: as `BlockPlan.next_block` has it, of each scope.
        """
        criteria, populations = self._criteria, self._populations
        evidence = {
            scope: ImaginedEvidence(
                units[scope],
                criteria[scope],
                populations[scope],
                seed=units[scope].score.size,
                stands=stands[scope] if stands else None,
            )
            for scope in open_
        }
        runs = _ManyRuns(self, evidence, np.clip(np.array(log_e), -CERTAIN, CERTAIN), rule)
        counted = sum(of_one.score.size for of_one in units)
        looks: Iterator[Look] = foreseen(runs, most=MOST_AT_ONCE // max(1, len(open_)))
        return self._rule.block_of(looks, counted, asked=len(open_))

    def enough(self, scope: int) -> float:
        """The log e-value with which a part of the evidence is put aside."""
        return -log(self._criteria[scope].delta)

    def left(self, scope: int, n: int) -> float:
        """Units of a scope that are not drawn."""
        population = self._populations[scope]
        return np.inf if population is None else population - n

    def early(self, n: int) -> bool:
        """Whether nothing counts yet for "understands"."""
        return n < self._least

    def grade(self, scope: int) -> float:
        """The mean score that is required."""
        return self._criteria[scope].passing_grade


class _ManyRuns:
    """Runs of the bets on all scopes that are open."""

    def __init__(self, plan: ManyBlockPlan, evidence: Mapping[int, ImaginedEvidence], log_e: Floats, rule: Standing) -> None:
        self._plan = plan
        self._rule = rule
        self._evidence = evidence
        self._held = {scope: np.full((RUNS, 2), -np.inf) for scope in evidence}
        """What there is for the score, and for the rate."""
        self._log_e = np.tile(log_e, (RUNS, 1, 1))
        self._over = np.ones((RUNS, len(log_e)), dtype=bool)
        self._over[:, list(evidence)] = False

    def go_on(self, runs: Counts, units: int) -> Counts:
        """On how many scopes further questions are needed after further units of each in these runs."""
        over, log_e = self._over[runs], self._log_e[runs]
        for scope, evidence in self._evidence.items():
            left = self._plan.left(scope, evidence.n)
            *now, stays_open = evidence.go_on(runs, int(min(units, left)))
            found = self._of(scope, runs, now)
            if units >= left:
                found = np.where(evidence.mean_scores(runs)[:, None] >= self._plan.grade(scope), 1.0, -1.0) * [
                    CERTAIN,
                    -CERTAIN,
                ]
            log_e[:, scope] = np.where(over[:, scope, None], log_e[:, scope], found)
            over[:, scope] |= stays_open | (units >= left)
        self._log_e[runs] = log_e
        self._over[runs] = over = over | self._rule.stand_at(log_e)
        needed: Counts = (~over).sum(axis=1)
        return needed

    def _of(self, scope: int, runs: Counts, now: Sequence[Floats]) -> Floats:
        """The log e-values for either verdict on a scope, shape (runs, 2)."""
        good, clean, fails = now
        if not self._plan.early(self._evidence[scope].n):
            held, parts = self._held[scope][runs], np.stack([good, clean], axis=1)
            self._held[scope][runs] = np.where(held >= self._plan.enough(scope), held, parts)
        return np.stack([self._held[scope][runs].min(axis=1), fails], axis=1)
