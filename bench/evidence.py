"""Speed of the statistics: a million outcomes through the e-processes, and the planner's simulation.

    python bench/evidence.py [--check]

The first is compared, in the same run, with the plain way: 60 bets in a Python loop over outcomes, on a hundredth of them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np

from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.certificate.plan import estimate_power
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.confidence_sequences import BETS_ON_A_MEAN, mean_above, rate_below

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a million outcomes take 2 s of CPU or more")
    check = parser.parse_args().check
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
