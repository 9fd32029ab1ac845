"""A judgement of person or machine is read where nothing else can be meant, and nothing is made up in its place."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.forms.guesses import GuessAndJudgementForm, GuessForm, JudgedGuess
from vivavoce.interview.reading import read

FORM = GuessAndJudgementForm(GuessForm(2, lowest=0, highest=100))
LINES = "Scores: 80, 60\nOther player: machine\nSure: 90\nGuess: 68"


def value_of(said: str) -> JudgedGuess:
    value = read(Prompt("?", form=FORM), Reply(said)).value
    assert isinstance(value, JudgedGuess)
    return value


@pytest.mark.parametrize(
    ("said", "who", "sure"),
    [
        (LINES, "machine", 90.0),
        (f"They write like a book.\n\n{LINES}", "machine", 90.0),
        (f"```\n{LINES}\n```", "machine", 90.0),
        (f"```text\n{LINES}\n```\n", "machine", 90.0),
        (LINES.replace(": ", ":** ").replace("\n", "\n**"), "machine", 90.0),
        (LINES.replace("\n", "\n\n"), "machine", 90.0),
        ("Scores: 80, 60\nGuess: 68\nOther player: a human.\nSure: 75.5%", "person", 75.5),
        ("other player: PERSON\nsure: 50 percent\nguess: 68", "person", 50.0),
        ("Other player: person\nSure: 60\nOther player: person\nSure: 60\nGuess: 68", "person", 60.0),
        ("<think>Other player: person\nSure: 99\n</think>" + LINES, "machine", 90.0),
        (f"The answer said:\nOther player: person\nSure: 100\nGuess: 1\nI do not believe it.\n{LINES}", "machine", 90.0),
    ],
)
def test_judgements_that_are_read(said: str, who: str, sure: float) -> None:
    value = value_of(said)
    assert (value.who, value.sure, value.guess, value.problem) == (who, sure, 68.0, "")


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("Guess: 68", "no judgement"),
        ("Other player: machine\nGuess: 68", "no judgement"),
        ("Sure: 90\nGuess: 68", "no judgement"),
        (LINES.replace("machine", "..."), "no judgement"),
        (LINES.replace("machine", "person or machine"), "no word"),
        (LINES.replace("machine", "not a machine"), "no word"),
        (LINES.replace("machine", "machine, 90%"), "no word"),
        (LINES.replace("90", "..."), "no judgement"),
        (LINES.replace("90", "very"), "no number"),
        (LINES.replace("90", "50 to 100"), "no number"),
        (LINES.replace("90", "-90"), "no number"),
        (LINES.replace("90", "90/100"), "no number"),
        (LINES.replace("90", "49.9"), "out of range"),
        (LINES.replace("90", "0.9"), "out of range"),
        (LINES.replace("90", "101"), "out of range"),
        ("Other player: person\nSure: 60\nOther player: machine\nSure: 60\nGuess: 68", "several"),
        ("Other player: person\nSure: 60\nSure: 70\nGuess: 68", "several"),
        ("Other player: machine\nSure: 90\nThat is what somebody else wrote.\nGuess: 68", "no judgement"),
        ("The other player is a machine, I am 90 percent sure.\nGuess: 68", "no judgement"),
        ("Scores: ..., ...\nOther player: ... person\nSure: ... machine\nGuess: 68", "no number"),  # as a small model had it
    ],
)
def test_judgements_that_are_none_leave_the_guess(said: str, problem: str) -> None:
    value = value_of(said)
    assert (value.who, value.sure, value.guess) == (None, None, 68.0)
    assert problem in value.problem


def test_the_sureness_is_not_taken_for_the_guess() -> None:
    reading = FORM.read("Scores: 80, 60\nOther player: machine\nSure: 90/100")
    assert reading.value is not None
    assert reading.value.guess is None  # the scores stand, and their mean is offered
    assert FORM.read("Other player: machine\nSure: 90").problem == "no guess can be told from other words"


@pytest.mark.parametrize("said", [FORM.instruction, FORM.schema_instruction, FORM.further, 2 * f"{FORM.instruction}\n"])
def test_the_instruction_said_back_says_nothing(said: str) -> None:
    assert FORM.read(said).value is None
    assert FORM.read(f"{said}\nGuess: 5").value.who is None  # type: ignore[union-attr]


def test_an_object_without_the_judgement_still_guesses() -> None:
    value = value_of('{"answers": [80, 60], "guess": 68}')
    assert (value.guess, value.scores, value.who) == (68.0, (80.0, 60.0), None)


@given(st.text(st.sampled_from('Otherplay: machinepson\n*`~.0123456789%Guess Sure{}[]",<>'), max_size=200))
def test_whatever_is_said_both_are_there_or_neither(text: str) -> None:
    value = FORM.read(text).value
    if value is not None:
        assert (value.who is None) == (value.sure is None) == bool(value.problem)
        assert value.sure is None or 50 <= value.sure <= 100
        assert value.guess is None or 0 <= value.guess <= 100


@given(
    st.lists(st.sampled_from(["Other player: person", "Other player: machine", "Sure: 70", "", "```", "Scores: 1, 2"])),
    st.text(st.characters(categories=["L"]), min_size=1, max_size=20),
)
def test_what_stands_above_other_words_says_nothing(lines: list[str], words: str) -> None:
    """Whoever is asked about may have written any line; only what closes the reply counts."""
    value = FORM.read("\n".join([*lines, f"so {words}", "Guess: 5"])).value
    assert value is not None
    assert value.who is None


@pytest.mark.parametrize("part", ["Sure: ", "Other player: ", "*" * 9, "`" * 9, "\n", "Sure: 50\n", "{", " "])
def test_hostile_texts_cost_no_more_than_long_ones(part: str) -> None:
    began = time.perf_counter()
    FORM.read(part * (200_000 // len(part)))
    assert time.perf_counter() - began < 5
