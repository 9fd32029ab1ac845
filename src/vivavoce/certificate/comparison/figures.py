"""The figures of a comparison, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vivavoce.certificate.comparison.compared import PairDifference

MEAN_SCORES: Final = "mean scores"


@dataclass(frozen=True, slots=True)
class DifferenceFigure:
    """The difference of two candidates with its interval, in all and by category."""

    names: tuple[str, ...]
    pair: PairDifference
    what: str = MEAN_SCORES
    """What it is of."""


@dataclass(frozen=True, slots=True)
class PairsFigure:
    """Each candidate against each other one, the best tier first."""

    names: tuple[str, ...]
    pairs: tuple[PairDifference, ...]
    tiers: tuple[tuple[int, ...], ...]
