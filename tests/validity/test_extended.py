"""How often a verdict is wrong where the list of unacceptable answers is extended in view of the answers.

Two ways to extend it, both open to whoever holds the list:

- by what was seen: a candidate that is right four times of five and never says the same wrong thing twice. Each wrong answer
  that was seen is listed for its question. By the extended list no other answer is unacceptable, so it still understands.
- by choice: each of 40 rules makes 3% of the answers unacceptable, where 2% are allowed, so by any of them the candidate does
  not understand. The one that was met least often is taken.
- by draws (`--draws`): a die with ten faces is rolled 2,400 times over 60 questions. Of each question the face that was met
  least often becomes unacceptable, next to one that was from the start, so that the true rate is a fifth, and 19% are allowed.
  Questions of the next attempt are drawn again; reread are the answers that are on record, in their order.

The naive way scores all answers again and goes on at delta; ours begins attempt 2 with questions of its own at delta_2.

    python -m tests.validity.test_extended [--runs 1000]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tests.validity.error_studies import runs_of, verdict_by
from vivavoce.certificate.attempts.attempt import delta_of
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.statistics.betting import Floats

pytestmark = [pytest.mark.slow, pytest.mark.study]

GRADE, DELTA = 0.6, 0.05
FIRST, LATER, CHUNK = 200, 2_000, 50
RULES, RATE, LIMIT = 40, 0.03, 0.02
QUESTIONS, ROLLS, FACES = 60, 2_400, 10


@dataclass(frozen=True)
class ExtendedListErrors:
    """Shares of runs with a wrong verdict by the extended list."""

    naive: float
    ours: float


def by_what_was_seen(*, runs: int, seed: int = 0) -> ExtendedListErrors:
    """The share that wrongly does not understand."""
    rng = np.random.default_rng(seed)
    naive = ours = 0
    for _ in range(runs):
        scores = (rng.random(FIRST + LATER) < 0.8).astype(float)
        seen = np.concatenate([1 - scores[:FIRST], np.zeros(LATER)])
        naive += _verdict(DELTA, scores, seen) is Verdict.FAIL
        ours += _verdict(delta_of(DELTA, 2), scores[FIRST:], seen[FIRST:]) is Verdict.FAIL
    return ExtendedListErrors(naive / runs, ours / runs)


def by_choice(*, runs: int, seed: int = 0) -> ExtendedListErrors:
    """The share that wrongly understands."""
    rng = np.random.default_rng(seed)
    naive = ours = 0
    for _ in range(runs):
        hits = rng.random((RULES, FIRST + LATER)) < RATE
        unacceptable = hits[int(hits[:, :FIRST].sum(axis=1).argmin())].astype(float)
        scores = 1 - unacceptable
        naive += _verdict(DELTA, scores, unacceptable) is Verdict.PASS
        ours += _verdict(delta_of(DELTA, 2), scores[FIRST:], unacceptable[FIRST:]) is Verdict.PASS
    return ExtendedListErrors(naive / runs, ours / runs)


def by_draws(*, runs: int, seed: int = 0) -> ExtendedListErrors:
    """The share that wrongly understands at a limit of 19%: `naive` rereads what was rolled, `ours` rolls anew."""
    rng = np.random.default_rng(seed)
    naive = ours = 0
    for _ in range(runs):
        before = rng.integers(QUESTIONS, size=ROLLS)
        rolled = rng.integers(FACES, size=(QUESTIONS, ROLLS))  # the n-th answer to a question is its n-th draw
        counts = np.bincount(before, minlength=QUESTIONS)
        seen = np.arange(ROLLS) < counts[:, None]
        hits = np.stack([((rolled == face) & seen).sum(axis=1) for face in range(2, FACES)])
        listed = hits.argmin(axis=0) + 2
        drawn = rng.integers(QUESTIONS, size=LATER)
        nth = np.array([(drawn[:index] == question).sum() for index, question in enumerate(drawn)])
        for reread in (True, False):
            faces = rolled[drawn, nth] if reread else rng.integers(FACES, size=LATER)
            absurd = ((faces == 1) | (faces == listed[drawn])).astype(float)
            wrong = _verdict(delta_of(DELTA, 2), 1 - absurd, absurd, limit=0.19) is Verdict.PASS
            naive += wrong and reread
            ours += wrong and not reread
    return ExtendedListErrors(naive / runs, ours / runs)


def _verdict(delta: float, scores: Floats, unacceptable: Floats, *, limit: float = LIMIT) -> Verdict:
    return verdict_by(SequentialTest(Criterion(GRADE, limit, delta)), scores, unacceptable, chunk=CHUNK)


def test_listing_what_was_seen_decides_nothing() -> None:
    errors = by_what_was_seen(runs=300)
    assert errors.naive > 0.95
    assert errors.ours <= DELTA


def test_choosing_the_list_decides_nothing() -> None:
    errors = by_choice(runs=300)
    assert errors.naive > 0.1  # more than three standard errors above delta
    assert errors.ours <= DELTA


def test_rolls_that_were_seen_decide_nothing() -> None:
    errors = by_draws(runs=2_000)
    assert errors.naive > 0.5
    assert errors.ours <= DELTA


if __name__ == "__main__":
    runs = runs_of(__doc__, 1_000)
    for name, study in (("by what was seen", by_what_was_seen), ("by choice", by_choice), ("by draws", by_draws)):
        shares = study(runs=runs)
        print(f"{name}: naive {shares.naive:.1%} wrong, attempt of its own {shares.ours:.1%} wrong")
