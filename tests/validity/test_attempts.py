"""How often a record holds a wrong verdict where an examination is held again until it passes, ten times at most.

A candidate exactly at the passing grade, so that each kind of verdict is an error. Each attempt asks again and looks after
every answer. With delta for each of them, as it was before attempts were counted, the same answers are judged again.

    python -m tests.validity.test_attempts [--runs 4000]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tests.validity.error_studies import DELTA, VERDICTS, runs_of, slack, verdict_by
from vivavoce.certificate.attempts.attempt import delta_of
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.statistics.betting import Floats

pytestmark = [pytest.mark.slow, pytest.mark.study]

ATTEMPTS = 10
LOOKS = 1_000
CHUNK = 250
GRADE = 0.7


@dataclass(frozen=True)
class RecordShares:
    """Shares of the records with at least one such verdict."""

    passed: float
    failed: float


def study(*, runs: int, seed: int = 0) -> tuple[RecordShares, RecordShares]:
    """With delta spent over attempts, and with delta for each."""
    rng = np.random.default_rng(seed)
    spent, whole = [], []
    for _ in range(runs):
        answers = (rng.random((ATTEMPTS, LOOKS)) < GRADE).astype(float)
        spent.append([_verdict(delta_of(DELTA, k), scores) for k, scores in enumerate(answers, start=1)])
        whole.append([_verdict(DELTA, scores) for scores in answers])
    return _records(spent), _records(whole)


def _verdict(delta: float, scores: Floats) -> Verdict:
    return verdict_by(SequentialTest(Criterion(GRADE, None, delta)), scores, chunk=CHUNK)


def _records(result: list[list[Verdict]]) -> RecordShares:
    return RecordShares(*(sum(kind in verdicts for verdicts in result) / len(result) for kind in VERDICTS))


RUNS = 4_000
SLACK = slack(RUNS)


def test_ten_attempts_err_as_rarely_as_one_may() -> None:
    spent, whole = study(runs=RUNS)
    assert spent.passed <= 0.05 + SLACK
    assert spent.failed <= 0.05 + SLACK
    assert min(whole.passed, whole.failed) > 0.2  # what ten examinations find that are not counted


if __name__ == "__main__":
    for name, records in zip(("spent over attempts", "each at delta"), study(runs=runs_of(__doc__)), strict=True):
        print(f"{name}: passed at least once {records.passed:.2%}, failed at least once {records.failed:.2%}")
