"""Games that end without a result, or go on with a machine in place of who has left.

Callers that end several games must be `alone`, for these are locked one after the other.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, insert, or_, select, update

from vivavoce.luna.rules import PLACES, READY_WITHIN, Game, GameEnding, IllegalMove, Phase, Place, Reason, take_over
from vivavoce.web.store.games import Loaded, loaded, tell, tell_of_end
from vivavoce.web.store.locking import changed, lock_players
from vivavoce.web.store.machines import house_seen
from vivavoce.web.tables import DRAFTS, GAMES, HELD, PLAYERS, QUEUE, SEATS


@dataclass(frozen=True, slots=True)
class Ending:
    """Games that are locked and will end, and who plays them."""

    games: Sequence[str]
    players: Collection[str]


def due(c: Connection, now: datetime) -> Ending:
    """The games whose time has run out, or of which somebody was not there in time, and which are not marked yet."""
    absent = GAMES.c.id.in_(select(SEATS.c.game).where(SEATS.c.ready.is_(None)))
    return _locked(c, or_(GAMES.c.expires <= now, (GAMES.c.begun <= now - READY_WITHIN) & absent))


def end(c: Connection, ending: Ending, now: datetime) -> int:
    """End those that are over by now; the players must be locked. How many were."""
    ended = 0
    for game_id in ending.games:
        game = loaded(c, game_id, lock=False).game
        why = game.ended(now)
        if why is not None:
            leave(c, game, why, now)
            ended += 1
    return ended


def leave(c: Connection, game: Game, ended: GameEnding, now: datetime) -> None:
    """End a game that is locked, with its players, or let a machine take over the seat of who has left."""
    if ended.by is not None and (going_on := take_over(game, ended, now)) and house_seen(c, now) is not None:
        _take_over(c, going_on, ended, ended.by, now)
        return
    row = {"state": "expired", "ending": ended.reason, "ended_by": ended.by, "expires": min(now, game.expires)}
    c.execute(update(GAMES).where(GAMES.c.id == game.id).values(row))
    for table in (DRAFTS, HELD):
        c.execute(delete(table).where(table.c.game == game.id))
    if ended.reason == "not ready":
        _wait_again(c, game, now)
    tell_of_end(c, game, ended, now)


def resign(c: Connection, before: Loaded, place: Place, now: datetime) -> None:
    """Give up a game, which is locked. Raises `IllegalMove` for one that has ended, or that the player has left."""
    if before.game.phase(now) in (Phase.OVER, Phase.EXPIRED) or before.game.seats[place].taken_over:
        raise IllegalMove("this game has ended")
    lock_players(c, {seat.player for seat in before.game.seats})
    leave(c, before.game, GameEnding("resigned", place), now)


def end_games_of(c: Connection, player: str, reason: Reason, now: datetime) -> None:
    """End the games of somebody who will not move any more at once, so that nobody waits for them."""
    ending = _locked(c, GAMES.c.id.in_(select(SEATS.c.game).where(SEATS.c.player == player)))
    lock_players(c, {player, *ending.players})
    for game_id in ending.games:
        game = loaded(c, game_id, lock=False).game
        place: Place = 0 if game.seats[0].player == player else 1
        if game.seats[place].taken_over and game.phase(now) is Phase.INTERVIEW:
            continue  # nothing of what goes on is theirs
        leave(c, game, game.ended(now) or GameEnding(reason, place), now)


def _take_over(c: Connection, game: Game, ended: GameEnding, place: Place, now: datetime) -> None:
    row = {"expires": game.expires, "ending": ended.reason, "ended_by": place}
    c.execute(update(GAMES).where(GAMES.c.id == game.id).values(row))
    seat, other = game.seats[place], game.seats[1 - place]
    taken = update(SEATS).where(SEATS.c.game == game.id, SEATS.c.place == place)
    c.execute(taken.values(taken_over=now, ready=seat.ready))
    c.execute(delete(DRAFTS).where(DRAFTS.c.game == game.id, DRAFTS.c.player == seat.player))
    c.execute(delete(HELD).where(HELD.c.game == game.id))
    changed(c, (seat.player,))
    tell(c, other.player, "taken over", game, now)


def _wait_again(c: Connection, game: Game, now: datetime) -> None:
    """Whoever was there waits for another game; machines look for one themselves."""
    there = [game.seats[place] for place in PLACES if place not in game.unready(now)]
    for player in [seat.player for seat in there if seat.human and seat.taken_over is None]:
        waits = select(QUEUE.c.player).where(QUEUE.c.player == player)
        gone = select(PLAYERS.c.id).where(PLAYERS.c.id == player, PLAYERS.c.banned | PLAYERS.c.left_at.is_not(None))
        if c.execute(waits.union(gone)).first() is None:
            c.execute(insert(QUEUE).values(player=player, since=now))


def _locked(c: Connection, which: ColumnElement[bool]) -> Ending:
    order = select(GAMES.c.id).where(GAMES.c.state == "open", which).order_by(GAMES.c.expires, GAMES.c.id)
    games = c.execute(order.with_for_update()).scalars().all()
    players = c.execute(select(SEATS.c.player).where(SEATS.c.game.in_(games)).distinct()).scalars().all() if games else []
    return Ending(games, players)
