"""How often a deployment certificate gives a wrong verdict where the distribution of use is known.

Two hundred questions, some of them asked 24 times as often as others; the candidate stands at the boundary for the whole, for
the use, or for both, so that a verdict the boundary makes wrong is an error. Either of the two being wrong counts as one.

    python -m tests.validity.deployed [--runs 4000]
"""

from __future__ import annotations

import numpy as np

from tests.validity.error_studies import print_table, runs_of
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.statistics.betting import Floats

QUESTIONS, GRADE, DELTA = 200, 0.7, 0.05
PASS, FAIL = Verdict.PASS, Verdict.FAIL


def weights_of(rng: np.random.Generator) -> Floats:
    """A few questions are asked very often; 1 on average."""
    weights = 1 / np.arange(1.0, QUESTIONS + 1) ** 0.6
    return rng.permutation(weights / weights.mean())


def candidate(weights: Floats, rng: np.random.Generator, *, whole: float, used: float) -> Floats:
    """Right answers whose mean comes near `whole`, and whose weighted mean near `used`, by exchanging questions."""
    right = (np.arange(QUESTIONS) < round(whole * QUESTIONS)).astype(float)
    right = rng.permutation(right)
    for _ in range(4_000):
        entry, other = rng.choice(np.flatnonzero(right == 1)), rng.choice(np.flatnonzero(right == 0))
        now = float((weights * right).mean())
        if abs(now + (weights[other] - weights[entry]) / QUESTIONS - used) < abs(now - used):
            right[entry], right[other] = 0.0, 1.0
    return right


def wrong(right: Floats, weights: Floats, grade: float, runs: int, rng: np.random.Generator) -> float:
    """Share of runs in which either verdict is given and wrong, at this passing grade."""
    largest = float(weights.max())
    truths = float(right.mean()), float((weights * right).mean())
    errors = 0
    for _ in range(runs):
        order = rng.permutation(QUESTIONS)
        values = right[order], (right * weights / largest)[order]
        criteria = (Criterion(grade, None, DELTA / 2), Criterion(grade / largest, None, DELTA / 2))
        given = [
            SequentialTest(criterion, population=QUESTIONS).update(value, np.zeros(QUESTIONS))
            for criterion, value in zip(criteria, values, strict=True)
        ]
        errors += any(
            verdict is not (PASS if truth >= grade - 1e-9 else FAIL) for verdict, truth in zip(given, truths, strict=True)
        )
    return errors / runs


def study(runs: int, seed: int = 0) -> dict[str, tuple[float, float, float]]:
    """For each case the true means as a whole and as used, and the share of runs with a wrong verdict."""
    result = {}
    for name, whole, used in (
        ("both at the grade", 0.7, 0.7),
        ("at it as a whole, above as used", 0.7, 0.85),
        ("at it as a whole, below as used", 0.7, 0.5),
        ("above as a whole, at it as used", 0.8, 0.7),
        ("below as a whole, at it as used", 0.6, 0.7),
    ):
        rng = np.random.default_rng(seed)
        weights = weights_of(rng)
        right = candidate(weights, rng, whole=whole, used=used)
        truths = float(right.mean()), float((weights * right).mean())
        near = min(truths, key=lambda truth: abs(truth - GRADE))
        # the grade is put at the true mean, where "fail" is wrong, and just above, where "pass" is
        rates = [wrong(right, weights, near + step, runs // 2, rng) for step in (0.0, 1e-6)]
        result[name] = (*truths, max(rates))
    return result


def main() -> None:
    results = study(runs_of(__doc__)).items()
    rows = ((name, f"{whole:.3f}", f"{used:.3f}", share) for name, (whole, used, share) in results)
    print_table(("candidate", "as a whole", "as used", "wrong"), rows)


if __name__ == "__main__":
    main()
