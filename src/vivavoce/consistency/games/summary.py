"""What one check has found, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vivavoce.consistency.chess.config import THRESHOLDS
from vivavoce.consistency.chess.finding import TELLING
from vivavoce.consistency.games.comparison import Comparison
from vivavoce.consistency.games.config import CheckName
from vivavoce.formats.interval import Estimate


@dataclass(frozen=True, slots=True)
class Summary:
    """What one check has found."""

    check: CheckName
    n: int
    """Positions compared."""
    games: int
    """Games that they come from."""
    over: tuple[Estimate, ...]
    """Share of positions with a difference above each of `THRESHOLDS`."""
    mean_signed: Estimate
    """Mean of `Comparison.signed`: systematic bias, such as towards the side to move."""
    mean_difference: Estimate
    saturated: Estimate
    """Share of comparisons with a value at an end of the scale: a difference may be hidden there."""
    plays_otherwise: Estimate
    """Share of comparisons in which the best move is another one; nothing observed where that says nothing."""
    skipped: Mapping[str, int]
    """Positions that the check does not apply to, by reason."""
    no_answers: Mapping[str, int]
    """Positions without a value, by reason; left out of all shares."""
    comparisons: tuple[Comparison, ...]
    """All of them, the largest difference first."""

    @property
    def largest(self) -> float | None:
        """The largest difference; None where nothing was compared."""
        return self.comparisons[0].difference if self.comparisons else None

    @property
    def telling(self) -> Estimate:
        """Share of positions with a difference that a sentence speaks of."""
        return self.over[THRESHOLDS.index(TELLING)]

    def as_json(self) -> dict[str, Any]:
        """The row as JSON values."""
        shares = zip(THRESHOLDS, self.over, strict=True)
        return {
            "check": self.check,
            "n": self.n,
            "games": self.games,
            "over": {f"{threshold:g}": share.as_json() for threshold, share in shares},
            "mean_signed": self.mean_signed.as_json(),
            "mean_difference": self.mean_difference.as_json(),
            "largest": None if self.largest is None else round(self.largest, 9),
            "saturated": self.saturated.as_json(),
            "plays_otherwise": self.plays_otherwise.as_json(),
            "skipped": dict(self.skipped),
            "no_answers": dict(self.no_answers),
        }
