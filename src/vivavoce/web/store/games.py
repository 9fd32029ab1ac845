"""Games: begun and read. All rules are those of `vivavoce.luna.rules`; here they meet the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, insert, select, update
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.luna.matching import PRESENT
from vivavoce.luna.rules import Game, Place, Seat, Verdict
from vivavoce.luna.terms import THESIS, Terms
from vivavoce.web.store import outbox
from vivavoce.web.store.letters import Occasion, letter
from vivavoce.web.store.people import Player, is_id, new_id
from vivavoce.web.tables import DRAFTS, GAMES, PLAYERS, PRESENCE, SEATS

HIDDEN: Final = "(hidden by the operator)"
DRAFT_FIELDS: Final = 16

_TERMS = ("question_count", "longest_text", "days")
_OTHER = SEATS.alias("other")
_SEAT = ("player", "human", "questions", "answers", "sliders", "guess", "hidden", "rating_before", "rating_after")
_COLUMNS = [
    *(GAMES.c[name] for name in ("id", "state", "begun", "expires", "finished", *_TERMS)),
    *(SEATS.c[name] for name in ("place", *_SEAT)),
]
_BOTH = select(*_COLUMNS).join(SEATS, SEATS.c.game == GAMES.c.id).order_by(GAMES.c.begun.desc(), GAMES.c.id, SEATS.c.place)
_ONE = _BOTH.where(GAMES.c.id == bindparam("game"))
_LOCK = select(GAMES.c.id).where(GAMES.c.id == bindparam("game")).with_for_update(key_share=True)
_MAIL = (PLAYERS.c.email, PLAYERS.c.email_confirmed, PLAYERS.c.mail_on_turn, PLAYERS.c.banned)
_CHANGED = update(PLAYERS).where(PLAYERS.c.id == bindparam("of")).values(changes=PLAYERS.c.changes + 1).returning(*_MAIL)


class NotYourGame(VivavoceError):
    """There is no such game, or somebody else plays it: nobody is told which."""

    def __init__(self) -> None:
        super().__init__("this is no game of yours")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A game, and what the tables know besides."""

    game: Game
    expired: bool
    """Whether it is marked so."""

    def place_of(self, player: Player) -> Place:
        """The player's. Raises `NotYourGame`."""
        if self.game.seats[0].player == player.id:
            return 0
        if self.game.seats[1].player == player.id:
            return 1
        raise NotYourGame


def begin(c: Connection, players: tuple[tuple[str, bool], tuple[str, bool]], now: datetime, *, terms: Terms = THESIS) -> Game:
    """A new game of two players, each given by id and whether it is a person; they are told, by mail if they are not here.

    The caller must be `alone`. The game keeps its terms, whatever those of the site become.
    """
    game = Game(new_id(), (Seat(*players[0]), Seat(*players[1])), now, terms=terms)
    kept = dict(zip(_TERMS, (terms.questions, terms.longest_text, terms.days), strict=True))
    c.execute(insert(GAMES).values(id=game.id, state="open", begun=now, expires=game.expires, **kept))
    rows = [
        {"game": game.id, "place": place, "player": player, "human": human, "opponent": players[1 - place][0], "hidden": False}
        for place, (player, human) in enumerate(players)
    ]
    c.execute(insert(SEATS), rows)
    for player in sorted(player for player, _ in players):
        tell(c, player, "begun", game, now)
    return game


def games_of(
    c: Connection, player: Player, now: datetime, *, open_only: bool = False, limit: int = 100
) -> list[tuple[Game, Place]]:
    """The player's games, newest first; those that can still be played only, if that is wanted."""
    mine = select(GAMES.c.id).join(SEATS, SEATS.c.game == GAMES.c.id).where(SEATS.c.player == player.id)
    if open_only:
        mine = mine.where(GAMES.c.state == "open", GAMES.c.expires > now)
    newest = mine.order_by(GAMES.c.begun.desc(), GAMES.c.id).limit(limit)
    rows = c.execute(_BOTH.where(GAMES.c.id.in_(newest))).all()
    found = [_of_rows(rows[first : first + 2]) for first in range(0, len(rows), 2)]
    return [(one.game, one.place_of(player)) for one in found]


def load(c: Connection, game_id: str, player: Player, *, lock: bool = False) -> tuple[Game, Place]:
    """A game of this player, and the player's place in it; locked: nobody else changes it until the transaction ends.

    Raises `NotYourGame`.
    """
    found = loaded(c, game_id, lock=lock)
    return found.game, found.place_of(player)


def save_draft(c: Connection, game_id: str, player: Player, fields: Mapping[str, str], now: datetime) -> None:
    """Keep what a player has typed and not sent. Raises `NotYourGame`, `BadInput` for more than a move can be."""
    game, place = load(c, game_id, player)
    longest = longest_draft(game.terms)
    if len(fields) > DRAFT_FIELDS or any(len(name) > 40 or len(text) > longest for name, text in fields.items()):
        raise BadInput(f"a draft has {DRAFT_FIELDS} fields of {longest} characters at most")
    if not game.awaits(place, now):
        return  # it came after the move that it was the draft of
    row = {"game": game_id, "player": player.id, "fields": dict(fields), "saved": now}
    inserted = (postgres_insert if c.dialect.name == "postgresql" else sqlite_insert)(DRAFTS).values(row)
    c.execute(inserted.on_conflict_do_update(index_elements=["game", "player"], set_={"fields": row["fields"], "saved": now}))


def longest_draft(terms: Terms) -> int:
    """Characters of one field: more than a move takes, for a text may still have to be cut."""
    return 2 * terms.longest_text


def draft(c: Connection, game_id: str, player: Player) -> dict[str, str]:
    """What the player has typed and not sent; empty where there is nothing, or for a game that is not theirs."""
    if not is_id(game_id):
        return {}
    mine = (DRAFTS.c.game == game_id, DRAFTS.c.player == player.id)
    return dict(c.execute(select(DRAFTS.c.fields).where(*mine)).scalar_one_or_none() or {})


def changes(c: Connection, player: Player, after: int) -> int:
    """A number that has grown above `after` if anything of this player's has changed since that was the number."""
    now = c.execute(select(PLAYERS.c.changes).where(PLAYERS.c.id == player.id)).scalar_one_or_none()
    return max(after, now or 0)


def loaded(c: Connection, game_id: str, *, lock: bool) -> Loaded:
    """A game with what the tables know besides. Raises `NotYourGame`."""
    if not is_id(game_id):
        raise NotYourGame
    if lock:
        c.execute(_LOCK, {"game": game_id})  # before reading: only then is what is read the newest
    rows = c.execute(_ONE, {"game": game_id}).all()
    if not rows:
        raise NotYourGame
    return _of_rows(rows)


def _of_rows(rows: Sequence[Row[Any]]) -> Loaded:
    row, other = rows
    over = row.state == "over"
    verdicts = (_verdict(row), _verdict(other)) if over else None
    terms = _terms(*(row._mapping[name] for name in _TERMS))
    since = row.finished or row.expires - terms.expiry
    return Loaded(Game(row.id, (_seat(row), _seat(other)), since, verdicts, terms), row.state == "expired")


@cache
def _terms(questions: int, longest_text: int, days: float) -> Terms:
    return Terms(questions, longest_text, days)


def _seat(row: Row[Any]) -> Seat:
    questions, answers, sliders = (None if part is None else tuple(part) for part in (row.questions, row.answers, row.sliders))
    seat = Seat(row.player, row.human, questions, answers, sliders, row.guess)
    if not row.hidden:
        return seat
    return replace(seat, questions=_masked(questions), answers=_masked(answers))


def _masked(texts: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return None if texts is None else (HIDDEN,) * len(texts)


def _verdict(row: Row[Any]) -> Verdict:
    return Verdict(row.rating_before, row.rating_after)


def tell(c: Connection, player: str, occasion: Occasion, game: Game, now: datetime) -> None:
    """Tell a player's pages of what opens for them, and by mail a player who is not here."""
    told = c.execute(_CHANGED, {"of": player}).one()
    if told.email_confirmed is None or not told.mail_on_turn or told.banned:
        return
    last_seen = c.execute(select(PRESENCE.c.seen).where(PRESENCE.c.player == player)).scalar_one()
    if now - last_seen >= PRESENT:
        outbox.add(c, told.email, *letter(occasion, game.id, game.terms), now, player=player)
