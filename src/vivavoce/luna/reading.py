"""What of a reply goes into a game: what its form reads, or else something in its place.

A game has two players. A machine that stopped because its reply could not be read would leave the other one waiting for days,
so something is always sent, and what was sent in place of the candidate's own words is counted and reported apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome, Reading
from vivavoce.interview.forms.guesses import PERSON, JudgedGuess
from vivavoce.interview.reading import heard, read
from vivavoce.luna.limits import THESIS, Terms
from vivavoce.luna.questions import CONTROLS, fitted
from vivavoce.luna.rules import HIGHEST, LOWEST, Judgement, asks_something, says_something, suggested

Manner = Literal["strict", "lenient", "further turn", "as it is", "fallback", "fixed", "predicted"]
"""How a part came about: in the form that was asked for, in another one that leaves no doubt, from the reply to a further turn,
word for word where no form was asked for, something in its place, never asked because it stands fixed, or said by a predictor
of ratings."""
MANNERS: Final[tuple[Manner, ...]] = get_args(Manner)

MIDDLE: Final = (LOWEST + HIGHEST) / 2
"""The guess where none can be read: no other is nearer to the farthest rating. A machine's guess moves no rating, so that it
costs nobody but the machine itself."""
NOTHING_SAID: Final = "(no answer)"
"""In place of an answer that did not come, or has no words in it: a game takes no empty ones."""

_UNSENDABLE: Final = dict.fromkeys((0, *range(0xD800, 0xE000)), "\N{REPLACEMENT CHARACTER}")
_OWN_WORDS: Final = (Outcome.CUT_OFF, Outcome.COPIED)
"""A message that was cut off, or repeats what the candidate was told, is what it said all the same."""


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions as they go into the game."""

    texts: tuple[str, ...]
    manner: Manner
    problem: str = ""
    """Why these are not the candidate's own, or what was done to fixed ones; else empty."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it goes into the game."""

    text: str
    manner: Manner
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Guess:
    """A guess as it goes into the game."""

    value: float
    sliders: tuple[float | None, ...]
    manner: Manner
    problem: str = ""
    judgement: Judgement | None = None
    """Whether the other is a person; None where that was not said, or cannot be read."""
    unjudged: str = ""
    """Why a candidate that was asked for a judgement has none; empty where it has one, or was not asked."""


def as_questions(prompt: Prompt, answer: Reply | NoAnswer, terms: Terms = THESIS) -> Questions:
    """Questions from a reply; where they cannot be read, those of the thesis' machines (`CONTROLS`) in their place."""
    reading = read(prompt, answer)
    if reading.value is None:
        return Questions(fitted(CONTROLS, terms)[0], "fallback", reading.problem)
    questions = tuple(map(sendable, reading.value))
    if not all(map(asks_something, questions)):
        return Questions(fitted(CONTROLS, terms)[0], "fallback", "a question is empty")
    return Questions(questions, _manner(reading))


def as_answer(prompt: Prompt, answer: Reply | NoAnswer, terms: Terms = THESIS) -> Answer:
    """An answer from a reply: its words as they are, without its thoughts.

    What did not come, or is blank, becomes `NOTHING_SAID`; what is longer than a game takes is cut, and the problem says so.
    """
    reading = read(prompt, answer)
    text = sendable(reading.value or "")
    if not text and reading.outcome in _OWN_WORDS and isinstance(answer, Reply):
        text = sendable(heard(answer, whole=True)[0])
    if not says_something(text):
        return Answer(NOTHING_SAID, "fallback", reading.problem)
    if len(text) > terms.longest_text:
        return Answer(text[: terms.longest_text], "as it is", f"cut at {terms.longest_text} characters")
    return Answer(text, "as it is", reading.problem)


def as_guess(prompt: Prompt, answer: Reply | NoAnswer) -> Guess:
    """A guess from a reply, with scores of the answers where they are there; `MIDDLE` where none can be read.

    Where there are scores but no guess, their mean is the guess, as the game itself suggests it to people. A judgement that
    cannot be read is none: nothing stands in its place.
    """
    reading: Reading[JudgedGuess] = read(prompt, answer)
    found = reading.value
    if found is None:
        return Guess(MIDDLE, (), "fallback", reading.problem, unjudged=reading.problem)
    said = None if found.who is None or found.sure is None else Judgement(found.who == PERSON, found.sure)
    unjudged = "" if said else "the further turn asks for the guess alone" if reading.after_turn else found.problem
    if found.guess is not None:
        return Guess(found.guess, found.scores, _manner(reading), "", said, unjudged)
    mean = suggested(found.scores)
    assert mean is not None, "a reading without a guess has scores"
    return Guess(mean, found.scores, "lenient", "no guess, but scores: their mean", said, unjudged)


def sendable(text: str) -> str:
    """The text without what no database keeps: NUL, and halves of surrogate pairs.

    >>> sendable("a\\x00b") == "a\N{REPLACEMENT CHARACTER}b"
    True
    """
    return text.translate(_UNSENDABLE)


def _manner(reading: Reading[Any]) -> Manner:
    return "further turn" if reading.after_turn else "strict" if reading.strict else "lenient"
