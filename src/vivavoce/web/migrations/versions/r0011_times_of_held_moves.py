"""Moves that are held back keep the times that were drawn for them, so that nobody waits too long for them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what is new; no other times are known of moves that are held."""
    op.add_column("held", sa.Column("times", sa.Text(), nullable=False, server_default="[]"))


def downgrade() -> None:
    """Drop it again."""
    op.drop_column("held", "times")
