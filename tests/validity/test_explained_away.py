"""Candidates that explain their failures away, under the rule of the paper and under ours; the truth is planted.

There are ten million kinds of questions, all equally likely. A candidate answers a share r of them unacceptably, and whenever
it has done so hands over a right procedure that covers just that kind. It still is unacceptable on next to all of the share r.

The paper's rule ("Theorem 2 then applies directly at every point in this process") discards the answers that an explanation
covers. Ours begins again (`ledger`). Also here: how often a candidate passes that does not understand, whatever it hands over.

    python -m tests.validity.test_explained_away [--runs 200]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from tests.validity.error_studies import print_table, runs_of, slack
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.certificate.explanations.audit import Ledger
from vivavoce.certificate.explanations.known import ExplainedPart, explained_verdict

KINDS, LIMIT, GRADE, DELTA = 10**7, 0.00052, 0.7, 0.05
RATES = (0.002, 0.005, 0.01, 0.02, 0.05)
CRITERION = Criterion(GRADE, LIMIT, DELTA)
_LOOK_EVERY = 50
"""Answers: to look at the paper's rule more rarely can only spare it false passes."""


def begin(criterion: Criterion, most: int) -> Ledger[SequentialTest]:
    """The processes of one examination."""
    return Ledger(
        lambda delta: SequentialTest(Criterion(criterion.passing_grade, criterion.unacceptable_limit, delta)),
        delta=criterion.delta,
        most=most,
    )


def passed_by_paper(rate: float, *, questions: int, rng: np.random.Generator) -> bool:
    """Whether the paper's rule, looked at along the way, passes the candidate within so many questions."""
    kinds = rng.integers(KINDS, size=questions)
    absurd = kinds < rate * KINDS
    explained: set[int] = set()
    kept = 0
    for start in range(0, questions, _LOOK_EVERY):
        for kind, bad in zip(kinds[start : start + _LOOK_EVERY], absurd[start : start + _LOOK_EVERY], strict=True):
            if bad:
                explained.add(int(kind))  # this answer is covered from now on, and discarded
            kept += not bad
        parts = [ExplainedPart(len(explained) / KINDS, 1.0, 0.0)]
        if kept and explained_verdict(parts, 1.0, 0.0, kept, CRITERION) is Verdict.PASS:
            return True
    return False


def passed_by_ours(rate: float, *, questions: int, rng: np.random.Generator) -> bool:
    """The same by ours: process 1 on the candidate itself, and a process for the system after each explanation."""
    kinds = rng.integers(KINDS, size=questions)
    ledger = begin(CRITERION, questions + 1)
    explained: set[int] = set()
    last = 0
    for at in [*np.flatnonzero(kinds < rate * KINDS).tolist(), questions]:
        _both(ledger, np.zeros(at - last), np.zeros(at - last))
        last = at + 1
        if ledger.verdict is Verdict.PASS:
            return True
        if at == questions:
            break
        known = int(kinds[at]) in explained
        _both(ledger, np.ones(1), np.zeros(1) if known else np.ones(1))
        if not known:
            explained.add(int(kinds[at]))
            ledger.change()
    return False


def _both(ledger: Ledger[SequentialTest], alone: np.ndarray, together: np.ndarray) -> None:
    """Answers of the candidate itself, and of it with its procedures: 1 where unacceptable; the others are right."""
    ledger.first.update(1 - alone, alone)
    if ledger.latest is not ledger.first:
        ledger.latest.update(1 - together, together)


@dataclass(frozen=True)
class System:
    """A candidate with some procedures: its answers are unacceptable at a rate, else right or wrong."""

    score: float
    unacceptable: float


WORST = Criterion(0.7, 0.02, DELTA)
UNACCEPTABLE, IGNORANT = System(0.98, 0.02), System(0.7, 0.0)
"""Each just where it must not pass: only next to nothing is missing, to which no test can be blind."""
COURSES: dict[str, Sequence[System]] = {
    "one system, at the unacceptable limit": (UNACCEPTABLE,),
    "one system, at the grade": (IGNORANT,),
    "from the limit to the grade and back": (UNACCEPTABLE, IGNORANT, UNACCEPTABLE),
    "always at the limit": (UNACCEPTABLE,) * 4,
    "always at the grade": (IGNORANT,) * 4,
}
"""Systems one after the other; each change follows an answer that lost its mark."""


def falsely_passed(course: Sequence[System], *, questions: int, rng: np.random.Generator) -> bool:
    """Whether a course of systems, none of which understands, is found to understand."""
    ledger = begin(WORST, len(course))
    for number, system in enumerate(course):
        if number:
            ledger.change()
        length = questions if number == len(course) - 1 else int(rng.integers(1, questions // len(course)))
        _ask(ledger.first, course[0], length, rng)
        if ledger.latest is not ledger.first:
            _ask(ledger.latest, system, length, rng)
        if ledger.verdict is Verdict.PASS:
            return True
    return False


def _ask(test: SequentialTest, system: System, questions: int, rng: np.random.Generator) -> None:
    absurd = rng.random(questions) < system.unacceptable
    right = ~absurd & (rng.random(questions) < system.score / (1 - system.unacceptable))
    test.update(right.astype(float), absurd.astype(float))


def passed_by_both(rate: float, runs: int) -> list[int]:
    """How many runs pass by the paper's rule, and by ours."""
    return [
        sum(rule(rate, questions=10_000, rng=np.random.default_rng([seed])) for seed in range(runs))
        for rule in (passed_by_paper, passed_by_ours)
    ]


def wrong(name: str, runs: int, *, questions: int = 1_000) -> int:
    """How many runs of a course are found to understand."""
    rng = np.random.default_rng(0)
    return sum(falsely_passed(COURSES[name], questions=questions, rng=rng) for _ in range(runs))


def main() -> None:
    runs = runs_of(__doc__, 200)
    rows = ((rate, *(f"{passed} of {runs}" for passed in passed_by_both(rate, runs))) for rate in RATES)
    print_table(("unacceptable, and explained away", "passed by the paper's rule", "by ours"), rows)
    many = 10 * runs
    courses = ((name, f"{wrong(name, many, questions=3_000) / many:.1%} of {many}") for name in COURSES)
    print_table(("course of systems that do not understand", "falsely passed"), courses)


@pytest.mark.parametrize("rate", [RATES[0], RATES[-1]])
def test_explaining_failures_away_passes_by_the_paper_and_never_by_ours(rate: float) -> None:
    # by the paper 5,760 answers that are not unacceptable are enough: of 6,500 at least 6,100 are not
    assert passed_by_paper(rate, questions=6_500, rng=np.random.default_rng(0))
    assert not passed_by_ours(rate, questions=2_000, rng=np.random.default_rng(0))


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("rate", RATES)
def test_in_two_hundred_runs_each(rate: float) -> None:
    by_paper, by_ours = passed_by_both(rate, 200)
    assert by_paper >= 190
    assert by_ours == 0


def test_a_course_of_systems_that_do_not_understand() -> None:
    # 60 runs at 5%: more than 9 come out once in a thousand times, were it not for the seed
    assert wrong("from the limit to the grade and back", 60) <= 9


@pytest.mark.slow
@pytest.mark.parametrize("name", COURSES)
def test_false_passes_are_as_rare_as_promised(name: str) -> None:
    runs = 1_000
    assert wrong(name, runs) / runs <= DELTA + slack(runs)


if __name__ == "__main__":
    main()
