"""How many series of quantities are monotone by the weak, the median and the strong notion, where several draws are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.consistency.forecasts.each import Scored
from vivavoce.formats.interval import Estimate
from vivavoce.laws import QUANTITIES
from vivavoce.laws.spread import FEWEST_DRAWS, Notions, notions
from vivavoce.statistics.bounded import share_estimate
from vivavoce.statistics.clustered import Groups


@dataclass(frozen=True, slots=True)
class MonotoneSeries:
    """Shares of one forecaster's series that are monotone, from the strictest notion to the most lenient (`laws.spread`)."""

    forecaster: str
    n: int
    """Series with at least two draws of each quantity."""
    without: int
    """Other series, of which the spread is not known."""
    strong: Estimate
    """The medians are in order, and both ends of the intervals."""
    median: Estimate
    """The medians are."""
    weak: Estimate
    """Some monotone curve runs through all intervals."""

    def as_json(self) -> dict[str, Any]:
        """The shares as JSON values."""
        shares = {name: getattr(self, name).as_json() for name in ("strong", "median", "weak")}
        return {"forecaster": self.forecaster, "n": self.n, "without_draws": self.without, **shares}


def has_spread(scored: Scored) -> bool:
    """Whether the tuple is a series with at least two draws of each quantity."""
    row = scored.row
    return row.law in QUANTITIES and all(len(row.draws.get(key, ())) >= FEWEST_DRAWS for key in row.forecasts)


def monotone_series(scored: Sequence[Scored]) -> tuple[MonotoneSeries, ...]:
    """Of each forecaster with a series whose draws are known, in their order."""
    series: dict[str, list[Scored]] = {}
    for one in scored:
        if one.row.law in QUANTITIES:
            series.setdefault(one.row.forecaster, []).append(one)
    return tuple(found for name, of in series.items() if (found := _counted(name, of)))


def _counted(forecaster: str, series: Sequence[Scored]) -> MonotoneSeries | None:
    known = [one for one in series if has_spread(one)]
    if not known:
        return None
    held = [notions(one.row.law, one.row.draws) for one in known]
    groups = [one.row.base for one in known]
    strong, median, weak = (_share(held, groups, name) for name in ("strong", "median", "weak"))
    return MonotoneSeries(forecaster, len(known), len(series) - len(known), strong, median, weak)


def _share(held: Sequence[Notions], groups: Groups, name: str) -> Estimate:
    return share_estimate([bool(getattr(one, name)) for one in held], groups)
