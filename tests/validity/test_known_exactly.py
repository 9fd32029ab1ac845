"""Wrong verdicts where half of a finite scope is known exactly and the other half is drawn; the truth is counted by hand.

Each course is a scope of 200 questions, of which a table answers 100. The system just misses the mark (one question more would
do), so that "pass" is wrong, or just keeps it, so that "fail" is. The table is right, or wrong on part of
its questions; or the candidate hands over exactly what it fails on, which is how failures are explained away. Draws are without
replacement, or by weight, where questions of odd number weigh three times as much.

Also: how many questions are drawn with a part known exactly, with its answers graded as they are drawn, and without.

    python -m tests.validity.test_known_exactly [--runs 4000]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from statistics import median

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.validity.error_studies import print_table, runs_of, slack
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.certificate.explanations.audit import Ledger
from vivavoce.certificate.explanations.known import EnumeratedUnits, run_whole
from vivavoce.certificate.explanations.procedures import AnswerTable
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

GRADE, LIMIT, DELTA = 0.7, 0.05, 0.05
QUESTIONS, COVERED = 200, 100
_MOST = 600
"""Draws at most where they have no end."""


@dataclass(frozen=True)
class KnownHalfCase:
    """Of each half, how many questions are answered wrongly and how many of these unacceptably; the others are right."""

    name: str
    wrong_known: int
    wrong_rest: int
    unacceptable_known: int = 0
    unacceptable_rest: int = 0
    limit: float | None = None
    weighted: bool = False

    @property
    def truth(self) -> Verdict:
        """Counted over all questions; with weights the wrong ones are as often odd as even, in each half."""
        right = QUESTIONS - self.wrong_known - self.wrong_rest
        unacceptable = self.unacceptable_known + self.unacceptable_rest
        keeps = right >= GRADE * QUESTIONS - 1e-6 and (self.limit is None or unacceptable <= self.limit * QUESTIONS + 1e-6)
        return Verdict.PASS if keeps else Verdict.FAIL


COURSES = (
    # 140 right are enough
    KnownHalfCase("the table is right, the candidate fails by one", 0, 61),
    KnownHalfCase("the table is wrong on a tenth, together they fail by one", 10, 51),
    KnownHalfCase("the table is wrong on all but ten, together they fail by one", 60, 1),
    KnownHalfCase("the table is right, together they just pass", 0, 60),
    KnownHalfCase("the table is wrong on a tenth, together they just pass", 10, 50),
    # 10 unacceptable ones are allowed
    KnownHalfCase("right, or unacceptable on one too many of the rest", 0, 11, 0, 11, LIMIT),
    KnownHalfCase("unacceptable on half of one too many in each part", 5, 6, 5, 6, LIMIT),
    KnownHalfCase("unacceptable as often as is allowed, in the rest", 0, 10, 0, 10, LIMIT),
    KnownHalfCase("unacceptable as often as is allowed, and the grade just kept", 5, 55, 5, 5, LIMIT),
    # by weight; pairs of an odd and an even number, so that shares are as without weights
    KnownHalfCase("by weight: the table is wrong on a tenth, together they fail by one pair", 10, 52, weighted=True),
    KnownHalfCase("by weight: the table is wrong on a tenth, together they just pass", 10, 50, weighted=True),
    KnownHalfCase("by weight: unacceptable on one pair too many", 4, 8, 4, 8, LIMIT, weighted=True),
)


@lru_cache
def scope(*, weighted: bool) -> ListedScope:
    """Questions to which A is right, B wrong, and C unacceptable."""
    return ListedScope(
        "letters",
        tuple(
            Question(
                f"{i}",
                f"Question {i}?",
                ("a", "b", "c"),
                ("A",),
                unacceptable=("C",),
                weight=3.0 if weighted and i % 2 else 1.0,
            )
            for i in range(QUESTIONS)
        ),
    )


def answers(wrong: int, unacceptable: int, first: int, number: int) -> dict[int, str]:
    """Answers to so many questions from the first on: unacceptable ones, wrong ones, and right ones."""
    return {first + i: "C" if i < unacceptable else "B" if i < wrong else "A" for i in range(number)}


@lru_cache
def known_of(course: KnownHalfCase) -> EnumeratedUnits:
    """What is known exactly, by the table of the course."""
    document = answers(course.wrong_known, course.unacceptable_known, 0, COVERED)
    table = AnswerTable("table", {f"Question {i}?": letter for i, letter in document.items()})
    whole_scope_draws = run_whole(scope(weighted=course.weighted), [table], np.random.default_rng(0))
    assert whole_scope_draws is not None
    return whole_scope_draws.known


def verdict_of(course: KnownHalfCase, known: EnumeratedUnits, rng: np.random.Generator) -> tuple[Verdict, int]:
    """One examination: the verdict, and how many were drawn for it."""
    criterion = Criterion(GRADE, course.limit, DELTA)
    certain = known.certain(criterion)
    if certain is not Verdict.UNDECIDED:
        return certain, 0
    document = answers(course.wrong_rest, course.unacceptable_rest, COVERED, QUESTIONS - COVERED)
    if known.each_once:
        known = replace(known, left=tuple(known.left[i] for i in rng.permutation(len(known.left))))
    drawn = [document[int(pair.unit[0].id)] for pair in islice(known.draw(rng), _MOST)]
    test = known.test(criterion, DELTA)
    test.update([letter == "A" for letter in drawn], [letter == "C" for letter in drawn])
    return test.verdict, test.n


def wrong_verdicts(course: KnownHalfCase, runs: int) -> tuple[int, int]:
    """How many of so many examinations end in a wrong verdict, and in any."""
    known, rng = known_of(course), np.random.default_rng(0)
    verdicts = [verdict_of(course, known, rng)[0] for _ in range(runs)]
    decided = [verdict for verdict in verdicts if verdict is not Verdict.UNDECIDED]
    return sum(verdict is not course.truth for verdict in decided), len(decided)


UNACCEPTABLE, PROCESSES = 11, 2
"""Of 200 questions, where 9 may be: with one of them explained 10 are left."""


def passes_by_explaining_away(rng: np.random.Generator, *, most: int = _MOST) -> bool:
    """Whether a candidate passes that hands over the right answer to a question that it was just unacceptable on.

    It fails with the one explanation that it may give. Each system has its own process, with what it knows known exactly.
    """
    criterion = Criterion(GRADE, 9 / QUESTIONS, DELTA)
    units = known_of(KnownHalfCase("as many questions", 0, 0)).left * 2
    explained: list[int] = []

    def begin(delta: float) -> SequentialTest:
        n, left = len(explained), QUESTIONS - len(explained)
        return EnumeratedUnits(QUESTIONS, units[:left], n, 0.0, n, n, {}, (1.0,) * left, each_once=False).test(criterion, delta)

    ledger = Ledger(begin, delta=DELTA, most=PROCESSES)
    drawn = rng.integers(QUESTIONS, size=most)
    while drawn.size:
        fresh = (drawn < UNACCEPTABLE) & ~np.isin(drawn, explained)
        end = int(fresh.argmax()) + 1 if fresh.any() and ledger.left else drawn.size
        _carry_out(ledger, drawn[:end], explained)
        if ledger.verdict is Verdict.PASS:
            return True
        if fresh[end - 1] and ledger.left:
            explained.append(int(drawn[end - 1]))
            ledger.change()
        drawn = drawn[end:]
    return False


def _carry_out(ledger: Ledger[SequentialTest], drawn: NDArray[np.int64], explained: Sequence[int]) -> None:
    """Process 1 takes all that was drawn, that of the present system what no explanation covers."""
    absurd = drawn < UNACCEPTABLE
    ledger.first.update(~absurd, absurd)
    if ledger.latest is not ledger.first:
        left = ~np.isin(drawn, explained)
        ledger.latest.update(~absurd[left], absurd[left])


@dataclass(frozen=True)
class TableCandidate:
    """Candidates on a scope of 1,000 questions of one weight each, of which a right table answers a share."""

    name: str
    score: float
    """On questions that the table does not answer; 1 on the others."""
    criterion: Criterion
    explained: float = 0.5


CANDIDATES = (
    TableCandidate("always right, no limit", 1.0, Criterion(0.7, None)),
    TableCandidate("right on 80% of the rest, no limit", 0.8, Criterion(0.7, None)),
    TableCandidate("right on a third of the rest, no limit", 1 / 3, Criterion(0.6, None)),
    TableCandidate("always right, at most 2% unacceptable", 1.0, Criterion(0.7, 0.02)),
    TableCandidate("always right, at most 2% unacceptable, nine tenths explained", 1.0, Criterion(0.7, 0.02), 0.9),
)


def draws(candidate: TableCandidate, *, exactly: bool, rng: np.random.Generator, most: int = 4_000) -> tuple[int, int]:
    """Questions drawn by weight until the verdict, and how many of them the candidate answered."""
    p, criterion = candidate.explained, candidate.criterion
    if exactly:
        kept = EnumeratedUnits(1, (), p, 0.0, p, 1, {0: 1}, (1 - p,), each_once=False)
        if kept.certain(criterion) is not Verdict.UNDECIDED:
            return 0, 0
        test = kept.test(criterion, criterion.delta)
        test.update((rng.random(most) < candidate.score).astype(float), np.zeros(most))
        return test.n, test.n
    by_table = rng.random(most) < p
    right = by_table | (rng.random(most) < candidate.score)
    plain = SequentialTest(criterion)
    plain.update(right.astype(float), np.zeros(most))
    return plain.n, int((~by_table[: plain.n]).sum())


def medians(candidate: TableCandidate, *, exactly: bool, runs: int) -> Sequence[float]:
    """Of so many examinations the median of draws, and that of questions to the candidate."""
    rng = np.random.default_rng(0)
    rows = [draws(candidate, exactly=exactly, rng=rng) for _ in range(runs)]
    return median(pair[0] for pair in rows), median(pair[1] for pair in rows)


def main() -> None:
    runs = runs_of(__doc__)
    rows = (
        (course.name, course.truth.value, wrong / runs, f"{decided / runs:.0%}")
        for course in COURSES
        for wrong, decided in [wrong_verdicts(course, runs)]
    )
    rng = np.random.default_rng(0)
    last = "the first unacceptable answer explained away, counting begun again", "does not understand"
    passed = sum(passes_by_explaining_away(rng) for _ in range(runs)) / runs
    print_table(("course", "truth", "wrong verdicts", "verdicts"), (*rows, (*last, passed, "")))
    drawn = (
        (candidate.name, *(f"{n:g}" for values in both for n in values))
        for candidate in CANDIDATES
        for both in [[medians(candidate, exactly=exactly, runs=min(runs, 200)) for exactly in (False, True)]]
    )
    print_table(("candidate", "drawn, graded as drawn", "asked", "drawn, known exactly", "asked"), drawn)


BY_NAME = {course.name: course for course in COURSES}


def test_the_courses_stand_at_the_mark() -> None:
    """By weight as by number: of 200 questions 140 right are enough, and 10 unacceptable ones are allowed."""
    for course in COURSES:
        known = known_of(course)
        assert known.share == pytest.approx(0.5)
        assert known.score_of_all(1 - course.wrong_rest / 100) == pytest.approx(
            1 - (course.wrong_known + course.wrong_rest) / 200
        )
    assert {course.truth for course in COURSES} == {Verdict.PASS, Verdict.FAIL}


def test_a_table_that_is_wrong_on_part_of_its_questions() -> None:
    # 60 runs at 5%: more than 9 come out once in a thousand times, were it not for the seed
    wrong, decided = wrong_verdicts(BY_NAME["the table is wrong on a tenth, together they fail by one"], 60)
    assert wrong <= 9
    assert decided == 60


def test_what_cannot_be_made_good_is_wrong_for_sure() -> None:
    """71 wrong in the part leave 129 right at most, of 140 that are needed."""
    assert wrong_verdicts(KnownHalfCase("hopeless", 71, 0), 5) == (0, 5)


def test_a_half_that_is_known_takes_half_the_draws() -> None:
    """By the paper between 1/(1 - p) = 2 and 1/(1 - p)^2 = 4 times fewer; here: docs/appendix/explanations.md."""
    third = next(candidate for candidate in CANDIDATES if "third" in candidate.name)
    before, after = (medians(third, exactly=exactly, runs=40)[0] for exactly in (False, True))
    assert before / after > 2


def test_failures_are_not_explained_away() -> None:
    rng = np.random.default_rng(0)
    assert sum(passes_by_explaining_away(rng) for _ in range(60)) <= 9


@pytest.mark.slow
@pytest.mark.study
def test_failures_are_not_explained_away_more_often_than_promised() -> None:
    rng, runs = np.random.default_rng(0), 4_000
    assert sum(passes_by_explaining_away(rng) for _ in range(runs)) / runs <= DELTA + slack(runs)


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("name", BY_NAME)
def test_wrong_verdicts_are_as_rare_as_promised(name: str) -> None:
    runs = 4_000
    wrong, _ = wrong_verdicts(BY_NAME[name], runs)
    assert wrong / runs <= DELTA + slack(runs)


if __name__ == "__main__":
    main()
