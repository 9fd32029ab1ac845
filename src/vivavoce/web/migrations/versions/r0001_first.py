"""The first tables: those of `tables`, until the first release, which writes them out here."""

from __future__ import annotations

from alembic import op

from vivavoce.web.tables import TABLES

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make them."""
    TABLES.create_all(op.get_bind(), checkfirst=False)
    op.execute("INSERT INTO locks (name, tick) VALUES ('queue', 0)")
