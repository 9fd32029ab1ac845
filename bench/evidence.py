"""Speed of the statistics: a million outcomes through the e-processes, and the planner's simulation.

    python bench/evidence.py [--check]
    python bench/evidence.py --questions [--runs 400]

The first is compared, in the same run, with the plain way: 60 bets in a Python loop over outcomes, on a hundredth of them.

`--questions` prints the mean number of questions until a verdict, at most 20,000, for a passing grade of .7 and a first attempt
at delta = .05. "Before" are bets and shares of the first procedure: .9 of delta, alternatives as for 0 and 1, and a fail by the
mean of both e-processes. The oracle bets one constant fraction, the best for the true distribution, with the same delta. It
knows that distribution, so it is out of reach. `confseq`, if it is installed, is `betting_mart` of that package on one side,
with its defaults and at most 2,000 questions.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from math import log

import numpy as np
from scipy.optimize import minimize_scalar

from vivavoce.certificate.attempts.attempt import delta_of
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.evidence.sequential import SequentialTest, fail_evidence
from vivavoce.certificate.plan import estimate_power
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.confidence_sequences import BETS_ON_A_MEAN, mean_above, mean_below, mean_passes, rate_above, rate_below

OUTCOMES = 1_000_000
PART = 100


def cpu(work: Callable[[], object]) -> float:
    """Seconds of CPU."""
    began = time.process_time()
    work()
    return time.process_time() - began


def plain_loop(values: Floats, null: float) -> float:
    """The e-process of `mean_above`, one outcome after the other."""
    alternatives = null + (1 - null) * (np.arange(BETS_ON_A_MEAN) + 0.5) / BETS_ON_A_MEAN
    slope = (alternatives - null) / (null * (1 - null))
    capital = np.zeros(BETS_ON_A_MEAN)
    log_e = 0.0
    for value in values:
        capital = capital + np.log1p(slope * (value - null))
        top = capital.max()
        log_e = float(top + np.log(np.exp(capital - top).mean()))
    return log_e


GRADE, LIMIT, BEFORE, NOW = 0.7, 0.01, 0.045, delta_of(0.05, 1)
MOST, BLOCK, MOST_OF_OTHERS, LIST = 20_000, 250, 2_000, 1_000
Draw = Callable[[np.random.Generator, int], Floats]
Path = Callable[[Floats], Floats]
"""Takes further values; log e-values after each."""


@dataclass(frozen=True)
class Row:
    """A true distribution of scores (of shape (n,)), or of scores and unacceptability ((n, 2))."""

    name: str
    draw: Draw
    partial_credit: bool = False
    once: bool = False
    fails: bool = False


def two_point(score: float) -> Draw:
    """Right or wrong."""
    return lambda rng, n: (rng.random(n) < score).astype(float)


def beta(score: float) -> Draw:
    """Concentration 10."""
    return lambda rng, n: rng.beta(10 * score, 10 * (1 - score), n)


def halves(score: float) -> Draw:
    """Half or full marks."""
    return lambda rng, n: rng.choice([0.5, 1.0], n, p=[2 - 2 * score, 2 * score - 1])


def with_unacceptable(score: float, rate: float) -> Draw:
    """Right or wrong, some of the wrong ones unacceptable."""

    def draw(rng: np.random.Generator, n: int) -> Floats:
        u = rng.random(n)
        return np.stack((u < score, u > 1 - rate), axis=-1).astype(float)

    return draw


ROWS = (
    *(Row(f"right or wrong, {score}", two_point(score)) for score in (0.72, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98)),
    *(Row(f"right or wrong, {score}, list of {LIST:,}", two_point(score), once=True) for score in (0.75, 0.8, 0.9, 0.95, 0.98)),
    *(Row(f"partial credit, Beta, {score}", beta(score), partial_credit=True) for score in (0.72, 0.75, 0.8, 0.9, 0.95)),
    *(Row(f"partial credit, Beta, {score}, list of {LIST:,}", beta(score), True, once=True) for score in (0.75, 0.8, 0.9)),
    *(Row(f"partial credit, half or full, {score}", halves(score), partial_credit=True) for score in (0.8, 0.9)),
    *(Row(f"partial credit, but right or wrong, {score}", two_point(score), partial_credit=True) for score in (0.8, 0.9, 0.95)),
    *(Row(f"fail by the score, {score}", with_unacceptable(score, 0.0), fails=True) for score in (0.65, 0.6, 0.5, 0.3)),
    *(Row(f"fail by unacceptable answers, {rate}", with_unacceptable(0.8, rate), fails=True) for rate in (0.03, 0.05, 0.1)),
)


def questions(path: Path, values: Floats, delta: float) -> int:
    """Until the evidence is enough."""
    for start in range(0, len(values), BLOCK):
        enough = np.flatnonzero(path(values[start : start + BLOCK]) >= -log(delta))
        if enough.size:
            return start + int(enough[0]) + 1
    return len(values)


def path_of(row: Row, *, before: bool) -> Path:
    """The evidence of a procedure."""
    if row.fails:
        score, rate = mean_below(GRADE), rate_above(LIMIT)

        def fails(values: Floats) -> Floats:
            both = score.update(values[:, 0]), rate.update(values[:, 1])
            return np.logaddexp(*both) - log(2) if before else fail_evidence(*both)

        return fails
    population = LIST if row.once else None
    if before:
        return mean_above(GRADE, population=population).update
    return mean_passes(GRADE, population=population, partial_credit=row.partial_credit).update


def oracle_of(row: Row) -> Callable[[], Path]:
    """The best constant bets for the true distribution; of a fail, on the better of score and unacceptable answers."""
    sample = row.draw(np.random.default_rng(1), 200_000)
    sides: list[tuple[Floats, float, Path]] = [(sample, GRADE, lambda values: values)]
    if row.fails:
        sides = [
            (1 - sample[:, 0], 1 - GRADE, lambda values: 1 - values[:, 0]),
            (sample[:, 1], LIMIT, lambda values: values[:, 1]),
        ]
    best = [_best(values, null) for values, null, _ in sides]
    bet, (_, null, take) = max(zip(best, sides, strict=True), key=lambda pair: pair[0][1])

    def begin() -> Path:
        capital, drawn, left = 0.0, 0.0, LIST

        def update(values: Floats) -> Floats:
            nonlocal capital, drawn, left
            x = take(values)
            nulls: Floats | float = null
            if row.once:
                nulls = (LIST * null - drawn - np.cumsum(x) + x) / (left - np.arange(x.size))
                drawn, left = drawn + x.sum(), left - x.size
            with np.errstate(all="ignore"):
                fraction = np.clip(bet[0], 0, 0.999 / np.maximum(nulls, 1e-9))
                path = capital + np.cumsum(np.log(np.maximum(1 + fraction * (x - nulls), 1e-300)))
            capital = float(path[-1])
            return np.where(np.asarray(nulls) <= 0, np.inf, path)

        return update

    return begin


def _best(x: Floats, null: float) -> tuple[float, float]:
    """The bet whose capital grows fastest, and the growth."""
    found = minimize_scalar(lambda bet: -float(np.log1p(bet * (x - null)).mean()), bounds=(0, 0.999 / null), method="bounded")
    return float(found.x), -float(found.fun)


def peer(row: Row, values: Floats) -> int | None:
    """Questions of the other package; None without it, and for a fail, where there are two conditions."""
    if row.fails or find_spec("confseq") is None:
        return None
    x = values[:MOST_OF_OTHERS]
    betting = import_module("confseq.betting")
    path = betting.betting_mart(x, GRADE, alpha=NOW, theta=1, convex_comb=True, N=LIST if row.once else None)
    enough = np.flatnonzero(path >= 1 / NOW)
    return int(enough[0]) + 1 if enough.size else x.size


def compare_questions(runs: int) -> None:
    """Print the table."""
    print("| scores | before | now | change | oracle | now / oracle | confseq |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for row in ROWS:
        rng, needed, peers = np.random.default_rng(6), [], []
        oracle = oracle_of(row)
        for _ in range(runs):
            values = row.draw(rng, LIST if row.once else MOST)
            paths = (path_of(row, before=True), BEFORE), (path_of(row, before=False), NOW), (oracle(), NOW)
            needed.append([questions(path, values, delta) for path, delta in paths])
            peers.append(peer(row, values))
        before, now, best = np.mean(needed, axis=0)
        known = [number for number in peers if number is not None]
        other = f"{np.mean(known):.1f}" if known else "–"
        print(
            f"| {row.name} | {before:.1f} | {now:.1f} | {now / before - 1:+.1%} | {best:.1f} | {now / best:.2f} | {other} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a million outcomes take 2 s of CPU or more")
    parser.add_argument("--questions", action="store_true", help="print the questions until a verdict instead")
    parser.add_argument("--runs", type=int, default=400, help="simulated examinations of each row [default: 400]")
    given = parser.parse_args()
    if given.questions:
        compare_questions(given.runs)
        return
    check = given.check
    rng = np.random.default_rng(0)
    scores = (rng.random(OUTCOMES) < 0.7).astype(float)
    unacceptable = (rng.random(OUTCOMES) < 0.00052).astype(float)

    part = scores[: OUTCOMES // PART]
    assert abs(plain_loop(part, 0.7) - float(mean_above(0.7).update(part)[-1])) < 1e-6
    plain = cpu(lambda: plain_loop(part, 0.7)) * PART
    entry = cpu(lambda: mean_above(0.7).update(scores))
    rate = cpu(lambda: rate_below(0.00052).update(unacceptable))
    # a threshold out of reach, so that all four processes see every outcome
    four = cpu(lambda: SequentialTest(Criterion(0.7, 0.00052, 1e-300)).update(scores, unacceptable))
    plan = cpu(lambda: estimate_power(Criterion(0.7, 0.001), score=0.9, unacceptable=0.0002))

    print("| what | CPU | of the plain loop |")
    print("| --- | --- | --- |")
    print(f"| plain loop, 1M outcomes, one e-process (from {OUTCOMES // PART:,}) | {plain:.1f} s | 1 |")
    print(f"| e-process for the score, 1M outcomes | {entry:.2f} s | 1/{plain / entry:.0f} |")
    print(f"| e-process for the unacceptable limit, 1M outcomes | {rate:.2f} s | |")
    print(f"| all four and the verdict, 1M outcomes | {four:.2f} s | |")
    print(f"| planner, 10,000 runs of up to 10,000 questions | {plan:.2f} s | |")
    if check and four >= 2:
        sys.exit(f"a million outcomes took {four:.2f} s of CPU, the limit is 2 s")


if __name__ == "__main__":
    main()
