"""Ratings of players: history, leaderboard, how well guessers judge; the list of players, and exports of finished games."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import sqrt
from typing import Any, Final, Literal

import numpy as np
from scipy.special import stdtrit
from sqlalchemy import ColumnElement, Connection, and_, bindparam, case, distinct, func, or_, select

from vivavoce.formats.interval import CONFIDENCE
from vivavoce.luna.games_file import ExportedGame, ExportedSeat, LunaGames, SiteVisitor
from vivavoce.luna.guessers import flags
from vivavoce.luna.rate import NamedFlag
from vivavoce.luna.ratings import Guesses
from vivavoce.luna.rules import HIGHEST, LOWEST
from vivavoce.web.store.people import Kind, is_id, key_of
from vivavoce.web.tables import GAMES, PLAYERS, REPORTS, SEATS

MONTH: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class FlaggedPlayer:
    """A suspicious player."""

    id: str
    name: str
    banned: bool
    statements: tuple[str, ...]
    """The evidence, one sentence per rule, strongest first."""


@dataclass(frozen=True, slots=True)
class SiteCounts:
    """Games that have ended."""

    players: int
    """Players who have finished a game."""
    games: int
    recent: int
    """Games of the last month."""


def counts(c: Connection, now: datetime) -> SiteCounts:
    """Numbers of games, which change only after a game has ended."""
    over = select(func.count()).select_from(GAMES).where(GAMES.c.state == "over")
    players = select(func.count(distinct(SEATS.c.player))).where(SEATS.c.finished.is_not(None))
    recent = over.where(GAMES.c.finished >= now - MONTH)
    return SiteCounts(*(c.execute(which).scalar_one() for which in (players, over, recent)))


def games_played(c: Connection, *, with_voided_of: str = "") -> LunaGames | None:
    """All guesses in finished games except voided ones, oldest first, with players' ids; None without any. with_voided_of: a
    player whose voided guesses are included.
    """
    columns = (SEATS.c[name] for name in ("game", "opponent", "player", "received", "received_from_human"))
    taken = SEATS.c.voided.is_(None) | (SEATS.c.opponent == with_voided_of)
    counted = select(*columns).where(SEATS.c.finished.is_not(None), taken)
    rows = c.execute(counted.order_by(SEATS.c.finished, SEATS.c.game, SEATS.c.place)).all()
    if not rows:
        return None
    players: dict[str, int] = {}
    games: dict[str, int] = {}
    number = [games.setdefault(row.game, len(games)) for row in rows]
    guessers = [players.setdefault(row.opponent, len(players)) for row in rows]
    targets = [players.setdefault(row.player, len(players)) for row in rows]
    guesses = Guesses(guessers, targets, [row.received for row in rows], number, players=len(players))
    by_human = np.array([row.received_from_human for row in rows], dtype=bool)
    machines = frozenset(guesser for guesser, row in zip(guessers, rows, strict=True) if not row.received_from_human)
    return LunaGames(tuple(players), guesses, by_human, machines)


def flagged(c: Connection, *, with_voided_of: str = "") -> list[FlaggedPlayer]:
    """Suspicious players, strongest evidence first, without those whose guesses are voided. with_voided_of: a player whose
    voided guesses are checked all the same.
    """
    games = games_played(c, with_voided_of=with_voided_of)
    if games is None:
        return []
    document: dict[str, list[str]] = {}
    for flag in flags(games):
        player = games.names[flag.player]
        document.setdefault(player, []).append(NamedFlag(player, flag.player in games.machines, flag).evidence)
    rows = c.execute(select(PLAYERS.c.id, PLAYERS.c.name, PLAYERS.c.banned).where(PLAYERS.c.id.in_(list(document))))
    known = {row.id: row for row in rows}
    return [FlaggedPlayer(player, known[player].name, known[player].banned, tuple(texts)) for player, texts in document.items()]


Outcome = Literal["won", "lost", "tied", "first"]

BY_PEOPLE: Final = and_(SEATS.c.received_from_human.is_(True), SEATS.c.voided.is_(None))
"""Whether a received guess counts."""
_GUESS = case((BY_PEOPLE, SEATS.c.received))
MEAN_OF_GUESSES: Final = (
    func.avg(_GUESS),
    func.count(_GUESS),
    func.sum((_GUESS - 50.0) * (_GUESS - 50.0)),  # around 50, so that no digits are lost
)
"""The mean of the guesses that count, their number, and the sum of squares for `interval_of`."""
_COUNTED = (SEATS.c.finished.is_not(None), BY_PEOPLE)
_RECEIVED = select(SEATS.c.received).where(SEATS.c.player == bindparam("of"), *_COUNTED)


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """A finished game in a player's history."""

    finished: datetime
    guess: float
    """The guess that the player received."""
    by_human: bool
    rating_after: float | None
    outcome: Outcome
    voided: bool = False
    """Whether the operator has voided the guess, so that it does not count."""


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """A player on the leaderboard."""

    name: str
    kind: Kind
    rating: float
    interval: tuple[float, float] | None
    """The 95% confidence interval of the mean, if guesses of this player were normally distributed; None for a single guess."""
    games: int
    """Finished games."""
    wins: int


def received(c: Connection, player_id: str) -> list[float]:
    """Guesses of this player by people in finished games."""
    return list(c.execute(_RECEIVED, {"of": player_id}).scalars())


def rating_of(c: Connection, player_id: str) -> tuple[float | None, int]:
    """The mean and number of people's guesses in finished games; None without any."""
    counted = select(func.avg(SEATS.c.received), func.count()).where(SEATS.c.player == player_id, *_COUNTED)
    mean, count = c.execute(counted).one()
    return (None if mean is None else float(mean)), count


def history(c: Connection, player_id: str) -> list[RatingPoint]:
    """The player's finished games, oldest first."""
    voided = SEATS.c.voided.is_not(None)
    columns = (SEATS.c.finished, SEATS.c.received, SEATS.c.received_from_human, SEATS.c.rating_after, SEATS.c.outcome, voided)
    mine = select(*columns).where(SEATS.c.player == player_id, SEATS.c.finished.is_not(None))
    return [RatingPoint(*row) for row in c.execute(mine.order_by(SEATS.c.finished, SEATS.c.game))]


def leaderboard(c: Connection, *, least_games: int = 1) -> list[LeaderboardRow]:
    """Players with a rating and this many finished games, best first, without those who have left or are banned."""
    columns = (*MEAN_OF_GUESSES, func.count(), func.sum(case((SEATS.c.outcome == "won", 1), else_=0)))
    rows = (
        select(PLAYERS.c.name, PLAYERS.c.kind, *columns)
        .join(SEATS, SEATS.c.player == PLAYERS.c.id)
        .where(SEATS.c.finished.is_not(None), PLAYERS.c.left_at.is_(None), PLAYERS.c.banned.is_(False))
        .group_by(PLAYERS.c.id, PLAYERS.c.name, PLAYERS.c.kind)
        .having(func.count() >= least_games, func.count(_GUESS) >= 1)
    )
    standings = [
        LeaderboardRow(name, kind, mean, interval_of(mean, guesses, squares), games, int(wins))
        for name, kind, mean, guesses, squares, games, wins in c.execute(rows)
    ]
    return sorted(standings, key=lambda row: (-row.rating, -row.games, row.name))


def interval_of(mean: float, guesses: int, squares: float) -> tuple[float, float] | None:
    """The 95% confidence interval of the mean, by Student's t; None for a single guess. squares: the sum of the squared
    distances of the guesses from 50.
    """
    if guesses < 2:
        return None
    variance = max(0.0, squares / guesses - (mean - 50.0) ** 2) * guesses / (guesses - 1)
    half = float(stdtrit(guesses - 1, (1 + CONFIDENCE) / 2)) * sqrt(variance / guesses)
    return max(LOWEST, mean - half), min(HIGHEST, mean + half)


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
    rated = _by_player(c, ids, _GUESSES_RECEIVED, SEATS.c.player, SEATS.c.finished.is_not(None))
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


_GUESSES_RECEIVED: Final = (func.count(), *MEAN_OF_GUESSES)
_GIVEN: Final = (func.count(), func.count(SEATS.c.voided))


def _by_player(c: Connection, ids: list[str], columns: Any, of: Any, which: ColumnElement[bool]) -> dict[str, tuple[Any, ...]]:
    rows = c.execute(select(of, *columns).where(of.in_(ids), which).group_by(of))
    return {row[0]: tuple(row[1:]) for row in rows}


EXPORTED_AT_ONCE: Final = 500
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
        games = c.execute(page.order_by(GAMES.c.begun, GAMES.c.id).limit(EXPORTED_AT_ONCE)).all()
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
