"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")  # SQLite counts only INTEGER keys up by itself
_MOMENT = sa.DateTime(timezone=True)
_OPEN = sa.text("state = 'open'")


def upgrade() -> None:
    """Make them."""
    _players()
    _games()
    _moves()
    _messages()
    _surveys()
    _respondents()
    op.execute("INSERT INTO locks (name, tick) VALUES ('queue', 0)")


def _players() -> None:
    op.create_table(
        "locks",
        sa.Column("name", sa.Text(), primary_key=True),
        sa.Column("tick", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "players",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), unique=True),
        sa.Column("email", sa.Text(), unique=True),
        sa.Column("password_hash", sa.Text()),
        sa.Column("created", _MOMENT, nullable=False),
        sa.Column("consent", sa.Text()),
        sa.Column("consented", _MOMENT),
        sa.Column("machines_may_step_in", sa.Boolean(), nullable=False),
        sa.Column("mail_on_turn", sa.Boolean(), nullable=False),
        sa.Column("banned", sa.Boolean(), nullable=False),
        sa.Column("left_at", _MOMENT),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.Column("email_confirmed", _MOMENT),
        sa.Column("new_email", sa.Text()),
        sa.Column("seat_may_be_taken", sa.Boolean(), nullable=False),
        sa.CheckConstraint("kind IN ('guest', 'account', 'machine')", name=op.f("ck_players_kind")),
    )
    op.create_table(
        "site",
        sa.Column("name", sa.Text(), primary_key=True),
        sa.Column("address", sa.Text(), nullable=False),
    )
    op.create_table(
        "machines",
        sa.Column("player", sa.Text(), sa.ForeignKey("players.id"), primary_key=True),
        sa.Column("token_hash", sa.Text(), unique=True),
        sa.Column("house", sa.Boolean(), nullable=False),
    )
    op.create_table(
        "presence",
        sa.Column("player", sa.Text(), sa.ForeignKey("players.id"), primary_key=True),
        sa.Column("seen", _MOMENT, nullable=False),
        sa.Column("closed", _MOMENT),
    )
    op.create_table(
        "sessions",
        sa.Column("token_hash", sa.Text(), primary_key=True),
        sa.Column("player", sa.Text(), sa.ForeignKey("players.id"), nullable=False, index=True),
        sa.Column("expires", _MOMENT, nullable=False, index=True),
    )


def _games() -> None:
    op.create_table(
        "games",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("begun", _MOMENT, nullable=False, index=True),
        sa.Column("expires", _MOMENT, nullable=False),
        sa.Column("finished", _MOMENT),
        sa.Column("question_count", sa.SmallInteger(), nullable=False),
        sa.Column("longest_text", sa.Integer(), nullable=False),
        sa.Column("days", sa.Double(), nullable=False),
        sa.Column("ending", sa.Text()),
        sa.Column("ended_by", sa.SmallInteger()),
        sa.Column("machines_may_take_over", sa.Boolean(), nullable=False),
        sa.CheckConstraint("state IN ('open', 'over', 'expired')", name=op.f("ck_games_state")),
    )
    op.create_index("ix_games_open", "games", ["expires"], sqlite_where=_OPEN, postgresql_where=_OPEN)
    op.create_table(
        "seats",
        sa.Column("game", sa.Text(), sa.ForeignKey("games.id"), primary_key=True),
        sa.Column("place", sa.SmallInteger(), primary_key=True),
        sa.Column("player", sa.Text(), sa.ForeignKey("players.id"), nullable=False),
        sa.Column("opponent", sa.Text(), sa.ForeignKey("players.id"), nullable=False),
        sa.Column("human", sa.Boolean(), nullable=False),
        sa.Column("questions", sa.Text()),
        sa.Column("answers", sa.Text()),
        sa.Column("sliders", sa.Text()),
        sa.Column("guess", sa.Double()),
        sa.Column("thinks_human", sa.Boolean()),
        sa.Column("confidence", sa.Double()),
        sa.Column("knows_human", sa.Boolean(), nullable=False),
        sa.Column("ready", _MOMENT),
        sa.Column("taken_over", _MOMENT),
        sa.Column("asked", _MOMENT),
        sa.Column("answered", _MOMENT),
        sa.Column("guessed", _MOMENT),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.Column("finished", _MOMENT),
        sa.Column("received", sa.Double()),
        sa.Column("received_from_human", sa.Boolean()),
        sa.Column("rating_before", sa.Double()),
        sa.Column("rating_after", sa.Double()),
        sa.Column("outcome", sa.Text()),
        sa.Column("voided", _MOMENT),
        sa.CheckConstraint("place IN (0, 1)", name=op.f("ck_seats_place")),
        sa.CheckConstraint("player <> opponent", name=op.f("ck_seats_two")),
    )
    op.create_index("ix_seats_met", "seats", ["player", "opponent"])
    op.create_index("ix_seats_received", "seats", ["player", "finished", "received_from_human", "received"])


def _moves() -> None:
    op.create_table(
        "drafts",
        sa.Column("game", sa.Text(), sa.ForeignKey("games.id"), primary_key=True),
        sa.Column("player", sa.Text(), sa.ForeignKey("players.id"), primary_key=True, index=True),
        sa.Column("fields", sa.Text(), nullable=False),
        sa.Column("saved", _MOMENT, nullable=False),
    )
    op.create_table(
        "held",
        sa.Column("game", sa.Text(), sa.ForeignKey("games.id"), primary_key=True),
        sa.Column("place", sa.SmallInteger(), primary_key=True),
        sa.Column("player", sa.Text(), sa.ForeignKey("players.id"), nullable=False, index=True),
        sa.Column("opponent", sa.Text(), sa.ForeignKey("players.id"), nullable=False),
        sa.Column("move", sa.Text(), nullable=False),
        sa.Column("times", sa.Text(), nullable=False),
        sa.Column("due", _MOMENT, nullable=False, index=True),
    )
    op.create_index("ix_held_opponent", "held", ["opponent", "due"])
    op.create_table(
        "queue",
        sa.Column("player", sa.Text(), sa.ForeignKey("players.id"), primary_key=True),
        sa.Column("since", _MOMENT, nullable=False),
    )


def _messages() -> None:
    op.create_table(
        "one_time_keys",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("player", sa.Text(), sa.ForeignKey("players.id"), nullable=False, index=True),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("expires", _MOMENT, nullable=False, index=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.CheckConstraint("purpose IN ('confirm', 'reset')", name=op.f("ck_one_time_keys_purpose")),
    )
    op.create_table(
        "outbox",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("player", sa.Text(), sa.ForeignKey("players.id"), index=True),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created", _MOMENT, nullable=False),
        sa.Column("due", _MOMENT, index=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("sent", _MOMENT),
        sa.Column("error", sa.Text()),
        sa.Column("purpose", sa.Text()),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "reports",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("reporter", sa.Text(), sa.ForeignKey("players.id"), nullable=False, index=True),
        sa.Column("game", sa.Text(), sa.ForeignKey("games.id"), nullable=False),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("created", _MOMENT, nullable=False),
        sa.Column("closed", _MOMENT),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reports_once", "reports", ["reporter", "game"], unique=True)


def _surveys() -> None:
    op.create_table(
        "surveys",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("slug", sa.Text(), nullable=False, unique=True),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("since", _MOMENT, nullable=False),
        sa.Column("preview_key", sa.Text(), nullable=False),
        sa.Column("created", _MOMENT, nullable=False),
        sa.CheckConstraint("state IN ('draft', 'open', 'closed')", name=op.f("ck_surveys_state")),
    )
    op.create_table(
        "survey_cards",
        sa.Column("survey", sa.Text(), sa.ForeignKey("surveys.id"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("q1", sa.Text(), nullable=False),
        sa.Column("q2", sa.Text(), nullable=False),
        sa.Column("source1", sa.Text(), nullable=False),
        sa.Column("source2", sa.Text(), nullable=False),
        sa.Column("shown", sa.Text(), nullable=False),
        sa.Column("previous_correct", sa.Boolean(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("weight", sa.Double(), nullable=False),
        sa.Column("stage", sa.Integer()),
    )


def _respondents() -> None:
    op.create_table(
        "survey_respondents",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("survey", sa.Text(), sa.ForeignKey("surveys.id"), nullable=False),
        sa.Column("pid", sa.Text()),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.Column("tries", sa.SmallInteger(), nullable=False),
        sa.Column("consent", sa.Text()),
        sa.Column("entered", _MOMENT, nullable=False),
        sa.Column("dealt", _MOMENT),
        sa.Column("seen", _MOMENT, nullable=False),
        sa.Column("study", sa.Text()),
    )
    op.create_index("ix_survey_respondents_once", "survey_respondents", ["survey", "pid"], unique=True)
    op.create_index("ix_survey_respondents_study", "survey_respondents", ["study", "pid"], unique=True)
    op.create_table(
        "survey_deals",
        sa.Column("respondent", sa.Text(), sa.ForeignKey("survey_respondents.id"), primary_key=True),
        sa.Column("place", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("survey", sa.Text(), nullable=False),
        sa.Column("card", sa.Integer(), nullable=False),
        sa.Column("before", sa.Double()),
        sa.Column("before_at", _MOMENT),
        sa.Column("after", sa.Double()),
        sa.Column("after_at", _MOMENT),
        sa.Column("why", sa.Text()),
        sa.Column("own", sa.Text()),
        sa.Column("own_at", _MOMENT),
        sa.ForeignKeyConstraint(["survey", "card"], ["survey_cards.survey", "survey_cards.number"]),
    )
    op.create_index("ix_survey_deals_card", "survey_deals", ["survey", "card"])
    op.create_index("ix_survey_deals_once", "survey_deals", ["respondent", "card"], unique=True)
    op.create_table(
        "survey_tokens",
        sa.Column("token_hash", sa.Text(), primary_key=True),
        sa.Column("respondent", sa.Text(), sa.ForeignKey("survey_respondents.id"), nullable=False, index=True),
        sa.Column("made", _MOMENT, nullable=False),
    )
