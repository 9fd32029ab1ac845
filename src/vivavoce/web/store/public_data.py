"""Public data: shared results, the best questions, and numbers of games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import stdev
from typing import Any, Final

from sqlalchemy import Connection, and_, delete, distinct, func, select
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from vivavoce.errors import BadInput
from vivavoce.luna.rules import says_something
from vivavoce.web.store.games import NotYourGame, load
from vivavoce.web.store.people import Player, is_id, new_id
from vivavoce.web.store.ratings import Outcome
from vivavoce.web.tables import GAMES, PLAYERS, REPORTS, SEATS, SHARES


@dataclass(frozen=True, slots=True)
class SharedScores:
    """The anonymous scores of a finished game that one player shares."""

    guess: float
    """Guess of the other's rating."""
    their_rating: float | None
    """This player's rating before the game; None for a newcomer."""
    their_guess: float
    own_rating: float | None
    """Before the game."""
    other_human: bool
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class SharedResult:
    """A shared result."""

    owner: str
    game: str
    scores: SharedScores


_OTHER = SEATS.alias("other")
_RESULT = (
    select(
        SEATS.c.player,
        SHARES.c.game,
        SEATS.c.guess,
        _OTHER.c.rating_before.label("theirs"),
        SEATS.c.received,
        SEATS.c.rating_before,
        _OTHER.c.human,
        SEATS.c.outcome,
    )
    .select_from(SHARES)
    .join(SEATS, and_(SEATS.c.game == SHARES.c.game, SEATS.c.place == SHARES.c.place))
    .join(_OTHER, and_(_OTHER.c.game == SHARES.c.game, _OTHER.c.place != SHARES.c.place))
    .join(PLAYERS, PLAYERS.c.id == SEATS.c.player)
    .where(PLAYERS.c.banned.is_(False))
)


def share(c: Connection, game_id: str, player: Player, now: datetime) -> str:
    """The key under which anyone can see this player's scores of a finished game; always the same one. Raises `NotYourGame`,
    and `BadInput` for a game without a result.
    """
    game, position = load(c, game_id, player, lock=True)
    if game.verdicts is None:
        raise BadInput("only the result of a finished game can be shared")
    if c.execute(select(SEATS.c.taken_over).where(SEATS.c.game == game_id, SEATS.c.taken_over.is_not(None))).first():
        raise BadInput("a machine has taken over a seat of this game, so its result can't be shared")
    row: dict[str, Any] = {"key": new_id(), "game": game_id, "place": position, "created": now}
    inserted = (postgres_insert if c.dialect.name == "postgresql" else sqlite_insert)(SHARES).values(row)
    c.execute(inserted.on_conflict_do_nothing(index_elements=["game", "place"]))
    mine = (SHARES.c.game == game_id, SHARES.c.place == position)
    return str(c.execute(select(SHARES.c.key).where(*mine)).scalar_one())


def shared(c: Connection, key: str) -> SharedResult | None:
    """The scores under a key; None without any."""
    if not is_id(key):
        return None
    row = c.execute(_RESULT.where(SHARES.c.key == key)).one_or_none()
    return None if row is None else SharedResult(row[0], row[1], SharedScores(*row[2:]))


def withdraw(c: Connection, key: str, player: Player) -> None:
    """Withdraw a shared result. Raises `NotYourGame` if another player shares it, or it is gone."""
    result = shared(c, key)
    if result is None or result.owner != player.id:
        raise NotYourGame
    c.execute(delete(SHARES).where(SHARES.c.key == key))


MONTH: Final = timedelta(days=30)
LEAST_MARKS: Final = 3
"""Fewest answers of different players for the spread of marks."""
LEAST_RATED: Final = 3
"""Fewest questions with that many marks; below it, the newest are shown instead of the best."""
SHOWN: Final = 10
PER_PLAYER: Final = 2
"""Most questions of one player in the list."""
LONGEST: Final = 300
"""Most characters of a listed question."""
_LOOKED_AT: Final = 1_000
"""Most parts of games that are read, newest first."""


@dataclass(frozen=True, slots=True)
class SiteCounts:
    """Games that have ended."""

    players: int
    """Players who have finished a game."""
    games: int
    recent: int
    """Games of the last month."""


@dataclass(frozen=True, slots=True)
class PublicQuestion:
    """A question that its author has made public."""

    text: str
    author: str
    marks: tuple[float, ...]
    """Marks that its author gave to different players' answers."""

    @property
    def spread(self) -> float | None:
        """The standard deviation of the marks; None for too few.

        >>> PublicQuestion("Why?", "", (10.0, 50.0, 90.0)).spread, PublicQuestion("Why?", "", (10.0, 90.0)).spread
        (40.0, None)
        """
        return stdev(self.marks) if len(self.marks) >= LEAST_MARKS else None


@dataclass(frozen=True, slots=True)
class PublicQuestions:
    """Public questions, the best or the newest first."""

    best: bool
    """Whether they are ranked; with too few marks, they are the newest."""
    questions: tuple[PublicQuestion, ...]


def counts(c: Connection, now: datetime) -> SiteCounts:
    """Numbers of games, which change only after a game has ended."""
    over = select(func.count()).select_from(GAMES).where(GAMES.c.state == "over")
    players = select(func.count(distinct(SEATS.c.player))).where(SEATS.c.finished.is_not(None))
    recent = over.where(GAMES.c.finished >= now - MONTH)
    return SiteCounts(*(c.execute(which).scalar_one() for which in (players, over, recent)))


def questions(c: Connection, now: datetime) -> PublicQuestions:
    """The best questions of the last month, of players who allow it. A question is good if its author's marks of different
    players' answers differ much: it distinguishes players. Left out are hidden and long texts, reported ones with an open
    report, and texts by replacement machines.
    """
    public_questions = _found(c, now)
    rated = sorted(
        (question for question in public_questions if question.spread is not None),
        key=lambda question: -(question.spread or 0.0),
    )
    best = len(rated) >= LEAST_RATED
    return PublicQuestions(best, _some(rated if best else public_questions))


def _found(c: Connection, now: datetime) -> list[PublicQuestion]:
    """All questions that may be shown, newest first, each once."""
    reported = select(REPORTS.c.id).where(
        REPORTS.c.game == SEATS.c.game, REPORTS.c.place == SEATS.c.place, REPORTS.c.closed.is_(None)
    )
    rows = (
        select(SEATS.c.player, SEATS.c.opponent, SEATS.c.questions, SEATS.c.sliders)
        .join(PLAYERS, and_(PLAYERS.c.id == SEATS.c.player, PLAYERS.c.questions_may_be_shown.is_(True)))
        .where(PLAYERS.c.banned.is_(False), PLAYERS.c.left_at.is_(None), SEATS.c.finished >= now - MONTH)
        .where(SEATS.c.hidden.is_(False), SEATS.c.taken_over.is_(None), SEATS.c.questions.is_not(None), ~reported.exists())
        .order_by(SEATS.c.finished.desc(), SEATS.c.game)
        .limit(_LOOKED_AT)
    )
    texts: dict[tuple[str, str], str] = {}
    marks: dict[tuple[str, str], dict[str, float]] = {}
    for player, opponent, asked, sliders in c.execute(rows):
        for text, mark in zip(asked, sliders or [None] * len(asked), strict=False):
            key = (player, _same(text))
            if len(text) <= LONGEST and says_something(text):
                texts.setdefault(key, text)
                if mark is not None:
                    marks.setdefault(key, {}).setdefault(opponent, mark)
    return [PublicQuestion(text, key[0], tuple(marks.get(key, {}).values())) for key, text in texts.items()]


def _some(public_questions: Iterable[PublicQuestion]) -> tuple[PublicQuestion, ...]:
    chosen: list[PublicQuestion] = []
    by: Counter[str] = Counter()
    known: set[str] = set()
    for question in public_questions:
        if by[question.author] < PER_PLAYER and len(chosen) < SHOWN and _same(question.text) not in known:
            by[question.author] += 1
            known.add(_same(question.text))
            chosen.append(question)
    return tuple(chosen)


def _same(text: str) -> str:
    """The key by which questions are compared, without case and blanks."""
    return " ".join(text.casefold().split())
