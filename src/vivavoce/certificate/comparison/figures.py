"""The figures of a comparison, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from vivavoce.certificate.comparison.compared import PairDifference

MEAN_SCORES: Final = "mean scores"


@dataclass(frozen=True, slots=True)
class DifferenceFigure:
    """The difference of two candidates with its interval, in all and by category."""

    plot: ClassVar[str] = "vivavoce.certificate.comparison.plots:difference_drawing"
    names: tuple[str, ...]
    pair: PairDifference
    what: str = MEAN_SCORES
    """What it is of."""


@dataclass(frozen=True, slots=True)
class PairsFigure:
    """Each candidate against each other one, the best tier first."""

    plot: ClassVar[str] = "vivavoce.certificate.comparison.plots:pairs_drawing"
    names: tuple[str, ...]
    pairs: tuple[PairDifference, ...]
    tiers: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class TiersFigure:
    """In which tier each candidate is on each scope."""

    plot: ClassVar[str] = "vivavoce.certificate.report.sweep_plots:tiers_drawing"
    candidates: tuple[str, ...]
    """The best first."""
    scopes: tuple[str, ...]
    tiers: tuple[tuple[int | None, ...], ...]
    """A row a scope, for each candidate its tier from 1; None where nothing was compared."""
    last: str = ""
    """What the last row is, where it is no scope; empty where it is one."""
