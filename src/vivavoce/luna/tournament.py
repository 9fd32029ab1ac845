"""A candidate plays a number of games through the interface for machines, several at a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.luna.client import LunaClient, Refused
from vivavoce.luna.config import PlayConfig
from vivavoce.luna.interface import OneOfGames
from vivavoce.luna.played import Parts, Played, PlayedGame
from vivavoce.luna.players import Player

PAUSE: Final = 2.0
"""Seconds between two looks at whose turn it is."""
_GONE: Final = frozenset((404, 409, 410))
"""What the server says about a move in a game that has just ended in another way."""


async def play_games(
    client: LunaClient,
    player: Player,
    config: PlayConfig = PlayConfig(),  # noqa: B008 -- frozen
    *,
    concurrency: int = 1,
    pause: float = PAUSE,
    on_news: Callable[[str], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Played:
    """Play games to their end, and return how they ended.

    Games that an earlier run left open are taken up first and count among them: the other side has waited long
    enough. With the transcript of that run, what the candidate has said in them is not asked again.

    Parameters
    ----------
    config: how many games, and after how many seconds in which nothing happens it ends, with games left open.
    concurrency: games that are open at a time; the candidate's interview bounds what it is asked at a time.
    on_news: told in a line what has happened.

    Raises what the client and the interview raise; open games can then be gone on with. Nobody is left waiting in the queue.
    """
    if concurrency < 1:
        raise BadInput(f"{concurrency} games at once: give at least 1")
    patience = config.patience
    tour = _Tour(client, player, games=config.games, concurrency=concurrency, say=on_news or (lambda _: None))
    quiet_since, before = clock(), tour.events
    try:
        while not await tour.look():
            await tour.rest(pause if patience is None else min(pause, patience))
            if tour.events != before or tour.moving:
                quiet_since, before = clock(), tour.events
            if patience is not None and clock() - quiet_since > patience:
                break
    finally:
        await tour.leave()
    return Played(player.name, await client.me(), tuple(tour.finished), tuple(sorted(tour.open)))


class _Tour:
    """What is going on, as far as one has looked."""

    def __init__(self, client: LunaClient, player: Player, *, games: int, concurrency: int, say: Callable[[str], None]) -> None:
        self._client = client
        self._player = player
        self._games = games
        self._concurrency = concurrency
        self._say = say
        self._waiting = False
        self.open: dict[str, Parts] = {}
        self.finished: list[PlayedGame] = []
        self.moving: dict[str, asyncio.Task[None]] = {}
        self.events = 0

    async def look(self) -> bool:
        """See what is new, and begin what can be begun; returns whether all is done."""
        listing = await self._client.games(unfinished=True)
        self._waiting = listing.waiting_since is not None
        for game in listing.games:
            if game.id not in self.open:
                self._news(f"game {game.id} begins" if game.phase == "interview" else f"game {game.id} goes on")
                self.open[game.id] = Parts()
        there = {game.id: game for game in listing.games}
        for game_id in [each for each in self.open if each not in there and each not in self.moving]:
            await self._finish(game_id)
        self._begin_moves(there)
        begun = len(self.open) + len(self.finished)
        if begun < self._games and len(self.open) < self._concurrency and not self._waiting:
            self._waiting = (await self._client.find_game()).game is None
        elif self._waiting and begun >= self._games:
            await self._stop_waiting()
        return not self.open and len(self.finished) >= self._games

    async def rest(self, seconds: float) -> None:
        """Wait until a move is made, or for some seconds. Raises what a move has raised."""
        if not self.moving:
            await asyncio.sleep(seconds)
            return
        done, _ = await asyncio.wait(self.moving.values(), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for game_id in [each for each, task in self.moving.items() if task in done]:
            self.moving.pop(game_id).result()

    async def leave(self) -> None:
        """Stop what is under way; what an error in the middle of it says matters less than why one leaves."""
        for task in self.moving.values():
            task.cancel()
        await asyncio.gather(*self.moving.values(), return_exceptions=True)
        if self._waiting:
            with suppress(VivavoceError):
                await self._stop_waiting()

    def _begin_moves(self, there: dict[str, OneOfGames]) -> None:
        for game_id, game in there.items():
            if game.your_turn and game_id not in self.moving:
                self.moving[game_id] = asyncio.create_task(self._move(game_id))

    async def _move(self, game_id: str) -> None:
        """Make the move that is due, if it still is."""
        try:
            await self._due_move(game_id)
        except Refused as refusal:
            if refusal.status not in _GONE or await self._is_due(game_id):
                raise
        self.events += 1

    async def _due_move(self, game_id: str) -> None:
        game, parts = await self._client.game(game_id), self.open[game_id]
        if not game.your_turn:
            return
        terms = game.rules.terms
        if game.phase == "interview":
            parts.questions = await self._player.questions(game_id, terms)
            await self._client.ask(game_id, parts.questions.texts)
        elif game.phase == "response" and game.questions is not None:
            parts.answers = await self._player.answers(game_id, game.questions, terms)
            await self._client.answer(game_id, [answer.text for answer in parts.answers])
        elif game.phase == "guess" and game.answers is not None and game.own.questions is not None:
            parts.guess = await self._player.guess(game_id, game.own.questions, game.answers)
            guess = parts.guess
            await self._client.guess(game_id, guess.value, sliders=guess.sliders or None, judgement=guess.judgement)

    async def _is_due(self, game_id: str) -> bool:
        try:
            return (await self._client.game(game_id)).your_turn
        except Refused as refusal:
            if refusal.status not in _GONE:
                raise
            return False

    async def _finish(self, game_id: str) -> None:
        parts = self.open.pop(game_id)
        try:
            game = await self._client.game(game_id)
        except Refused as refusal:
            if refusal.status not in _GONE:
                raise
            self.finished.append(PlayedGame.of(game_id, parts, None))
            self._news(f"game {game_id} is no more")
            return
        if game.ended is not None and game.ended.reason == "not ready":
            self._news(f"game {game_id} did not begin: somebody was not there")
            return
        played = PlayedGame.of(game_id, parts, game.result)
        self.finished.append(played)
        self._news(f"game {game_id}: {played.in_words}")

    async def _stop_waiting(self) -> None:
        await self._client.stop_waiting()
        self._waiting = False

    def _news(self, line: str) -> None:
        self.events += 1
        self._say(line)
