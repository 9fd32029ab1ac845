"""Surveys of belief changes: their cards, who answers them, and what they said."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them; no table that is there changes."""
    op.create_table(
        "surveys",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("preview_key", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state IN ('draft', 'open', 'closed')", name=op.f("ck_surveys_state")),
        sa.PrimaryKeyConstraint("id", name="pk_surveys"),
        sa.UniqueConstraint("slug", name="uq_surveys_slug"),
    )
    op.create_table(
        "survey_cards",
        sa.Column("survey", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("q1", sa.Text(), nullable=False),
        sa.Column("q2", sa.Text(), nullable=False),
        sa.Column("source1", sa.Text(), nullable=False),
        sa.Column("source2", sa.Text(), nullable=False),
        sa.Column("shown", sa.Text(), nullable=False),
        sa.Column("previous_correct", sa.Boolean(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("weight", sa.Double(), nullable=False),
        sa.Column("stage", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["survey"], ["surveys.id"], name="fk_survey_cards_survey"),
        sa.PrimaryKeyConstraint("survey", "number", name="pk_survey_cards"),
    )
    op.create_table(
        "survey_respondents",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("survey", sa.Text(), nullable=False),
        sa.Column("pid", sa.Text(), nullable=True),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.Column("tries", sa.SmallInteger(), nullable=False),
        sa.Column("consent", sa.Text(), nullable=True),
        sa.Column("entered", sa.DateTime(timezone=True), nullable=False),
        sa.Column("dealt", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seen", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["survey"], ["surveys.id"], name="fk_survey_respondents_survey"),
        sa.PrimaryKeyConstraint("id", name="pk_survey_respondents"),
    )
    op.create_index("ix_survey_respondents_once", "survey_respondents", ["survey", "pid"], unique=True)
    op.create_table(
        "survey_tokens",
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("respondent", sa.Text(), nullable=False),
        sa.Column("made", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["respondent"], ["survey_respondents.id"], name="fk_survey_tokens_respondent"),
        sa.PrimaryKeyConstraint("token_hash", name="pk_survey_tokens"),
    )
    op.create_index("ix_survey_tokens_respondent", "survey_tokens", ["respondent"])
    op.create_table(
        "survey_deals",
        sa.Column("respondent", sa.Text(), nullable=False),
        sa.Column("place", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("survey", sa.Text(), nullable=False),
        sa.Column("card", sa.Integer(), nullable=False),
        sa.Column("before", sa.Double(), nullable=True),
        sa.Column("before_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("after", sa.Double(), nullable=True),
        sa.Column("after_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("why", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["respondent"], ["survey_respondents.id"], name="fk_survey_deals_respondent"),
        sa.ForeignKeyConstraint(
            ["survey", "card"], ["survey_cards.survey", "survey_cards.number"], name="fk_survey_deals_survey"
        ),
        sa.PrimaryKeyConstraint("respondent", "place", name="pk_survey_deals"),
    )
    op.create_index("ix_survey_deals_once", "survey_deals", ["respondent", "card"], unique=True)
    op.create_index("ix_survey_deals_card", "survey_deals", ["survey", "card"])


def downgrade() -> None:
    """Drop them, in the order that their references allow."""
    for name in ("survey_deals", "survey_tokens", "survey_respondents", "survey_cards", "surveys"):
        op.drop_table(name)
