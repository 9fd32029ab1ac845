"""What one check has found, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vivavoce.consistency.chess.comparison import Check, Comparison
from vivavoce.consistency.chess.config import THRESHOLDS
from vivavoce.formats.interval import Estimate

BINS = 200
"""Of the histogram, over differences from 0 to 2."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What one check has found."""

    check: Check
    n: int
    """Positions compared."""
    games: int
    """Games that they come from."""
    over: tuple[Estimate, ...]
    """Share of positions with a difference above each of `THRESHOLDS`."""
    mean_signed: Estimate
    """Mean of `Comparison.signed`: systematic bias, such as towards the side to move."""
    mean_difference: Estimate
    largest: float | None
    """The largest difference; None where nothing was compared."""
    saturated: Estimate
    """Share of comparisons with an evaluation of at least .999 in size: a difference may be hidden there."""
    skipped: Mapping[str, int]
    """Positions that the check does not apply to, by reason."""
    no_answers: int
    """Positions without evaluation; left out of all shares."""
    histogram: tuple[int, ...]
    """Comparisons by difference, in `BINS` bins of equal width from 0 to 2."""
    worst: tuple[Comparison, ...]
    """The ten largest differences, the largest first."""
    replicates: tuple[tuple[float, ...], ...] = field(repr=False, default=())
    """The shares of `over` in each bootstrap world, one inner tuple a threshold; 0 where no game occurs in a world. Equal seeds
    make worlds comparable."""

    def share_over(self, threshold: float) -> Estimate:
        """Share of positions with a difference above one of `THRESHOLDS`."""
        return self.over[THRESHOLDS.index(threshold)]

    def as_json(self) -> dict[str, Any]:
        """The row as JSON values."""
        return {
            "check": self.check.value,
            "n": self.n,
            "games": self.games,
            "over": {f"{threshold:g}": share.as_json() for threshold, share in zip(THRESHOLDS, self.over, strict=True)},
            "mean_signed": self.mean_signed.as_json(),
            "mean_difference": self.mean_difference.as_json(),
            "largest": None if self.largest is None else round(self.largest, 9),
            "saturated": self.saturated.as_json(),
            "skipped": dict(self.skipped),
            "no_answers": self.no_answers,
            "histogram": list(self.histogram),
            "worst": [comparison.as_json() for comparison in self.worst],
        }
