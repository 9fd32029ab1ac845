"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_OPEN = sa.text("state = 'open'")


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "games",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("begun", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('open', 'over', 'expired')", name=op.f("ck_games_state")),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
    )
    op.create_index("ix_games_begun", "games", ["begun"])
    op.create_index("ix_games_open", "games", ["expires"], sqlite_where=_OPEN, postgresql_where=_OPEN)
    op.create_table(
        "locks",
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_locks"),
    )
    op.create_table(
        "players",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=True),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("consent", sa.Text(), nullable=True),
        sa.Column("consented", sa.DateTime(timezone=True), nullable=True),
        sa.Column("machines_may_step_in", sa.Boolean(), nullable=False),
        sa.Column("mail_on_turn", sa.Boolean(), nullable=False),
        sa.Column("banned", sa.Boolean(), nullable=False),
        sa.Column("left_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.Column("moves", sa.Integer(), nullable=False),
        sa.Column("move_seconds", sa.Double(), nullable=False),
        sa.CheckConstraint("kind IN ('guest', 'account', 'machine')", name=op.f("ck_players_kind")),
        sa.PrimaryKeyConstraint("id", name="pk_players"),
        sa.UniqueConstraint("email", name="uq_players_email"),
        sa.UniqueConstraint("name_key", name="uq_players_name_key"),
    )
    op.create_table(
        "drafts",
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("fields", sa.Text(), nullable=False),
        sa.Column("saved", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_drafts_game"),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_drafts_player"),
        sa.PrimaryKeyConstraint("game", "player", name="pk_drafts"),
    )
    op.create_index("ix_drafts_player", "drafts", ["player"])
    op.create_table(
        "machines",
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_machines_player"),
        sa.PrimaryKeyConstraint("player", name="pk_machines"),
        sa.UniqueConstraint("token_hash", name="uq_machines_token_hash"),
    )
    op.create_table(
        "outbox",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("player", sa.Text(), nullable=True),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("sent", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_outbox_player"),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
    )
    op.create_index("ix_outbox_due", "outbox", ["due"])
    op.create_index("ix_outbox_player", "outbox", ["player"])
    op.create_table(
        "presence",
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("seen", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_presence_player"),
        sa.PrimaryKeyConstraint("player", name="pk_presence"),
    )
    op.create_table(
        "queue",
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("patience_seconds", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_queue_player"),
        sa.PrimaryKeyConstraint("player", name="pk_queue"),
    )
    op.create_table(
        "reports",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("reporter", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_reports_game"),
        sa.ForeignKeyConstraint(["reporter"], ["players.id"], name="fk_reports_reporter"),
        sa.PrimaryKeyConstraint("id", name="pk_reports"),
    )
    op.create_index("ix_reports_once", "reports", ["reporter", "game"], unique=True)
    op.create_index("ix_reports_reporter", "reports", ["reporter"])
    op.create_table(
        "seats",
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("opponent", sa.Text(), nullable=False),
        sa.Column("human", sa.Boolean(), nullable=False),
        sa.Column("questions", sa.Text(), nullable=True),
        sa.Column("answers", sa.Text(), nullable=True),
        sa.Column("sliders", sa.Text(), nullable=True),
        sa.Column("guess", sa.Double(), nullable=True),
        sa.Column("asked", sa.DateTime(timezone=True), nullable=True),
        sa.Column("answered", sa.DateTime(timezone=True), nullable=True),
        sa.Column("guessed", sa.DateTime(timezone=True), nullable=True),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.Column("finished", sa.DateTime(timezone=True), nullable=True),
        sa.Column("received", sa.Double(), nullable=True),
        sa.Column("received_from_human", sa.Boolean(), nullable=True),
        sa.Column("rating_before", sa.Double(), nullable=True),
        sa.Column("rating_after", sa.Double(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.CheckConstraint("place IN (0, 1)", name=op.f("ck_seats_place")),
        sa.CheckConstraint("player <> opponent", name=op.f("ck_seats_two")),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_seats_game"),
        sa.ForeignKeyConstraint(["opponent"], ["players.id"], name="fk_seats_opponent"),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_seats_player"),
        sa.PrimaryKeyConstraint("game", "place", name="pk_seats"),
    )
    op.create_index("ix_seats_met", "seats", ["player", "opponent"])
    op.create_index("ix_seats_received", "seats", ["player", "finished", "received_from_human", "received"])
    op.create_table(
        "sessions",
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_sessions_player"),
        sa.PrimaryKeyConstraint("token_hash", name="pk_sessions"),
    )
    op.create_index("ix_sessions_expires", "sessions", ["expires"])
    op.create_index("ix_sessions_player", "sessions", ["player"])
    op.execute("INSERT INTO locks (name) VALUES ('queue')")


def downgrade() -> None:
    """Drop them, in the order that their references allow."""
    tables = (
        "sessions", "seats", "reports", "queue", "presence", "outbox", "machines", "drafts", "players", "locks", "games",
    )  # fmt: skip
    for name in tables:
        op.drop_table(name)
