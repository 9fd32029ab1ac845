"""The tables of the site. Texts of players are stored as JSON, so that no database refuses a character."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
    TypeDecorator,
    text,
)


class UtcDateTime(TypeDecorator[datetime]):
    """A time in UTC; SQLite stores it without the zone, which is added when it is read."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time has no time zone: add one")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class JsonText(TypeDecorator[Any]):
    """Values stored as JSON in ASCII."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


NAMES: Final = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "ix": "ix_%(table_name)s_%(column_0_name)s",
}
TABLES: Final = MetaData(naming_convention=NAMES)


def refers(name: str, table: str, **more: Any) -> Column[str]:
    """A column with the id of a row of another table."""
    return Column(name, Text, ForeignKey(f"{table}.id"), **more)


def one_of(name: str, *values: str | int) -> CheckConstraint:
    """A check that a column has one of these values."""
    return CheckConstraint(f"{name} IN ({', '.join(map(repr, values))})", name=name)


_NUMBER = BigInteger().with_variant(Integer, "sqlite")  # SQLite counts up INTEGER keys only


def _player(name: str = "player", **more: Any) -> Column[str]:
    return refers(name, "players", **more)


PLAYERS: Final = Table(
    "players",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("name_key", Text, unique=True),  # the form in which names are compared; guests and those who left have none
    Column("email", Text, unique=True),
    Column("password_hash", Text),
    Column("created", UtcDateTime, nullable=False),
    Column("consent", Text),
    Column("consented", UtcDateTime),
    Column("machines_may_step_in", Boolean, nullable=False),
    Column("mail_on_turn", Boolean, nullable=False),
    Column("banned", Boolean, nullable=False),
    Column("left_at", UtcDateTime),
    Column("changes", Integer, nullable=False),
    Column("email_confirmed", UtcDateTime),  # none: not confirmed
    Column("new_email", Text),  # replaces the other once it is confirmed
    Column("seat_may_be_taken", Boolean, nullable=False),  # by a machine, once one of the two has left
    one_of("kind", "guest", "account", "machine"),
)
PRESENCE: Final = Table(
    "presence",
    TABLES,
    _player(primary_key=True),
    Column("seen", UtcDateTime, nullable=False),
    Column("closed", UtcDateTime),  # when the last open page was closed; not after `seen`: the player is present
)
"""When a player was last present; separate from players, so that no page waits for a game to record it."""
SESSIONS: Final = Table(
    "sessions",
    TABLES,
    Column("token_hash", Text, primary_key=True),
    _player(nullable=False, index=True),
    Column("expires", UtcDateTime, nullable=False, index=True),
)
MACHINES: Final = Table(
    "machines",
    TABLES,
    _player(primary_key=True),
    Column("token_hash", Text, unique=True),  # none: revoked, or the built-in opponent
    Column("house", Boolean, nullable=False),  # plays with players who find no one else
)
GAMES: Final = Table(
    "games",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("begun", UtcDateTime, nullable=False, index=True),
    Column("expires", UtcDateTime, nullable=False),  # time after the last move at which the game ends
    Column("finished", UtcDateTime),
    Column("question_count", SmallInteger, nullable=False),
    Column("longest_text", Integer, nullable=False),
    Column("days", Double, nullable=False),
    Column("ending", Text),  # why it ended without a result
    Column("ended_by", SmallInteger),  # the place of the player who caused it; none: both
    Column("machines_may_take_over", Boolean, nullable=False),  # both agreed before it started
    one_of("state", "open", "over", "expired"),
    Index("ix_games_open", "expires", sqlite_where=text("state = 'open'"), postgresql_where=text("state = 'open'")),
)
SEATS: Final = Table(
    "seats",
    TABLES,
    refers("game", "games", primary_key=True),
    Column("place", SmallInteger, primary_key=True),
    _player(nullable=False),
    _player("opponent", nullable=False),
    Column("human", Boolean, nullable=False),
    Column("questions", JsonText),
    Column("answers", JsonText),
    Column("sliders", JsonText),
    Column("guess", Double),
    Column("thinks_human", Boolean),  # that the other is a person
    Column("confidence", Double),  # confidence in that, in percent: 50 to 100
    Column("knows_human", Boolean, nullable=False),  # refused machines before the game started
    Column("ready", UtcDateTime),
    Column("taken_over", UtcDateTime),  # since when a machine plays for the person who left
    Column("asked", UtcDateTime),
    Column("answered", UtcDateTime),
    Column("guessed", UtcDateTime),
    Column("hidden", Boolean, nullable=False),  # by the operator
    # when the game is finished: this player's result
    Column("finished", UtcDateTime),
    Column("received", Double),
    Column("received_from_human", Boolean),
    Column("rating_before", Double),
    Column("rating_after", Double),
    Column("outcome", Text),
    Column("voided", UtcDateTime),  # since when the received guess no longer counts; none: it counts
    one_of("place", 0, 1),
    CheckConstraint("player <> opponent", name="two"),
    Index("ix_seats_met", "player", "opponent"),
    Index("ix_seats_received", "player", "finished", "received_from_human", "received"),
)
DRAFTS: Final = Table(
    "drafts",
    TABLES,
    refers("game", "games", primary_key=True),
    _player(primary_key=True, index=True),
    Column("fields", JsonText, nullable=False),
    Column("saved", UtcDateTime, nullable=False),
)
QUEUE: Final = Table(
    "queue",
    TABLES,
    _player(primary_key=True),
    Column("since", UtcDateTime, nullable=False),
)
OUTBOX: Final = Table(
    "outbox",
    TABLES,
    Column("id", _NUMBER, primary_key=True),
    _player(index=True),
    Column("recipient", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("created", UtcDateTime, nullable=False),
    Column("due", UtcDateTime, index=True),  # none: sent, or given up
    Column("attempts", Integer, nullable=False),
    Column("sent", UtcDateTime),
    Column("error", Text),
    Column("purpose", Text),  # of the key in it; none: no key
    sqlite_autoincrement=True,  # the number, and so the Message-ID, of a deleted mail is never reused
)
REPORTS: Final = Table(
    "reports",
    TABLES,
    Column("id", _NUMBER, primary_key=True),
    _player("reporter", nullable=False, index=True),
    refers("game", "games", nullable=False),
    Column("place", SmallInteger, nullable=False),  # the author of the reported text
    Column("reason", JsonText),
    Column("created", UtcDateTime, nullable=False),
    Column("closed", UtcDateTime),
    Index("ix_reports_once", "reporter", "game", unique=True),
    sqlite_autoincrement=True,  # a withdrawn id is never given to another
)
KEYS: Final = Table(
    "one_time_keys",
    TABLES,
    Column("id", Text, primary_key=True),
    _player(nullable=False, index=True),
    Column("purpose", Text, nullable=False),
    Column("address", Text, nullable=False),  # the address it was sent to
    Column("secret_hash", Text, nullable=False),
    Column("expires", UtcDateTime, nullable=False, index=True),
    Column("tries", Integer, nullable=False),  # wrong ones
    one_of("purpose", "confirm", "reset"),
)
LOCKS: Final = Table(
    "locks",
    TABLES,
    Column("name", Text, primary_key=True),
    Column("tick", BigInteger, nullable=False),  # the last tick at which it was done
)
"""One row for each thing that only one transaction may do at a time."""
SITE: Final = Table(
    "site",
    TABLES,
    Column("name", Text, primary_key=True),
    Column("address", Text, nullable=False),  # the address it was last served at
)
"""One row."""
HELD: Final = Table(
    "held",
    TABLES,
    refers("game", "games", primary_key=True),
    Column("place", SmallInteger, primary_key=True),
    _player(nullable=False, index=True),
    _player("opponent", nullable=False),
    Column("move", JsonText, nullable=False),
    Column("times", JsonText, nullable=False),  # drawn for it, in seconds of the phase
    Column("due", UtcDateTime, nullable=False, index=True),
    Index("ix_held_opponent", "opponent", "due"),
)
"""Delayed moves of machines, so that speed does not reveal a machine."""
SURVEYS: Final = Table(
    "surveys",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("slug", Text, nullable=False, unique=True),
    Column("plan", JsonText, nullable=False),
    Column("state", Text, nullable=False),
    Column("since", UtcDateTime, nullable=False),  # since when it is in this state
    Column("preview_key", Text, nullable=False),
    Column("created", UtcDateTime, nullable=False),
    one_of("state", "draft", "open", "closed"),
)
CARDS: Final = Table(
    "survey_cards",
    TABLES,
    refers("survey", "surveys", primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("q1", JsonText, nullable=False),
    Column("q2", JsonText, nullable=False),
    Column("source1", JsonText, nullable=False),
    Column("source2", JsonText, nullable=False),
    Column("shown", JsonText, nullable=False),
    Column("previous_correct", Boolean, nullable=False),
    Column("by", Text, nullable=False),
    Column("weight", Double, nullable=False),
    Column("stage", Integer),
)
RESPONDENTS: Final = Table(
    "survey_respondents",
    TABLES,
    Column("id", Text, primary_key=True),
    refers("survey", "surveys", nullable=False),
    Column("pid", Text),  # a pseudonym of a platform's participant; none for others
    Column("step", Text, nullable=False),
    Column("place", SmallInteger, nullable=False),
    Column("tries", SmallInteger, nullable=False),
    Column("consent", Text),
    Column("entered", UtcDateTime, nullable=False),
    Column("dealt", UtcDateTime),
    Column("seen", UtcDateTime, nullable=False),
    Column("study", Text),  # that surveys share; none: this survey is its own study
    Index("ix_survey_respondents_once", "survey", "pid", unique=True),
    Index("ix_survey_respondents_study", "study", "pid", unique=True),
)
RESPONDENT_TOKENS: Final = Table(
    "survey_tokens",
    TABLES,
    Column("token_hash", Text, primary_key=True),
    refers("respondent", "survey_respondents", nullable=False, index=True),
    Column("made", UtcDateTime, nullable=False),
)
DEALS: Final = Table(
    "survey_deals",
    TABLES,
    refers("respondent", "survey_respondents", primary_key=True),
    Column("place", SmallInteger, primary_key=True, autoincrement=False),
    Column("survey", Text, nullable=False),
    Column("card", Integer, nullable=False),
    Column("before", Double),
    Column("before_at", UtcDateTime),
    Column("after", Double),
    Column("after_at", UtcDateTime),
    Column("why", JsonText),
    Column("own", JsonText),  # the respondent's own answer to the question
    Column("own_at", UtcDateTime),
    ForeignKeyConstraint(["survey", "card"], ["survey_cards.survey", "survey_cards.number"]),
    Index("ix_survey_deals_once", "respondent", "card", unique=True),
    Index("ix_survey_deals_card", "survey", "card"),
)
"""Pairs of each respondent, and the answers about them."""
