"""Run by Alembic for each of its commands, with the connection of `vivavoce.web.database.migrate`."""

from __future__ import annotations

from alembic import context

from vivavoce.web.tables import TABLES


def run() -> None:
    """Take the steps that are missing, within the transaction that is open already."""
    context.configure(connection=context.config.attributes["connection"], target_metadata=TABLES)
    context.run_migrations()


if __name__ == "env_py":  # the name by which Alembic loads it; other imports do nothing
    run()
