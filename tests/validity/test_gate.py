"""How often a gate gives a wrong verdict where it is hardest: at a difference of exactly the margin, and of exactly 0.

A candidate that is worse by exactly the margin passes wrongly, one that is exactly as good fails wrongly. After each of 1,000
questions somebody looks. Pairs answer a share of the questions alike; the others are right for one of them alone.

Where candidates answer at random, D is a difference of probabilities, and it matters how a list is asked. The second table has
a list of 200 questions with probabilities from .6 to 1, and the verdicts of its gates in three ways: each question once and the
list to its end, as is right for candidates that answer the same each time; drawn with replacement and answered afresh, as a
gate does; and, as the honest twin, each question once of candidates that do answer the same each time, with D exact on the
list.

    python -m tests.validity.test_gate [--runs 4000]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pytest

from tests.validity.error_studies import DELTA, parts_of, print_table, runs_of, slack
from vivavoce.certificate.comparison.evidence import PairStatement
from vivavoce.certificate.comparison.gate import exact_verdict
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.plug_in import PairedDifferenceTests

pytestmark = [pytest.mark.slow, pytest.mark.study]

LOOKS = 1_000
BOUNDARIES = ("margin", "equal")
CASES = tuple(
    (margin, ties, population) for margin in (0.02, 0.05) for ties in (0.0, 0.5, 0.95 - margin) for population in (None, LOOKS)
)


@dataclass(frozen=True)
class Verdicts:
    """Shares of the runs that ended so."""

    wrong: float
    right: float


def wrong_verdicts(
    boundary: str, *, margin: float, ties: float, population: int | None, runs: int, seed: int, delta: float = DELTA
) -> Verdicts:
    """Shares of wrong and right verdicts of gates, of which the first that is reached counts; "pass" where both are at once.

    It passes at delta, and fails at half of it.

    boundary: "margin", where D = -margin and it must not pass, or "equal", where D = 0 and it must not fail.
    ties: the share of questions that both answer alike.
    population: number of questions, each drawn once; None: they are independent.
    """
    rng = np.random.default_rng(seed)
    worse_by = margin if boundary == "margin" else 0.0
    wrong = right = 0
    for count in parts_of(runs):
        d = _differences(rng, count, worse_by, ties, population)
        path = PairedDifferenceTests(count, margin, aim=margin, population=population).update(d, d)
        passes, fails = _first(path[PairStatement.NO_WORSE], delta), _first(path[PairStatement.WORSE], delta / 2)
        passed, failed = (passes <= fails) & np.isfinite(passes), fails < passes
        wrong += int((passed if boundary == "margin" else failed).sum())
        right += int((failed if boundary == "margin" else passed).sum())
    return Verdicts(wrong / runs, right / runs)


def _differences(rng: np.random.Generator, runs: int, worse_by: float, ties: float, population: int | None) -> Floats:
    """Of each run, with mean -worse_by: exactly, where each question is drawn once."""
    if population is None:
        drawn = rng.random((runs, LOOKS))
        return np.where(drawn < (1 - ties + worse_by) / 2, -1.0, np.where(drawn < 1 - ties, 1.0, 0.0))
    more = round(worse_by * population)
    won = (round((1 - ties) * population) - more) // 2
    questions = np.zeros(population)
    questions[:won], questions[won : 2 * won + more] = 1.0, -1.0
    return np.stack([rng.permutation(questions) for _ in range(runs)])


def _first(path: Floats, delta: float) -> Floats:
    """The first look at which each is rejected; infinite where none is."""
    enough = path >= np.log(1 / delta)
    result: Floats = np.where(enough.any(axis=1), enough.argmax(axis=1), np.inf)
    return result


Asking = Literal["once", "afresh", "same each time"]
LIST, MOST = 200, 2_000
"""Questions of the list, and draws from it at most."""


def sampled_verdicts(boundary: str, asking: Asking, *, runs: int, seed: int, margin: float = 0.05) -> Verdicts:
    """Shares of wrong and right verdicts of gates on a list, at D = -margin or at D = 0.

    asking: each question once, or with replacement, of candidates that answer at random; or once, of two that do not.
    """
    rng = np.random.default_rng(seed)
    worse_by = margin if boundary == "margin" else 0.0
    old = np.linspace(0.6, 1.0, LIST)
    counts = {"pass": 0, "fail": 0, "undecided": 0}
    for some in parts_of(runs):
        if asking == "afresh":
            drawn = rng.integers(LIST, size=(some, MOST))
            d = (rng.random(drawn.shape) < old[drawn] - worse_by).astype(float) - (rng.random(drawn.shape) < old[drawn])
        elif asking == "once":
            drawn = rng.permuted(np.tile(np.arange(LIST), (some, 1)), axis=1)
            d = (rng.random(drawn.shape) < old[drawn] - worse_by).astype(float) - (rng.random(drawn.shape) < old[drawn])
        else:
            d = _differences(rng, some, worse_by, 0.7, LIST)
        population = None if asking == "afresh" else LIST
        path = PairedDifferenceTests(some, margin, aim=margin, population=population).update(d, d)
        passes, fails = _first(path[PairStatement.NO_WORSE], DELTA), _first(path[PairStatement.WORSE], DELTA)
        for passed, failed, mean in zip(passes, fails, d.mean(axis=1), strict=True):
            if np.isfinite(min(passed, failed)):
                counts["pass" if passed <= failed else "fail"] += 1
            else:
                counts["undecided" if asking == "afresh" else exact_verdict(mean, mean, margin)] += 1
    wrong, right = ("pass", "fail") if boundary == "margin" else ("fail", "pass")
    return Verdicts(counts[wrong] / runs, counts[right] / runs)


RUNS = 4_000
SLACK = slack(RUNS)


@pytest.mark.parametrize(("margin", "ties", "population"), CASES)
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_each_wrong_verdict_comes_at_most_delta_of_the_time(
    boundary: str, margin: float, ties: float, population: int | None
) -> None:
    verdicts = wrong_verdicts(boundary, margin=margin, ties=ties, population=population, runs=RUNS, seed=0)
    assert verdicts.wrong <= 0.05 + SLACK


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_of_candidates_that_answer_at_random_a_list_run_to_its_end_shows_nothing(boundary: str) -> None:
    once, afresh, same = (
        sampled_verdicts(boundary, asking, runs=RUNS, seed=0) for asking in ("once", "afresh", "same each time")
    )
    assert once.wrong > 0.2
    assert max(afresh.wrong, same.wrong) <= 0.05 + SLACK


if __name__ == "__main__":
    runs = runs_of(__doc__)
    rows = (
        (f"{margin}", f"{ties:.0%}", "independent" if population is None else f"{population}", *shares)
        for margin, ties, population in CASES
        for shares in [
            [wrong_verdicts(b, margin=margin, ties=ties, population=population, runs=runs, seed=0).wrong for b in BOUNDARIES]
        ]
    )
    print_table(("margin", "both alike", "questions", "passes at the margin", "fails at equality"), rows)
    lists = (
        (asking, *(verdicts.wrong for verdicts in sampled), *(verdicts.right for verdicts in sampled))
        for asking in get_args(Asking)
        for sampled in [[sampled_verdicts(name, asking, runs=runs, seed=0) for name in BOUNDARIES]]
    )
    heads = ("a list of 200", "passes at the margin", "fails at equality", "right at the margin", "right at equality")
    print_table(heads, lists)
