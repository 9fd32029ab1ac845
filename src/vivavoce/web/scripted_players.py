"""Scripted players of the demo, and the built-in opponent: a machine that plays lone visitors, so that they get a game
at the next tick.

It also replaces a player who has left, if both players had agreed to that.

It plays any number of games within the server, by the rules of other machines: it sees what a player sees, and its moves are
delayed. Its games count as games with a machine, and its guesses change no rating. It never resigns. If its bot fails or is too
slow, `ScriptedBot` makes the move.
"""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from sqlalchemy import Engine

from vivavoce.errors import VivavoceError
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.luna.messages import PreparedAnswer, PreparedGuess, PreparedQuestions, sendable
from vivavoce.luna.players import CandidatePlayer, EchoControl, RecordedAnswer
from vivavoce.luna.rules import AnswersMove, Game, GuessMove, IllegalMove, Move, Phase, Place, PlayerView, QuestionsMove, view
from vivavoce.luna.settings import THESIS, GameTerms
from vivavoce.web.database import DatabaseProblem, migrate, open_database, transaction
from vivavoce.web.pages.request_context import utc_now
from vivavoce.web.settings import SiteSettings
from vivavoce.web.store import games, machines, moves, people
from vivavoce.web.store.people import Player


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


LOOK_EVERY: Final = 1.0
"""Seconds between two checks for games that wait for it."""
AT_ONCE: Final = 8
"""Moves that are computed at the same time."""
PATIENCE: Final = timedelta(seconds=30)
"""Seconds that the other player may have waited before a bot must answer at once: less than `LONGEST_WAIT` by some checks."""
NAME: Final = "The house"

_log = logging.getLogger(__name__)


async def run_house(settings: SiteSettings, bot: Bot | None = None) -> None:
    """Play until it is cancelled; exactly one process of a site should run it.

    Parameters
    ----------
    bot: None: `ScriptedBot`.
    """
    engine = await asyncio.to_thread(open_database, settings.database)
    house = BuiltInOpponent(
        engine, bot or ScriptedBot(), clock=utc_now, hold_back=secrets.SystemRandom() if settings.hold_back else None
    )
    try:
        await asyncio.to_thread(migrate, engine)
        while True:
            try:
                await house.look()
            except DatabaseProblem as problem:
                _log.warning("the built-in opponent waits: %s", problem)
            await asyncio.sleep(LOOK_EVERY)
    finally:
        await house.leave()
        engine.dispose()


class BuiltInOpponent:
    """Plays for the built-in opponent on this database.

    Parameters
    ----------
    hold_back: draws the delay of moves; None: no delay.
    """

    def __init__(self, engine: Engine, bot: Bot, *, clock: Callable[[], datetime], hold_back: random.Random | None) -> None:
        self._engine = engine
        self._bot = bot
        self._spare = ScriptedBot()
        self._clock = clock
        self._hold_back = hold_back
        self._moving: dict[str, asyncio.Task[None]] = {}
        self._hurried: set[str] = set()

    async def look(self) -> None:
        """Mark it as present, and start its due moves; moves that a player waits for start at once."""
        for game_id in [each for each, task in self._moving.items() if task.done()]:
            self._hurried.discard(game_id)
            self._moving.pop(game_id).result()
        machine, due = await asyncio.to_thread(self._due)
        for game, position in due:
            if self._is_late(game, position):
                if game.id not in self._hurried:
                    await self._stop(game.id)
                    self._hurried.add(game.id)
                    self._moving[game.id] = asyncio.create_task(self._play(machine, game, position, self._spare))
            elif game.id not in self._moving and len(self._moving) < AT_ONCE:
                self._moving[game.id] = asyncio.create_task(self._play(machine, game, position, self._bot, self._spare))

    def _is_late(self, game: Game, position: Place) -> bool:
        now = self._clock()
        waits = game.waits_since(1 if position == 0 else 0, now)
        return waits is not None and now - waits >= PATIENCE

    async def settle(self) -> None:
        """Wait for moves in progress."""
        await asyncio.gather(*self._moving.values())

    async def leave(self) -> None:
        """Stop running moves."""
        for game_id in list(self._moving):
            await self._stop(game_id)

    async def _stop(self, game_id: str) -> None:
        if (task := self._moving.pop(game_id, None)) is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _due(self) -> tuple[Player, list[tuple[Game, Place]]]:
        now = self._clock()
        with transaction(self._engine) as c:
            machine = machines.of_the_house(c, NAME, now)
            people.seen(c, machine, now)
            held = moves.held_of(c, machine)
            mine = games.awaiting(c, machine, now)
            in_place = games.taken_over(c, now)
        due = [(game, position) for game, position in mine if game.id not in held]
        return machine, due + [(game, position) for game, position in in_place if game.awaits(position, now, machine=True)]

    async def _play(self, machine: Player, game: Game, position: Place, *bots: Bot) -> None:
        """Make the move of the first of these bots that can make one."""
        seen = view(game, position, self._clock(), machine=True)
        for bot in bots:
            try:
                move = await move_of(bot, game.id, seen)
                await asyncio.to_thread(self._write, machine, game, position, move)
            except (IllegalMove, DatabaseProblem) as problem:  # the game has ended meanwhile, or the next look tries again
                _log.debug("a move of the built-in opponent was not made: %s", problem)
            except Exception as problem:  # a player waits for the move, whatever is wrong with the bot
                fault = None if isinstance(problem, VivavoceError) else problem
                _log.warning("the bot of the built-in opponent could not move: %s", problem, exc_info=fault)
                continue
            return

    def _write(self, machine: Player, game: Game, position: Place, move: Move) -> None:
        with transaction(self._engine) as c:
            if game.seats[position].taken_over is None:
                moves.make_move(c, game.id, machine, move, self._clock(), hold_back=self._hold_back)
            else:
                moves.move_in_place(c, game.id, position, machine, move, self._clock())
