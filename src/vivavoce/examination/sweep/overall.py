"""All scopes of a sweep together: the mean difference of two candidates over them, each scope counting alike.

With the rule `any`, S scopes share delta, and on each the P intervals of pairs hold at once with probability 1 - delta / S,
whenever one looks. So with probability 1 - delta all S P of them hold, whatever the dependence (union bound), and then the mean
of a pair's differences lies between the means of their ends. That loses something against a test made for the mean, and asks
nothing more. Where scopes are compared by the rule `share` an interval holds by itself alone, so nothing is said of them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.certificate.comparison.compared import PairVerdict
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.tiers import tiers
from vivavoce.formats.interval import Estimate, Interval


@dataclass(frozen=True, slots=True)
class OverallPair:
    """Two candidates over all scopes."""

    pair: tuple[int, int]
    """Places of the candidates."""
    difference: Estimate
    """Mean over scopes of the first's mean score less the second's; n questions in all."""

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

    @property
    def told_apart(self) -> int:
        """Pairs of which one is better."""
        return sum(one.verdict != "no conclusion" for one in self.pairs)

    def as_json(self, names: Sequence[str]) -> dict[str, Any]:
        """As JSON values."""
        return {
            "scopes": self.scopes,
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
    """All scopes together; None for one scope alone, where some have no comparison, and by the rule `share`.

    comparisons: with the same candidates in the same order.
    """
    if scopes < 2 or len(comparisons) < scopes or any(one.config.rule != "any" for one in comparisons):
        return None
    pairs = []
    for of_pair in zip(*(one.pairs for one in comparisons), strict=True):
        found = [one.difference for one in of_pair]
        values = [one.value for one in found if one.value is not None]
        if len(values) < scopes:
            return None
        ends = Interval(sum(one.interval.lower for one in found) / scopes, sum(one.interval.upper for one in found) / scopes)
        pairs.append(OverallPair(of_pair[0].pair, Estimate(sum(values) / scopes, ends, sum(one.n for one in found))))
    above = {
        one.pair if one.verdict == "better" else (one.pair[1], one.pair[0]) for one in pairs if one.verdict != "no conclusion"
    }
    return Overall(tuple(pairs), tiers(len(comparisons[0].candidates), above), scopes)
