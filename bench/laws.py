"""Violations of laws by the convex solver, beside a numerical search for the largest sure profit, on the same tuples.

    python bench/laws.py [--check] [--tuples 50] [FORECASTS.csv.gz]

Both look for the same number, from its two sides: the solver for the nearest coherent forecasts, the search (scipy's
differential evolution over prices) for the prices with the largest profit in the worst world. With the research data, all
tuples are scored as well. `--check` fails where the solver is not at least 1000 times as fast a tuple, or the search ever finds
more.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, differential_evolution

from vivavoce.laws.law import BUILT_IN, Law, law_named
from vivavoce.laws.violation import violations

CHECKERS = {
    "Neg": "neg", "Paraphrase": "paraphrase", "And": "and", "Or": "or", "AndOr": "and-or", "But": "but", "Cond": "cond",
    "CondCond": "cond-cond", "Consequence": "consequence", "ExpectedEvidence": "expected-evidence",
}  # fmt: skip
Floats = NDArray[np.float64]


def by_search(law: Law, forecasts: Floats, seed: int) -> float:
    """The largest profit in the worst world, by differential evolution over prices."""
    true, false = law.worlds == 1, law.worlds == 0

    def loss(prices: Floats) -> float:
        wins, loses = np.log(prices / forecasts), np.log1p(-prices) - np.log1p(-forecasts)
        return -float((true * wins + false * loses).sum(axis=1).min())

    result = differential_evolution(loss, Bounds([1e-4] * len(forecasts), [1 - 1e-4] * len(forecasts)), rng=seed, polish=False)
    return -float(result.fun)


def side_by_side(tuples: int) -> tuple[float, float, float]:
    """How many times as fast the solver is a tuple; by how much the search falls short at most; by how much it ever exceeds."""
    rng = np.random.default_rng(0)
    solver = search = 0.0
    short, more = 0.0, 0.0
    print(f"{'law':<18} {'ratio':>9}  {'short, median':>13}  {'short, most':>11}")
    for law in (*BUILT_IN.values(), law_named("paraphrase", ["P", "para_P"])):
        forecasts = rng.uniform(0.001, 0.999, (tuples, len(law.keys)))
        started = time.perf_counter()
        ours = violations(law, np.tile(forecasts, (20, 1))).value[:tuples]
        ours_seconds = (time.perf_counter() - started) / 20
        started = time.perf_counter()
        theirs = np.array([by_search(law, row, seed) for seed, row in enumerate(forecasts)])
        seconds = time.perf_counter() - started
        solver, search = solver + ours_seconds, search + seconds
        missing = ours - theirs
        short, more = max(short, missing.max()), max(more, -missing.min())
        print(f"{law.name:<18} {seconds / ours_seconds:>8.0f}x  {np.median(missing):>13.1e}  {missing.max():>11.1e}")
    return search / solver, short, more


def all_real(file: Path) -> None:
    """Score all tuples of the research data."""
    rows: dict[str, list[list[float]]] = {}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            rows.setdefault(row["checker"], []).append([float(p) for p in row["probs"].split("|")])
    started, largest, count = time.perf_counter(), 0.0, 0
    for checker, forecasts in rows.items():
        name = CHECKERS[checker]
        law = BUILT_IN.get(name) or law_named(name, ["P", "para_P"])
        largest, count = max(largest, float(violations(law, forecasts).gap.max())), count + len(forecasts)
    print(f"{count} real tuples in {time.perf_counter() - started:.1f} s; largest duality gap {largest:.1e}")


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--tuples", type=int, default=50)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    ratio, short, more = side_by_side(given.tuples)
    print(f"all laws: {ratio:.0f} times as fast; the search falls short by up to {short:.1e} and exceeds by {more:.1e} nats")
    if given.file is not None:
        all_real(given.file)
    return int(given.check and not (ratio >= 1000 and more < 1e-6))


if __name__ == "__main__":
    sys.exit(main())
