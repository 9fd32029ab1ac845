"""All players for the operator: in pages, and one in detail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Connection, and_, case, func, or_, select

from vivavoce.web.store.people import Kind, is_id, key_of
from vivavoce.web.store.ratings import BY_PEOPLE, MEAN_OF_GUESSES, interval_of
from vivavoce.web.tables import PLAYERS, REPORTS, SEATS

Order = Literal["newest", "flags"]
PAGE: Final = 50
"""Players on a page."""
LONGEST_SEARCH: Final = 64
SHOWN: Final = 200
"""Most guesses and reports of one player that are read, newest first."""


@dataclass(frozen=True, slots=True)
class ListedPlayer:
    """A player in numbers."""

    id: str
    name: str
    kind: Kind
    created: datetime
    banned: bool
    left: bool
    games: int
    """Finished ones."""
    rating: float | None
    interval: tuple[float, float] | None
    """95%, by Student's t; None for fewer than two guesses."""
    received: int
    """Guesses of people that count for the rating."""
    given: int
    """This player's guesses in finished games."""
    voided: int
    """Guesses among these that no longer count."""
    reports: int
    """Reports of this player's texts, including closed ones."""


@dataclass(frozen=True, slots=True)
class Roster:
    """A page of players."""

    players: tuple[ListedPlayer, ...]
    found: int
    """On all pages."""
    page: int
    """From 1."""

    @property
    def pages(self) -> int:
        """Number of players."""
        return max(1, -(-self.found // PAGE))


@dataclass(frozen=True, slots=True)
class GivenGuess:
    """A guess by a player."""

    game: str
    target: str
    """The id of the target."""
    name: str
    guess: float
    rating: float | None
    """The target's rating before the game, which was to be guessed; None for a newcomer."""
    finished: datetime
    counts: bool
    """Whether the guess counts: not if it is a machine's or voided."""
    voided: bool


@dataclass(frozen=True, slots=True)
class ReportedText:
    """A report of a player's texts."""

    id: int
    game: str
    reason: str
    created: datetime
    closed: datetime | None
    hidden: bool
    questions: tuple[str, ...] | None
    answers: tuple[str, ...] | None


def roster(
    c: Connection, *, search: str = "", order: Order = "newest", page: int = 1, flagged: Mapping[str, int] | None = None
) -> Roster:
    """Players whose name contains the searched text, or whose id starts with it.

    Parameters
    ----------
    page: from 1; the last one if there are fewer.
    flagged: for `order="flags"`, the number of suspicious patterns in each player's guesses; the number of reports is added.
    """
    which = _matching(search)
    number = int(c.execute(select(func.count()).select_from(PLAYERS).where(which)).scalar_one())
    last = max(1, -(-number // PAGE))
    page = min(max(1, page), last)
    first = [] if order == "newest" else [_flags(flagged or {}).desc()]
    ids = select(PLAYERS.c.id).where(which).order_by(*first, PLAYERS.c.created.desc(), PLAYERS.c.id)
    chosen = list(c.execute(ids.limit(PAGE).offset((page - 1) * PAGE)).scalars())
    listed = _listed(c, chosen)
    return Roster(tuple(listed[player] for player in chosen), number, page)


def listed_player(c: Connection, player_id: str) -> ListedPlayer | None:
    """One player in numbers, also one who has left; None for an unknown player."""
    return _listed(c, [player_id]).get(player_id) if is_id(player_id) else None


def guesses_given(c: Connection, player_id: str) -> list[GivenGuess]:
    """A player's newest guesses in finished games, oldest of them first."""
    columns = (SEATS.c.game, SEATS.c.player, PLAYERS.c.name, SEATS.c.received, SEATS.c.rating_before, SEATS.c.finished)
    theirs = select(*columns, BY_PEOPLE, SEATS.c.voided.is_not(None)).join(PLAYERS, PLAYERS.c.id == SEATS.c.player)
    theirs = theirs.where(SEATS.c.opponent == player_id, SEATS.c.finished.is_not(None))
    rows = c.execute(theirs.order_by(SEATS.c.finished.desc(), SEATS.c.game.desc()).limit(SHOWN)).all()
    return [GivenGuess(*row) for row in reversed(rows)]


def reports_of(c: Connection, player_id: str) -> list[ReportedText]:
    """The newest reports of a player's texts, newest first."""
    columns = (REPORTS.c.id, REPORTS.c.game, REPORTS.c.reason, REPORTS.c.created, REPORTS.c.closed, SEATS.c.hidden)
    about = select(*columns, SEATS.c.questions, SEATS.c.answers).join(SEATS, _SAME_SEAT).where(SEATS.c.player == player_id)
    rows = c.execute(about.order_by(REPORTS.c.created.desc(), REPORTS.c.id.desc()).limit(SHOWN))
    return [ReportedText(*row[:-2], *(None if texts is None else tuple(texts) for texts in row[-2:])) for row in rows]


_SAME_SEAT: Final = and_(SEATS.c.game == REPORTS.c.game, SEATS.c.place == REPORTS.c.place)


def _matching(search: str) -> ColumnElement[bool]:
    text = search.strip()[:LONGEST_SEARCH]
    if not text or not text.isprintable():
        return PLAYERS.c.id.is_not(None)
    named = or_(PLAYERS.c.name.icontains(text, autoescape=True), PLAYERS.c.name_key.contains(key_of(text), autoescape=True))
    return or_(named, PLAYERS.c.id.startswith(text.lower(), autoescape=True)) if is_id(text) else named


def _flags(flagged: Mapping[str, int]) -> ColumnElement[int]:
    reported = select(func.count()).select_from(REPORTS.join(SEATS, _SAME_SEAT)).where(SEATS.c.player == PLAYERS.c.id)
    counted = reported.correlate(PLAYERS).scalar_subquery()
    return counted + case(dict(flagged), value=PLAYERS.c.id, else_=0) if flagged else counted


def _listed(c: Connection, ids: list[str]) -> dict[str, ListedPlayer]:
    """The players of these ids, by id."""
    rated = _by_player(c, ids, _RECEIVED, SEATS.c.player, SEATS.c.finished.is_not(None))
    gave = _by_player(c, ids, _GIVEN, SEATS.c.opponent, SEATS.c.finished.is_not(None))
    counted = select(SEATS.c.player, func.count()).select_from(REPORTS.join(SEATS, _SAME_SEAT))
    reports = {row[0]: row[1] for row in c.execute(counted.where(SEATS.c.player.in_(ids)).group_by(SEATS.c.player))}
    columns = ("id", "name", "kind", "created", "banned", "left_at")
    result = {}
    for row in c.execute(select(*(PLAYERS.c[name] for name in columns)).where(PLAYERS.c.id.in_(ids))):
        games, mean, received, squares = rated.get(row.id, (0, None, 0, None))
        given, voided = gave.get(row.id, (0, 0))
        interval = None if mean is None else interval_of(mean, received, squares)
        result[row.id] = ListedPlayer(
            row.id, row.name, row.kind, row.created, row.banned, row.left_at is not None, games, mean, interval, received,
            given, voided, reports.get(row.id, 0),
        )  # fmt: skip
    return result


_RECEIVED: Final = (func.count(), *MEAN_OF_GUESSES)
_GIVEN: Final = (func.count(), func.count(SEATS.c.voided))


def _by_player(c: Connection, ids: list[str], columns: Any, of: Any, which: ColumnElement[bool]) -> dict[str, tuple[Any, ...]]:
    rows = c.execute(select(of, *columns).where(of.in_(ids), which).group_by(of))
    return {row[0]: tuple(row[1:]) for row in rows}
