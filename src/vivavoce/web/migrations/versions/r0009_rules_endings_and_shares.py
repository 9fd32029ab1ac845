"""Games have rules and endings of their own, results are shared, players say who is a machine, and machines have versions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def _columns() -> list[tuple[str, sa.Column[object]]]:
    return [
        ("games", sa.Column("question_count", sa.SmallInteger(), nullable=False, server_default="5")),
        ("games", sa.Column("longest_text", sa.Integer(), nullable=False, server_default="5000")),
        ("games", sa.Column("days", sa.Double(), nullable=False, server_default="3")),
        ("games", sa.Column("ending", sa.Text())),
        ("games", sa.Column("ended_by", sa.SmallInteger())),
        ("games", sa.Column("machines_may_take_over", sa.Boolean(), nullable=False, server_default=sa.false())),
        ("seats", sa.Column("ready", sa.DateTime(timezone=True))),
        ("seats", sa.Column("thinks_human", sa.Boolean())),
        ("seats", sa.Column("confidence", sa.Double())),
        ("seats", sa.Column("knows_human", sa.Boolean(), nullable=False, server_default=sa.false())),
        ("seats", sa.Column("taken_over", sa.DateTime(timezone=True))),
        ("players", sa.Column("seat_may_be_taken", sa.Boolean(), nullable=False, server_default=sa.false())),
        ("players", sa.Column("questions_may_be_shown", sa.Boolean(), nullable=False, server_default=sa.false())),
        ("presence", sa.Column("closed", sa.DateTime(timezone=True))),
    ]


def upgrade() -> None:
    """Add what is new. Games of before have five questions, 5,000 characters and three days, and ended for lack of time."""
    for table, column in _columns():
        op.add_column(table, column)
    op.execute("UPDATE games SET ending = 'time' WHERE state = 'expired'")
    op.execute("UPDATE seats SET ready = (SELECT begun FROM games WHERE games.id = seats.game)")  # nobody was asked
    refusing = "SELECT id FROM players WHERE kind <> 'machine' AND NOT machines_may_step_in"
    op.execute(f"UPDATE seats SET knows_human = true WHERE player IN ({refusing})")  # noqa: S608 - no stranger's word is in it
    op.create_table(
        "shares",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), sa.ForeignKey("games.id", name="fk_shares_game"), nullable=False),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_shares"),
    )
    op.create_index("ix_shares_once", "shares", ["game", "place"], unique=True)
    op.create_table(
        "machine_versions",
        sa.Column("player", sa.Text(), sa.ForeignKey("players.id", name="fk_machine_versions_player"), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("released", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("player", "version", name="pk_machine_versions"),
    )


def downgrade() -> None:
    """Drop it again."""
    op.drop_table("machine_versions")
    op.drop_table("shares")
    for table, column in _columns():
        op.drop_column(table, column.name)
