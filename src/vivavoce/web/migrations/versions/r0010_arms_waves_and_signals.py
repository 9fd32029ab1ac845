"""Surveys have arms, waves and studies; respondents' own answers, closing texts and signals are kept."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def _columns() -> list[tuple[str, sa.Column[object]]]:
    return [
        ("surveys", sa.Column("wave", sa.Integer(), nullable=False, server_default="1")),
        ("surveys", sa.Column("drawn", sa.Integer(), nullable=False, server_default="0")),
        ("survey_cards", sa.Column("extras", sa.Text())),
        ("survey_respondents", sa.Column("study", sa.Text())),
        ("survey_respondents", sa.Column("wave", sa.Integer(), nullable=False, server_default="1")),
        ("survey_respondents", sa.Column("arm", sa.Text())),
        ("survey_respondents", sa.Column("closing", sa.Text())),
        ("survey_deals", sa.Column("own", sa.Text())),
        ("survey_deals", sa.Column("own_at", sa.DateTime(timezone=True))),
        ("survey_deals", sa.Column("signals", sa.Text())),
    ]


def upgrade() -> None:
    """Add what is new; surveys of before are in their first wave, without arms."""
    for table, column in _columns():
        op.add_column(table, column)
    op.create_index("ix_survey_respondents_study", "survey_respondents", ["study", "pid"], unique=True)


def downgrade() -> None:
    """Drop it again."""
    op.drop_index("ix_survey_respondents_study", "survey_respondents")
    for table, column in _columns():
        op.drop_column(table, column.name)
