"""On SQLite too, the number of a mail or a report that was deleted is given to no other: mail programs know mail by it."""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """SQLite counts on only where a table was made so; PostgreSQL's sequences never count back."""
    _remade(counts_on=True)


def downgrade() -> None:
    """Count from the highest number that is there, as before."""
    _remade(counts_on=False)


def _remade(*, counts_on: bool) -> None:
    if op.get_bind().dialect.name != "sqlite":
        return
    for name in ("outbox", "reports"):
        with op.batch_alter_table(name, recreate="always", table_kwargs={"sqlite_autoincrement": counts_on}):
            pass
