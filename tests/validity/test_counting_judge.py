"""A judge that knows all but which answer of a block people grade: how often the verdict is wrong.

It sees every answer and knows every truth, counts its calls, and learns the place of each block after it has judged it. At the
place that it expects it says a tenth of the truth, and elsewhere what moves people's grades most: 1 for a candidate that is to
pass, 0 for one that is to fail. Its words then seem worth their full weight. Two rules run on the same answers: places drawn in
private, as the examination draws them, and people who grade the last answer of every block, as they did before.

    python -m tests.validity.test_counting_judge [--runs 4000]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass

import numpy as np
import pytest

from tests.validity.error_studies import print_table, runs_of, slack
from tests.validity.test_predicted import LOOKS, verdict
from vivavoce.certificate.claims.claim import Verdict
from vivavoce.certificate.graders.people import Places
from vivavoce.interview.commitment import CommittedSecret
from vivavoce.statistics.betting import Floats

PART = 0.1
"""Of the truth: what it says where it expects people."""
HONEST = 20
"""Blocks in which some judges say the truth at first."""
Guess = Callable[[int, list[int], int], int]
"""The place that a judge expects in a block, by its number, the places of all blocks before, and how many there are."""


def last(_: int, __: list[int], size: int) -> int:
    """Every so many calls."""
    return size - 1


def commonest(_: int, before: list[int], size: int) -> int:
    """Where people graded most often."""
    return max(range(size), key=before.count)


def next_after(_: int, before: list[int], size: int) -> int:
    """One further than the last time."""
    return (before[-1] + 1) % size if before else 0


def long_not_seen(_: int, before: list[int], size: int) -> int:
    """Where people have not graded for longest, as if places took turns."""
    return max(range(size), key=lambda index: before[::-1].index(index) if index in before else len(before))


@dataclass(frozen=True)
class CountingJudgeCase:
    """A judge that counts, the candidate's true score, and how many further answers there are to each that people grade."""

    name: str
    guess: Guess
    score: float
    further: int
    favours: bool = True
    honest: int = 0


CASES = (
    CountingJudgeCase("counts to five", last, 0.7, 4),
    CountingJudgeCase("counts to five, against the candidate", last, 0.7, 4, favours=False),
    CountingJudgeCase("counts to two", last, 0.7, 1),
    CountingJudgeCase("counts to ten, honest at first", last, 0.7, 9, honest=HONEST),
    CountingJudgeCase("expects the commonest place", commonest, 0.7, 4),
    CountingJudgeCase("expects the next place", next_after, 0.7, 4),
    CountingJudgeCase("expects turns", long_not_seen, 0.7, 2),
    CountingJudgeCase("counts to five, a true score of .5", last, 0.5, 4),
)


@dataclass(frozen=True)
class CountingJudgeErrors:
    """Shares of the runs with either verdict, and with the one that the judge wants where it knows the place."""

    understands: float
    does_not_understand: float
    every_so_many: float


def error_rates(case: CountingJudgeCase, *, runs: int, seed: int = 0) -> CountingJudgeErrors:
    """Each run has people's scores of 0 and 1, a secret of its own, and looks after every answer that people grade."""
    rng = np.random.default_rng(seed)
    wanted = Verdict.PASS if case.favours else Verdict.FAIL
    verdicts, before = [], []
    for _ in range(runs):
        x = (rng.random((LOOKS, case.further + 1)) < case.score).astype(float)
        places = Places(CommittedSecret("places", rng.bytes(32)), "scope", case.further)
        verdicts.append(_verdict(x, case, places))
        before.append(
            _verdict(x, CountingJudgeCase(case.name, last, case.score, case.further, case.favours, case.honest), None)
        )
    return CountingJudgeErrors(
        sum(v is Verdict.PASS for v in verdicts) / runs,
        sum(v is Verdict.FAIL for v in verdicts) / runs,
        sum(v is wanted for v in before) / runs,
    )


def _verdict(x: Floats, case: CountingJudgeCase, places: Places | None) -> Verdict:
    """By the rule of today, or of before, where the place is always the last one."""
    size, seen, g = case.further + 1, list[int](), np.empty_like(x)
    for t, row in enumerate(x):
        g[t] = row if t < case.honest else _says(row, case.guess(t, seen, size), favours=case.favours)
        judged = [[f"{t}.{i}", "", value, value] for i, value in enumerate(g[t].tolist())]
        seen.append(size - 1 if places is None else places.place(t + 1, judged))
    ends = np.arange(len(x)), np.array(seen)
    ordered = g.copy()
    ordered[ends], ordered[:, -1] = g[:, -1], g[ends]
    return verdict(x[ends], ordered, case.further)


def _says(truth: Floats, expected: int, *, favours: bool) -> Floats:
    result = np.full(truth.size, 1.0 if favours else 0.0)
    result[expected] = PART * truth[expected] if favours else 1 - PART * (1 - truth[expected])
    return result


def main() -> None:
    runs = runs_of(__doc__)
    rows = ((case.name, *astuple(error_rates(case, runs=runs))) for case in CASES)
    print_table(("judge", "pass", "fail", "every so many"), rows)


RUNS = 4_000
SLACK = slack(RUNS)
SOME = ("counts to five", "counts to five, against the candidate")
"""The others take as long, and are left to the study."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [pytest.param(c, id=c.name, marks=[] if c.name in SOME else [pytest.mark.study]) for c in CASES]
)
def test_wrong_verdicts_are_as_rare_as_promised_whatever_the_judge_counts(case: CountingJudgeCase) -> None:
    errors = error_rates(case, runs=RUNS)
    wrong = (errors.understands,) if case.score < 0.7 else (errors.understands, errors.does_not_understand)
    assert max(wrong) <= 0.05 + SLACK


@pytest.mark.parametrize("case", CASES[:2], ids=lambda case: case.name)
def test_a_small_study_can_tell_a_place_that_is_known(case: CountingJudgeCase) -> None:
    errors = error_rates(case, runs=40)
    # 40 runs at 5%: eight errors or more have a chance of .07% (binomial), and the seed is fixed
    assert max(errors.understands, errors.does_not_understand) < 8 / 40
    assert errors.every_so_many > 0.9


def test_a_true_score_of_a_half_passed_where_the_place_was_known() -> None:
    errors = error_rates(CASES[-1], runs=40)
    assert errors.understands == 0
    assert errors.every_so_many > 0.6


if __name__ == "__main__":
    main()
