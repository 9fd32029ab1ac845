"""How often a gate passes wrongly if an adversary decides which grades are missing, and when they become known.

D is exactly minus the margin, on right and wrong answers, and on graded ones (means of clusters of four questions). Somebody
looks after each of 600 questions. In `hidden`, the adversary hides a share of the answers, or of the ends of a grade, and
reveals any of them at any later run, of which each computes the evidence again from the start. It wins if any of these runs
passes: one with nothing revealed, one with everything, one with what makes bets bold or cautious, and one in which each answer
is hidden until the next ones were seen. In `last_known`, the bets are those for what was known last, so it changes bets after
the fact: this is what the bound in `statistics.plug_in` prevents.

    python -m tests.validity.test_late_values [--runs 4000]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pytest

from tests.validity.error_studies import DELTA, parts_of, print_table, runs_of, slack
from vivavoce.certificate.comparison.evidence import PairStatement
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.plug_in import PairedDifferenceTests, log_optimal_bet

LOOKS: Final = 600


@dataclass(frozen=True)
class LateValueCase:
    """Differences at the boundary, and what the adversary may hide."""

    margin: float
    discordant: float
    """The share of questions on which answers differ."""
    graded: bool
    finite: bool
    hidden: float
    """The share of the units whose value it may hide."""

    def draw(self, rng: np.random.Generator, runs: int) -> Floats:
        """Differences in drawn order, shape (runs, LOOKS)."""
        questions = LOOKS * (4 if self.graded else 1)
        lost = round(questions * (self.discordant + self.margin) / 2)
        won = lost - round(questions * self.margin)
        values = np.repeat([-1.0, 1.0, 0.0], [lost, won, questions - lost - won])
        shape = runs, questions
        drawn = rng.permuted(np.broadcast_to(values, shape), axis=1) if self.finite else rng.choice(values, size=shape)
        result: Floats = drawn.reshape(runs, LOOKS, -1).mean(axis=2)
        return result


CASES: Final = tuple(
    LateValueCase(margin, discordant, graded, finite, hidden)
    for margin, discordant in ((0.05, 0.3), (0.1, 0.12))
    for graded in (False, True)
    for finite in (False, True)
    for hidden in (0.02, 0.3)
)


def wrong_passes(case: LateValueCase, *, runs: int, seed: int = 0) -> float:
    """The share of the runs in which the adversary gets a pass."""
    rng, passed = np.random.default_rng(seed), 0
    for part in parts_of(runs):
        d = case.draw(rng, part)
        may_hide = rng.random(d.shape) < case.hidden
        apart = np.abs(d) > 0
        states = [
            np.zeros(d.shape, dtype=bool),
            may_hide,
            may_hide & apart,  # bets look bold
            may_hide & ~apart,  # bets look cautious
            may_hide & (d < 0),
            may_hide & (np.arange(LOOKS) % 2 == 1),
        ]
        passed += int(np.any([_passes(case, d, hidden) for hidden in states], axis=0).sum())
    return passed / runs


def _passes(case: LateValueCase, d: Floats, hidden: Floats) -> Floats:
    """Whether each run passes at some look if these values are unknown: half of them by 1, the others by any value."""
    width = np.where(np.arange(LOOKS) % 4 < 2, 1.0, 2.0)
    low, high = (np.where(hidden, np.clip(d + side * width, -1, 1), d) for side in (-1, 1))
    tests = PairedDifferenceTests(len(d), case.margin, aim=case.margin, population=LOOKS if case.finite else None)
    passes: Floats = (tests.update(low, high)[PairStatement.NO_WORSE][:, : LOOKS - 1] >= -np.log(DELTA)).any(axis=1)
    return passes


def last_known(case: LateValueCase, *, runs: int, seed: int = 0) -> float:
    """The share if each bet may still be the one with the hidden values, or the one without, once the answer is seen."""
    rng = np.random.default_rng(seed)
    d = case.draw(rng, runs)
    may_hide, before = rng.random(d.shape) < case.hidden, 5.0 + np.arange(LOOKS)
    squares = np.stack([d**2, np.where(may_hide, 0.0, d**2)])
    bets = log_optimal_bet((1.0 + np.cumsum(squares, axis=2) - squares) / before, case.margin)
    path = np.cumsum(np.log1p(np.max(bets * (d + case.margin), axis=0)), axis=1)
    return float((path >= -np.log(DELTA)).any(axis=1).mean())


RUNS = 4_000
SLACK = slack(RUNS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=[] if index < 2 else [pytest.mark.study])
        for index, case in enumerate(case for case in CASES if case.hidden == 0.3)
    ],
)
def test_no_one_gains_by_hiding_grades(case: LateValueCase) -> None:
    assert wrong_passes(case, runs=RUNS) <= 0.05 + SLACK


@pytest.mark.long
def test_bets_on_what_was_known_last_would_err() -> None:
    case = LateValueCase(0.05, 0.3, graded=False, finite=False, hidden=0.3)
    assert last_known(case, runs=200) > 0.3
    assert wrong_passes(case, runs=200) < 20 / 200  # 200 runs at 5%: 20 or more have a chance of .3% (binomial)


if __name__ == "__main__":
    runs = runs_of(__doc__)
    rows = (
        (
            *(f"{case.margin:g}", f"{case.discordant:.0%}", "means of four" if case.graded else "right or wrong"),
            *(f"{LOOKS}" if case.finite else "independent", f"{case.hidden:.0%}", wrong_passes(case, runs=runs)),
            "" if case.finite else last_known(case, runs=runs),
        )
        for case in CASES
    )
    print_table(("margin", "discordant", "grades", "questions", "may be hidden", "passes", "by what is known last"), rows)
