"""How often a verdict is wrong with the bets for partial credit, and with more of a fail on the score than on the rate.

Candidates are at a boundary: at the passing grade or the limit, where "fail" is wrong, or below the grade by next to nothing,
where "pass" is. Grades are in between 0 and 1 or, against expectation, 0 and 1. Looked at after every answer.

    python -m tests.validity.test_partial_credit [--runs 4000]
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import islice

import numpy as np
import pytest

from tests.validity.error_studies import VERDICTS, each_once, print_table, runs_of, slack, verdict_by
from tests.validity.test_design_error_rates import MASSES, SIZES
from tests.validity.unreadable import WAYS, UnreadRepliesCase, verdicts
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.drawn_once import HistoryTest
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.scopes.score import UnitMean
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.stratified import mean_passes_in_strata, proportional

pytestmark = [pytest.mark.slow, pytest.mark.study]

GRADE, DELTA, LOOKS, LIST = 0.7, 0.05, 600, 150
ENOUGH = float(np.log(1 / DELTA)) - 1e-9
Errors = dict[str, float]
"""Share of the runs with a wrong verdict, by kind of candidate and verdict."""
Laws = dict[str, Callable[[np.random.Generator, tuple[int, ...]], Floats]]
LAWS: Laws = {
    "Beta": lambda rng, shape: rng.beta(7, 3, shape),
    "half or full marks": lambda rng, shape: rng.choice([0.5, 1.0], shape, p=[0.6, 0.4]),
    "right or wrong": lambda rng, shape: (rng.random(shape) < GRADE).astype(float),
}
"""Of mean .7."""


def endless(runs: int) -> Errors:
    """Independent draws."""
    errors: Errors = {}
    for name, draw in LAWS.items():
        rng = np.random.default_rng(1)
        results = [_examined(Criterion(GRADE, None), draw(rng, (LOOKS,))) for _ in range(runs)]
        errors |= {f"{name}, {verdict.value}": results.count(verdict) / runs for verdict in VERDICTS}
    return errors


def finite(runs: int) -> Errors:
    """A list that is drawn once in random order, to its end."""
    errors: Errors = {}
    for name, draw in LAWS.items():
        rng = np.random.default_rng(2)
        values = draw(rng, (LIST,))
        mean = float(values.mean())
        for grade, wrong in ((mean + 1e-6, Verdict.PASS), (mean, Verdict.FAIL)):
            results = [_examined(Criterion(grade, None), rng.permutation(values), population=LIST) for _ in range(runs)]
            errors[f"{name}, {wrong.value}"] = results.count(wrong) / runs
    return errors


def clusters(runs: int) -> Errors:
    """Three grades of each draw, by their mean; most of a cluster is alike. Unacceptable answers are at their limit of .05."""
    rng = np.random.default_rng(3)
    results = []
    for _ in range(runs):
        alike = rng.random((LOOKS, 3)) < 0.7
        values = np.where(alike, rng.beta(7, 3, (LOOKS, 1)), rng.beta(7, 3, (LOOKS, 3)))
        absurd = np.where(alike, rng.random((LOOKS, 1)), rng.random((LOOKS, 3))) < 0.05
        criterion = Criterion(GRADE, 0.05)
        results.append(_examined(criterion, values.mean(axis=1), absurd.mean(axis=1), whole=False))
    return {verdict.value: results.count(verdict) / runs for verdict in VERDICTS}


def unread(runs: int) -> Errors:
    """Independent draws of which 0%, 5% or 30% can't be parsed, as chance or an adversary decides; the list as well."""
    errors: Errors = {}
    for readability in WAYS[:-1]:
        rng = np.random.default_rng(4)
        for population in (None, 60):
            shape = (runs, 60, 1)
            if population is None:
                worth, grade = LAWS["half or full marks"](rng, shape), GRADE
            else:
                half = np.repeat([0.5, 1.0], [36, 24])  # a mean of .7
                worth, grade = rng.permuted(np.tile(half, (runs, 1)), axis=1)[..., None], GRADE
            case = UnreadRepliesCase(worth, grade, population, partial_credit=True)
            [results] = verdicts((case,), readability, rng)
            # a list at the grade passes rightly
            wrong = [(results == -1).mean()] + ([(results == 1).mean()] if population is None else [])
            errors[f"{readability.policy} {readability.share:.0%}, {population}"] = float(max(wrong))
    return errors


def strata(runs: int) -> Errors:
    """Four strata that differ, independent draws and each once; the score is at the grade."""
    order = np.array(list(islice(proportional(MASSES, sizes=SIZES), 70)))
    rng, errors = np.random.default_rng(5), Errors()
    means = np.array([0.8, 0.6, 0.64, 0.48])  # .5 x .8 + .3 x .6 + .15 x .64 + .05 x .48 = .7
    independent = rng.beta(10 * means[order], 10 * (1 - means[order]), (runs, order.size))
    lists = [rng.beta(10 * mean, 10 * (1 - mean), size) for mean, size in zip(means, SIZES, strict=True)]
    once = each_once(lists, order, runs, rng)
    true = float(sum(values.sum() for values in lists)) / sum(SIZES)
    for name, drawn, sizes, grade in (("independent", independent, None, GRADE), ("each once", once, SIZES, true)):
        test = partial(mean_passes_in_strata, grade, MASSES, sizes=sizes, partial_credit=True)
        parts = np.array_split(drawn, max(1, runs // 250))  # more do not fit into a cache
        shown = [(test(rows=len(part)).update(part, order) >= ENOUGH).any(axis=1).sum() for part in parts]
        errors[f"{name}, pass"] = float(sum(shown)) / runs
    return errors


def score_and_rate(runs: int) -> Errors:
    """Both nulls of a fail at their edge: a score of .7, and unacceptable answers at their limit of .05."""
    rng = np.random.default_rng(6)
    results = []
    for _ in range(runs):
        u = rng.random(LOOKS)
        results.append(_examined(Criterion(GRADE, 0.05), (u < GRADE).astype(float), (u > 0.95).astype(float), expects=False))
    return {verdict.value: results.count(verdict) / runs for verdict in VERDICTS}


def history(runs: int) -> Errors:
    """A list of 40 at the grade, with a history that knows nearly all, and 2 unacceptable answers, the most allowed."""
    rng = np.random.default_rng(7)
    right = np.repeat([1.0, 0.0], [28, 12])
    absurd = np.repeat([0.0, 1.0], [38, 2])
    criterion, wrong = Criterion(GRADE, 0.05), 0
    for _ in range(runs):
        scores = np.clip(right + rng.normal(0, 0.3, right.size), 0, 1)[:, None]
        order = rng.permutation(right.size).tolist()
        values = [UnitMean(right[index], absurd[index], right[index], absurd[index]) for index in order]
        wrong += HistoryTest(criterion, scores).take(order[:36], values[:36]) is Verdict.FAIL
    return {"fail": wrong / runs}


def _examined(
    criterion: Criterion,
    scores: Floats,
    unacceptable: Floats | None = None,
    *,
    population: int | None = None,
    whole: bool = True,
    expects: bool = True,
) -> Verdict:
    test = SequentialTest(criterion, population=population, whole=whole, partial_credit=expects)
    return verdict_by(test, scores, unacceptable, chunk=150)


STUDIES: dict[str, Callable[[int], Errors]] = {
    "endless": endless,
    "finite": finite,
    "clusters": clusters,
    "unread": unread,
    "strata": strata,
    "score and rate": score_and_rate,
    "history": history,
}
RUNS = 4_000
SLACK = slack(RUNS)


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_wrong_verdicts_are_as_rare_as_promised(study: Callable[[int], Errors]) -> None:
    errors = study(RUNS)
    assert max(errors.values()) <= DELTA + SLACK
    assert max(errors.values()) > 0  # the study can tell errors


def main() -> None:
    runs = runs_of(__doc__, RUNS)
    rows = ((name, *row) for name, study in STUDIES.items() for row in study(runs).items())
    print_table(("study", "case", "wrong"), rows)


if __name__ == "__main__":
    main()
