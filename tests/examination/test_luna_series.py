"""Games against the resident bots, by the real rules."""

from __future__ import annotations

import asyncio
import re
from statistics import mean, stdev

import pytest
import scipy

from tests.examination.made import FunctionSpeaker
from vivavoce.examination.parts.luna import ANYTHING, OPPONENTS, LunaSeries, play_series
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview

OWN = "\n".join(f"Question {n}: What is {n} plus {n}?" for n in range(1, 6))


def plays(text: str) -> str:
    """Finds what is in capitals dull, by how much of it there is."""
    if "Question 1: ..." in text:
        return OWN
    if "Guess: ..." not in text:
        return "Twelve."
    words = "".join(re.findall(r"<answer \d>\n(.*?)\n</answer", text, re.DOTALL))
    dull = words.upper() == words
    return f"Scores: 1, 2, 3, 4, 5\nGuess: {len(words) % 10 if dull else 60 + len(words) % 10}"


def series(answer: object, games: int, *, told: bool = True, questions: int | None = None) -> LunaSeries:
    candidate = FunctionSpeaker(answer)  # type: ignore[arg-type]
    interview = Interview(candidate, answers=Reply, budget=Budget(questions=questions))
    return asyncio.run(play_series(interview, games, tuple(OPPONENTS), told=told))


def test_each_part_is_its_own_and_bots_are_told_apart() -> None:
    luna_series = series(plays, 9)
    assert luna_series.complete == len(luna_series.games) == 9
    assert luna_series.opponents == ("gibberish", "chatterbot", "echo")
    gibberish, chatterbot = luna_series.guesses("gibberish"), luna_series.guesses("chatterbot")
    assert gibberish.value is not None
    assert chatterbot.value is not None
    assert gibberish.value < 10 <= 60 <= chatterbot.value
    assert all(game.questions[0] == "What is 1 plus 1?" and game.answers == ("Twelve.",) * 5 for game in luna_series.games)
    assert "wrote its own questions, all answers and a guess in 9 of 9 games" in luna_series.headline


def test_the_interval_is_students() -> None:
    luna_series = series(plays, 9)
    values = [game.guess for game in luna_series.games if game.opponent == "gibberish"]
    half = scipy.stats.t.ppf(0.975, len(values) - 1) * stdev(values) / len(values) ** 0.5
    estimate = luna_series.guesses("gibberish")
    assert estimate.value == pytest.approx(mean(values))
    assert estimate.interval.lower == pytest.approx(max(0, mean(values) - half))
    assert estimate.interval.upper == pytest.approx(min(100, mean(values) + half))
    assert series(plays, 3).guesses("echo").interval == ANYTHING  # one game says nothing of how guesses vary


def test_what_cannot_be_read_is_no_guess() -> None:
    luna_series = series(lambda text: "I would rather not.", 3)
    assert luna_series.complete == 0
    assert all(luna_series.guesses(name).value is None for name in luna_series.opponents)
    assert "On a scale" not in luna_series.statement
    assert any(
        "6 parts of games were not its own words" in caveat for caveat in luna_series.caveats
    )  # questions and guess, thrice


def test_a_bot_that_is_not_told_answers_only() -> None:
    luna_series = series(lambda text: "Go on.", 3, told=False)
    assert luna_series.statement.endswith("answered 15 of 15 questions in 3 games against bots.")
    assert any("not told about the game" in caveat for caveat in luna_series.caveats)


def test_nobody_is_rated_by_bots() -> None:
    assert "The candidate has no rating" in series(plays, 3).caveats[0]


def test_a_budget_cuts_off_the_last_games() -> None:
    luna_series = series(plays, 9, questions=20)  # seven questions a game: two are finished, and six of the third
    assert (len(luna_series.games), luna_series.exhausted) == (2, "questions")
    assert luna_series.games == series(plays, 9).games[:2]
    assert any("after 2 of 9 games" in caveat for caveat in luna_series.caveats)
