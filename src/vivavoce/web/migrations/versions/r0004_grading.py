"""Grading by people: queues of answers, who grades them, and what they gave. And dossiers that everybody may read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them; no table that is there changes."""
    op.create_table(
        "grading_queues",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=True),
        sa.Column("twice", sa.Double(), nullable=False),
        sa.Column("lease_seconds", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state IN ('open', 'closed')", name=op.f("ck_grading_queues_state")),
        sa.PrimaryKeyConstraint("id", name="pk_grading_queues"),
        sa.UniqueConstraint("slug", name="uq_grading_queues_slug"),
    )
    op.create_table(
        "grading_answers",
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("rubric", sa.Text(), nullable=False),
        sa.Column("seats", sa.SmallInteger(), nullable=False),
        sa.Column("wanted", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["queue"], ["grading_queues.id"], name="fk_grading_answers_queue"),
        sa.PrimaryKeyConstraint("queue", "number", name="pk_grading_answers"),
    )
    op.create_index("ix_grading_answers_once", "grading_answers", ["queue", "key"], unique=True)
    op.create_table(
        "graders",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.Column("consent", sa.Text(), nullable=True),
        sa.Column("withdrawn", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["queue"], ["grading_queues.id"], name="fk_graders_queue"),
        sa.PrimaryKeyConstraint("id", name="pk_graders"),
        sa.UniqueConstraint("token_hash", name="uq_graders_token_hash"),
    )
    op.create_index("ix_graders_queue", "graders", ["queue"])
    _add_grades()
    op.create_table(
        "dossiers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("published", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_dossiers"),
        sa.UniqueConstraint("digest", name="uq_dossiers_digest"),
    )


def downgrade() -> None:
    """Drop them, in the order that their references allow."""
    for name in ("dossiers", "grading_passes", "grades", "graders", "grading_answers", "grading_queues"):
        op.drop_table(name)


def _add_grades() -> None:
    op.create_table(
        "grades",
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("grader", sa.Text(), nullable=True),
        sa.Column("until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("ridiculous", sa.Boolean(), nullable=True),
        sa.Column("settled", sa.Boolean(), nullable=False),
        sa.CheckConstraint("score >= 0 AND score <= 1", name=op.f("ck_grades_score")),
        sa.ForeignKeyConstraint(["grader"], ["graders.id"], name="fk_grades_grader"),
        sa.ForeignKeyConstraint(
            ["queue", "number"], ["grading_answers.queue", "grading_answers.number"], name="fk_grades_queue"
        ),
        sa.PrimaryKeyConstraint("queue", "number", "seat", name="pk_grades"),
    )
    op.create_index("ix_grades_grader", "grades", ["grader"])
    op.create_table(
        "grading_passes",
        sa.Column("grader", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["grader"], ["graders.id"], name="fk_grading_passes_grader"),
        sa.PrimaryKeyConstraint("grader", "number", name="pk_grading_passes"),
    )
