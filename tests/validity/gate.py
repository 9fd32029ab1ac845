"""How often a gate gives a wrong verdict where it is hardest: at a difference of exactly the margin, and of exactly 0.

A candidate that is worse by exactly the margin passes wrongly, one that is exactly as good fails wrongly. After each of 1,000
questions somebody looks. Pairs answer a share of the questions alike; the others are right for one of them alone.

    python -m tests.validity.gate [--runs 4000]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from vivavoce.statistics.betting import Floats
from vivavoce.statistics.differences import DifferenceTests

LOOKS = 1_000
DELTA = 0.05
TOGETHER = 200
"""Runs whose bets are kept in memory at once."""
BOUNDARIES = ("margin", "equal")
CASES = tuple(
    (margin, ties, population) for margin in (0.02, 0.05) for ties in (0.0, 0.5, 0.95 - margin) for population in (None, LOOKS)
)


@dataclass(frozen=True)
class Verdicts:
    """Shares of the runs that ended so."""

    wrong: float
    right: float


def wrong_verdicts(
    boundary: str, *, margin: float, ties: float, population: int | None, runs: int, seed: int, delta: float = DELTA
) -> Verdicts:
    """Shares of wrong and right verdicts of gates, of which the first that is reached counts; "pass" where both are at once.

    It passes at delta, and fails at half of it.

    boundary: "margin", where D = -margin and it must not pass, or "equal", where D = 0 and it must not fail.
    ties: the share of questions that both answer alike.
    population: number of questions, each drawn once; None: they are independent.
    """
    rng = np.random.default_rng(seed)
    worse_by = margin if boundary == "margin" else 0.0
    wrong = right = 0
    for start in range(0, runs, TOGETHER):
        count = min(TOGETHER, runs - start)
        d = _differences(rng, count, worse_by, ties, population)
        passes = _first(DifferenceTests(np.full(count, -margin), population=population).update(d), delta)
        fails = _first(DifferenceTests(np.zeros(count), population=population).update(-d), delta / 2)
        passed, failed = (passes <= fails) & np.isfinite(passes), fails < passes
        wrong += int((passed if boundary == "margin" else failed).sum())
        right += int((failed if boundary == "margin" else passed).sum())
    return Verdicts(wrong / runs, right / runs)


def _differences(rng: np.random.Generator, runs: int, worse_by: float, ties: float, population: int | None) -> Floats:
    """Of each run, with mean -worse_by: exactly, where each question is drawn once."""
    if population is None:
        drawn = rng.random((runs, LOOKS))
        return np.where(drawn < (1 - ties + worse_by) / 2, -1.0, np.where(drawn < 1 - ties, 1.0, 0.0))
    more = round(worse_by * population)
    won = (round((1 - ties) * population) - more) // 2
    questions = np.zeros(population)
    questions[:won], questions[won : 2 * won + more] = 1.0, -1.0
    return np.stack([rng.permutation(questions) for _ in range(runs)])


def _first(path: Floats, delta: float) -> Floats:
    """The first look at which each is rejected; infinite where none is."""
    enough = path >= np.log(1 / delta)
    found: Floats = np.where(enough.any(axis=1), enough.argmax(axis=1), np.inf)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=4_000)
    runs = parser.parse_args().runs
    print("| margin | both alike | questions | passes at the margin | fails at equality |\n| --- | --- | --- | --- | --- |")
    for margin, ties, population in CASES:
        shares = [
            wrong_verdicts(one, margin=margin, ties=ties, population=population, runs=runs, seed=0).wrong for one in BOUNDARIES
        ]
        listed = " | ".join(f"{100 * share:.1f}%" for share in shares)
        print(f"| {margin} | {ties:.0%} | {'independent' if population is None else population} | {listed} |")
