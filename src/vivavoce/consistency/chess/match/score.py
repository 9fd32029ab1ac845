"""Counting a match: the score with an interval over openings, Elo, and the number of nodes at which engines are equal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from vivavoce.consistency.chess.match.game import Game
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.statistics.bounded import bounded_mean

FEWEST_OPENINGS = 10
"""With fewer, resampling openings says nothing of use."""
WORLDS = 1_000
LEVEL = 0.95
MOST_STEPS, CLOSE = 60, 1e-9
"""Of Newton's method: some six are enough."""

_Floats = NDArray[np.float64]


def pair_scores(games: Sequence[Game]) -> list[float]:
    """The first engine's mean score of each opening's two games: 0, .25, .5, .75 or 1."""
    by_opening: dict[int, list[float]] = {}
    for game in games:
        by_opening.setdefault(game.opening, []).append(game.score)
    return [fsum(scores) / len(scores) for _, scores in sorted(by_opening.items())]


def score_of(games: Sequence[Game]) -> Estimate:
    """The first engine's mean score, with Student's interval over openings; its n is the number of these.

    The two games of an opening are alike, and an opening that is won for White gives each engine a point: pairs vary less than
    single games would. Where all openings end alike the interval allows for others (`statistics.bounded.bounded_mean`).
    """
    pairs = pair_scores(games)
    lower, upper = bounded_mean(pairs, [()] * len(pairs))
    return Estimate(fsum(pairs) / len(pairs) if pairs else None, Interval(lower, upper), len(pairs))


def elo(score: float) -> float:
    """The difference in Elo that a score means: 400 log10(s / (1 - s)) (`elo1978`).

    >>> round(elo(0.75), 1), elo(0.5), elo(1.0)
    (190.8, 0.0, inf)
    """
    if score in (0.0, 1.0):
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def in_elo(score: Estimate) -> Estimate:
    """The score as a difference in Elo; without a value where no game, or every game, was won."""
    ends = Interval(elo(score.interval.lower), elo(score.interval.upper))
    value = None if score.value in (None, 0.0, 1.0) else elo(score.value or 0.0)
    return Estimate(value, ends, score.n)


@dataclass(frozen=True, slots=True)
class EqualNodes:
    """Where two engines score alike: the second one's number of nodes."""

    nodes: Estimate
    """Its value is None where the line does not reach one half within the nodes played, or does not rise."""
    slope: float
    """Of the logit of the second engine's score, by the natural logarithm of its nodes."""
    intercept: float

    def score(self, nodes: float) -> float:
        """The second engine's fitted score."""
        return 1 / (1 + math.exp(-(self.intercept + self.slope * math.log(nodes))))


def equal_nodes(matches: Sequence[tuple[int, Sequence[float]]], *, seed: int) -> EqualNodes | None:
    """The number of nodes at which the second engine scores one half, from matches at several numbers of them.

    Parameters
    ----------
    matches: nodes, and the **first** engine's score of each pair; the same openings in the same order in each.

    A line is laid through the logits of scores over the logarithm of nodes, by maximum likelihood. Its interval: openings are
    drawn again with replacement, the same ones at every number of nodes, and the line is laid again. Worlds in which it does
    not rise know no such number, and where they are too many the interval is open. None for fewer than ten openings.
    """
    x = np.log(np.array([nodes for nodes, _ in matches], dtype=np.float64))
    scores = 1 - np.array([pairs for _, pairs in matches], dtype=np.float64)
    openings = scores.shape[1]
    if openings < FEWEST_OPENINGS:
        return None
    intercept, slope = _fitted(x, scores.mean(axis=1)[None, :], openings)[0]
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(openings, [1 / openings] * openings, size=WORLDS) / openings
    fits = _fitted(x, weights @ scores.T, openings)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        crossings = np.where(fits[:, 1] > 0, -fits[:, 0] / fits[:, 1], np.nan)
    tail = (1 - LEVEL) / 2
    least, most = float(x.min()), float(x.max())
    flat = np.isnan(crossings).mean()
    if flat > tail:
        ends = Interval(0.0, math.inf)
    else:
        lower, upper = np.quantile(crossings[~np.isnan(crossings)], [tail, 1 - tail])
        # beyond the nodes that were played nothing is known of the line
        ends = Interval(math.exp(lower) if lower >= least else 0.0, math.exp(upper) if upper <= most else math.inf)
    crossing = -intercept / slope if slope > 0 else math.nan
    value = math.exp(crossing) if least <= crossing <= most else None
    return EqualNodes(Estimate(value, ends, openings), float(slope), float(intercept))


def _fitted(x: _Floats, scores: _Floats, openings: int) -> _Floats:
    """Intercept and slope of the logistic line for each row of mean scores, by Newton's method on centred x.

    A score of 0 or 1 is moved by a quarter of the smallest step that a pair can make, or a line through such scores alone
    would be infinitely steep.
    """
    step = 1 / (16 * openings)
    y = np.clip(scores, step, 1 - step)
    centre = x.mean()
    z = x - centre
    a, b = np.log(y / (1 - y)).mean(axis=1), np.zeros(len(y))
    for _ in range(MOST_STEPS):
        eta = np.clip(a[:, None] + b[:, None] * z, -30, 30)
        p = 1 / (1 + np.exp(-eta))
        w = p * (1 - p) + 1e-9
        residual = y - p
        s0, s1, s2 = w.sum(axis=1), (w * z).sum(axis=1), (w * z * z).sum(axis=1)
        g0, g1 = residual.sum(axis=1), (residual * z).sum(axis=1)
        det = s0 * s2 - s1 * s1
        da, db = (s2 * g0 - s1 * g1) / det, (s0 * g1 - s1 * g0) / det
        # half steps at most, so that no world overshoots
        scale = np.minimum(1.0, 2.0 / (np.abs(da) + np.abs(db) * np.abs(z).max() + 1e-12))
        a, b = a + scale * da, b + scale * db
        if np.abs(da).max() + np.abs(db).max() < CLOSE:
            break
    return np.stack([a - b * centre, b], axis=1)
