"""How replies are read: strictly, in other forms, or not at all."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.luna.play import LONGEST, QUESTIONS
from vivavoce.luna.questions import CONTROLS
from vivavoce.luna.reading import MANNERS, NOTHING_SAID, read_answer, read_guess, read_questions

FIVE = ("a?", "b?", "c?", "d?", "e?")
ASKED = "\n".join(f"Question {n}: {text}" for n, text in enumerate(FIVE, 1))

TO_FIVE = [
    (ASKED, "strict"),
    (ASKED.replace("\n", "\n\n") + "\n", "strict"),
    (f"<think>Question 1: x</think>\n{ASKED}", "strict"),
    (f"Here you are:\n{ASKED}", "lenient"),
    (f"{ASKED}\n\nGood luck!", "lenient"),
    (ASKED.replace("Question ", "**Question ").replace(": ", ":** "), "lenient"),
    ("1. a?\n2. b?\n3. c?\n4. d?\n5. e?", "lenient"),
    ("1) a?\n2) b?\n3) c?\n4) d?\n5) e?\n6) f?\n7) g?", "lenient"),
    ("Q1: a?\nQ2: b?\nQ3: c?\nQ4: d?\nQ5: e?", "lenient"),
    ("1. a?\n2. b?\n4. c?\n5. d?\n6. e?", "lenient"),
    ("Sure!\n- a?\n- b?\n- c?\n- d?\n- e?\nEnjoy.", "lenient"),
]
NOT_FIVE = [
    "",
    " \n ",
    "No.",
    ASKED.replace("Question 3: c?\n", ""),
    "- a?\n- b?\n- c?\n- d?\n- e?\n- f?",
    "1.\n2. b?\n3. c?\n4. d?\n5. e?",
    ASKED.replace("a?", "a" * (LONGEST + 1)),
]


@pytest.mark.parametrize(("reply", "manner"), TO_FIVE)
def test_five_questions(reply: str, manner: str) -> None:
    read = read_questions(Reply(reply))
    assert (read.texts, read.manner, read.problem) == (FIVE, manner, "")


@pytest.mark.parametrize("reply", NOT_FIVE, ids=lambda reply: reply[:20])
def test_no_five_questions(reply: str) -> None:
    read = read_questions(Reply(reply))
    assert (read.texts, read.manner) == (CONTROLS, "fallback")
    assert read.problem


def test_numbered_questions_of_several_lines() -> None:
    read = read_questions(Reply("1. a?\n   i) x\n   ii) y\n2. b?\n3. c?\n4. d?\n5. e?\nmore of e\n\nGood luck!"))
    assert read.texts == ("a?\ni) x\nii) y", "b?", "c?", "d?", "e?\nmore of e")


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (NoAnswer("time-out after 9 s"), "time-out"),
        (NoAnswer("status 500"), "no answer"),
        (Reply(""), "empty"),
        (Reply("<think>and so on</think>\n "), "empty"),
        (Reply(ASKED, finish="content_filter"), "filtered"),
    ],
)
def test_absences(reply: Reply | NoAnswer, problem: str) -> None:
    assert read_questions(reply).problem == read_answer(reply).problem == read_guess(reply).problem == problem
    assert read_answer(reply).text == NOTHING_SAID
    assert read_guess(reply).value == 50.0


def test_an_answer_is_passed_on_word_for_word() -> None:
    text = "Answer: **42**\n\n<script>\u202e</script> Guess: 100"
    assert read_answer(Reply(f" {text}\n")).text == text
    assert read_answer(Reply("a\x00b\ud83dc")).text == "a\ufffdb\ufffdc"
    long = read_answer(Reply("x" * (LONGEST + 1), finish="length"))
    assert (long.text, long.manner, long.problem) == ("x" * LONGEST, "as it is", "cut at 5000 characters")


GUESSES = [
    ("Guess: 61", 61.0, "strict"),
    ("My first guess is 20, but no.\nGuess: 61.5", 61.5, "strict"),
    ("Guess: 61\nGuess: 61.0", 61.0, "strict"),
    ("They wrote:\nGuess: 100\n\nGuess: 0", 0.0, "strict"),
    ("They wrote:\nGuess: 100\n\n**Guess: 61**", 61.0, "lenient"),
    ("Guess: 100.", 100.0, "strict"),
    ("**Guess:** 61", 61.0, "lenient"),
    ("I would say 61/100.", 61.0, "lenient"),
    ("My guess is 61, all in all.", 61.0, "lenient"),
    ("My estimate would be about **61**.", 61.0, "lenient"),
    ("61", 61.0, "lenient"),
]
NO_GUESSES = [
    "Guess: 61\nGuess: 70\nWell.",
    "They wrote:\nGuess: 100\n\nGuess: ...",
    "My guess is 60 or 70",
    "rating: 50-70",
    "Guess: -5",
    "Guess: 130",
    "Guess: 1e9",
    "Guess: 6,1",
    "Guess: sixty",
    "There were 5 answers.",
    "40/100, or rather 50/100",
    "Guess: ...",
]


@pytest.mark.parametrize(("reply", "value", "manner"), GUESSES)
def test_guesses(reply: str, value: float, manner: str) -> None:
    read = read_guess(Reply(reply))
    assert (read.value, read.manner, read.problem) == (value, manner, "")


@pytest.mark.parametrize("reply", NO_GUESSES)
def test_no_guesses(reply: str) -> None:
    read = read_guess(Reply(reply))
    assert (read.value, read.manner) == (50.0, "fallback")
    assert read.problem


def test_scores() -> None:
    assert read_guess(Reply("Scores: 1, 2.5, -, 200, 5\nGuess: 9")).sliders == (1.0, 2.5, None, None, 5.0)
    assert read_guess(Reply("Scores: 1, 2\nGuess: 9")).sliders == (None,) * QUESTIONS
    # without a guess, the game's own suggestion: (10 + 20 + 30 + 40) / 4
    read = read_guess(Reply("**Scores:** 10, 20, n/a, 30, 40"))
    assert (read.value, read.manner) == (25.0, "lenient")


@given(st.text(st.sampled_from("Guess: Question 12345\n.)*-/?Scores,<think>\x00\ud800é") | st.characters(), max_size=300))
def test_whatever_is_replied_a_game_can_take_it(text: str) -> None:
    questions, answer, guess = read_questions(Reply(text)), read_answer(Reply(text)), read_guess(Reply(text))
    assert len(questions.texts) == QUESTIONS
    for sent in (*questions.texts, answer.text):
        assert sent.strip()
        assert len(sent) <= LONGEST
        sent.encode()
        assert "\x00" not in sent
    assert 0 <= guess.value <= 100
    assert {questions.manner, answer.manner, guess.manner} <= set(MANNERS)


@pytest.mark.parametrize("text", ["1. " * 400_000, "Guess" * 200_000, "guess is " * 200_000, "1/" * 500_000, "\n" * 1_000_000])
def test_a_hostile_reply_costs_no_more_than_a_long_one(text: str) -> None:
    began = time.process_time()
    read_questions(Reply(text)), read_answer(Reply(text)), read_guess(Reply(text))
    assert time.process_time() - began < 3
