"""Exports: finished games of players who have agreed, without names, and statistics of traffic."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, and_, func, or_, select

from vivavoce.luna.games_file import ExportedGame, ExportedSeat, SiteVisitor
from vivavoce.web.store.ratings import BY_PEOPLE
from vivavoce.web.tables import GAMES, PLAYERS, SEATS

PAGE: Final = 500
"""Games read at once, which bounds the memory."""

_TEXTS = ("questions", "answers", "sliders")
_NUMBERS = ("guess", "rating_before", "rating_after", "outcome", "asked", "answered", "guessed")
_JUDGED = ("thinks_human", "confidence", "taken_over")
_SEAT = (
    *(SEATS.c[name] for name in ("game", "place", "player", "human", "hidden", "voided", *_TEXTS, *_NUMBERS, *_JUDGED)),
    PLAYERS.c.kind,
    and_(PLAYERS.c.consent.is_not(None), PLAYERS.c.left_at.is_(None)).label("agreed"),
)


_TERMS = ("question_count", "longest_text", "days")
_GAME = tuple(GAMES.c[name] for name in ("id", "begun", "finished", *_TERMS))


def exported_games(c: Connection, *, salt: bytes) -> Iterator[ExportedGame]:
    """All finished games of which both players have agreed to the release and neither has left, oldest first.

    Machines need not agree. Pseudonyms are made with `salt`: the same salt gives the same ones, and without it no one can link
    them to players.
    """
    seen: tuple[datetime, str] | None = None
    while True:
        page = select(*_GAME).where(GAMES.c.state == "over")
        if seen is not None:
            page = page.where(or_(GAMES.c.begun > seen[0], and_(GAMES.c.begun == seen[0], GAMES.c.id > seen[1])))
        games = c.execute(page.order_by(GAMES.c.begun, GAMES.c.id).limit(PAGE)).all()
        if not games:
            return
        seen = (games[-1].begun, games[-1].id)
        rows = select(*_SEAT).join(PLAYERS, PLAYERS.c.id == SEATS.c.player).where(SEATS.c.game.in_([row.id for row in games]))
        seats = {(row.game, row.place): row for row in c.execute(rows)}
        for game in games:
            both = seats[game.id, 0], seats[game.id, 1]
            if all(row.agreed or row.kind == "machine" for row in both):
                yield _game(game, both, salt)


def counted_games(c: Connection, *, salt: bytes) -> Iterator[ExportedGame]:
    """The games of `exported_games` that change a rating."""
    return (game for game in exported_games(c, salt=salt) if not game.taken_over)


def traffic(c: Connection) -> list[SiteVisitor]:
    """Each player's activity, in the order of arrival; for players who have left, only numbers are known."""
    finished = SEATS.c.finished.is_not(None)
    columns = (
        PLAYERS.c.kind,
        PLAYERS.c.created,
        func.count(SEATS.c.game),
        func.count(SEATS.c.finished),
        func.count(SEATS.c.received).filter(finished, BY_PEOPLE),
        func.avg(SEATS.c.received).filter(finished, BY_PEOPLE),
    )
    joined = PLAYERS.outerjoin(SEATS, SEATS.c.player == PLAYERS.c.id)
    rows = select(*columns).select_from(joined).group_by(PLAYERS.c.id, PLAYERS.c.kind, PLAYERS.c.created)
    return [
        SiteVisitor(kind, came.date(), begun, done, guesses, rating)
        for kind, came, begun, done, guesses, rating in c.execute(rows.order_by(PLAYERS.c.created, PLAYERS.c.id))
    ]


def pseudonym(salt: bytes, given: str) -> str:
    """A pseudonym of an id, which reveals nothing without the salt; 64 bits, so that no two are equal by chance.

    >>> pseudonym(b"salt", "1") == pseudonym(b"salt", "1"), len(pseudonym(b"salt", "1"))
    (True, 16)
    """
    return hmac.new(salt, given.encode(), hashlib.sha256).hexdigest()[:16]


def _game(game: Any, both: tuple[Any, Any], salt: bytes) -> ExportedGame:
    starts = [game.begun, *(max(row._mapping[name] for row in both) for name in ("asked", "answered"))]
    # a guess is stored with its author, and its voiding with its receiver
    first, second = (_seat(row, other, starts, salt) for row, other in (both, both[::-1]))
    terms = {name: game._mapping[name] for name in _TERMS}
    return ExportedGame(game=pseudonym(salt, game.id), begun=game.begun, finished=game.finished, **terms, seats=(first, second))


def _seat(row: Any, other: Any, starts: list[datetime], salt: bytes) -> ExportedSeat:
    ends = (row.asked, row.answered, row.guessed)
    asking, answering, guessing = (max(0.0, (end - start).total_seconds()) for start, end in zip(starts, ends, strict=True))
    questions, answers, sliders = (None if row._mapping[name] is None else tuple(row._mapping[name]) for name in _TEXTS)
    decided = row.thinks_human is not None and row.taken_over is None and other.taken_over is None
    return ExportedSeat(
        player=pseudonym(salt, row.player),
        kind=row.kind,
        questions=None if row.hidden else questions,
        answers=None if row.hidden else answers,
        sliders=sliders,
        guess=row.guess,
        rating_before=row.rating_before,
        rating_after=row.rating_after,
        outcome=row.outcome,
        seconds=(asking, answering, guessing),
        voided=other.voided is not None,
        taken_over=row.taken_over,
        answers_by_machine=row.kind == "machine" or (row.taken_over is not None and row.answered >= row.taken_over),
        judged_human=row.thinks_human,
        confidence=row.confidence,
        right=row.thinks_human == (other.kind != "machine") if decided else None,
    )
