"""How often each combination of population, grading and look gives a wrong verdict, and how many questions a right one takes.

Whole examinations are held, as `viva certify` holds them, of candidates whose true score on a list of weighted questions is
known. For errors the passing grade is put at the true score, where "fail" is wrong, and just above it, where
"pass" is. Where there are several verdicts any wrong one counts. For the effort a candidate that answers nine of ten
questions right is examined at a passing grade of 0.7.

    python -m tests.validity.test_grid [--runs 48] [--workers 2]
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, product, repeat
from typing import Any, Literal, get_args

import numpy as np
import pytest
import scipy

from tests.certificate.candidates import Expert, interview
from tests.certificate.graders.graded import PointsJudge, judge, people
from tests.validity.error_studies import parser_of, print_table
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.deployed import deployment_of
from vivavoce.certificate.claims.results import ClaimFinding
from vivavoce.certificate.config import Drawing, Feature, Procedure, refusal
from vivavoce.certificate.design.drawing import Endurance
from vivavoce.certificate.explanations.examine import Procedures
from vivavoce.certificate.explanations.procedures import AnswerTable
from vivavoce.certificate.graders.graders import Graders
from vivavoce.certificate.graders.rule_grading import ByRule, GradingMethod
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

pytestmark = [pytest.mark.slow, pytest.mark.study]

Who = Literal["rule", "judge", "people", "judge and people", "procedures"]
SIZE, SCOPES, DELTA = 240, 3, 0.1
"""Questions of a scope, scopes where there are several, and the error allowed."""
MOST, ALL_GRADED, ONE_LOOK = 120, 300, 60
"""Questions at most; with a judge and people, of which people grade a fifth; and where one looks once."""
STEP = 1e-6
"""How far the passing grade is above the true score where "pass" is wrong."""


@dataclass(frozen=True, slots=True)
class Combination:
    """One cell of the grid."""

    drawing: Drawing | Literal["deployed"]
    who: Who
    procedure: Procedure
    several: bool = False
    endurance: bool = False

    @property
    def name(self) -> str:
        """In words."""
        many = ["several scopes"] if self.several else []
        return ", ".join([self.drawing, self.who, self.procedure, *many, *(["endurance"] if self.endurance else [])])

    @property
    def features(self) -> frozenset[Feature]:
        """What the table of refusals knows it by."""
        results: set[Feature] = {self.who}
        if self.drawing != "scope":
            results.add(self.drawing)
        wanted: tuple[tuple[bool, Feature], ...] = (
            (self.several, "several scopes"),
            (self.procedure == "fixed", "fixed"),
            (self.endurance, "endurance"),
        )
        return frozenset(results | {feature for asked, feature in wanted if asked})


def grid(*, endurance: bool = False) -> Iterator[Combination]:
    """All combinations, refused ones included."""
    for cell in product((*get_args(Drawing), "deployed"), get_args(Who), get_args(Procedure), (False, True)):
        yield Combination(*cell)
        if endurance:
            yield Combination(*cell, endurance=True)


def sound(*, endurance: bool = False) -> tuple[Combination, ...]:
    """Those that are not refused."""
    return tuple(cell for cell in grid(endurance=endurance) if not refusal(cell.features))


@lru_cache
def scope(number: int = 0) -> ListedScope:
    """Questions of three categories, some of which weigh three times as much as others."""
    return ListedScope(
        f"scope {number}",
        tuple(
            Question(
                f"{number}-{i}",
                f"Question {i} of scope {number}?",
                ("first", "second"),
                ("A",),
                category="xyz"[i % 3],
                weight=3.0 if i % 5 == 0 else 1.0,
            )
            for i in range(SIZE)
        ),
    )


@lru_cache
def table() -> AnswerTable:
    """Right answers to every fourth question."""
    return AnswerTable("every fourth", {question.text: "A" for question in scope().questions[::4]})


def grading(who: Who, candidate: Expert) -> GradingMethod:
    """Whoever grades finds right what the candidate has right."""
    match who:
        case "rule":
            return ByRule()
        case "judge":
            return Graders(judge=judge(PointsJudge("10", "0")))
        case "people":
            return Graders(people=people(candidate, scope()))
        case "judge and people":
            return Graders(judge=judge(PointsJudge("9", "2")), people=people(candidate, scope()))
        case "procedures":
            return Procedures(given=(table(),))


def truths(cell: Combination, candidate: Expert) -> list[float]:
    """The true scores that verdicts are on."""
    result = []
    for listed in [scope(number) for number in range(SCOPES if cell.several else 1)]:
        right = np.array([float(candidate.right(listed.prompt(question))) for question in listed.questions])
        if cell.who == "procedures":
            right[::4] = 1.0
        result.append(float(np.average(right, weights=[question.weight for question in listed.questions])))
        if cell.drawing == "deployed":
            result.insert(0, float(right.mean()))
    return result


async def held(cell: Combination, candidate: Expert, grade: float, seed: int) -> ClaimFinding:
    """One examination."""
    composition = Composition(
        "scope" if cell.drawing == "deployed" else cell.drawing,
        grading(cell.who, candidate),
        cell.procedure,
        "fwer",
        Endurance(None if cell.procedure == "fixed" else 20, 1e-6) if cell.endurance else Endurance(),
    )
    most = ONE_LOOK if cell.procedure == "fixed" else ALL_GRADED if cell.who == "judge and people" else MOST
    scopes: list[Any] = [scope(number) for number in range(SCOPES)]
    if cell.drawing == "deployed":
        scopes = list(map(deployment_of, scopes))
    asked = interview(candidate, concurrency=1)
    criterion = Criterion(grade, None, DELTA / 0.95)  # a first attempt has 95%
    if cell.several:
        return await certify(asked, scopes, criterion, composition, seed=seed, questions=most * SCOPES)
    finding: ClaimFinding = await certify(asked, scopes[0], criterion, composition, seed=seed, questions=most)
    return finding


def questions(finding: ClaimFinding) -> int:
    """How many were asked or, where people grade some, graded by them."""
    return finding.questions if isinstance(finding, Certificate) else finding.asked


def wrong(cell: Combination, seed: int, *, above: bool) -> bool:
    """Whether any verdict is wrong where the passing grade is at a true score, or just above."""
    candidate = Expert(0.65, salt=f"{seed} ")
    true = truths(cell, candidate)
    grade = true[seed % len(true)] + above * STEP
    verdicts = asyncio.run(held(cell, candidate, grade, seed)).verdicts
    right = [Verdict.PASS if score >= grade - STEP / 2 else Verdict.FAIL for score in true]
    return any(given not in (Verdict.UNDECIDED, is_right) for given, is_right in zip(verdicts, right, strict=True))


def effort(cell: Combination, seed: int) -> tuple[float, bool]:
    """Of a candidate that answers nine of ten right: questions a scope until the end, and whether it is found to understand."""
    finding = asyncio.run(held(cell, Expert(0.9, salt=f"{seed} "), 0.7, seed))
    scopes = SCOPES if cell.several else 1
    return questions(finding) / scopes, all(verdict is Verdict.PASS for verdict in finding.verdicts)


@dataclass(frozen=True, slots=True)
class GridRow:
    """What a study of one combination found."""

    wrong_at: int
    """Runs with a wrong verdict where the passing grade is at a true score."""
    wrong_above: int
    """The same where it is just above."""
    runs: int
    """On each side, and for the effort."""
    questions: Sequence[float]
    """Sorted, of the runs for the effort."""
    understood: float
    """The share of these that end with "pass"."""

    @property
    def median(self) -> float:
        return float(np.median(self.questions))

    @property
    def median_bounds(self) -> tuple[float, float]:
        """At 95%, by order statistics."""
        runs = len(self.questions)
        rank = int(scipy.stats.binom.ppf(0.025, runs, 0.5))
        return self.questions[max(rank - 1, 0)], self.questions[min(runs - rank, runs - 1)]


def study(cell: Combination, runs: int, seed: int = 0) -> GridRow:
    """As many runs on each side, and for the effort; runs of the same number have the same seed and answers in each cell."""
    at, above = (sum(wrong(cell, seed + run, above=side) for run in range(runs)) for side in (False, True))
    efforts = [effort(cell, seed + run) for run in range(runs)]
    return GridRow(at, above, runs, sorted(asked for asked, _ in efforts), float(np.mean([decided for _, decided in efforts])))


def _share(wrong_runs: int, runs: int) -> str:
    """With its exact interval at 95%."""
    bounds = scipy.stats.binomtest(wrong_runs, runs).proportion_ci(0.95)
    return f"{wrong_runs / runs:.1%} ({100 * bounds.low:.1f} to {100 * bounds.high:.1f})"


def cells_of(name: str, row: GridRow, plain: GridRow) -> tuple[str, ...]:
    """Of the table, beside the plain composition."""
    low, high = row.median_bounds
    needed = f"{row.median:.0f} ({low:.0f} to {high:.0f})", f"{row.median / plain.median:.1f}"
    return (name, *(_share(wrong, row.runs) for wrong in (row.wrong_at, row.wrong_above)), *needed, f"{row.understood:.0%}")


def main() -> None:
    parser = parser_of(__doc__, 48)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    given = parser.parse_args()
    heads = ("population, grading, look", "wrong at the grade", "wrong just below", "median questions", "× plain", "passed")
    with ProcessPoolExecutor(given.workers) as executor:
        results = executor.map(study, sound(), repeat(given.runs))
        plain = next(results)
        rows = zip(sound(), chain([plain], results), strict=True)
        print_table(heads, (cells_of(cell.name, row, plain) for cell, row in rows))


RUNS = 30


@pytest.mark.parametrize("cell", sound(), ids=lambda cell: cell.name)
def test_a_combination_is_seldom_wrong_and_finds_a_good_candidate_good(cell: Combination) -> None:
    row = study(cell, RUNS, seed=5)
    # above it in one of 10,000 studies at most, even if every cell errs as often as it may
    assert max(row.wrong_at, row.wrong_above) <= scipy.stats.binom.isf(1e-6, RUNS, DELTA)
    if cell.procedure == "sequential":
        assert row.understood >= 0.5
        assert row.median < SIZE


if __name__ == "__main__":
    main()
