"""The queue of waiting players, and the start of games. Pairing is in `vivavoce.luna.matching`."""

from __future__ import annotations

import math
import random
import secrets
from collections import defaultdict
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, and_, delete, func, insert, select, update

from vivavoce.luna.matching import Pair, WaitingPlayer, draw_pairs
from vivavoce.luna.rules import Game
from vivavoce.luna.settings import THESIS, GameTerms
from vivavoce.web.settings import TICK
from vivavoce.web.store import moves, people
from vivavoce.web.store.games import begin
from vivavoce.web.store.machines import house_seen
from vivavoce.web.store.people import Player, forget_expired_sessions, seen
from vivavoce.web.store.site import alone, lock_players
from vivavoce.web.tables import LOCKS, PLAYERS, PRESENCE, QUEUE, SEATS

LOTS: Final = secrets.SystemRandom()
CONSIDERED: Final = 200
"""Most waiting people, and most waiting machines, that are paired: those present last."""
STALE: Final = timedelta(days=7)
"""A player absent for this long no longer waits."""


def join_queue(c: Connection, player: Player, now: datetime) -> datetime:
    """Let the player wait for a game, which starts at a tick; returns since when they have waited."""
    alone(c)
    seen(c, player, now)
    since = waiting_since(c, player)
    if since is None:
        c.execute(insert(QUEUE).values(player=player.id, since=now))
    return since or now


def waiting_since(c: Connection, player: Player) -> datetime | None:
    """Since when the player waits; None if they don't."""
    return c.execute(select(QUEUE.c.since).where(QUEUE.c.player == player.id)).scalar_one_or_none()


def leave_queue(c: Connection, player: Player) -> None:
    """Stop waiting."""
    alone(c)
    c.execute(delete(QUEUE).where(QUEUE.c.player == player.id))


def sweep(
    c: Connection,
    now: datetime,
    *,
    tick: float = TICK,
    terms: GameTerms = THESIS,
    rng: random.Random = LOTS,
) -> int:
    """Start games at a new tick, make due moves, mark expired games and delete expired keys; returns the counts.

    Parameters
    ----------
    tick: seconds between two moments at which games start; these are the same for all processes.
    terms: of new games.
    rng: draws the pairs.

    Every process may call it at any time: only the first call at each tick pairs players. Without it no game begins; expiry
    and due moves are also handled whenever a game is loaded.
    """
    alone(c)
    moved = moves.release(c, now)
    made = _pairs_of_tick(c, now, tick, rng)
    ending, players = moves.games_to_end(c, now)
    lock_players(c, {*players, *(player.player for pair in made for player in pair)})
    ended = moves.end_games(c, ending, now)
    for first, second in made:
        _begin(c, first, second, now, terms)
    idle = select(PRESENCE.c.player).where(PRESENCE.c.seen <= now - STALE)
    c.execute(delete(QUEUE).where(QUEUE.c.player.in_(idle)))
    return moved + len(made) + ended + forget_expired_sessions(c, now) + people.forget_expired_keys(c, now)


def _pairs_of_tick(c: Connection, now: datetime, tick: float, rng: random.Random) -> list[Pair]:
    """The pairs that start a game now; empty if they were already drawn for this tick."""
    number = math.floor(now.timestamp() / tick)
    if not c.execute(update(LOCKS).where(LOCKS.c.name == "queue", LOCKS.c.tick != number).values(tick=number)).rowcount:
        return []
    return draw_pairs(_waiting(c), now, rng, house=_house(c, now))


def _begin(c: Connection, first: WaitingPlayer, second: WaitingPlayer, now: datetime, terms: GameTerms) -> Game:
    c.execute(delete(QUEUE).where(QUEUE.c.player.in_([first.player, second.player])))
    both = [first, second]
    if secrets.randbelow(2):  # the order of places must not reveal who waited
        both.reverse()
    player, other = both
    ready = _is_ready(player, now), _is_ready(other, now)
    refusing = [each.player for each in both if each.human and not each.machines_may_step_in]
    seats = (player.player, player.human), (other.player, other.human)
    return begin(c, seats, now, ready=ready, terms=terms, refusing=refusing)


def _is_ready(waiting: WaitingPlayer, now: datetime) -> bool:
    """Players who are present must confirm it; others get a mail. Machines are always ready."""
    return not (waiting.human and waiting.present(now))


def _house(c: Connection, now: datetime) -> WaitingPlayer | None:
    """The built-in opponent, if it is present."""
    pair = house_seen(c, now)
    return None if pair is None else WaitingPlayer(pair[0], human=False, since=now, seen=pair[1])


def _waiting(c: Connection) -> list[WaitingPlayer]:
    """Waiting players: if there are many, those present last, so that machines don't keep people out."""
    columns = (
        *(PLAYERS.c[name] for name in ("id", "kind", "machines_may_step_in")),
        and_(PLAYERS.c.mail_on_turn, PLAYERS.c.email_confirmed.is_not(None)),
        *(QUEUE.c.since, PRESENCE.c.seen, PRESENCE.c.closed),
    )
    rows = (
        select(*columns)
        .join(QUEUE, QUEUE.c.player == PLAYERS.c.id)
        .join(PRESENCE, PRESENCE.c.player == PLAYERS.c.id)
        .where(PLAYERS.c.banned.is_(False), PLAYERS.c.left_at.is_(None))
        .order_by(PRESENCE.c.closed.is_not(None), PRESENCE.c.seen.desc())
        .limit(CONSIDERED)
    )
    waiting = [
        row for kind in (PLAYERS.c.kind != "machine", PLAYERS.c.kind == "machine") for row in c.execute(rows.where(kind))
    ]
    met = _met(c, [row[0] for row in waiting])
    return [
        WaitingPlayer(
            player=player,
            human=kind != "machine",
            since=since,
            seen=last_seen,
            machines_may_step_in=machines,
            mail=mail,
            met=met[player],
            closed=closed,
        )
        for player, kind, machines, mail, since, last_seen, closed in waiting
    ]


def _met(c: Connection, players: list[str]) -> dict[str, dict[str, int]]:
    """How often each of these players has played each other one."""
    met: dict[str, dict[str, int]] = defaultdict(dict)
    if len(players) > 1:
        among = SEATS.c.player.in_(players) & SEATS.c.opponent.in_(players)
        counts = select(SEATS.c.player, SEATS.c.opponent, func.count()).where(among).group_by(SEATS.c.player, SEATS.c.opponent)
        for player, opponent, times in c.execute(counts):
            met[player][opponent] = times
    return met
