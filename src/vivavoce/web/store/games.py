"""Games: begun, read, moved in. All rules are those of `vivavoce.luna.rules`; here they meet the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.luna.matching import PRESENT
from vivavoce.luna.rules import (
    EXPIRY,
    Answered,
    Asked,
    Game,
    Guessed,
    Move,
    Place,
    Seat,
    Verdict,
    conclude,
    is_complete,
    play,
)
from vivavoce.luna.rules import outcome as outcome_of
from vivavoce.web.store import outbox
from vivavoce.web.store.letters import Occasion, letter
from vivavoce.web.store.locking import lock_players
from vivavoce.web.store.people import Player, is_id, new_id, seen
from vivavoce.web.store.ratings import received
from vivavoce.web.tables import DRAFTS, GAMES, PLAYERS, PRESENCE, SEATS

HIDDEN: Final = "(hidden by the operator)"
LONGEST_MOVE: Final = timedelta(hours=1)
"""A move counts as this long at most, so that one night does not make a quick player slow."""
DRAFT_FIELDS: Final = 16
LONGEST_DRAFT: Final = 10_000
"""Characters of one field: more than a move takes, for a text may still have to be cut."""

_OTHER = SEATS.alias("other")
_SEAT = ("player", "human", "questions", "answers", "sliders", "guess", "hidden", "rating_before", "rating_after")
_TIMES = ("asked", "answered", "guessed")
_COLUMNS = [
    GAMES.c.id, GAMES.c.state, GAMES.c.begun, GAMES.c.expires, SEATS.c.place, *(SEATS.c[name] for name in (*_SEAT, *_TIMES)),
]  # fmt: skip
_BOTH = select(*_COLUMNS).join(SEATS, SEATS.c.game == GAMES.c.id).order_by(GAMES.c.begun.desc(), GAMES.c.id, SEATS.c.place)
_ONE = _BOTH.where(GAMES.c.id == bindparam("game"))
_LOCK = select(GAMES.c.id).where(GAMES.c.id == bindparam("game")).with_for_update(key_share=True)
_SEAT_OF = (SEATS.c.game == bindparam("of_game"), SEATS.c.place == bindparam("of_place"))
_RESULTS = ("finished", "received", "received_from_human", "rating_before", "rating_after", "outcome")
_RESULT = update(SEATS).where(*_SEAT_OF).values({name: bindparam(name) for name in _RESULTS})
_GAME_OF = update(GAMES).where(GAMES.c.id == bindparam("of_game"))
_NO_DRAFT = delete(DRAFTS).where(DRAFTS.c.game == bindparam("of_game"), DRAFTS.c.player == bindparam("of_player"))
_MAIL = (PLAYERS.c.email, PLAYERS.c.email_confirmed, PLAYERS.c.mail_on_turn, PLAYERS.c.banned)
_CHANGED = update(PLAYERS).where(PLAYERS.c.id == bindparam("of")).values(changes=PLAYERS.c.changes + 1).returning(*_MAIL)
_MOVED = (
    update(PLAYERS)
    .where(PLAYERS.c.id == bindparam("of"))
    .values(
        changes=PLAYERS.c.changes + 1,
        moves=PLAYERS.c.moves + 1,
        move_seconds=PLAYERS.c.move_seconds + bindparam("seconds"),
    )
)


class NotYourGame(VivavoceError):
    """There is no such game, or somebody else plays it: nobody is told which."""

    def __init__(self) -> None:
        super().__init__("this is no game of yours")


@dataclass(frozen=True, slots=True)
class _Loaded:
    game: Game
    expired: bool
    turn_since: datetime
    """When the phase began."""

    def place_of(self, player: Player) -> Place:
        if self.game.seats[0].player == player.id:
            return 0
        if self.game.seats[1].player == player.id:
            return 1
        raise NotYourGame


def begin(c: Connection, players: tuple[tuple[str, bool], tuple[str, bool]], now: datetime) -> Game:
    """A new game of two players, each given by id and whether it is a person; they are told, by mail if they are not here.

    The caller must be `alone`.
    """
    game = Game(new_id(), (Seat(*players[0]), Seat(*players[1])), now)
    c.execute(insert(GAMES).values(id=game.id, state="open", begun=now, expires=game.expires))
    rows = [
        {"game": game.id, "place": place, "player": player, "human": human, "opponent": players[1 - place][0], "hidden": False}
        for place, (player, human) in enumerate(players)
    ]
    c.execute(insert(SEATS), rows)
    for player in sorted(player for player, _ in players):
        _tell(c, player, "begun", game.id, now)
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
    found = [_loaded(rows[first : first + 2]) for first in range(0, len(rows), 2)]
    return [(loaded.game, loaded.place_of(player)) for loaded in found]


def load(c: Connection, game_id: str, player: Player, *, lock: bool = False) -> tuple[Game, Place]:
    """A game of this player, and the player's place in it; locked: nobody else changes it until the transaction ends.

    Raises `NotYourGame`.
    """
    loaded = _load(c, game_id, lock=lock)
    return loaded.game, loaded.place_of(player)


def make_move(c: Connection, game_id: str, player: Player, move: Move, now: datetime) -> Game:
    """The game after this player's move. If it was the last one, both ratings change, in the same transaction.

    The other player is told by mail if it is their turn, they want mail and are not here. The draft is forgotten. Raises
    `NotYourGame`, `IllegalMove`, `BadInput`; then nothing has changed.
    """
    before = _load(c, game_id, lock=True)
    place = before.place_of(player)
    # a clock that lags must not wake up what another process has ended
    game = play(before.game, place, move, max(now, before.game.expires) if before.expired else now)
    if is_complete(game):
        game = _conclude(c, game, now)
    seat = game.seats[place]
    values: dict[str, object] = {"of_game": game.id, "of_place": place}
    match move:
        case Asked():
            values |= {"questions": seat.questions, "asked": now}
        case Answered():
            values |= {"answers": seat.answers, "answered": now}
        case Guessed():
            values |= {"guess": seat.guess, "sliders": seat.sliders, "guessed": now}
    written: dict[str, Any] = {name: bindparam(name) for name in values if not name.startswith("of_")}
    c.execute(update(SEATS).where(*_SEAT_OF).values(written), values)
    over = game.verdicts is not None
    state: dict[str, object] = {"state": "over", "finished": now} if over else {"expires": game.expires}
    c.execute(_GAME_OF.values({name: bindparam(name) for name in state}), {"of_game": game.id, **state})
    c.execute(_NO_DRAFT, {"of_game": game.id, "of_player": player.id})
    other = game.seats[1 - place].player
    occasion: Occasion | None = "over" if over else "turn" if game.awaits(1 if place == 0 else 0, now) else None
    seconds = min(max(now - before.turn_since, timedelta()), LONGEST_MOVE).total_seconds()
    for one in sorted((player.id, other)):
        if one == other:
            _tell(c, other, occasion, game.id, now)
        else:
            c.execute(_MOVED, {"of": one, "seconds": seconds})
    seen(c, player, now)
    return game


def save_draft(c: Connection, game_id: str, player: Player, fields: Mapping[str, str], now: datetime) -> None:
    """Keep what a player has typed and not sent. Raises `NotYourGame`, `BadInput` for more than a move can be."""
    game, place = load(c, game_id, player)
    if len(fields) > DRAFT_FIELDS or any(len(name) > 40 or len(text) > LONGEST_DRAFT for name, text in fields.items()):
        raise BadInput(f"a draft has {DRAFT_FIELDS} fields of {LONGEST_DRAFT} characters at most")
    if not game.awaits(place, now):
        return  # it came after the move that it was the draft of
    row = {"game": game_id, "player": player.id, "fields": dict(fields), "saved": now}
    inserted = (postgres_insert if c.dialect.name == "postgresql" else sqlite_insert)(DRAFTS).values(row)
    c.execute(inserted.on_conflict_do_update(index_elements=["game", "player"], set_={"fields": row["fields"], "saved": now}))


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


def _load(c: Connection, game_id: str, *, lock: bool) -> _Loaded:
    if not is_id(game_id):
        raise NotYourGame
    if lock:
        c.execute(_LOCK, {"game": game_id})  # before reading: only then is what is read the newest
    rows = c.execute(_ONE, {"game": game_id}).all()
    if not rows:
        raise NotYourGame
    return _loaded(rows)


def _loaded(rows: Sequence[Row[Any]]) -> _Loaded:
    row, other = rows
    over = row.state == "over"
    verdicts = (_verdict(row), _verdict(other)) if over else None
    game = Game(row.id, (_seat(row), _seat(other)), row.expires - EXPIRY, verdicts)
    began = row.begun
    for times in ((row.asked, other.asked), (row.answered, other.answered)):
        began = max(began, *times) if None not in times else began
    return _Loaded(game, row.state == "expired", began)


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


def _conclude(c: Connection, game: Game, now: datetime) -> Game:
    """The finished game, with what each player got out of it written down."""
    first, second = game.seats
    lock_players(c, (first.player, second.player))  # two games of one player that end at once count one after the other
    game = conclude(game, (received(c, first.player), received(c, second.player)))
    assert game.verdicts is not None
    c.execute(_RESULT, [_result(game, 0, game.verdicts[0], now), _result(game, 1, game.verdicts[1], now)])
    return game


def _result(game: Game, place: Place, verdict: Verdict, now: datetime) -> dict[str, object]:
    other = game.seats[1 - place]
    return {
        "of_game": game.id,
        "of_place": place,
        "finished": now,
        "received": other.guess,
        "received_from_human": other.human,
        "rating_before": verdict.rating_before,
        "rating_after": verdict.rating_after,
        "outcome": outcome_of(game, place),
    }


def _tell(c: Connection, player: str, occasion: Occasion | None, game: str, now: datetime) -> None:
    told = c.execute(_CHANGED, {"of": player}).one()
    if occasion is None or told.email_confirmed is None or not told.mail_on_turn or told.banned:
        return
    last_seen = c.execute(select(PRESENCE.c.seen).where(PRESENCE.c.player == player)).scalar_one()
    if now - last_seen >= PRESENT:
        outbox.add(c, told.email, *letter(occasion, game), now, player=player)
