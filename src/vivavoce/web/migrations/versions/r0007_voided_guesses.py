"""Guesses that the operator has voided: they stay on record and count in no rating."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; all guesses that are there count."""
    op.add_column("seats", sa.Column("voided", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Drop it again; voided guesses count as before, though not in the ratings after each game."""
    op.drop_column("seats", "voided")
