"""Who waits for a game, and how a game comes of it. Whom to pair is decided in `vivavoce.luna.matching`."""

from __future__ import annotations

import secrets
from collections import defaultdict
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, and_, delete, func, insert, select

from vivavoce.luna.matching import LONGEST_PATIENCE, Waiting, pairs, partner
from vivavoce.luna.rules import Game
from vivavoce.web.store import ending as ending_games
from vivavoce.web.store import keys
from vivavoce.web.store.games import begin
from vivavoce.web.store.locking import alone, lock_players
from vivavoce.web.store.people import Player, seen
from vivavoce.web.store.sessions import forget_expired
from vivavoce.web.tables import PLAYERS, PRESENCE, QUEUE, SEATS

CONSIDERED: Final = 200
"""Of those who wait, at most: who was here last."""
STALE: Final = timedelta(days=7)
"""Who was not here for this long does not wait any more."""


def find_game(c: Connection, player: Player, now: datetime) -> Game | None:
    """Pair the player with somebody who waits, or else let the player wait: None. Who waits already goes on waiting.

    A page that looks again and again while waiting should call `keep_waiting`: this one begins to wait again once a game was
    found.
    """
    alone(c)
    if waiting_since(c, player) is None:
        # how long somebody waits must not tell whether a machine stepped in: patience differs
        patience = secrets.SystemRandom().uniform(0.0, LONGEST_PATIENCE.total_seconds())
        c.execute(insert(QUEUE).values(player=player.id, since=now, patience_seconds=patience))
    return _look(c, player, now)


def keep_waiting(c: Connection, player: Player, now: datetime) -> Game | None:
    """Look whether somebody can be paired with the player now; does nothing for a player who does not wait."""
    alone(c)
    return None if waiting_since(c, player) is None else _look(c, player, now)


def waiting_since(c: Connection, player: Player) -> datetime | None:
    """Since when the player waits; None for one who does not."""
    return c.execute(select(QUEUE.c.since).where(QUEUE.c.player == player.id)).scalar_one_or_none()


def leave_queue(c: Connection, player: Player) -> None:
    """The player does not want a game any more."""
    alone(c)
    c.execute(delete(QUEUE).where(QUEUE.c.player == player.id))


def sweep(c: Connection, now: datetime) -> int:
    """Pair those whose patience has run out, mark games that have expired, forget sessions and keys that have; how much it was.

    Every process may do it as often as it likes. Without it nothing goes wrong: games expire all the same, for that is looked
    at whenever they are touched, and who looks for a game finds those who wait.
    """
    alone(c)
    ending, made = ending_games.due(c, now), pairs(_waiting(c), now)
    lock_players(c, {*ending.players, *(one.player for pair in made for one in pair)})
    ending_games.expire(c, ending, now)
    for first, second in made:
        _begin(c, first, second, now)
    idle = select(PRESENCE.c.player).where(PRESENCE.c.seen <= now - STALE)
    c.execute(delete(QUEUE).where(QUEUE.c.player.in_(idle)))
    return len(made) + len(ending.games) + forget_expired(c, now) + keys.forget_expired(c, now)


def _look(c: Connection, player: Player, now: datetime) -> Game | None:
    seen(c, player, now)
    waiting = _waiting(c, player.id)
    seeker = next((one for one in waiting if one.player == player.id), None)
    found = partner(seeker, waiting, now) if seeker else None
    return _begin(c, seeker, found, now) if seeker and found else None


def _begin(c: Connection, first: Waiting, second: Waiting, now: datetime) -> Game:
    c.execute(delete(QUEUE).where(QUEUE.c.player.in_([first.player, second.player])))
    seats = [(first.player, first.human), (second.player, second.human)]
    if secrets.randbelow(2):  # nobody can tell from the order of places who waited
        seats.reverse()
    return begin(c, (seats[0], seats[1]), now)


def _waiting(c: Connection, at_any_rate: str = "") -> list[Waiting]:
    """Those who wait: of many, those who were here last, and the player of that id."""
    columns = (
        *(PLAYERS.c[name] for name in ("id", "kind", "moves", "move_seconds", "machines_may_step_in")),
        and_(PLAYERS.c.mail_on_turn, PLAYERS.c.email_confirmed.is_not(None)),
        *(QUEUE.c.since, QUEUE.c.patience_seconds, PRESENCE.c.seen),
    )
    rows = (
        select(*columns)
        .join(QUEUE, QUEUE.c.player == PLAYERS.c.id)
        .join(PRESENCE, PRESENCE.c.player == PLAYERS.c.id)
        .where(PLAYERS.c.banned.is_(False), PLAYERS.c.left_at.is_(None))
        .order_by((PLAYERS.c.id == at_any_rate).desc(), PRESENCE.c.seen.desc())
        .limit(CONSIDERED)
    )
    found = c.execute(rows).all()
    met = _met(c, [row[0] for row in found])
    return [
        Waiting(
            player=player,
            human=kind != "machine",
            since=since,
            seen=last_seen,
            patience=timedelta(seconds=patience),
            seconds_a_move=seconds / moves if moves else None,
            machines_may_step_in=machines,
            mail=mail,
            met=met[player],
        )
        for player, kind, moves, seconds, machines, mail, since, patience, last_seen in found
    ]


def _met(c: Connection, players: list[str]) -> dict[str, dict[str, int]]:
    """How often each of these has played each other of them."""
    met: dict[str, dict[str, int]] = defaultdict(dict)
    if len(players) > 1:
        among = SEATS.c.player.in_(players) & SEATS.c.opponent.in_(players)
        counts = select(SEATS.c.player, SEATS.c.opponent, func.count()).where(among).group_by(SEATS.c.player, SEATS.c.opponent)
        for player, opponent, times in c.execute(counts):
            met[player][opponent] = times
    return met
