"""People and a judge together: how often the verdict is wrong, and how many grades by people it takes.

In the first study a candidate stands exactly at the passing grade, so that either verdict is an error, and the evidence is
looked at after every answer that people grade. Judges are good, useless, generous, harsh, or say the opposite. Two procedures
that are not sound run on the same answers, to show that the study can tell: a judge that is taken for people, and people who
grade those answers of each block that the judge likes best. The second study counts answers until the verdict.

    python -m tests.validity.test_predicted [--runs 4000]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass

import numpy as np
import pytest

from tests.validity.error_studies import VERDICTS, print_table, runs_of, shares_of, slack
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.certificate.graders.judge import PredictedSequentialTest
from vivavoce.statistics.betting import Floats

GRADE = 0.7
LOOKS = 300
CRITERION = Criterion(GRADE, None)
Draw = Callable[[np.random.Generator, float, tuple[int, ...]], Floats]
Says = Callable[[np.random.Generator, Floats], Floats]


def two_point(rng: np.random.Generator, score: float, shape: tuple[int, ...]) -> Floats:
    """Right or wrong."""
    return (rng.random(shape) < score).astype(float)


def beta(rng: np.random.Generator, score: float, shape: tuple[int, ...]) -> Floats:
    """Scores in between, of standard deviation .14 or so."""
    return rng.beta(10 * score, 10 * (1 - score), shape)


def near(bias: float, spread: float) -> Says:
    """A judge that is off by a bias and by noise."""
    return lambda rng, x: np.clip(x + bias + spread * rng.standard_normal(x.shape), 0.0, 1.0)


@dataclass(frozen=True)
class PredictedScoresCase:
    """Scores by people, what the judge says of them, and how many further answers it judges."""

    name: str
    draw: Draw
    judge: Says
    further: int


CASES = (
    PredictedScoresCase("good judge", two_point, near(0.0, 0.2), 4),
    PredictedScoresCase("good judge, one further answer", two_point, near(0.0, 0.2), 1),
    PredictedScoresCase("useless judge", two_point, lambda rng, x: rng.random(x.shape), 4),
    PredictedScoresCase("generous judge", two_point, near(0.4, 0.2), 4),
    PredictedScoresCase("harsh judge", two_point, near(-0.4, 0.2), 1),
    PredictedScoresCase("judge that says the opposite", two_point, lambda rng, x: 1 - x, 4),
    PredictedScoresCase("judge that always says the same", two_point, lambda rng, x: np.ones_like(x), 4),
    PredictedScoresCase("good judge, scores in between", beta, near(0.0, 0.05), 4),
    PredictedScoresCase("generous judge, scores in between", beta, near(0.2, 0.05), 1),
)


@dataclass(frozen=True)
class PredictedScoresErrors:
    """Shares of the runs with each verdict, and with any of two procedures that are not sound."""

    understands: float
    does_not_understand: float
    judge_for_people: float
    liked_best: float


def error_rates(case: PredictedScoresCase, *, runs: int, seed: int = 0) -> PredictedScoresErrors:
    """A candidate at the passing grade; both verdicts are wrong."""
    rng = np.random.default_rng(seed)
    result, by_judge, liked = [], [], []
    for _ in range(runs):
        x = case.draw(rng, GRADE, (LOOKS, case.further + 1))
        g = case.judge(rng, x)
        result.append(verdict(x[:, -1], g, case.further))
        by_judge.append(alone(g[:, -1]))
        best = g.argmax(axis=1)
        swapped = np.arange(LOOKS), best
        g_last, x_last = g[swapped], x[swapped]
        g[swapped] = g[:, -1]
        g[:, -1] = g_last
        liked.append(verdict(x_last, g, case.further))
    others = [sum(v in VERDICTS for v in verdicts) / runs for verdicts in (by_judge, liked)]
    return PredictedScoresErrors(*shares_of(result), *others)


def verdict(x: Floats, g: Floats, further: int) -> Verdict:
    """What the examination concludes from people's scores and the judge's of all answers, people's in the last column."""
    test = PredictedSequentialTest(CRITERION, further=further)
    test.predict(g[:, -1], g[:, :-1].mean(axis=1))
    return test.update(x, np.zeros(x.size))


def alone(x: Floats) -> Verdict:
    """What the examination concludes from scores alone."""
    return SequentialTest(CRITERION).update(x, np.zeros(x.size))


@dataclass(frozen=True)
class MedianGrades:
    """Median number of answers that people grade until the verdict that the candidate understands."""

    people: float
    both: float


def grades_needed(score: float, spread: float, further: int, *, runs: int, looks: int, seed: int = 0) -> MedianGrades:
    """Two-point scores and a judge that is off by so much; runs without a verdict count as `looks`."""
    rng = np.random.default_rng(seed)
    by_people, by_both = [], []
    for _ in range(runs):
        x = two_point(rng, score, (looks, further + 1))
        g = near(0.0, spread)(rng, x)
        people, together = SequentialTest(CRITERION), PredictedSequentialTest(CRITERION, further=further)
        people.update(x[:, -1], np.zeros(looks))
        together.predict(g[:, -1], g[:, :-1].mean(axis=1))
        together.update(x[:, -1], np.zeros(looks))
        by_people.append(people.n)
        by_both.append(together.n)
    return MedianGrades(float(np.median(by_people)), float(np.median(by_both)))


def main() -> None:
    runs = runs_of(__doc__)
    rows = ((case.name, *astuple(error_rates(case, runs=runs))) for case in CASES)
    print_table(("judge", "pass", "fail", "judge for people", "what the judge likes"), rows)
    needed = (
        (f"{score}", f"{spread}", f"{further}", f"{n.people:.0f}", f"{n.both:.0f}")
        for score, looks in ((0.9, 300), (0.8, 1_000), (0.75, 3_000))
        for spread, further in ((0.2, 4), (0.2, 9), (1.0, 4))
        for n in [grades_needed(score, spread, further, runs=max(20, runs // 20), looks=looks)]
    )
    print_table(("score", "judge is off by", "further answers", "people alone", "with the judge"), needed)


RUNS = 4_000
SLACK = slack(RUNS)


SOME = ("good judge", "useless judge", "harsh judge")
"""The others take as long, and are left to the study."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [pytest.param(c, id=c.name, marks=[] if c.name in SOME else [pytest.mark.study]) for c in CASES]
)
def test_each_wrong_verdict_is_as_rare_as_promised(case: PredictedScoresCase) -> None:
    errors = error_rates(case, runs=RUNS)
    assert max(errors.understands, errors.does_not_understand) <= 0.05 + SLACK


@pytest.mark.slow
def test_the_judge_saves_most_where_the_score_is_near_the_grade_and_costs_little_elsewhere() -> None:
    near_grade = grades_needed(0.75, 0.2, 9, runs=200, looks=2_000)
    assert near_grade.both < 0.55 * near_grade.people
    far = grades_needed(0.9, 0.2, 9, runs=200, looks=300)
    assert far.both <= far.people + 5


def test_wrong_verdicts_are_rare_in_a_small_study_that_can_tell() -> None:
    errors = error_rates(PredictedScoresCase("generous judge", two_point, near(0.4, 0.2), 4), runs=60)
    # 60 runs at 5%: nine errors or more have a chance of .3% (binomial), and the seed is fixed
    assert max(errors.understands, errors.does_not_understand) < 9 / 60
    assert errors.judge_for_people == 1.0
    assert errors.liked_best > 0.9


def test_whole_runs_at_once_are_the_same_as_answer_by_answer() -> None:
    rng = np.random.default_rng(3)
    x = two_point(rng, 0.9, (100, 5))
    g = near(0.1, 0.3)(rng, x)
    at_once, one_by_one = (PredictedSequentialTest(CRITERION, further=4) for _ in range(2))
    at_once.predict(g[:, -1], g[:, :-1].mean(axis=1))
    at_once.update(x[:, -1], np.zeros(100))
    for scores, judged in zip(x, g, strict=True):
        one_by_one.predict(judged[-1], judged[:-1].mean())
        if one_by_one.update(scores[-1], 0.0) is not Verdict.UNDECIDED:
            break
    assert (at_once.verdict, at_once.n) == (one_by_one.verdict, one_by_one.n)
    assert at_once.verdict is Verdict.PASS
    assert at_once.estimate == pytest.approx(one_by_one.estimate)
    assert at_once.score_bounds(0.05) == pytest.approx(one_by_one.score_bounds(0.05))


if __name__ == "__main__":
    main()
