"""Plans an examination: the number of questions until a verdict, and the cost, for assumed candidates.

Also tables 1-4 of `leytonbrown2024`: confidence bounds for a fixed number of answers, recomputed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import check_criterion, fail_evidence
from vivavoce.errors import BadInput
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.statistics.betting import BettingTest, Floats
from vivavoce.statistics.bounds import clopper_pearson_lower, clopper_pearson_upper, hoeffding_upper, kl_lower, kl_upper
from vivavoce.statistics.confidence_sequences import mean_below, mean_passes, rate_above, rate_below

Counts = NDArray[np.int64]

MOST = {"questions": 10_000_000, "runs": 1_000_000}
"""The largest settings of a simulation."""
_EVERY_LOOK = 200
"""Up to this number the simulation checks after every question, later after every further 1%, so numbers are rounded up by
1%.
"""


@dataclass(frozen=True, slots=True)
class PowerEstimate:
    """The expected course of the sequential procedure for one assumed candidate."""

    score: float
    """Assumed mean score; answers are right (1) or wrong (0), which takes more questions than any partial credit."""
    unacceptable: float
    """Assumed rate of unacceptable answers, which are all wrong."""
    chances: dict[Verdict, Estimate]
    """Share of the runs that end in each verdict, with a 95% interval for the simulation's own error."""
    median: int
    """Questions until the end, with any verdict."""
    p90: int
    mean: float
    money: float
    """Cost of the mean number of questions."""


def estimate_power(
    criterion: Criterion,
    *,
    score: float,
    unacceptable: float = 0.0,
    questions: int = 10_000,
    price: float = 0.0,
    runs: int = 10_000,
    seed: int = 0,
) -> PowerEstimate:
    """Simulate examinations of an endless scope with at most this many questions, each at a price.

    >>> f = estimate_power(Criterion(0.7, None), score=0.9, runs=2_000)
    >>> f.median, round(f.chances[Verdict.PASS].value, 2)
    (27, 1.0)
    """
    check_criterion(criterion)
    if not (0 <= score <= 1 and 0 <= unacceptable <= 1 - score):
        raise BadInput(f"a score of {score} with a share {unacceptable} of unacceptable answers: they must add up to at most 1")
    for name, number in (("questions", questions), ("runs", runs)):
        if not 1 <= number <= MOST[name]:
            raise BadInput(f"{number} {name}: give a number from 1 to {MOST[name]}")
    if not 0 <= price < inf:
        raise BadInput(f"a price of {price}: it must not be negative")
    ended, verdicts = _simulate(criterion, score, unacceptable, questions, runs, np.random.default_rng(seed))
    return PowerEstimate(
        score=score,
        unacceptable=unacceptable,
        chances={verdict: chance(int(np.count_nonzero(verdicts == i)), runs) for i, verdict in enumerate(_VERDICTS)},
        median=int(np.median(ended)),
        p90=int(np.quantile(ended, 0.9, method="inverted_cdf")),
        mean=float(ended.mean()),
        money=float(ended.mean()) * price,
    )


def looks(questions: int) -> Counts:
    """The numbers of questions after which the simulation checks the evidence."""
    dense = np.arange(1, min(questions, _EVERY_LOOK) + 1)
    if questions <= _EVERY_LOOK:
        return dense
    sparse = np.geomspace(_EVERY_LOOK, questions, int(log(questions / _EVERY_LOOK) / log(1.01)) + 2).astype(np.int64)
    return np.unique(np.concatenate((dense, sparse, [questions])))


_VERDICTS: Sequence[Verdict] = (Verdict.UNDECIDED, Verdict.PASS, Verdict.FAIL)


def _simulate(
    criterion: Criterion, score: float, unacceptable: float, questions: int, runs: int, rng: np.random.Generator
) -> tuple[Counts, Counts]:
    """For each run the number of questions at its end, and the index of its verdict."""
    threshold, limit = -log(criterion.delta), criterion.unacceptable_limit
    ended, verdicts = np.full(runs, questions), np.zeros(runs, dtype=np.int64)
    alive = np.arange(runs)
    right, absurd = np.zeros(runs, dtype=np.int64), np.zeros(runs, dtype=np.int64)
    good, clean = np.zeros(runs, dtype=bool), np.full(runs, limit is None)
    score_pass, score_fail = mean_passes(criterion.passing_grade), mean_below(criterion.passing_grade)
    before = 0
    for n in looks(questions):
        bad = rng.binomial(n - before, unacceptable, alive.size)
        right[alive] += rng.binomial(n - before - bad, score / (1 - unacceptable) if unacceptable < 1 else 0.0)
        absurd[alive] += bad
        before = n
        good[alive] |= _log_e(score_pass, n, right[alive]) >= threshold
        fail = _log_e(score_fail, n, right[alive])
        if limit is not None:
            clean[alive] |= _log_e(rate_below(limit), n, absurd[alive]) >= threshold
            fail = fail_evidence(fail, _log_e(rate_above(limit), n, absurd[alive]))
        failed = fail >= threshold
        over = failed | (good[alive] & clean[alive])
        ended[alive[over]] = n
        verdicts[alive[over]] = np.where(failed[over], 2, 1)
        alive = alive[~over]
        if not alive.size:
            break
    return ended, verdicts


def _log_e(test: BettingTest, n: int, ones: Counts) -> Floats:
    """Log e-values after n zeros and ones; worked out once for each number of ones that occurs."""
    distinct, where = np.unique(ones, return_inverse=True)
    values: Floats = test.after([0.0, 1.0], np.stack((n - distinct, distinct), axis=-1))[where]
    return values


def chance(count: int, runs: int) -> Estimate:
    """A share of simulated runs, with a 95% interval for the simulation's own error."""
    return Estimate(
        count / runs, Interval(clopper_pearson_lower(count, runs, 0.025), clopper_pearson_upper(count, runs, 0.025)), runs
    )


LOWER_DELTA: Final = 0.05
UPPER_DELTA: Final = 0.025
RARE: Final = 0.01
"""A rate of unacceptable answers, of which the tables give the lower bound."""

Bound = Callable[[float, int, float], float]


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of bounds, as the paper prints it."""

    title: str
    heads: tuple[str, ...]
    digits: int
    rows: tuple[tuple[float, ...], ...]
    """Each with the number of answers, and a bound for each other head."""

    @property
    def cells(self) -> Iterator[tuple[str, ...]]:
        """The rows as text."""
        for n, *bounds in self.rows:
            yield (f"{n:.0f}", *(f"{bound:.{self.digits}f}" for bound in bounds))


def published_tables() -> tuple[PublishedTable, ...]:
    """The four tables. Those of Hoeffding follow the paper, whose bounds lack a 2 under the root (`statistics.bounds`).

    >>> next(published_tables()[0].cells)
    ('10', '0.545253', '0.999023', '0.164322', '0.861187')
    """
    return (
        _of_scores("1. Bounds of the score, by relative entropy", kl_lower, kl_upper, most=6),
        _of_rates("2. Bounds of the rate of unacceptable answers, by relative entropy", kl_lower, kl_upper, digits=7, most=6),
        _of_scores("3. Bounds of the score, by Hoeffding's inequality", _hoeffding_lower, _hoeffding_upper, most=7),
        _of_rates(
            "4. Bounds of the rate of unacceptable answers, by Hoeffding's inequality",
            _hoeffding_lower, _hoeffding_upper, digits=6, most=7,
        ),
    )  # fmt: skip


def _of_scores(title: str, lower: Bound, upper: Bound, *, most: int) -> PublishedTable:
    means = (0.9, 0.5)
    heads = tuple(f"{name}({mean}, n, {delta})" for mean in means for name, delta in (("L", LOWER_DELTA), ("U", UPPER_DELTA)))
    rows = (
        (n, *(bound for mean in means for bound in (lower(mean, n, LOWER_DELTA), upper(mean, n, UPPER_DELTA))))
        for n in _answers(most)
    )
    return PublishedTable(title, ("n", *heads), 6, tuple(rows))


def _of_rates(title: str, lower: Bound, upper: Bound, *, digits: int, most: int) -> PublishedTable:
    heads = (f"U(0, n, {LOWER_DELTA})", f"U(3/n, n, {LOWER_DELTA})", f"L({RARE}, n, {UPPER_DELTA})")
    rows = ((n, upper(0, n, LOWER_DELTA), upper(3 / n, n, LOWER_DELTA), lower(RARE, n, UPPER_DELTA)) for n in _answers(most))
    return PublishedTable(title, ("n", *heads), digits, tuple(rows))


def _answers(most: int) -> Iterator[int]:
    return (10**power for power in range(1, most + 1))


def _hoeffding_upper(mean: float, n: int, delta: float) -> float:
    return hoeffding_upper(mean, n, delta, as_published=True)


def _hoeffding_lower(mean: float, n: int, delta: float) -> float:
    return 2 * mean - _hoeffding_upper(mean, n, delta)
