"""Documents that an attempt rests on, kept in its transcript under their digest: histories and extensions of a list.

Apart from both, since each is one of its users.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC
from typing import Any, Protocol, TypeVar

from vivavoce.errors import BadInput, NotOnRecord, TranscriptDamaged
from vivavoce.interview.commitment import COMMITTER, own_entry
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import Key, Record, RecordReader, canonical_json, digest_of


class Document(Protocol):
    """A value with a text form that its digest identifies."""

    @property
    def text(self) -> str:
        """The whole as JSON."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 in hex."""
        ...


D = TypeVar("D", bound=Document)


async def put_on_record(interview: Interview[Any, Any], document: Document, *, name: str, topic: str) -> None:
    """Write the document to the transcript, once; `name`: of its kind, in its key."""
    question = _question(name, document.digest)
    at = interview.clock.now().astimezone(UTC).isoformat()
    entry = own_entry(_key(question), topic=topic, question=question, answer=document.text, at=at)
    if interview.transcript.find_all([_key(question)])[0] is None:
        await asyncio.to_thread(interview.transcript.append, [entry])


def read_document(transcript: RecordReader, digest: str, parse: Callable[[str], D], *, name: str, missing: str, what: str) -> D:
    """The document with that digest.

    name: as for `put_on_record`. missing, what: for messages.

    Raises `NotOnRecord`, and `TranscriptDamaged` for an entry that holds another document.
    """
    record = transcript.find_all([_key(_question(name, digest))])[0]
    if not isinstance(record, Record):
        raise NotOnRecord(missing)
    try:
        document: D | None = parse(record.answer)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, BadInput):
        document = None
    if document is None or document.digest != digest:
        raise TranscriptDamaged(f"{record} should hold the {what} {digest[:12]}, and does not")
    return document


def _question(name: str, digest: str) -> str:
    return canonical_json({name: digest})


def _key(question: str) -> Key:
    return Key(COMMITTER, digest_of(question), 0)
