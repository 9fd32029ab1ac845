"""The address at which a site is served, for commands that print links to it."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, insert, select, update

from vivavoce.web.store.locking import alone
from vivavoce.web.tables import SITE

_ROW: Final = "site"


def remember_address(c: Connection, address: str) -> None:
    """Save the address of the site."""
    alone(c)
    if not c.execute(update(SITE).where(SITE.c.name == _ROW).values(address=address)).rowcount:
        c.execute(insert(SITE).values(name=_ROW, address=address))


def last_address(c: Connection) -> str | None:
    """The address at which the site was served last; None for one that never was."""
    address: str | None = c.execute(select(SITE.c.address).where(SITE.c.name == _ROW)).scalar()
    return address
