"""Games in the database: start, read, and save drafts. The rules are in `vivavoce.luna.rules`."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, bindparam, delete, insert, or_, select, update
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.luna.matching import PRESENT, is_here
from vivavoce.luna.rules import PLACES, Game, GameEnding, PersonOrMachine, Place, RatingChange, Reason, Seat
from vivavoce.luna.settings import THESIS, GameTerms
from vivavoce.web.store import mails
from vivavoce.web.store.mails import Occasion, letter
from vivavoce.web.store.people import Player, is_id, new_id
from vivavoce.web.store.site import locks_rows
from vivavoce.web.tables import DRAFTS, GAMES, HELD, PLAYERS, PRESENCE, SEATS

HIDDEN: Final = "(hidden by the operator)"

_TERMS = ("question_count", "longest_text", "days")
_OTHER = SEATS.alias("other")
_SEAT = (
    *("player", "human", "questions", "answers", "sliders", "guess", "hidden", "rating_before", "rating_after"),
    *("ready", "taken_over", "thinks_human", "confidence", "knows_human", "asked", "answered", "guessed"),
)
_GAME = ("id", "state", "begun", "expires", "finished", "ending", "ended_by", "machines_may_take_over")
_COLUMNS = [
    *(GAMES.c[name] for name in (*_GAME, *_TERMS)),
    *(SEATS.c[name] for name in ("place", *_SEAT)),
]
_BOTH = select(*_COLUMNS).join(SEATS, SEATS.c.game == GAMES.c.id).order_by(GAMES.c.begun.desc(), GAMES.c.id, SEATS.c.place)
_ONE = (
    _BOTH.add_columns(HELD.c.due, HELD.c.times)
    .outerjoin(HELD, (HELD.c.game == SEATS.c.game) & (HELD.c.place == SEATS.c.place))
    .where(GAMES.c.id == bindparam("game"))
)
_LOCK = select(GAMES.c.id).where(GAMES.c.id == bindparam("game")).with_for_update(key_share=True)
_AGAINST = (  # players who have not agreed that a machine may take over; machines always have
    select(PLAYERS.c.id)
    .where(PLAYERS.c.id.in_(bindparam("players", expanding=True)))
    .where(PLAYERS.c.kind != "machine", PLAYERS.c.seat_may_be_taken.is_(False))
    .limit(1)
)
_MAIL = (PLAYERS.c.email, PLAYERS.c.email_confirmed, PLAYERS.c.mail_on_turn, PLAYERS.c.banned)
_CHANGED = update(PLAYERS).where(PLAYERS.c.id == bindparam("of")).values(changes=PLAYERS.c.changes + 1).returning(*_MAIL)


class NotYourGame(VivavoceError):
    """The game does not exist, or others play it; the message does not say which."""

    def __init__(self) -> None:
        super().__init__("this is not a game of yours")


@dataclass(frozen=True, slots=True)
class HeldMove:
    """When a machine's delayed move will be made, and the times that were drawn for it."""

    due: datetime
    times: Sequence[float]


@dataclass(frozen=True, slots=True)
class LoadedGame:
    """A game loaded from the tables."""

    game: Game
    held: tuple[HeldMove | None, HeldMove | None] = (None, None)
    """The delayed move of each place, if any."""

    def place_of(self, player: Player) -> Place:
        """The player's place. Raises `NotYourGame`."""
        if self.game.seats[0].player == player.id:
            return 0
        if self.game.seats[1].player == player.id:
            return 1
        raise NotYourGame


def begin(
    c: Connection,
    players: tuple[tuple[str, bool], tuple[str, bool]],
    now: datetime,
    *,
    ready: tuple[bool, bool] = (True, True),
    terms: GameTerms = THESIS,
    refusing: Collection[str] = (),
) -> Game:
    """Start a game of two players, given by id and whether each is a person; notify them, by mail if they are away.

    Parameters
    ----------
    ready: players who need not confirm.
    terms: of this game; later changes of the site do not apply.
    refusing: players who have refused machines, and so know that the other is a person.

    The caller must be `alone`.
    """
    seats = [
        Seat(player, human, ready=now if there else None, knows_human=player in refusing)
        for (player, human), there in zip(players, ready, strict=True)
    ]
    may_take_over = c.execute(_AGAINST, {"players": [player for player, _ in players]}).first() is None
    game = Game(new_id(), (seats[0], seats[1]), now, terms=terms, begun=now, machines_may_take_over=may_take_over)
    row = {"id": game.id, "state": "open", "begun": now, "expires": game.expires, "machines_may_take_over": may_take_over}
    kept = dict(zip(_TERMS, (terms.questions, terms.longest_text, terms.days), strict=True))
    c.execute(insert(GAMES), row | kept)
    rows = [
        {"game": game.id, "place": index, "player": seat.player, "human": seat.human, "opponent": players[1 - index][0],
         "hidden": False, "ready": seat.ready, "knows_human": seat.knows_human}
        for index, seat in enumerate(seats)
    ]  # fmt: skip
    c.execute(insert(SEATS), rows)
    for player in sorted(player for player, _ in players):
        tell(c, player, "begun", game, now)
    return game


def games_of(
    c: Connection, player: Player, now: datetime, *, open_only: bool = False, limit: int = 100
) -> list[tuple[Game, Place]]:
    """The player's games, newest first; optionally only those that can still be played."""
    mine = select(GAMES.c.id).join(SEATS, SEATS.c.game == GAMES.c.id).where(SEATS.c.player == player.id)
    if open_only:
        mine = mine.where(GAMES.c.state == "open", GAMES.c.expires > now, SEATS.c.taken_over.is_(None))
    newest = mine.order_by(GAMES.c.begun.desc(), GAMES.c.id).limit(limit)
    rows = c.execute(_BOTH.where(GAMES.c.id.in_(newest))).all()
    games = [_of_rows(rows[first : first + 2]) for first in range(0, len(rows), 2)]
    return [(game.game, game.place_of(player)) for game in games]


def awaiting(c: Connection, player: Player, now: datetime) -> list[tuple[Game, Place]]:
    """All games in which it is this player's turn, oldest first."""
    asked = SEATS.c.questions.is_not(None) & _OTHER.c.questions.is_not(None)
    answered = SEATS.c.answers.is_not(None) & _OTHER.c.answers.is_not(None)
    turn = or_(SEATS.c.questions.is_(None), asked & SEATS.c.answers.is_(None), answered & SEATS.c.guess.is_(None))
    mine = (
        select(SEATS.c.game)
        .join(_OTHER, (_OTHER.c.game == SEATS.c.game) & (_OTHER.c.place != SEATS.c.place))
        .where(SEATS.c.player == player.id, SEATS.c.taken_over.is_(None), turn)
    )
    rows = [(game.game, game.place_of(player)) for game in reversed(_playable(c, now, mine))]
    return [(game, position) for game, position in rows if game.awaits(position, now)]


def taken_over(c: Connection, now: datetime) -> list[tuple[Game, Place]]:
    """Open games in which a machine has replaced a player, and its place."""
    games = [game.game for game in _playable(c, now, select(SEATS.c.game).where(SEATS.c.taken_over.is_not(None)))]
    return [(game, 0 if game.seats[0].taken_over else 1) for game in games]


def _playable(c: Connection, now: datetime, which: Select[Any]) -> list[LoadedGame]:
    """The games among these that can still be played, newest first."""
    rows = c.execute(_BOTH.where(GAMES.c.state == "open", GAMES.c.expires > now, GAMES.c.id.in_(which))).all()
    return [_of_rows(rows[first : first + 2]) for first in range(0, len(rows), 2)]


def load(c: Connection, game_id: str, player: Player, *, lock: bool = False) -> tuple[Game, Place]:
    """A game of this player, and the player's place in it; locked until the transaction ends.

    Raises `NotYourGame`.
    """
    game = loaded(c, game_id, lock=lock)
    return game.game, game.place_of(player)


def get_ready(c: Connection, game: Game, position: Place, now: datetime) -> None:
    """Record that the player is present and starts; the other one is not told."""
    if game.seats[position].ready is None and game.awaits(position, now):
        seat = (SEATS.c.game == game.id, SEATS.c.place == position, SEATS.c.ready.is_(None))
        c.execute(update(SEATS).where(*seat).values(ready=now))


def changes(c: Connection, player: Player, after: int) -> int:
    """A number that is above `after` if anything of this player has changed since then."""
    now = c.execute(select(PLAYERS.c.changes).where(PLAYERS.c.id == player.id)).scalar_one_or_none()
    return max(after, now or 0)


def loaded(c: Connection, game_id: str, *, lock: bool) -> LoadedGame:
    """A game loaded from the tables. Raises `NotYourGame`."""
    if not is_id(game_id):
        raise NotYourGame
    if lock and locks_rows(c):
        c.execute(_LOCK, {"game": game_id})  # before reading: only then is the result current
    rows = c.execute(_ONE, {"game": game_id}).all()
    if not rows:
        raise NotYourGame
    held = [None if row.due is None else HeldMove(row.due, row.times) for row in rows]
    return replace(_of_rows(rows), held=(held[0], held[1]))


def _of_rows(rows: Sequence[Row[Any]]) -> LoadedGame:
    row, other = rows
    over = row.state == "over"
    verdicts = (_verdict(row), _verdict(other)) if over else None
    terms = _terms(row.question_count, row.longest_text, row.days)
    since = row.finished or row.expires - terms.expiry
    ending = GameEnding(row.ending, row.ended_by) if row.ending else None
    game = Game(
        row.id, (_seat(row), _seat(other)), since, verdicts, terms,
        begun=row.begun, closed=row.state == "expired", ending=ending, machines_may_take_over=row.machines_may_take_over,
    )  # fmt: skip
    return LoadedGame(game)


@cache
def _terms(questions: int, longest_text: int, days: float) -> GameTerms:
    return GameTerms(questions, longest_text, days)


def _seat(row: Row[Any]) -> Seat:
    questions, answers, sliders = (None if part is None else tuple(part) for part in (row.questions, row.answers, row.sliders))
    machine = None if row.thinks_human is None else PersonOrMachine(row.thinks_human, row.confidence)
    moved = row.guessed or row.answered or row.asked
    known = row.knows_human, row.ready, row.taken_over, moved
    seat = Seat(row.player, row.human, questions, answers, sliders, row.guess, machine, *known)
    if not row.hidden:
        return seat
    return replace(seat, questions=_masked(questions), answers=_masked(answers))


def _masked(texts: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return None if texts is None else (HIDDEN,) * len(texts)


def _verdict(row: Row[Any]) -> RatingChange:
    return RatingChange(row.rating_before, row.rating_after)


def tell(c: Connection, player: str, occasion: Occasion, game: Game, now: datetime, *, words: str = "") -> None:
    """Tell a player's pages what is open for them; players who are away get a mail. words: the sentence of a mail without a
    text of its own.
    """
    row = c.execute(_CHANGED, {"of": player}).one()
    if row.email_confirmed is None or not row.mail_on_turn or row.banned:
        return
    seen, closed = c.execute(select(PRESENCE.c.seen, PRESENCE.c.closed).where(PRESENCE.c.player == player)).one()
    if not is_here(seen, closed, now, within=PRESENT):
        mails.add(c, row.email, *letter(occasion, game.id, game.terms, words), now, player=player)


Words = tuple[str, str, str]
"""The words for the player who caused it, for the other player, and if both did."""

_ENDINGS: Final[dict[Reason | None, Words]] = {
    "resigned": ("You resigned", "The other player has resigned", "This game was given up"),
    "left": ("You have left the site", "The other player has left the site", "Both players have left the site"),
    "banned": ("The operator has closed this game",) * 3,
    "not ready": ("You were not there", "The other player was not there", "You were not there"),
    "time": (
        "The time ran out: you had not {moved}",
        "The time ran out: the other player had not {moved}",
        "The time ran out: neither of you had {moved}",
    ),
    None: ("This game has ended without a result",) * 3,
}


def in_words(game: Game, ended: GameEnding, position: Place) -> str:
    """Why the game ended, in words for the player at this place, without a full stop.

    >>> from datetime import UTC, datetime
    >>> game = Game("1", (Seat("ann", True), Seat("bob", True)), datetime(2026, 1, 1, tzinfo=UTC))
    >>> in_words(game, GameEnding("resigned", 0), 0), in_words(game, GameEnding("resigned", 0), 1)
    ('You resigned', 'The other player has resigned')
    >>> in_words(game, GameEnding("time", 1), 0)
    'The time ran out: the other player had not asked'
    """
    own, other, both = _ENDINGS[ended.reason]
    sentence = both if ended.by is None else own if ended.by == position else other
    return sentence.format(moved=_what_was_due(game))


def _what_was_due(game: Game) -> str:
    if any(seat.questions is None for seat in game.seats):
        return "asked"
    return "answered" if any(seat.answers is None for seat in game.seats) else "guessed"


def tell_of_end(c: Connection, game: Game, ended: GameEnding, now: datetime) -> None:
    """Tell both players that a game has ended without a result, and why."""
    for position in sorted(PLACES, key=lambda each: game.seats[each].player):
        if game.seats[position].taken_over is None:  # for a player who left, it had ended before
            tell(c, game.seats[position].player, "ended", game, now, words=in_words(game, ended, position))


FIELDS: Final = 32
MOST: Final = 6
"""Most different drafts of one player for one game."""
_LONGEST_NAME: Final = 40


@dataclass(frozen=True, slots=True)
class FormDraft:
    """Text typed in one tab."""

    fields: Mapping[str, str]
    page: str = ""
    """Name of the tab: a page gets a new one each time it is loaded."""

    @property
    def version(self) -> str:
        """Digest of the text, to see whether it is still the one that a page started with; empty without a text."""
        document = {name: text for name, text in self.fields.items() if text.strip()}
        return sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:16] if document else ""

    def is_in(self, fields: Mapping[str, str]) -> bool:
        """Whether these texts contain, or continue, the whole draft.

        >>> draft = FormDraft({"question1": "Why"})
        >>> draft.is_in({"question1": "Why not?"}), draft.is_in({"question1": "Who"})
        (True, False)
        """
        return all(fields.get(name, "").startswith(text.rstrip()) for name, text in self.fields.items())


@dataclass(frozen=True, slots=True)
class Drafts:
    """A player's drafts for one move: the newest, and others that differ from it."""

    newest: FormDraft
    others: tuple[FormDraft, ...] = ()

    def lost_by(self, sent: FormDraft, based_on: str) -> tuple[FormDraft, ...]:
        """Texts that would be lost if these fields were sent and all drafts deleted."""
        return _others((self.newest, *self.others), sent, based_on)


def longest(terms: GameTerms) -> int:
    """Most characters of one field: more than in a move, because a player may still shorten a draft."""
    return 2 * terms.longest_text


def drafts(c: Connection, game_id: str, player: Player) -> Drafts:
    """A player's unsent drafts; empty without any, and for another player's game."""
    kept = _kept(c, game_id, player) if is_id(game_id) else ()
    return Drafts(kept[0], kept[1:]) if kept else Drafts(FormDraft({}))


def save_draft(
    c: Connection, game_id: str, player: Player, typed: FormDraft, now: datetime, *, based_on: str = ""
) -> Drafts | None:
    """Save a player's unsent text; return all saved drafts, or None if the move is already made.

    Parameters
    ----------
    based_on: the version of the draft that the page started with; other saved texts stay, unless this one contains them.

    Raises `NotYourGame`, and `BadInput` for a text longer than any move.
    """
    game, position = load(c, game_id, player, lock=True)
    fields = typed.fields
    most = longest(game.terms)
    if len(fields) > FIELDS or any(len(name) > _LONGEST_NAME or len(text) > most for name, text in fields.items()):
        raise BadInput(f"a draft has {FIELDS} fields of {most} characters at most")
    if not game.awaits(position, now):
        return None
    get_ready(c, game, position, now)
    others = _others(_kept(c, game_id, player), typed, based_on)
    if len(others) >= MOST:
        raise BadInput("this game is open in too many tabs with different texts: delete some of them first")
    _write(c, game_id, player, (typed, *others), now)
    return Drafts(typed, others)


def take_draft(c: Connection, game_id: str, player: Player, version: str, now: datetime) -> None:
    """Put another draft first; does nothing without one of this version. Raises `NotYourGame`."""
    load(c, game_id, player, lock=True)
    kept = _kept(c, game_id, player)
    _write(c, game_id, player, sorted(kept, key=lambda draft: draft.version != version), now)


def drop_draft(c: Connection, game_id: str, player: Player, version: str, now: datetime) -> None:
    """Delete a draft. Raises `NotYourGame`."""
    load(c, game_id, player, lock=True)
    _write(c, game_id, player, [draft for draft in _kept(c, game_id, player) if draft.version != version], now)


def _others(kept: Sequence[FormDraft], typed: FormDraft, based_on: str) -> tuple[FormDraft, ...]:
    mine = [draft.page == typed.page or draft.version == based_on or draft.is_in(typed.fields) for draft in kept]
    return tuple(draft for draft, known in zip(kept, mine, strict=True) if not known)


def _kept(c: Connection, game_id: str, player: Player) -> tuple[FormDraft, ...]:
    mine = (DRAFTS.c.game == game_id, DRAFTS.c.player == player.id)
    row: Any = c.execute(select(DRAFTS.c.fields).where(*mine)).scalar_one_or_none()
    return () if row is None else tuple(FormDraft(entry["fields"], entry["page"]) for entry in row)


def _write(c: Connection, game_id: str, player: Player, kept: Sequence[FormDraft], now: datetime) -> None:
    documents = [{"page": draft.page, "fields": dict(draft.fields)} for draft in kept if draft.version]
    if not documents:
        c.execute(delete(DRAFTS).where(DRAFTS.c.game == game_id, DRAFTS.c.player == player.id))
        return
    row = {"game": game_id, "player": player.id, "fields": documents, "saved": now}
    inserted = (postgres_insert if c.dialect.name == "postgresql" else sqlite_insert)(DRAFTS).values(row)
    c.execute(inserted.on_conflict_do_update(index_elements=["game", "player"], set_={"fields": documents, "saved": now}))
