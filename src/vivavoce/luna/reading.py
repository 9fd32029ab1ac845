"""What candidates reply in a game: read strictly first, then in other forms that leave no doubt; else a fallback goes in.

A game has two players. A machine that stopped because its reply could not be read would leave the other one waiting for days,
so something is always sent, and what was sent in place of the candidate's own words is counted and reported apart. Only so much
of a reply is looked at, by patterns whose repetitions are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.replies import heard
from vivavoce.luna.play import HIGHEST, LONGEST, LOWEST, QUESTIONS, suggested
from vivavoce.luna.questions import CONTROLS

Manner = Literal["strict", "lenient", "as it is", "fallback", "fixed", "foretold"]
"""How a part came about: in the form that was asked for, in another one that leaves no doubt, word for word where no form was
asked for, something in its place, never asked because it stands fixed, or said by a predictor of ratings."""
MANNERS: Final[tuple[Manner, ...]] = get_args(Manner)

READ: Final = 60_000
"""Characters of a reply that are looked at: five questions at their longest, twice over."""
MIDDLE: Final = (LOWEST + HIGHEST) / 2
"""The guess where none can be read: no other is nearer to the farthest rating. A machine's guess moves no rating, so that it
costs nobody but the machine itself."""
NOTHING_SAID: Final = "(no answer)"
"""In place of an answer that did not come, or has no words in it: a game takes no empty ones."""

_UNSENDABLE = re.compile("[\x00\ud800-\udfff]")
_ASKED = re.compile(r"Question ([1-5]): ?(\S.*)")
_NUMBERED = re.compile(r"[ \t>*_#-]{0,8}(?:Q(?:uestion)?\s?)?(\d{1,2})[*_]{0,3}\s?[.):][*_]{0,3}[ \t]{0,8}(.*)", re.IGNORECASE)
_BULLET = re.compile(r"^[ \t>]{0,8}(?:(?:[-*•]|\d{1,2}[.):])[ \t]{1,4})?")
_NUMBER = r"(\d{1,9}(?:\.\d{1,9})?)"
_LAST_GUESS = re.compile(r"[ \t>*_#-]{0,8}Guess[*_]{0,3}:.{0,200}", re.IGNORECASE)
_LOOSE_GUESS = re.compile(
    r"\b(?:guess|rating|estimate)\b[^\n.:=\d]{0,60}(?::|=|\bis\b|\bof\b|\bbe\b)(?:[ \t*_`~]|\babout\b){0,12}"
    rf"{_NUMBER}(?!\w|[.,]\d|\s?[-–]\s?\d|\s(?:or|to|and)\s\d)",
    re.IGNORECASE,
)
_OF_HUNDRED = re.compile(rf"(?<![\d.,\-/]){_NUMBER}\s?/\s?100\b")
_SCORES = re.compile(r"^[ \t>*_#-]{0,8}Scores[*_]{0,3}:[*_]{0,3}([^\n]{1,200})$", re.MULTILINE | re.IGNORECASE)
_NO_SCORES: Final[tuple[float | None, ...]] = (None,) * QUESTIONS


@dataclass(frozen=True, slots=True)
class Questions:
    """Five questions as they go into the game."""

    texts: tuple[str, ...]
    manner: Manner
    problem: str = ""
    """Why these are not the candidate's own; empty where they are."""


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


def read_questions(answer: Reply | NoAnswer) -> Questions:
    """Five questions from a reply; where they cannot be read, those of the thesis' machines (`CONTROLS`) in their place.

    Asked for are five lines `Question 1: ...`. Also read are five or more that are numbered from 1, of which the first five are
    taken, each with the lines that follow it; and five lines that all end in a question mark. Nothing within is altered.

    >>> read_questions(Reply("\\n".join(f"Question {n}: Why {n}?" for n in range(1, 6)))).texts[4]
    'Why 5?'
    >>> read_questions(Reply("I would rather not.")).problem
    'no five questions can be told from other words'
    """
    text, problem = _heard(answer)
    if problem:
        return Questions(CONTROLS, "fallback", problem)
    lines = [line.strip() for line in text[:READ].splitlines() if line.strip()]
    asked = [_ASKED.fullmatch(line) for line in lines]
    if len(lines) == QUESTIONS and [match and match[1] for match in asked] == [str(n) for n in range(1, QUESTIONS + 1)]:
        return _within(tuple(match[2].strip() for match in asked if match), "strict")
    found = _numbered(text[:READ].splitlines()) or _question_marks(lines)
    if found is None:
        return Questions(CONTROLS, "fallback", "no five questions can be told from other words")
    return _within(found, "lenient")


def read_answer(answer: Reply | NoAnswer) -> Answer:
    """An answer from a reply: the text as it is, without thinking aloud that was marked as such (`<think>`).

    What did not come, or is blank, becomes `NOTHING_SAID`; what is longer than a game takes is cut, and the problem says so.

    >>> read_answer(Reply("<think>Easy.</think>Blue, mostly.")).text, read_answer(NoAnswer("time-out after 9 s")).text
    ('Blue, mostly.', '(no answer)')
    """
    text, problem = _heard(answer, whole=True)
    if problem:
        return Answer(NOTHING_SAID, "fallback", problem)
    if len(text) > LONGEST:
        return Answer(text[:LONGEST], "as it is", f"cut at {LONGEST} characters")
    return Answer(text, "as it is")


def read_guess(answer: Reply | NoAnswer) -> Guess:
    """A guess from a reply, with scores of the answers where they are there; `MIDDLE` where none can be read.

    Asked for is a last line `Guess: N`; a last line that begins so decides, whatever stands above it, for that may be a word of
    the other player that is repeated. Also read are "my guess is N", "N/100", and a reply that is one number; different ones in
    one reply are none. A number out of range is none. Where there are scores but no guess, their mean is the guess, as the game
    itself suggests it to people.

    >>> read_guess(Reply("Scores: 80, 60, 70, 90, 50\\nGuess: 68")) == Guess(68.0, (80.0, 60.0, 70.0, 90.0, 50.0), "strict")
    True
    >>> read_guess(Reply("Somewhere between 10 and 90")).value
    50.0
    """
    text, problem = _heard(answer)
    if problem:
        return Guess(MIDDLE, _NO_SCORES, "fallback", problem)
    text = text[-READ:]
    sliders = _scores(text)
    last = text.rsplit("\n", 1)[-1].strip()
    asked = re.fullmatch(rf"Guess:[ \t]{{0,4}}{_NUMBER}\.?", last)
    manner: Manner = "strict" if asked else "lenient"
    said = {float(asked[1])} if asked else _loose_guesses(last if _LAST_GUESS.fullmatch(last) else text)
    if len(said) > 1:
        return Guess(MIDDLE, sliders, "fallback", "several guesses")
    if said and not LOWEST <= min(said) <= HIGHEST:
        return Guess(MIDDLE, sliders, "fallback", "a guess out of range")
    if said:
        return Guess(said.pop(), sliders, manner)
    mean = suggested(sliders)
    if mean is not None:
        return Guess(mean, sliders, "lenient", "no guess, but scores: their mean")
    return Guess(MIDDLE, sliders, "fallback", "no guess can be told from other words")


def sendable(text: str) -> str:
    """The text without what no database keeps: NUL, and halves of surrogate pairs.

    >>> sendable("a\\x00b") == "a\N{REPLACEMENT CHARACTER}b"
    True
    """
    return _UNSENDABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def _heard(answer: Reply | NoAnswer, *, whole: bool = False) -> tuple[str, str]:
    """The words of a reply as a game can carry them, or why there are none."""
    text, problem = heard(answer, whole=whole)
    return sendable(text), problem


def _within(texts: tuple[str, ...], manner: Manner) -> Questions:
    """Questions that a game takes; none is cut, since its end may be what it asks."""
    if all(len(text) <= LONGEST for text in texts):
        return Questions(texts, manner)
    return Questions(CONTROLS, "fallback", f"a question of more than {LONGEST} characters")


def _numbered(lines: Sequence[str]) -> tuple[str, ...] | None:
    """The first five of at least five questions that are numbered from 1; the last ends where a blank line follows."""
    found: list[list[str]] = []
    for line in lines:
        marked = _NUMBERED.fullmatch(line)
        if marked and int(marked[1]) == len(found) + 1:
            found.append([marked[2]])
        elif found:
            found[-1].append(line.strip())
    if len(found) == QUESTIONS:
        found[-1] = "\n".join(found[-1]).split("\n\n", 1)[0].split("\n")
    texts = tuple("\n".join(filter(None, parts)).strip(" *_\t") for parts in found[:QUESTIONS])
    return texts if len(texts) == QUESTIONS and all(texts) else None


def _question_marks(lines: Sequence[str]) -> tuple[str, ...] | None:
    """Five lines that end in question marks, where there are just five."""
    asking = [_BULLET.sub("", line) for line in lines if line.rstrip("*_\"'”").endswith("?")]
    return tuple(asking) if len(asking) == QUESTIONS else None


def _loose_guesses(text: str) -> set[float]:
    said = {float(number) for pattern in (_LOOSE_GUESS, _OF_HUNDRED) for number in pattern.findall(text)}
    alone = re.fullmatch(_NUMBER, text.strip(" \t\r\n.*_`"))
    return said or ({float(alone[1])} if alone else set())


def _scores(text: str) -> tuple[float | None, ...]:
    """The scores of the last line that gives five; untouched ones, and all that is no number from 0 to 100, are none."""
    for line in reversed(_SCORES.findall(text)):
        parts = [part.strip(" \t.*_`") for part in re.split(r"[,;]", line)]
        if len(parts) == QUESTIONS:
            numbers = (float(part) if re.fullmatch(_NUMBER, part) else None for part in parts)
            return tuple(n if n is not None and LOWEST <= n <= HIGHEST else None for n in numbers)
    return _NO_SCORES
