"""Questions until a pass on scores of 0 or 1: even bets, the few bets of a pass, the oracle, and the least of any test.

    python bench/score_bets.py [--runs 2000]

The first attempt at delta = .05 is at delta_1 = .0475. Questions are independent, and 10,000 at most. The means of the first
two tables are exact: a test passes at the n-th answer if at least k(n) are right, so probabilities are followed up to there.

- *Even*: the bets of `mean_above`, 60 alternatives of equal weight. A fail has them, and a pass at a grade below .6.
- *Few*: the bets of `mean_passes` at grades of .6 or more: six alternatives, with a seventh of the weight left to the 60. Of
  the simple mixtures tried that need at most 3% more questions there, it needs the fewest at .75. The second table has its
  costs elsewhere.
- *Oracle*: the one alternative with the smallest mean for the true score, which it would have to know.
- *Least*: a bound for all tests. Let T be the number of questions of a test, with P(T < inf) <= delta at the passing grade. For
  shares a_s of true scores s that sum to 1, and any price c >= 0, its worst ratio to the oracle is at least the minimum of
  sum_s a_s E_s(T) / oracle_s + c (P(T < inf) - delta) over all ways to stop, which backward induction gives. Questions after
  `HORIZON` are free here. The shares and the price are near those with the largest bound.

The third table is simulated. *Enough* bets like *even*, but never more than would let the next answer reach 1/delta exactly:
the rest stays if that answer is wrong. The guarantee is the same, but delta must be known in advance.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from vivavoce.certificate.attempts.attempt import delta_of
from vivavoce.certificate.evidence.sequential import SCORE_SHARE
from vivavoce.statistics.betting import BettingTest, Floats
from vivavoce.statistics.confidence_sequences import bets_above, few_bets_above

DELTA = delta_of(0.05, 1)
ENOUGH, MOST, ROUNDING = -log(DELTA), 10_000, 1e-9
GRADE = 0.7
SCORES = np.array([0.75, 0.8, 0.85, 0.9, 0.95, 0.98])
NULLS = (0.1, 0.3, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""Below one half they are those of a fail: a fail at a grade of .9 is the mirror of a pass at .1."""
DISTANCES = np.array([0.01, 0.02, 0.033, 0.05, 0.067, 0.1, 1 / 6, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0])
"""True scores, as a share of the way from the null to 1."""
SIDES = {0.7: (0.75, 0.8, 0.9, 0.95), 0.5: (0.6, 0.7, 0.9), 0.3: (0.35, 0.4, 0.5, 0.7), 0.1: (0.15, 0.2, 0.3, 0.5)}
"""True scores of the simulation, by the null."""
HORIZON, PRICE = 4_000, 7.7
A_S = np.array([0.338, 0.138, 0.079, 0.052, 0.099, 0.294])
_NEGLIGIBLE = 1e-13


class Means(NamedTuple):
    """For each true score."""

    questions: Floats
    undecided: Floats
    """The share that does not pass."""


def even(null: float) -> tuple[Floats, Floats]:
    """Alternatives and weights of the even bets."""
    return bets_above(null, once=False)


def few(null: float) -> tuple[Floats, Floats]:
    """Alternatives and weights of the few bets."""
    return few_bets_above(null, once=False)


def fewest_right(null: float, bets: tuple[Floats, Floats], most: int = MOST, enough: float = ENOUGH) -> NDArray[np.int64]:
    """k(n) for n = 1, ..., most: so many right answers of n pass; n + 1 if none do."""
    test = BettingTest(null, alternatives=bets[0], weights=bets[1])
    n = np.arange(1, most + 1)
    low, high = np.full(most, -1), n + 1
    while (high - low > 1).any():
        middle = (low + high) // 2
        passes = test.after([0.0, 1.0], np.stack((n - middle, middle), axis=-1)) >= enough - ROUNDING
        low, high = np.where(passes, low, middle), np.where(passes, middle, high)
    return high


def exact_means(fewest: NDArray[np.int64], scores: Floats) -> Means:
    """By following the probabilities of the numbers of wrong answers without a pass, from the least that is left."""
    s = np.atleast_1d(scores)[:, None]
    alive, least, passed, questions = np.ones((s.size, 1)), 0, np.zeros(s.size), np.zeros(s.size)
    for n, needed in enumerate(fewest.tolist(), 1):
        questions += alive.sum(axis=1)
        alive = np.pad(alive * s, ((0, 0), (0, 1))) + np.pad(alive * (1 - s), ((0, 0), (1, 0)))
        passing = max(0, n - needed - least + 1)
        passed += alive[:, :passing].sum(axis=1)
        alive, least = alive[:, passing:], least + passing
        if n % 16 == 0:
            kept = np.flatnonzero((alive > _NEGLIGIBLE).any(axis=0))
            if not kept.size:
                break
            alive, least = alive[:, kept[0] : kept[-1] + 1], least + int(kept[0])
    return Means(questions, 1 - passed)


def means_of(null: float, bets: tuple[Floats, Floats], scores: Floats, enough: float = ENOUGH) -> Means:
    """Of the test with these bets."""
    return exact_means(fewest_right(null, bets, enough=enough), scores)


def oracle(null: float, score: float) -> float:
    """The smallest mean of any test with one alternative."""
    alternatives = null + (score - null) * np.linspace(0.7, 1.3, 121)
    bets = [(np.array([p]), np.ones(1)) for p in alternatives[alternatives < 1]]
    return min(float(exact_means(fewest_right(null, bet, HORIZON), np.array([score])).questions[0]) for bet in bets)


def least_ratio(null: float, scores: Floats, costs: Floats, price: float, *, horizon: int = HORIZON) -> float:
    """The minimum of sum costs_s E_s(T) + price (P(T < inf) - delta) over all ways to stop; see the module's docstring."""

    def log_weights(n: int) -> Floats:
        right = np.arange(n + 1)
        logs = np.log(costs) + np.multiply.outer(right, np.log(scores)) + np.multiply.outer(n - right, np.log(1 - scores))
        result: Floats = logsumexp(logs, axis=1)
        return result

    weights = log_weights(horizon)
    value = np.zeros(horizon + 1)  # per weight: what is still to pay, if so many of n answers were right
    for n in range(horizon - 1, -1, -1):
        right, now = np.arange(n + 1), log_weights(n)
        stop = price * np.exp(np.minimum(right * log(null) + (n - right) * log(1 - null) - now, 700))
        further = 1 + np.exp(weights[1:] - now) * value[1:] + np.exp(weights[:-1] - now) * value[:-1]
        value, weights = np.minimum(stop, further), now
    return float(value[0] * costs.sum()) - price * DELTA


def simulated(null: float, score: float, runs: int, *, enough: bool) -> float:
    """The mean questions with the even bets, or with those that never risk more than is needed; the same answers for both."""
    rng, (p, shares) = np.random.default_rng(3), even(null)
    factors = np.stack(((1 - p) / (1 - null), p / null))
    alive, capital, spared, total = np.arange(runs), np.tile(shares, (runs, 1)), np.ones(runs), 0
    for _ in range(MOST):
        total += alive.size
        x = (rng.random(runs)[alive] < score).astype(np.int64)
        before = capital.sum(axis=1)
        mean = capital @ p / before  # the mixture bets on this
        bet = np.minimum(mean, null / (DELTA * before * spared)) if enough else mean
        spared = spared * np.where(x, bet / mean, (1 - bet) / (1 - mean))
        capital = capital * factors[x]
        left = capital.sum(axis=1) * spared < (1 - ROUNDING) / DELTA
        alive, capital, spared = alive[left], capital[left], spared[left]
        if not alive.size:
            break
    return total / runs


def table(*columns: str, rows: Iterable[tuple[str, ...]]) -> None:
    """Print a table in Markdown."""
    print(f"\n| {' | '.join(columns)} |\n| {' | '.join('---' for _ in columns)} |")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def compare_losses() -> Iterable[tuple[str, ...]]:
    """Rows: how the few bets differ from the even ones, by the null; of a fail with a limit, the last column."""
    for null in NULLS:
        scores = null + (1 - null) * DISTANCES
        changes = []
        for enough in (ENOUGH, ENOUGH - log(SCORE_SHARE)):
            old, new = (means_of(null, bets(null), scores, enough) for bets in (even, few))
            changes.append((new.questions / old.questions - 1, (new.undecided - old.undecided).max()))
        change, undecided = changes[0]
        worst, sixth = int(change.argmax()), int(np.searchsorted(DISTANCES, 1 / 6 - ROUNDING))
        yield (
            f"{null:g}",
            f"{change[sixth]:+.1%}",
            f"{change.min():+.1%}",
            f"{change[worst]:+.1%} at {scores[worst]:.3f}",
            f"{100 * undecided:+.1f}",
            f"{changes[1][0].max():+.1%}",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2_000, help="simulated examinations of each row [default: 2000]")
    runs = parser.parse_args().runs
    best = np.array([oracle(GRADE, score) for score in SCORES])
    ratios = [means_of(GRADE, bets(GRADE), SCORES).questions / best for bets in (even, few)]
    columns = zip(SCORES, best, *ratios, strict=True)
    table(
        *("true score, grade .7", "oracle", "even / oracle", "few / oracle", "few / even"),
        rows=((f"{s:g}", f"{o:.1f}", f"{a:.3f}", f"{b:.3f}", f"{b / a - 1:+.1%}") for s, o, a, b in columns),
    )
    least = least_ratio(GRADE, SCORES, A_S / A_S.sum() / best, PRICE)
    print(f"\nWorst ratio: even {ratios[0].max():.3f}, few {ratios[1].max():.3f}, any test at least {least:.3f}.")
    names = ("null", "few / even, a sixth of the way", "best", "worst", "undecided, points", "worst, fail with a limit")
    table(*names, rows=compare_losses())
    cells = [(null, score) for null, scores in SIDES.items() for score in scores]
    simulations = ((null, s, *(simulated(null, s, runs, enough=enough) for enough in (False, True))) for null, s in cells)
    table(
        *("null", "true score", "even", "enough", "change"),
        rows=((f"{null:g}", f"{s:g}", f"{a:.1f}", f"{b:.1f}", f"{b / a - 1:+.1%}") for null, s, a, b in simulations),
    )


if __name__ == "__main__":
    main()
