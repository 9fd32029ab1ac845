"""Addresses that are confirmed, and the keys that are mailed for it. Whoever had an account before has yet to confirm."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them; no row that is there changes."""
    op.add_column("players", sa.Column("email_confirmed", sa.DateTime(timezone=True), nullable=True))
    op.add_column("players", sa.Column("new_email", sa.Text(), nullable=True))
    op.add_column("outbox", sa.Column("purpose", sa.Text(), nullable=True))
    op.create_table(
        "one_time_keys",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.CheckConstraint("purpose IN ('confirm', 'reset')", name=op.f("ck_one_time_keys_purpose")),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_one_time_keys_player"),
        sa.PrimaryKeyConstraint("id", name="pk_one_time_keys"),
    )
    op.create_index("ix_one_time_keys_expires", "one_time_keys", ["expires"])
    op.create_index("ix_one_time_keys_player", "one_time_keys", ["player"])


def downgrade() -> None:
    """Drop them again; mail that would bring a key goes with them."""
    op.drop_table("one_time_keys")
    op.execute("DELETE FROM outbox WHERE purpose IS NOT NULL")
    op.drop_column("outbox", "purpose")
    op.drop_column("players", "new_email")
    op.drop_column("players", "email_confirmed")
