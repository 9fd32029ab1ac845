"""Machines have no versions: another version of a machine is another machine."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Drop the table."""
    op.drop_table("machine_versions")


def downgrade() -> None:
    """Make it again, empty."""
    op.create_table(
        "machine_versions",
        sa.Column("player", sa.Text(), sa.ForeignKey("players.id", name="fk_machine_versions_player"), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("released", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("player", "version", name="pk_machine_versions"),
    )
