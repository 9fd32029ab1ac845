"""Moderation: reports of players, sanctions, and guesses that no longer count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from vivavoce.errors import BadInput, UnknownName
from vivavoce.luna.rules import Place, rating
from vivavoce.web.store.games import load
from vivavoce.web.store.moves import end_games_of
from vivavoce.web.store.people import Kind, Player, is_id
from vivavoce.web.store.site import alone, changed, lock_players
from vivavoce.web.tables import GAMES, MACHINES, PLAYERS, QUEUE, REPORTS, SEATS, SESSIONS

_AFTER = (
    update(SEATS)
    .where(SEATS.c.game == bindparam("of_game"), SEATS.c.place == bindparam("of_place"))
    .values(rating_after=bindparam("rating"))
)


def void_guesses(c: Connection, player: str, voided: datetime | None) -> int:
    """Void a player's guesses from this time on, or restore them for None, and recompute the ratings that they affect.

    Returns the number of guesses.
    """
    is_changed = SEATS.c.voided.is_(None) if voided is not None else SEATS.c.voided.is_not(None)
    theirs = (SEATS.c.opponent == player, SEATS.c.finished.is_not(None), is_changed)
    targets = c.execute(select(SEATS.c.player).where(*theirs).distinct()).scalars().all()
    lock_players(c, targets)
    number = c.execute(update(SEATS).where(*theirs).values(voided=voided)).rowcount
    for target in targets:
        _recount(c, target)
    changed(c, targets)
    return number


def _recount(c: Connection, player: str) -> None:
    """The rating after each finished game of one player, who must be locked."""
    columns = (SEATS.c.game, SEATS.c.place, SEATS.c.received, SEATS.c.received_from_human, SEATS.c.voided)
    finished = select(*columns).where(SEATS.c.player == player, SEATS.c.finished.is_not(None))
    counted: list[float] = []
    rows = []
    for game, position, received, from_human, voided in c.execute(finished.order_by(SEATS.c.finished, SEATS.c.game)):
        if from_human and voided is None:
            counted.append(received)
        rows.append({"of_game": game, "of_place": position, "rating": rating(counted)})
    if rows:
        c.execute(_AFTER, rows)


LONGEST_REASON: Final = 1_000


@dataclass(frozen=True, slots=True)
class PlayerReport:
    """A player's report of the other player's texts."""

    id: int
    game: str
    place: Place
    """The game's place whose texts are reported."""
    player: str
    """The id of their author."""
    name: str
    questions: tuple[str, ...] | None
    answers: tuple[str, ...] | None
    reason: str
    created: datetime
    times_reported: int
    """Number of reports of this player, in all games."""


@dataclass(frozen=True, slots=True)
class BannedPlayer:
    """A player who is banned."""

    id: str
    name: str
    kind: Kind


def report(c: Connection, game_id: str, player: Player, reason: str, now: datetime) -> None:
    """Report the other player's texts; once per game. Raises `NotYourGame`, `BadInput`."""
    if not 1 <= len(reason.strip()) <= LONGEST_REASON:
        raise BadInput(f"the reason is empty or too long: describe the problem in 1 to {LONGEST_REASON} characters")
    _, position = load(c, game_id, player)
    row = {"reporter": player.id, "game": game_id, "place": 1 - position, "reason": reason.strip(), "created": now}
    try:
        with c.begin_nested():
            c.execute(insert(REPORTS).values(row))
    except IntegrityError:
        raise BadInput("you have already reported this game") from None


def open_reports(c: Connection, limit: int = 100) -> list[PlayerReport]:
    """Open reports, oldest first."""
    others, theirs = REPORTS.alias("others"), SEATS.alias("theirs")
    times = (
        select(func.count())
        .select_from(others.join(theirs, (theirs.c.game == others.c.game) & (theirs.c.place == others.c.place)))
        .where(theirs.c.player == SEATS.c.player)
        .scalar_subquery()
    )
    columns = (REPORTS.c.id, REPORTS.c.game, REPORTS.c.place, SEATS.c.player, PLAYERS.c.name)
    rows = (
        select(*columns, SEATS.c.questions, SEATS.c.answers, REPORTS.c.reason, REPORTS.c.created, times)
        .join(SEATS, (SEATS.c.game == REPORTS.c.game) & (SEATS.c.place == REPORTS.c.place))
        .join(PLAYERS, PLAYERS.c.id == SEATS.c.player)
        .where(REPORTS.c.closed.is_(None))
        .order_by(REPORTS.c.created, REPORTS.c.id)
        .limit(limit)
    )
    return [
        PlayerReport(number, game, position, player, name, _tuple(questions), _tuple(answers), reason, created, count)
        for number, game, position, player, name, questions, answers, reason, created, count in c.execute(rows)
    ]


def close_report(c: Connection, id: int, now: datetime) -> None:  # noqa: A002  the name that its callers know
    """Close a report; a closed one keeps its first time. Raises `UnknownName`."""
    if not c.execute(update(REPORTS).where(REPORTS.c.id == id).values(closed=func.coalesce(REPORTS.c.closed, now))).rowcount:
        raise UnknownName("report", str(id), [])


def hide(c: Connection, game_id: str, position: Place, *, hidden: bool = True) -> None:
    """Hide a player's texts in a game from pages and exports, or show them again. Raises `UnknownName`."""
    seat = (SEATS.c.game == game_id, SEATS.c.place == position)
    if not is_id(game_id) or not c.execute(update(SEATS).where(*seat).values(hidden=hidden)).rowcount:
        raise UnknownName("game", game_id, [])


def ban(c: Connection, player_id: str, now: datetime, *, void: bool = False) -> int:
    """Ban a player: sessions and token become invalid, games in play end. Guesses that others received stay, or are voided;
    returns the number of voided ones. Raises `UnknownName`.
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
    """Lift the ban of a player; a machine needs a new token. Voided guesses count again; returns their number. Raises
    `UnknownName`.
    """
    alone(c)
    check_player(c, player_id)
    c.execute(update(PLAYERS).where(PLAYERS.c.id == player_id).values(banned=False))
    return void_guesses(c, player_id, None)


def banned_players(c: Connection, limit: int = 100) -> list[BannedPlayer]:
    """Banned players by name, without those who have left."""
    shut_out = select(PLAYERS.c.id, PLAYERS.c.name, PLAYERS.c.kind).where(PLAYERS.c.banned, PLAYERS.c.left_at.is_(None))
    return [BannedPlayer(*row) for row in c.execute(shut_out.order_by(PLAYERS.c.name, PLAYERS.c.id).limit(limit))]


def check_player(c: Connection, player_id: str) -> None:
    """Check that a player has or had this id. Raises `UnknownName`."""
    if not is_id(player_id) or c.execute(select(PLAYERS.c.id).where(PLAYERS.c.id == player_id)).first() is None:
        raise UnknownName("player", player_id, [])


def _tuple(texts: list[str] | None) -> tuple[str, ...] | None:
    return None if texts is None else tuple(texts)


Sanction = Literal["ban", "ban-and-void", "void", "restore", "unban"]
SANCTIONS: Final[Mapping[Sanction, str]] = {
    "ban": "Ban the player",
    "ban-and-void": "Ban the player, and void the guesses",
    "void": "Void the guesses",
    "restore": "Let the guesses count again",
    "unban": "Lift the ban, and let voided guesses count",
}
"""Sanctions, each with the words of its button."""
SMALLEST: Final = 1e-9
"""Points below which a rating has not moved: rounding depends on the order of guesses."""


@dataclass(frozen=True, slots=True)
class MovedRating:
    """A player whose rating changes."""

    player: str
    name: str
    before: float | None
    after: float | None
    """The rating before and after; None without a rating."""

    @property
    def by(self) -> float | None:
        """Change in points; None without a rating before or after."""
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True, slots=True)
class Consequences:
    """The effects of a sanction."""

    sanction: Sanction
    player: str
    name: str
    guesses: int
    """Guesses that count again or no longer. A machine's guesses never count in a rating."""
    ratings: tuple[MovedRating, ...]
    """Ratings that change, the largest change first; ratings that appear or disappear come before them."""
    games: int
    """Games in play that end."""

    json_keys = "guesses games ratings largest"

    @property
    def largest(self) -> float | None:
        """The largest change in points; None if no rating moves from one value to another."""
        return max((abs(change.by) for change in self.ratings if change.by is not None), default=None)

    @property
    def statement(self) -> str:
        """All consequences in up to three sentences.

        >>> Consequences("void", "1", "Zero", 6, (MovedRating("2", "Ann", 40.0, 52.5),), 0).statement
        'Guesses that no longer count: 6. Ratings that change: 1, by up to 12.5 points.'
        """
        back = self.sanction in ("restore", "unban")
        messages = [f"Guesses that {'count again' if back else 'no longer count'}: {self.guesses}."]
        ends = sum(change.by is None for change in self.ratings)
        largest = "" if self.largest is None else f", by up to {self.largest:.1f} points"
        lost = "" if not ends else f"; {ends} of them {'begin' if back else 'cease'} to exist"
        messages.append(f"Ratings that change: {len(self.ratings)}{largest}{lost}.")
        if self.sanction.startswith("ban"):
            messages.append(f"Games in play that end: {self.games}.")
        return " ".join(messages)


def foreseen(c: Connection, sanction: Sanction, player: str) -> Consequences:
    """The consequences that a sanction would have now. Raises `UnknownName`."""
    check_player(c, player)
    theirs = _changing(c, sanction, player)
    voiding = sanction in ("ban-and-void", "void")
    before = _ratings(c, theirs)
    after = _ratings(c, theirs, without=player) if voiding else _ratings(c, theirs, restored=player) if theirs else {}
    return _consequences(c, sanction, player, sum(theirs.values()), before, after)


def carry_out(c: Connection, sanction: Sanction, player: str, now: datetime) -> Consequences:
    """Carry out a sanction; returns its consequences. Raises `UnknownName`."""
    alone(c)
    check_player(c, player)
    theirs = _changing(c, sanction, player)
    before, games = _ratings(c, theirs), _games(c, sanction, player)
    if sanction == "unban":
        guesses = pardon(c, player)
    elif sanction in ("void", "restore"):
        guesses = void_guesses(c, player, now if sanction == "void" else None)
    else:
        guesses = ban(c, player, now, void=sanction == "ban-and-void")
    changes = _consequences(c, sanction, player, guesses, before, _ratings(c, theirs))
    return replace(changes, games=games)  # none is in play any more


def _changing(c: Connection, sanction: Sanction, player: str) -> dict[str, int]:
    """The targets of the guesses that count again or no longer, and the number of these guesses."""
    if sanction == "ban":
        return {}
    counted = SEATS.c.voided.is_(None) if sanction in ("ban-and-void", "void") else SEATS.c.voided.is_not(None)
    rows = select(SEATS.c.player, func.count()).where(SEATS.c.opponent == player, SEATS.c.finished.is_not(None), counted)
    return {row[0]: row[1] for row in c.execute(rows.group_by(SEATS.c.player))}


def _ratings(c: Connection, players: Mapping[str, int], *, without: str = "", restored: str = "") -> dict[str, float | None]:
    """Ratings of these players from the guesses that count: without those of one player, or with that player's voided ones."""
    values: dict[str, list[float]] = {player: [] for player in players}
    counted = SEATS.c.voided.is_(None) | (SEATS.c.opponent == restored)
    rows = select(SEATS.c.player, SEATS.c.received).where(
        SEATS.c.player.in_(list(players)),
        SEATS.c.finished.is_not(None),
        SEATS.c.received_from_human.is_(True),
        SEATS.c.opponent != without,
        counted,
    )
    for player, received in c.execute(rows.order_by(SEATS.c.finished, SEATS.c.game)):
        values[player].append(received)
    return {player: rating(received) for player, received in values.items()}


def _consequences(
    c: Connection,
    sanction: Sanction,
    player: str,
    guesses: int,
    before: Mapping[str, float | None],
    after: Mapping[str, float | None],
) -> Consequences:
    asked = select(PLAYERS.c.id, PLAYERS.c.name).where(PLAYERS.c.id.in_([player, *before]))
    names = {row.id: row.name for row in c.execute(asked)}
    moved = [MovedRating(name, names[name], before[name], after[name]) for name in before if _differ(before[name], after[name])]
    ordered = sorted(moved, key=lambda entry: (entry.by is not None, -abs(entry.by or 0.0), entry.name, entry.player))
    return Consequences(sanction, player, names[player], guesses, tuple(ordered), _games(c, sanction, player))


def _differ(value: float | None, other: float | None) -> bool:
    return (value is None) != (other is None) or abs((value or 0.0) - (other or 0.0)) > SMALLEST


def _games(c: Connection, sanction: Sanction, player: str) -> int:
    if not sanction.startswith("ban"):
        return 0
    theirs = SEATS.join(GAMES, GAMES.c.id == SEATS.c.game)
    still = select(func.count()).select_from(theirs).where(SEATS.c.player == player, GAMES.c.state == "open")
    return int(c.execute(still).scalar_one())
