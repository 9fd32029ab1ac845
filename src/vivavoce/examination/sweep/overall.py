"""All scopes of a sweep together: the mean difference of two candidates over all questions of all scopes.

Each scope is a stratum. Its questions were drawn in an order of its own, independently of the other scopes, and a pair ended
on it at a moment that depends on the past alone; so differences, scope after scope, are draws from strata in an order that does
not look ahead, which is all that `statistics.stratified_differences` needs. Finite scopes count by their sizes, each question of
each alike; endless ones each alike. Of one kind beside the other nothing is said. Scopes share delta with one more: all of them
together, whose P pairs share that part. So delta bounds the chance of any wrong statement, this one included. Where scopes are
compared by the rule `share` nothing is said of them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vivavoce.certificate.comparison.compared import PairVerdict
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.tiers import tiers
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.stratified_differences import stratified_difference_bounds


@dataclass(frozen=True, slots=True)
class OverallPair:
    """Two candidates over all scopes."""

    pair: tuple[int, int]
    """Places of the candidates."""
    difference: Estimate
    """Mean score of the first less that of the second; n questions."""

    @property
    def verdict(self) -> PairVerdict:
        """Of the first against the second, where the interval leaves out 0."""
        if self.difference.interval.lower > 0:
            return "better"
        return "worse" if self.difference.interval.upper < 0 else "no conclusion"


@dataclass(frozen=True, slots=True)
class Overall:
    """What all scopes say together."""

    pairs: tuple[OverallPair, ...]
    tiers: tuple[tuple[int, ...], ...]
    scopes: int
    by_size: bool
    """Whether each question of each scope counts alike; else each scope does."""

    @property
    def told_apart(self) -> int:
        """Pairs of which one is better."""
        return sum(one.verdict != "no conclusion" for one in self.pairs)

    def as_json(self, names: Sequence[str]) -> dict[str, Any]:
        """As JSON values."""
        return {
            "scopes": self.scopes,
            "count_alike": "questions" if self.by_size else "scopes",
            "tiers": [[names[place] for place in tier] for tier in self.tiers],
            "pairs": [
                {
                    "first": names[one.pair[0]],
                    "second": names[one.pair[1]],
                    "verdict": one.verdict,
                    "difference": one.difference.as_json(),
                }
                for one in self.pairs
            ],
        }


def overall(comparisons: Sequence[Comparison], scopes: int) -> Overall | None:
    """All scopes together; None for one scope alone, where some have no comparison, and where nothing can be said.

    comparisons: with the same candidates in the same order.
    """
    matter = [one.scores for one in comparisons if one.scores is not None and one.scores.least.size]
    if scopes < 2 or len(matter) < scopes or any(one.config.rule != "any" for one in comparisons):
        return None
    sizes = [one.population for one in matter if one.population is not None]
    if sizes and len(sizes) < scopes:
        return None
    pairs = [one.pair for one in comparisons[0].pairs]
    masses = np.array(sizes or [1.0] * scopes) / sum(sizes or [1.0] * scopes)
    delta = min(one.delta for one in comparisons) / len(pairs)
    both = [one.differences(pairs) for one in matter]
    least, most = (np.concatenate([ends[side] for ends in both], axis=1) for side in (0, 1))
    strata = np.repeat(np.arange(scopes), [one.least.shape[1] for one in matter])
    low, high = stratified_difference_bounds(least, most, strata, delta, masses=masses, sizes=sizes or None)
    middle = _means((least + most) / 2, strata, masses)
    found = []
    for place, pair in enumerate(pairs):
        ends = Interval(float(low[place]), float(high[place]))
        asked = sum(int(one.counted[place]) for one in matter)
        found.append(OverallPair(pair, Estimate(float(middle[place]), ends, asked)))
    above = {one.pair if one.verdict == "better" else one.pair[::-1] for one in found if one.verdict != "no conclusion"}
    return Overall(tuple(found), tiers(len(comparisons[0].candidates), above), scopes, bool(sizes))


def _means(differences: Floats, strata: np.ndarray[Any, Any], masses: Floats) -> Floats:
    """The estimates: of the scopes by their masses."""
    by_scope = [np.nanmean(differences[:, strata == place], axis=1) for place in range(masses.size)]
    found: Floats = masses @ np.stack(by_scope)
    return found
