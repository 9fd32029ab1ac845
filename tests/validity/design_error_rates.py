"""How often strata, draws without replacement, weights and clusters give a wrong verdict, looked at after every answer.

Each study has a candidate at a boundary, so that a verdict that the boundary makes wrong is an error. All runs of a stratified
study are taken at once.

    python -m tests.validity.design_error_rates [--runs 4000]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike

from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.statistics.betting import BettingTest, Floats
from vivavoce.statistics.confidence_sequences import mean_above, mean_below
from vivavoce.statistics.stratified import StratifiedTest, log_imbalance, proportional

MASSES = (0.5, 0.3, 0.15, 0.05)
SCORES = (0.9, 0.6, 0.4, 0.2)
"""By the masses .45 + .18 + .06 + .01 = .7, the passing grade."""
RATES = (0.02, 0.04, 0.1, 0.26)
""".01 + .012 + .015 + .013 = .05, the limit."""
SIZES = (100, 60, 30, 10)
GRADE, LIMIT, ENOUGH = 0.7, 0.05, float(np.log(20))
Errors = dict[str, float]


def ever(log_e: Floats) -> float:
    """Share of runs in which an e-value ever reaches 1/delta; shape (runs, looks)."""
    return float((log_e.max(axis=-1) >= ENOUGH - 1e-9).mean())


def stratified(runs: int, rng: np.random.Generator, looks: int = 80) -> Errors:
    """Independent draws within strata: the score by bets, the rate by universal inference; strata that differ, and alike."""
    order = np.array(list(islice(proportional(MASSES), looks)))
    lost = log_imbalance(np.cumsum(order[:, None] == np.arange(4), axis=0), MASSES)
    errors: Errors = {}
    for name, scores, rates in (("differ", SCORES, RATES), ("alike", (GRADE,) * 4, (LIMIT,) * 4)):
        right = rng.random((runs, looks)) < np.array(scores)[order]
        for side, test in (("high", mean_above(GRADE)), ("low", mean_below(GRADE))):
            errors[f"score too {side}, strata {name}"] = ever(_of_counts(test, right) - lost)
        events = rng.random((runs, looks)) < np.array(rates)[order]
        update = StratifiedTest(LIMIT, MASSES, rare=True).update(events, order)
        errors[f"rate too high, strata {name}"], errors[f"rate too low, strata {name}"] = ever(update.above), ever(update.below)
    return errors


def finite_strata(runs: int, rng: np.random.Generator, looks: int = 70) -> Errors:
    """Draws without replacement from strata of 200 questions: 140 right ones are enough, 10 unacceptable ones allowed."""
    order = np.array(list(islice(proportional(MASSES, sizes=SIZES), looks)))

    def drawn(ones: tuple[int, ...]) -> Floats:
        values = np.zeros((runs, looks))
        for stratum, (size, number) in enumerate(zip(SIZES, ones, strict=True)):
            shuffled = rng.permuted(np.tile(np.arange(size) < number, (runs, 1)), axis=1)
            values[:, order == stratum] = shuffled[:, : int((order == stratum).sum())]
        return values

    too_few, enough = drawn((90, 36, 12, 1)), drawn((90, 36, 12, 2))
    too_many, allowed = drawn((2, 3, 3, 3)), drawn((2, 3, 3, 2))
    score, rate = StratifiedTest(GRADE, MASSES, sizes=SIZES), StratifiedTest(LIMIT, MASSES, sizes=SIZES, rare=True)
    found_score, found_rate = score.update(too_few, order), rate.update(too_many, order)
    score, rate = StratifiedTest(GRADE, MASSES, sizes=SIZES), StratifiedTest(LIMIT, MASSES, sizes=SIZES, rare=True)
    return {
        "score too high, finite strata": ever(found_score.above),
        "rate too low, finite strata": ever(found_rate.below),
        "score too low, finite strata": ever(score.update(enough, order).below),
        "rate too high, finite strata": ever(rate.update(allowed, order).above),
    }


def without_replacement(runs: int, rng: np.random.Generator) -> Errors:
    """A scope of 120 questions of which 83 are answered right where 84 are needed, and one where they are."""
    wrong = 0.0
    for right, verdict in ((83, Verdict.PASS), (84, Verdict.FAIL)):
        scores = rng.permuted(np.tile((np.arange(120) < right).astype(float), (runs // 2, 1)), axis=1)
        wrong = max(wrong, _share(verdict, Criterion(GRADE, None), scores, population=120))
    return {"without replacement": wrong}


def weighted(runs: int, rng: np.random.Generator) -> Errors:
    """120 questions of weights 1 to 4, drawn evenly, each once; the weighted mean score lies just below the grade or at it."""
    weights = 1 + 3 * rng.random(120)
    order = rng.permutation(120)
    below = np.zeros(120)
    below[order] = np.cumsum(weights[order]) < GRADE * weights.sum()
    share, largest = weights / weights.max(), weights.max() / weights.mean()
    true = float((below * weights).sum() / weights.sum())
    wrong = 0.0
    for grade, verdict in ((true + 1e-6, Verdict.PASS), (true, Verdict.FAIL)):
        values = rng.permuted(np.tile(below * share, (runs // 2, 1)), axis=1)
        wrong = max(wrong, _share(verdict, Criterion(grade / largest, None), values, population=120))
    return {"weighted, drawn evenly": wrong}


def clustered(runs: int, rng: np.random.Generator) -> Errors:
    """Five copies of a question, answered alike: means of clusters, and what becomes of it if copies count one by one."""
    right = (rng.random((runs, 120)) < GRADE).astype(float)
    criterion = Criterion(GRADE, None)
    return {
        "clusters by their means": max(_share(v, criterion, right) for v in (Verdict.PASS, Verdict.FAIL)),
        "clusters, copies counted one by one": ever(_of_counts(mean_above(GRADE), np.repeat(right[:, :60], 5, axis=1))),
    }


def _of_counts(test: BettingTest, values: ArrayLike) -> Floats:
    """Log e-values of bets on zeros and ones, which depend on their numbers alone; shape (runs, looks)."""
    ran = np.cumsum(np.asarray(values, dtype=np.int64), axis=1)
    looks = ran.shape[1]
    n, ones = np.meshgrid(np.arange(looks + 1), np.arange(looks + 1), indexing="ij")
    table = test.after([0.0, 1.0], np.stack((np.maximum(n - ones, 0), ones), axis=-1))
    result: Floats = table[np.arange(1, looks + 1), ran]
    return result


def _share(verdict: Verdict, criterion: Criterion, scores: Floats, population: int | None = None) -> float:
    """Share of runs with a verdict; whole runs at once, which `SequentialTest` ends where one by one would have."""
    tests = [SequentialTest(criterion, population=population) for _ in scores]
    return float(np.mean([test.update(run, np.zeros(run.size)) is verdict for test, run in zip(tests, scores, strict=True)]))


STUDIES: tuple[Callable[[int, np.random.Generator], Errors], ...] = (
    stratified,
    finite_strata,
    without_replacement,
    weighted,
    clustered,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=4_000)
    runs = parser.parse_args().runs
    print("| design | wrong |\n| --- | --- |")
    for study in STUDIES:
        for name, share in study(runs, np.random.default_rng(0)).items():
            print(f"| {name} | {share:.1%} |", flush=True)


if __name__ == "__main__":
    main()
