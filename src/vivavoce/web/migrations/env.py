"""Run by Alembic for each of its commands, with the connection of `vivavoce.web.database.migrate`."""

from __future__ import annotations

from alembic import context

from vivavoce.web.tables import TABLES


def run() -> None:
    """Run the missing steps, within the open transaction."""
    context.configure(connection=context.config.attributes["connection"], target_metadata=TABLES)
    context.run_migrations()


if __name__ == "env_py":  # the name under which Alembic loads it; other imports do nothing
    run()
