"""Games begin at ticks, machines' moves are held back, and a machine of the house plays whoever finds nobody else."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what is new; who waits goes on waiting."""
    op.add_column("locks", sa.Column("tick", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("machines", sa.Column("house", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.drop_column("queue", "patience_seconds")
    op.drop_column("players", "moves")
    op.drop_column("players", "move_seconds")
    op.create_table(
        "held",
        sa.Column("game", sa.Text(), sa.ForeignKey("games.id", name="fk_held_game"), nullable=False),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.Column("player", sa.Text(), sa.ForeignKey("players.id", name="fk_held_player"), nullable=False),
        sa.Column("opponent", sa.Text(), sa.ForeignKey("players.id", name="fk_held_opponent"), nullable=False),
        sa.Column("move", sa.Text(), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("game", "place", name="pk_held"),
    )
    op.create_index("ix_held_player", "held", ["player"])
    op.create_index("ix_held_due", "held", ["due"])
    op.create_index("ix_held_opponent", "held", ["opponent", "due"])


def downgrade() -> None:
    """Drop it again; moves that are held back are lost, and their games wait for them once more."""
    op.drop_table("held")
    op.add_column("queue", sa.Column("patience_seconds", sa.Double(), nullable=False, server_default="0"))
    op.add_column("players", sa.Column("move_seconds", sa.Double(), nullable=False, server_default="0"))
    op.add_column("players", sa.Column("moves", sa.Integer(), nullable=False, server_default="0"))
    op.drop_column("machines", "house")
    op.drop_column("locks", "tick")
