"""Questions until a pass with strata and without, on lists of questions of which each is asked once.

True mean score .8, passing grade .7, delta .05: the mean and the median number of questions, and how many more strata take.

    python bench/strata.py [--runs 400]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import islice

import numpy as np

from vivavoce.statistics.betting import Floats
from vivavoce.statistics.confidence_sequences import mean_passes
from vivavoce.statistics.stratified import mean_passes_in_strata, proportional

GRADE, ENOUGH, MOST = 0.7, float(np.log(20)), 1_200
CELLS: tuple[tuple[tuple[int, ...], tuple[float, ...]], ...] = (
    ((250, 150, 100), (0.8, 0.8, 0.8)),
    ((250, 150, 100), (0.95, 0.7, 0.58)),
    ((50,) * 10, (0.8,) * 10),
    ((50,) * 10, (0.96, 0.9, 0.9, 0.84, 0.84, 0.8, 0.76, 0.7, 0.7, 0.6)),
    ((150,) * 14, (0.8,) * 14),
    ((1_000,) * 14, (0.8,) * 14),
)


def in_strata(lists: Sequence[Floats], runs: int, rng: np.random.Generator) -> Floats:
    """The number of questions of each run."""
    sizes = np.array([values.size for values in lists])
    masses, needed = sizes / sizes.sum(), np.full(runs, MOST)
    order = np.array(list(islice(proportional(masses, sizes=sizes), MOST)))
    x = np.zeros((runs, order.size))
    for stratum, values in enumerate(lists):
        shuffled = rng.permuted(np.tile(values, (runs, 1)), axis=1)
        x[:, order == stratum] = shuffled[:, : int((order == stratum).sum())]
    tests = mean_passes_in_strata(GRADE, masses, sizes=sizes, rows=runs)
    for n, stratum in enumerate(order, 1):
        shown = (tests.update(x[:, [n - 1]], [stratum])[:, 0] >= ENOUGH) & (needed == MOST)
        needed[shown] = n
        if (needed < MOST).all():
            break
    return needed


def without(lists: Sequence[Floats], runs: int, rng: np.random.Generator) -> Floats:
    """The same in random order."""
    everything, needed = np.concatenate(lists), np.full(runs, MOST)
    for run in range(runs):
        path = mean_passes(GRADE, population=everything.size).update(rng.permutation(everything)[:MOST])
        needed[run] = int(np.argmax(path >= ENOUGH)) + 1 if (path >= ENOUGH).any() else MOST
    return needed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    runs = parser.parse_args().runs
    print("| strata | mean scores | without | with strata | more |\n| --- | --- | --- | --- | --- |")
    for sizes, scores in CELLS:
        rng = np.random.default_rng(6)
        lists = [(np.arange(size) < round(size * score)).astype(float) for size, score in zip(sizes, scores, strict=True)]
        plain, over = without(lists, runs, rng), in_strata(lists, runs, rng)
        each = f"{len(sizes)} of {'/'.join(map(str, dict.fromkeys(sizes)))}"
        cells = (f"{needed.mean():.0f} ({np.median(needed):.0f})" for needed in (plain, over))
        print(
            f"| {each} | {min(scores):g} to {max(scores):g} |", " | ".join(cells), f"| {over.mean() / plain.mean() - 1:+.0%} |"
        )


if __name__ == "__main__":
    main()
