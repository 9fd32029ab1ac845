"""Wrong verdicts where a part of a finite scope is known exactly, and the draws that this saves."""

from math import sqrt

import numpy as np
import pytest

from tests.validity.known_exactly import (
    CANDIDATES,
    COURSES,
    DELTA,
    KnownHalfCase,
    known_of,
    medians,
    passes_by_explaining_away,
    wrong_verdicts,
)
from vivavoce.certificate.claims.claim import Verdict

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
    assert sum(passes_by_explaining_away(rng) for _ in range(runs)) / runs <= DELTA + 3 * sqrt(DELTA * (1 - DELTA) / runs)


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("name", BY_NAME)
def test_wrong_verdicts_are_as_rare_as_promised(name: str) -> None:
    runs = 4_000
    wrong, _ = wrong_verdicts(BY_NAME[name], runs)
    assert wrong / runs <= DELTA + 3 * sqrt(DELTA * (1 - DELTA) / runs)
