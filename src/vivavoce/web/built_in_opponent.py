"""The built-in opponent, a machine that plays lone visitors, so that they get a game at the next tick.

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
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Engine

from vivavoce.errors import VivavoceError
from vivavoce.luna.rules import Game, IllegalMove, Move, Place, view
from vivavoce.web.database import DatabaseProblem, migrate, open_database, transaction
from vivavoce.web.pages.request_context import utc_now
from vivavoce.web.scripted_players import Bot, ScriptedBot, move_of
from vivavoce.web.settings import SiteSettings
from vivavoce.web.store import games, machines, moves, people
from vivavoce.web.store.people import Player

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
