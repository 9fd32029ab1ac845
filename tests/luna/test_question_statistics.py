"""Difficulty and discrimination of questions: by hand, planted ones come out, intervals cover, and few marks are few."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import isinf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.luna.question_statistics import FEWEST_RATED_MARKS, asked_questions, normalised


@dataclass(frozen=True)
class QuestionedSeat:
    player: str
    guess: float = 50.0
    sliders: tuple[float | None, ...] | None = None
    questions: tuple[str, ...] | None = ("Why?",)
    answers: tuple[str, ...] | None = ("Because.",)
    kind: str = "guest"
    voided: bool = False


@dataclass(frozen=True)
class QuestionedGame:
    game: str
    seats: tuple[QuestionedSeat, QuestionedSeat]


def game(
    number: int, marker: str, answerer: str, mark: float | None, guess: float = 50.0, question: str = "Why?"
) -> QuestionedGame:
    return QuestionedGame(
        f"g{number}", (QuestionedSeat(marker, guess, (mark,), (question,)), QuestionedSeat(answerer, 50.0, None, ("Other?",)))
    )


def test_difficulty_by_hand_and_spelling_does_not_matter() -> None:
    spelt = ("Why?", "why", " WHY ?!", "Why?")
    games = [game(n, f"m{n}", f"a{n}", mark, question=spelt[n]) for n, mark in enumerate((10.0, 20.0, 60.0, None))]
    why = asked_questions(games)[0]
    assert (why.text, why.games) == ("Why?", ("g0", "g1", "g2", "g3"))
    assert (why.difficulty.value, why.difficulty.n) == (30.0, 3)
    # Student's t at 2 degrees of freedom: 30 +- 4.303 * sqrt(700 / 3), beyond the ends of the scale
    assert why.difficulty.interval.lower == 0.0
    assert why.difficulty.interval.upper == pytest.approx(30 + 4.3027 * (700 / 3) ** 0.5, abs=0.01)
    assert why.discrimination.value is None


def rated_world(rng: np.random.Generator, players: int, slope: float) -> list[QuestionedGame]:
    """Everybody meets six others; marks are a slope times how good the answerer is, and noise; guesses are honest."""
    good = rng.normal(0, 10, players)
    games: list[QuestionedGame] = []
    for marker in range(players):
        for answerer in rng.choice([index for index in range(players) if index != marker], 6, replace=False):
            mark = 50 + slope * good[answerer] + rng.normal(0, 10)
            guess = 50 + good[answerer] + rng.normal(0, 5)
            games.append(game(len(games), f"p{marker}", f"p{answerer}", mark, guess))
    return games


def test_discrimination_is_that_which_was_planted() -> None:
    rng = np.random.default_rng(0)
    for slope, expected in ((1.0, 0.5**0.5), (0.0, 0.0), (-1.0, -(0.5**0.5))):
        estimate = asked_questions(rated_world(rng, 60, slope))[0].discrimination
        assert estimate.value == pytest.approx(expected, abs=0.12)
        assert estimate.interval.lower < (estimate.value or 0.0) < estimate.interval.upper


def test_who_marks_has_no_part_in_the_rating_beside_the_mark() -> None:
    rng = np.random.default_rng(1)
    games: list[QuestionedGame] = []
    naive: list[tuple[str, float]] = []
    # nobody is better than anybody; who likes somebody's answers marks and guesses high
    for marker in range(40):
        for answerer in rng.choice([index for index in range(40) if index != marker], 3, replace=False):
            liking = rng.normal(0, 15)
            games.append(game(len(games), f"p{marker}", f"p{answerer}", 50 + liking, 50 + liking))
            naive.append((f"p{answerer}", 50 + liking))
    estimate = asked_questions(games)[0].discrimination
    received = Counter({name: sum(mark for text, mark in naive if text == name) for name, _ in naive})
    number = Counter(name for name, _ in naive)
    marks, ratings = zip(*((mark, received[name] / number[name]) for name, mark in naive), strict=True)
    assert np.corrcoef(marks, ratings)[0, 1] > 0.4
    assert abs(estimate.value or 0.0) < 0.3
    assert estimate.interval.lower < 0 < estimate.interval.upper


def test_intervals_cover() -> None:
    rng = np.random.default_rng(2)
    easy = close = 0
    trials = 120
    for _ in range(trials):
        question = asked_questions(rated_world(rng, 20, 1.0))[0]
        easy += question.difficulty.interval.lower <= 50 <= question.difficulty.interval.upper
        close += question.discrimination.interval.lower <= 0.68 <= question.discrimination.interval.upper
    # nominally 114 of 120; ratings of 6 guesses are not quite the true ones, which makes .68 of .71
    assert easy >= 106
    assert close >= 104


def test_what_does_not_count() -> None:
    full = game(0, "m", "a", 10.0)
    marker, answerer = full.seats
    for left_out in (replace(marker, kind="machine"), replace(marker, voided=True), replace(marker, sliders=None)):
        why = next(
            question for question in asked_questions([QuestionedGame("g", (left_out, answerer))] * 3) if question.text == "Why?"
        )
        assert (why.difficulty.value, why.difficulty.n) == (None, 0)
    hidden = (replace(marker, questions=None), answerer), (marker, replace(answerer, answers=None))
    assert [question.text for seats in hidden for question in asked_questions([QuestionedGame("g", seats)])] == [
        "Other?",
        "Other?",
    ]


def test_few_are_told_to_be_few() -> None:
    question = asked_questions([game(0, "m", "a", 10.0)])[0]
    assert question.difficulty.value is None
    same = asked_questions([game(n, f"m{n}", f"a{n}", 10.0) for n in range(5)])[0]
    assert same.difficulty.value == 10.0
    assert isinf(same.difficulty.interval.upper)
    always_one = asked_questions([game(n, "m", "a", float(n)) for n in range(5)])[0]
    assert isinf(always_one.difficulty.interval.upper)
    several = [game(n, f"m{n}", "a", 5.0 * n) for n in range(FEWEST_RATED_MARKS - 1)]
    assert asked_questions(several)[0].discrimination.value is None
    assert asked_questions(several)[0].discrimination.n == FEWEST_RATED_MARKS - 1


@pytest.mark.long
@given(st.text(max_size=40))
def test_to_normalise_again_changes_nothing(text: str) -> None:
    once = normalised(text)
    assert normalised(once) == once
    assert normalised(f"  {text.upper()} ") == normalised(text.upper())


def test_letters_of_all_scripts_count() -> None:
    assert normalised("Что это?") != normalised("Кто это?")
    assert normalised("C++ or C#?") == "c or c"
    assert normalised("ＦＵＬＬ width") == normalised("full  WIDTH.")
