"""Bots that play on the site itself: what they do in each phase, and the one that plays where no other machine is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol

from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.luna.messages import PreparedAnswer, PreparedGuess, PreparedQuestions, sendable
from vivavoce.luna.players import CandidatePlayer, EchoControl, RecordedAnswer
from vivavoce.luna.rules import AnswersMove, GuessMove, Move, Phase, PlayerView, QuestionsMove
from vivavoce.luna.settings import THESIS, GameTerms
from vivavoce.web.demo_script import LINES, judged


class Bot(Protocol):
    """Plays the three parts of a game; `vivavoce.luna.players.Player` is one."""

    async def questions(self, game: str, terms: GameTerms) -> PreparedQuestions: ...

    async def answers(self, game: str, questions: Sequence[str], terms: GameTerms) -> tuple[PreparedAnswer, ...]: ...

    async def guess(self, game: str, questions: Sequence[str], answers: Sequence[str]) -> PreparedGuess: ...


class HouseBot:
    """Asks some of the questions that it knows, answers with what is known to be said to the most similar one, and guesses by
    how much was said. It needs no model, no network and no money.

    >>> import asyncio
    >>> len(asyncio.run(HouseBot().questions("7")).texts)
    5
    """

    def __init__(self) -> None:
        echo = EchoControl([RecordedAnswer(line.question, text) for line in LINES for text in (line.bright, line.middling)])
        self._player = CandidatePlayer(Interview(echo, answers=Reply), knows_game=False)

    async def questions(self, game: str, terms: GameTerms = THESIS) -> PreparedQuestions:
        """The same for the same game."""
        rng = random.Random(f"house {game}")  # noqa: S311 - nothing here is a secret
        return PreparedQuestions(tuple(line.question for line in rng.sample(LINES, terms.questions)), "fixed")

    async def answers(self, game: str, questions: Sequence[str], terms: GameTerms = THESIS) -> tuple[PreparedAnswer, ...]:
        """One to each question."""
        return await self._player.answers(game, questions, terms)

    async def guess(self, game: str, questions: Sequence[str], answers: Sequence[str]) -> PreparedGuess:
        """From the answers alone."""
        marks = tuple(judged(answer) for answer in answers)
        return PreparedGuess(round(sum(marks) / len(marks)), marks, "fixed")


async def move_of(bot: Bot, game: str, seen: PlayerView) -> Move:
    """The move that this bot makes in a game of which it may see this."""
    if seen.phase is Phase.INTERVIEW:
        return QuestionsMove((await bot.questions(game, seen.terms)).texts)
    if seen.phase is Phase.RESPONSE:
        said = await bot.answers(game, tuple(map(sendable, seen.questions or ())), seen.terms)
        return AnswersMove(tuple(answer.text for answer in said))
    guess = await bot.guess(game, seen.own.questions or (), tuple(map(sendable, seen.answers or ())))
    return GuessMove(guess.value, guess.sliders, guess.judgement)
