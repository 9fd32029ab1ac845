"""Several forecasters in order: who contradicts itself strongly least often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Final

from vivavoce.formats.interval import Estimate, Interval

if TYPE_CHECKING:
    from vivavoce.consistency.forecasts.summary import Summary

CONTROL: Final = "repeat"
"""The law that is none: the identical question again shows what is mere chance."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Forecasters that can be compared, over laws that all of them were asked."""

    shares: Mapping[str, Estimate]
    """Forecaster -> mean share of strong violations over `laws`, and the means of its ends by law; the least first."""
    laws: tuple[str, ...]
    few_laws: int
    """Forecasters left out, as they were asked less than half as many laws as another, or nothing could be read."""
    dull: int
    """Forecasters left out, as they say the same to everything."""

    @property
    def best(self) -> str:
        """Who contradicts itself strongly least often."""
        return next(iter(self.shares))

    @property
    def worst(self) -> str:
        """Who does so most often."""
        return next(reversed(list(self.shares)))


def ranking(rows: Sequence[Summary]) -> Ranking | None:
    """Forecasters in order; None where no two can be compared."""
    of: dict[str, dict[str, Summary]] = {row.forecaster: {} for row in rows}
    for row in rows:
        if row.n and row.law != CONTROL:
            of[row.forecaster][row.law] = row
    most = max(map(len, of.values()), default=0)
    asked = {name: by_law for name, by_law in of.items() if by_law and 2 * len(by_law) >= most}
    lively = {name: by_law for name, by_law in asked.items() if any(row.distinct > 1 for row in by_law.values())}
    common = [law for law in next(iter(lively.values()), {}) if all(law in by_law for by_law in lively.values())]
    if len(lively) < 2 or not common:
        return None
    shares = {name: _mean([by_law[law].strong for law in common]) for name, by_law in lively.items()}
    ordered = dict(sorted(shares.items(), key=lambda one: one[1].value or 0.0))
    return Ranking(ordered, tuple(common), len(of) - len(asked), len(asked) - len(lively))


def _mean(shares: Sequence[Estimate]) -> Estimate:
    """Of shares of several laws. The means of the ends are on the wide side, as not all shares are off the same way."""
    ends = (fmean(one.interval.lower for one in shares), fmean(one.interval.upper for one in shares))
    return Estimate(fmean(one.value or 0.0 for one in shares), Interval(*ends), sum(one.n for one in shares))
