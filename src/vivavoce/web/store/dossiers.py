"""Dossiers that an operator has published."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.exc import IntegrityError

from vivavoce.errors import BadInput, UnknownName
from vivavoce.examination.dossier_file import Filed, dossier_from_json
from vivavoce.web.grading_tables import DOSSIERS

LARGEST: Final = 2_000_000
"""Bytes of a published dossier: a page is made of it each time somebody asks."""
LONGEST_TITLE: Final = 200
MOST: Final = 1_000
"""Dossiers on one site."""


@dataclass(frozen=True, slots=True)
class Published:
    """A dossier that everybody may read."""

    id: str
    title: str
    published: datetime


def publish(c: Connection, text: str, title: str, now: datetime) -> Published:
    """Publish a dossier; the same one again keeps its address.

    Parameters
    ----------
    text: the dossier as JSON.
    title: the candidate's name if empty.

    Raises `BadInput` for what is no dossier, or is too large.
    """
    if len(text.encode(errors="replace")) > LARGEST:
        raise BadInput(f"larger than {LARGEST:,} bytes: leave out details, or publish the page that 'viva examine' wrote")
    title = title.strip() or f"Dossier of {dossier_from_json(text).dossier.called}"[:LONGEST_TITLE]
    if len(title) > LONGEST_TITLE:
        raise BadInput(f"a title has at most {LONGEST_TITLE} characters: this one has {len(title)}")
    content = json.loads(text)
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    found = published(c)
    if len(found) >= MOST:
        raise BadInput(f"{MOST} dossiers are published already: unpublish one first")
    made = Published(secrets.token_hex(6), title, now)
    try:
        with c.begin_nested():
            c.execute(insert(DOSSIERS).values(id=made.id, title=title, content=content, digest=digest, published=now))
    except IntegrityError:
        id_ = c.execute(select(DOSSIERS.c.id).where(DOSSIERS.c.digest == digest)).scalar_one()
        return next(one for one in published(c) if one.id == id_)
    return made


def unpublish(c: Connection, id_: str) -> Published:
    """Take a dossier back. Raises `UnknownName`."""
    found = published(c)
    one = next((one for one in found if one.id == id_), None)
    if one is None:
        raise UnknownName("dossier", id_, [one.id for one in found])
    c.execute(delete(DOSSIERS).where(DOSSIERS.c.id == id_))
    return one


def published(c: Connection) -> list[Published]:
    """All published dossiers, the newest first."""
    fields = (DOSSIERS.c.id, DOSSIERS.c.title, DOSSIERS.c.published)
    return [Published(*row) for row in c.execute(select(*fields).order_by(DOSSIERS.c.published.desc(), DOSSIERS.c.id))]


def dossier(c: Connection, id_: str) -> tuple[Published, Filed] | None:
    """A published dossier and what it holds; None where there is none."""
    row = c.execute(select(DOSSIERS).where(DOSSIERS.c.id == id_)).one_or_none()
    if row is None:
        return None
    content: Any = row.content
    return Published(row.id, row.title, row.published), dossier_from_json(json.dumps(content))
