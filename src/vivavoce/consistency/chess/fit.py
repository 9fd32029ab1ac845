"""The line through the logarithms of shares over nodes (Figure 7 of `fluri2024`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.consistency.chess.comparison import Comparison
from vivavoce.consistency.chess.config import THRESHOLDS
from vivavoce.consistency.chess.score import FEWEST_GAMES, Summary
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval

FEWEST_POINTS: Final = 3
"""Two points always lie on a line, so a line through them says nothing."""


@dataclass(frozen=True, slots=True)
class Fit:
    """share = exp(intercept) * nodes ** slope, by least squares on logarithms."""

    threshold: float
    slope: Estimate
    """Its n is the number of node counts that the line is laid through."""
    intercept: float
    tenfold: Estimate
    """What share is left after a search ten times as long."""


def fit_rows(rows: Sequence[tuple[int, Summary[Comparison]]], threshold: float) -> Fit | None:
    """The line for one threshold, through all node counts with a share above 0; None for fewer than three, or too few games.

    The slope's interval: the line is fitted again in each bootstrap world, the same games occurring as often at every node
    count; a node count where nothing is left in a world is left out there.
    """
    which = THRESHOLDS.index(threshold)
    used = [(nodes, row) for nodes, row in rows if row.over[which].value]
    if len(used) < FEWEST_POINTS or min(row.games for _, row in used) < FEWEST_GAMES:
        return None
    nodes = [number for number, _ in used]
    slope, intercept = line(nodes, [row.over[which].value or 0.0 for _, row in used])
    worlds = np.array([row.replicates[which] for _, row in used], dtype=np.float64).T
    slopes = [line(nodes, world)[0] for world in worlds if np.count_nonzero(world) >= FEWEST_POINTS]
    lower, upper = np.quantile(slopes, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    tenfold = Estimate(10**slope, Interval(10 ** float(lower), 10 ** float(upper)), len(used))
    return Fit(threshold, Estimate(slope, Interval(float(lower), float(upper)), len(used)), intercept, tenfold)


def line(nodes: Sequence[int], shares: Sequence[float] | NDArray[np.float64]) -> tuple[float, float]:
    """Slope and intercept of ln(share) over ln(nodes) by least squares; shares of 0 are left out.

    Half as often with ten times the nodes, by hand: slope -ln(2)/ln(10) = -0.30103.

    >>> slope, intercept = line([1, 10], [0.4, 0.2])
    >>> round(slope, 5), round(intercept, 5)  # ln(0.4) = -0.91629
    (-0.30103, -0.91629)
    """
    x, y = np.log(np.asarray(nodes, dtype=np.float64)), np.asarray(shares, dtype=np.float64)
    x, y = x[y > 0], np.log(y[y > 0])
    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    return slope, float(y.mean() - slope * x.mean())
