"""Moderation: players report, the operator hides texts and bans players."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from vivavoce.errors import BadInput, UnknownName
from vivavoce.luna.rules import Place
from vivavoce.web.store.ending import end_games_of
from vivavoce.web.store.games import load
from vivavoce.web.store.locking import alone
from vivavoce.web.store.people import Kind, Player, is_id
from vivavoce.web.store.voiding import restore_guesses, void_guesses
from vivavoce.web.tables import MACHINES, PLAYERS, QUEUE, REPORTS, SEATS, SESSIONS

LONGEST_REASON: Final = 1_000


@dataclass(frozen=True, slots=True)
class Report:
    """What a player finds wrong with what the other one wrote."""

    id: int
    game: str
    place: Place
    """Whose texts they are."""
    player: str
    """The id of who wrote them."""
    name: str
    questions: tuple[str, ...] | None
    answers: tuple[str, ...] | None
    reason: str
    created: datetime
    times_reported: int
    """This player, in all games."""


@dataclass(frozen=True, slots=True)
class Banned:
    """A player who is banned."""

    id: str
    name: str
    kind: Kind


def report(c: Connection, game_id: str, player: Player, reason: str, now: datetime) -> None:
    """Report what the other player wrote; once a game. Raises `NotYourGame`, `BadInput`."""
    if not 1 <= len(reason.strip()) <= LONGEST_REASON:
        raise BadInput(f"say in 1 to {LONGEST_REASON} characters what is wrong")
    _, place = load(c, game_id, player)
    row = {"reporter": player.id, "game": game_id, "place": 1 - place, "reason": reason.strip(), "created": now}
    try:
        with c.begin_nested():
            c.execute(insert(REPORTS).values(row))
    except IntegrityError:
        raise BadInput("you have reported this game already") from None


def open_reports(c: Connection, limit: int = 100) -> list[Report]:
    """Reports that wait for the operator, oldest first."""
    all_reports = REPORTS.alias("all_reports")
    times = (
        select(func.count())
        .select_from(
            all_reports.join(
                theirs := SEATS.alias("theirs"), (theirs.c.game == all_reports.c.game) & (theirs.c.place == all_reports.c.place)
            )
        )
        .where(theirs.c.player == SEATS.c.player)
        .scalar_subquery()
    )
    rows = (
        select(
            REPORTS.c.id,
            REPORTS.c.game,
            REPORTS.c.place,
            SEATS.c.player,
            PLAYERS.c.name,
            SEATS.c.questions,
            SEATS.c.answers,
            REPORTS.c.reason,
            REPORTS.c.created,
            times,
        )
        .join(SEATS, (SEATS.c.game == REPORTS.c.game) & (SEATS.c.place == REPORTS.c.place))
        .join(PLAYERS, PLAYERS.c.id == SEATS.c.player)
        .where(REPORTS.c.closed.is_(None))
        .order_by(REPORTS.c.created, REPORTS.c.id)
        .limit(limit)
    )
    return [
        Report(number, game, place, player, name, _tuple(questions), _tuple(answers), reason, created, count)
        for number, game, place, player, name, questions, answers, reason, created, count in c.execute(rows)
    ]


def close_report(c: Connection, id: int, now: datetime) -> None:  # noqa: A002  the name that its callers know
    """The operator has handled it; closed again, it keeps its first time. Raises `UnknownName`."""
    if not c.execute(update(REPORTS).where(REPORTS.c.id == id).values(closed=func.coalesce(REPORTS.c.closed, now))).rowcount:
        raise UnknownName("report", str(id), [])


def hide(c: Connection, game_id: str, place: Place, *, hidden: bool = True) -> None:
    """Show nobody what this player wrote in this game, nor export it; or show it again. Raises `UnknownName`."""
    seat = (SEATS.c.game == game_id, SEATS.c.place == place)
    if not is_id(game_id) or not c.execute(update(SEATS).where(*seat).values(hidden=hidden)).rowcount:
        raise UnknownName("game", game_id, [])


def ban(c: Connection, player_id: str, now: datetime, *, void: bool = False) -> int:
    """Shut a player out: sessions and token are worth nothing, games in play end.

    Guesses that others received stay, or are voided; how many were. Raises `UnknownName`.
    """
    alone(c)
    check_player(c, player_id)
    end_games_of(c, player_id, "banned", now)
    c.execute(delete(SESSIONS).where(SESSIONS.c.player == player_id))
    c.execute(delete(QUEUE).where(QUEUE.c.player == player_id))
    c.execute(update(MACHINES).where(MACHINES.c.player == player_id).values(token_hash=None))
    c.execute(update(PLAYERS).where(PLAYERS.c.id == player_id).values(banned=True))
    return void_guesses(c, player_id, now) if void else 0


def pardon(c: Connection, player_id: str) -> int:
    """Let a banned player in again; a machine needs a new token. Voided guesses count again; how many do.

    Raises `UnknownName`.
    """
    alone(c)
    check_player(c, player_id)
    c.execute(update(PLAYERS).where(PLAYERS.c.id == player_id).values(banned=False))
    return restore_guesses(c, player_id)


def banned_players(c: Connection, limit: int = 100) -> list[Banned]:
    """Who is banned, by name; players who have left are not."""
    shut_out = select(PLAYERS.c.id, PLAYERS.c.name, PLAYERS.c.kind).where(PLAYERS.c.banned, PLAYERS.c.left_at.is_(None))
    return [Banned(*row) for row in c.execute(shut_out.order_by(PLAYERS.c.name, PLAYERS.c.id).limit(limit))]


def check_player(c: Connection, player_id: str) -> None:
    """Raises `UnknownName` for an id that no player has or had."""
    if not is_id(player_id) or c.execute(select(PLAYERS.c.id).where(PLAYERS.c.id == player_id)).first() is None:
        raise UnknownName("player", player_id, [])


def _tuple(texts: list[str] | None) -> tuple[str, ...] | None:
    return None if texts is None else tuple(texts)
