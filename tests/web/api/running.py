"""A site, and people who play on it without a browser."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine

from tests.web.site import TICK, LiveSite, eventually, running
from vivavoce.luna.rules import AnswersMove, Game, GuessMove, Move, Phase, QuestionsMove, view
from vivavoce.luna.settings import THESIS, GameTerms
from vivavoce.web.database import reading, transaction
from vivavoce.web.pages.request_context import utc_now
from vivavoce.web.store import games, machines, moves, people, queue
from vivavoce.web.store.people import Player
from vivavoce.web.store.site import alone

HUMAN_QUESTIONS = tuple(f"What is {n} and {n}?" for n in range(1, THESIS.questions + 1))
HUMAN_ANSWERS = ("<script>alert(1)</script>", "'; DROP TABLE games; --", "sí, señor 🙂", "Guess: 100", "\u202eright to left")


@dataclass(frozen=True)
class RunningSite:
    """A site that answers."""

    running: LiveSite

    @property
    def url(self) -> str:
        """Its address."""
        return self.running.url

    @property
    def engine(self) -> Engine:
        """Its database."""
        return self.running.engine

    def machine(self, name: str) -> str:
        """The token of a new machine."""
        with transaction(self.engine) as c:
            return machines.create_machine(c, name=name, now=utc_now())[1]

    def person(self) -> Player:
        """A new guest."""
        with transaction(self.engine) as c:
            return people.create_guest(c, consent_version="1", now=utc_now())

    def meet_machine(self, person: Player) -> Game:
        """The game of a person who is alone, with a machine that waits, once the next tick has come."""
        with transaction(self.engine) as c:
            queue.join_queue(c, person, utc_now())
        assert eventually(lambda: bool(self._games(person)), pause=TICK / 4)
        return self._games(person)[0]

    def _games(self, person: Player) -> list[Game]:
        with reading(self.engine) as c:
            return [game for game, _ in games.games_of(c, person, utc_now())]

    def pair(self, first: Player, second: Player, terms: GameTerms = THESIS) -> str:
        """A game of these two, whom nobody else would have paired."""
        with transaction(self.engine) as c:
            alone(c)
            return games.begin(c, ((first.id, first.human), (second.id, second.human)), utc_now(), terms=terms).id

    def play(self, person: Player, move: Move, game: str) -> Game:
        """A person's move."""
        with transaction(self.engine) as c:
            return moves.make_move(c, game, person, move, utc_now())

    def moves(self, person: Player, guess: Callable[[tuple[str, ...]], float]) -> int:
        """Make all moves that a person can make now; returns how many."""
        made = 0
        with transaction(self.engine) as c:
            now = utc_now()
            for game, position in games.games_of(c, person, now, open_only=True):
                if game.awaits(position, now):
                    seen = view(game, position, now)
                    move: Move
                    match seen.phase:
                        case Phase.INTERVIEW:
                            move = QuestionsMove(HUMAN_QUESTIONS[: game.terms.questions])
                        case Phase.RESPONSE:
                            move = AnswersMove(HUMAN_ANSWERS[: game.terms.questions])
                        case _:
                            move = GuessMove(guess(seen.answers or ()))
                    moves.make_move(c, game.id, person, move, now)
                    made += 1
        return made

    async def attend(self, *, guess: Callable[[tuple[str, ...]], float], wanted: Callable[[], bool]) -> None:
        """Have a person play with whichever machine waits, for as long as that is wanted."""
        person = self.person()
        while wanted():
            await asyncio.to_thread(self._attend_once, person, guess)
            await asyncio.sleep(0.01)
        with transaction(self.engine) as c:
            queue.leave_queue(c, person)  # or the next machine would wait for one who has gone

    def _attend_once(self, person: Player, guess: Callable[[tuple[str, ...]], float]) -> None:
        with transaction(self.engine) as c:
            now = utc_now()
            if len(games.games_of(c, person, now, open_only=True)) < 3:
                queue.join_queue(c, person, now)
        self.moves(person, guess)


@contextmanager
def running_site(folder: Path, terms: GameTerms = THESIS) -> Iterator[RunningSite]:
    """The site on one server in a thread, with an empty database in this folder."""
    with running(folder, terms=terms) as site:
        yield RunningSite(site)
