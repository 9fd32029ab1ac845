"""Records and askings on their way from one chain into another: what tells them apart, their order, and their new places."""

from __future__ import annotations

import json
from collections.abc import Set
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from vivavoce.interview.askings import AskingRow, row_digest
from vivavoce.interview.record import (
    ENTRY_FIELDS,
    Entry,
    Head,
    Key,
    Record,
    Salts,
    canonical_json,
    digest_of_values,
    record_digest,
)

_SHORT: Final = 16
"""Bytes of a digest that are kept of each record."""


def key_id(key: Key) -> bytes:
    """What stands for a key in memory."""
    return _short(list(key))


def entry_id(entry: Entry) -> bytes:
    """What stands for all that was asked and answered, wherever it has its place."""
    return _short([getattr(entry, name) for name in ENTRY_FIELDS])


def row_id(row: AskingRow) -> bytes:
    """What stands for an asking, wherever it has its place."""
    return _short([row.candidate, row.kind, row.at, row.questions, row.keys])


def _short(values: list[str | int | float]) -> bytes:
    return bytes.fromhex(digest_of_values(values))[:_SHORT]


def moment(text: str) -> float:
    """Seconds since 1970 of a time on record. Raises `ValueError` for what is none.

    >>> moment("1970-01-01T00:01:00+00:00")
    60.0
    """
    found = datetime.fromisoformat(text)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def completed_at(entry: Entry) -> float:
    """When the answer came. Raises `ValueError` where the record holds no time."""
    return moment(entry.asked_at) + entry.seconds


def without(row: AskingRow, dropped: Set[bytes]) -> AskingRow | None:
    """The asking without keys whose records are dropped; None where nothing is left of it.

    Faults stay: that a question met one is known of it whichever of its answers stands. Raises `ValueError` for a row without
    keys.
    """
    if not dropped or row.kind not in ("asked", "withdrawn"):
        return row
    questions, digests = json.loads(row.questions), json.loads(row.keys)
    kept = [place for place, key in enumerate(row.of) if key_id(key) not in dropped]
    if len(kept) == len(digests):
        return row
    if not kept:
        return None
    return replace(
        row,
        questions=canonical_json([questions[place] for place in kept]),
        keys=canonical_json([digests[place] for place in kept]),
    )


def rechained(record: Record, head: Head, askings: Head) -> Record:
    """The record as the one that follows this head, with its own texts and salts."""
    moved = replace(record, seq=head.count + 1, previous=head.digest, askings=str(askings))
    return replace(moved, digest=record_digest(moved))


def rechained_row(row: AskingRow, head: Head, salts: Salts) -> AskingRow:
    """The asking as the one that follows this head, its keys salted as any that is written there."""
    moved = replace(row, seq=head.count + 1, previous=head.digest, salt=salts.asking(head))
    return replace(moved, digest=row_digest(moved))
