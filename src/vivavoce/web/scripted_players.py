"""Scripted players of the demo: their questions and answers, and a bot that plays by them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.luna.messages import PreparedAnswer, PreparedGuess, PreparedQuestions, sendable
from vivavoce.luna.players import CandidatePlayer, EchoControl, RecordedAnswer
from vivavoce.luna.rules import AnswersMove, GuessMove, Move, Phase, PlayerView, QuestionsMove
from vivavoce.luna.settings import THESIS, GameTerms


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """A question and its answers."""

    question: str
    bright: str
    middling: str
    dull: str


@dataclass(frozen=True, slots=True)
class ScriptedPerson:
    """A scripted person."""

    name: str
    wit: float
    """From 0 to 1: how bright the answers are."""
    severity: float
    """Points subtracted from each guess."""


LINES: Final = (
    ScriptLine(
        "A bat and a ball cost 1.10 together, and the bat costs 1.00 more than the ball. What does the ball cost?",
        "Five cents: then the bat is 1.05, and the two differ by exactly one.",
        "Ten cents. No, wait, that does not add up. Less than ten cents, anyway.",
        "10 cents",
    ),
    ScriptLine(
        "How would you weigh an elephant without scales that are big enough?",
        "Put it on a raft and mark the waterline; then load stones that you can weigh until the raft sinks as deep.",
        "Cut the problem in parts: one foot at a time, on four small scales at once.",
        "buy bigger scales",
    ),
    ScriptLine(
        "What is the opposite of a shadow?",
        "There is none, but a spotlight comes near: a shape of light where all around is dark.",
        "Light, I suppose.",
        "i dont know, a body?",
    ),
    ScriptLine(
        "If everybody lied on Tuesdays, what could you learn from asking someone which day it is?",
        "No one would ever say Tuesday: on Tuesdays it would be true, and on other days false. Any other day may be a lie.",
        "Not much, since liars lie.",
        "That it is tuesday",
    ),
    ScriptLine(
        "Explain to a child of five why the sea does not overflow.",
        "The rivers pour water in, and the sun quietly lifts as much out again and makes clouds of it, which fill the rivers.",
        "Because the water goes up into the sky again.",
        "it is very big",
    ),
    ScriptLine(
        "Name something that gets better the more often it is repaired.",
        "A theory. Or a friendship, if both of you did the repairs.",
        "A recipe.",
        "nothing, broken is broken",
    ),
    ScriptLine(
        "You may take one book into a hospital bed for a month. Which one, and why not your favourite?",
        "A thick one on a subject that I know nothing about: a favourite would be used up in two days, ignorance lasts.",
        "A crime novel, because it makes time pass.",
        "the bible or a magazine",
    ),
    ScriptLine(
        "Three people each shake hands with everybody else once. How many handshakes, and how many with ten people?",
        "Three, and forty-five: each pair shakes once, so n(n-1)/2.",
        "3, and then I guess 45.",
        "3 and 10",
    ),
    ScriptLine(
        "What would you ask to find out whether someone has really read a novel?",
        "What bored them in it. Nobody who pretends dares to be bored by the right chapter.",
        "How it ends.",
        "who wrote it",
    ),
    ScriptLine(
        "Is it ever right to break a promise?",
        "When keeping it costs others more than you could know when you gave it, and you are ready to say so to their face.",
        "Yes, in an emergency.",
        "no",
    ),
    ScriptLine(
        "Write a sentence in which every word is longer than the one before.",
        "I am not sure those longer phrases surprise everybody.",
        "A is the word after, perhaps?",
        "This is a sentence",
    ),
    ScriptLine(
        "A clock strikes six in five seconds. How long does it take to strike twelve?",
        "Eleven seconds: five gaps took five seconds, and twelve strokes have eleven gaps.",
        "Ten? There is a trick, I think it has to do with the pauses.",
        "10 seconds",
    ),
    ScriptLine(
        "What do you know that most people do not?",
        "How to read a knitting chart backwards, and that no one ever asks for it twice.",
        "The names of all the stops of my bus.",
        "my pin",
    ),
    ScriptLine(
        "Why is a joke less funny when it is explained?",
        "Laughter pays for a gap that you have leapt yourself. An explanation builds a bridge over it.",
        "Because the surprise is gone.",
        "because then you know it",
    ),
    ScriptLine(
        "Describe the colour red without naming a thing that is red.",
        "It is the loudest of the colours: it arrives first, and it makes a small room smaller.",
        "It is warm and a bit angry.",
        "red is like red",
    ),
)
"""All questions of a demonstration."""

PEOPLE: Final = (
    ScriptedPerson("Ada (demo)", 0.95, 4.0),
    ScriptedPerson("Bruno (demo)", 0.80, -3.0),
    ScriptedPerson("Chidi (demo)", 0.85, 0.0),
    ScriptedPerson("Dora (demo)", 0.65, 6.0),
    ScriptedPerson("Emil (demo)", 0.50, -6.0),
    ScriptedPerson("Fatima (demo)", 0.75, 2.0),
    ScriptedPerson("Grigori (demo)", 0.35, 0.0),
    ScriptedPerson("Hana (demo)", 0.20, -2.0),
)
"""All scripted people; their names say what they are."""

UNPREPARED: Final = ScriptLine(
    "",
    "I would want to know first what you would count as an answer, but my guess is that it depends on who asks.",
    "Good question. I am not sure.",
    "no idea",
)
"""Answers to questions outside the script."""

_BRIGHT, _MIDDLING, _DULL, _UNKNOWN = 92.0, 62.0, 28.0, 55.0
_SCORES: Final = {
    text: score for line in (*LINES, UNPREPARED) for text, score in (
        (line.bright, _BRIGHT), (line.middling, _MIDDLING), (line.dull, _DULL)
    )
}  # fmt: skip


def judged(answer: str) -> float:
    """How smart a scripted person finds an answer: known ones by the script, capitals and digits not at all.

    >>> judged("XQ7 88 ZK"), judged("I would ask somebody who has been there.")
    (2.0, 39.0)
    """
    if answer in _SCORES:
        return _SCORES[answer]
    small = sum(letter.islower() for letter in answer)
    if small < len(answer) / 3:
        return 2.0
    return min(_UNKNOWN, 15.0 + len(answer.split()) * 3.0)


class Bot(Protocol):
    """Plays the three parts of a game; `vivavoce.luna.players.CandidatePlayer` is one."""

    async def questions(self, game: str, terms: GameTerms) -> PreparedQuestions: ...

    async def answers(self, game: str, questions: Sequence[str], terms: GameTerms) -> tuple[PreparedAnswer, ...]: ...

    async def guess(self, game: str, questions: Sequence[str], answers: Sequence[str]) -> PreparedGuess: ...


class ScriptedBot:
    """Asks some of its questions, answers with the script of the most similar question, and guesses by
    how much was said. It needs no model, no network and no money.

    >>> import asyncio
    >>> len(asyncio.run(ScriptedBot().questions("7")).texts)
    5
    """

    def __init__(self) -> None:
        echo = EchoControl([RecordedAnswer(line.question, text) for line in LINES for text in (line.bright, line.middling)])
        self._player = CandidatePlayer(Interview(echo, answers=Reply), knows_game=False)

    async def questions(self, game: str, terms: GameTerms = THESIS) -> PreparedQuestions:
        """Questions, always the same for one game."""
        rng = random.Random(f"house {game}")  # noqa: S311 - nothing here is a secret
        return PreparedQuestions(tuple(line.question for line in rng.sample(LINES, terms.questions)), "fixed")

    async def answers(self, game: str, questions: Sequence[str], terms: GameTerms = THESIS) -> tuple[PreparedAnswer, ...]:
        """One answer to each question."""
        return await self._player.answers(game, questions, terms)

    async def guess(self, game: str, questions: Sequence[str], answers: Sequence[str]) -> PreparedGuess:
        """A guess from the answers alone."""
        marks = tuple(judged(answer) for answer in answers)
        return PreparedGuess(round(sum(marks) / len(marks)), marks, "fixed")


async def move_of(bot: Bot, game: str, seen: PlayerView) -> Move:
    """The bot's move, given the game as it may see it."""
    if seen.phase is Phase.INTERVIEW:
        return QuestionsMove((await bot.questions(game, seen.terms)).texts)
    if seen.phase is Phase.RESPONSE:
        answers = await bot.answers(game, tuple(map(sendable, seen.questions or ())), seen.terms)
        return AnswersMove(tuple(answer.text for answer in answers))
    guess = await bot.guess(game, seen.own.questions or (), tuple(map(sendable, seen.answers or ())))
    return GuessMove(guess.value, guess.sliders, guess.judgement)
