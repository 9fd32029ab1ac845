"""Machines have no versions, nobody grades on the site, and it shows no dossiers."""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Drop what nothing reads any more."""
    for table in ("machine_versions", "grading_passes", "grades", "graders", "grading_answers", "grading_queues", "dossiers"):
        op.drop_table(table)
