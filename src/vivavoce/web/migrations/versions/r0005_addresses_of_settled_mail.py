"""Mail that was sent or given up no longer says to which address."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Forget the addresses; a server's refusal may repeat them."""
    op.execute("UPDATE outbox SET recipient = '', error = NULL WHERE due IS NULL")


def downgrade() -> None:
    """What is forgotten does not come back."""
