"""The examiner's own entries in a record: commitments to secrets, and documents that an examination depends on.

Some choices must be random, unknown beforehand, and the same when an examination resumes. They are drawn from a secret, one
for each name. The record holds the digest of the secret before anything depends on it, so no one can choose it afterwards.
The key behind all secrets lies next to the record (`transcript_opening`). If several processes commit under one name, the
first commitment counts. A secret also depends on a number drawn at its commitment, so one key gives every record other
secrets.

A document, such as a history of other models, is kept under its digest.

A candidate or judge that is a function in the examiner's process could read the key. This is not prevented.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Final, Protocol, TypeVar

from vivavoce.errors import BadInput, NotOnRecord, TranscriptDamaged, TranscriptError
from vivavoce.interview.record import Entry, Key, Record, RecordReader, canonical_json, digest_of
from vivavoce.interview.schedule import Clock
from vivavoce.interview.transcript import Transcript

COMMITTER: Final = "vivavoce"
"""The candidate's name in these records."""
TOPIC: Final = "commitment"


def own_key(question: str, draw: int = 0) -> Key:
    """The key of a record that the examiner writes itself; the question as canonical JSON."""
    return Key(COMMITTER, digest_of(question), draw)


def own_entry(question: str, answer: str, *, topic: str, at: str, draw: int = 0) -> Entry:
    """A record that the examiner writes itself, at no cost; texts as canonical JSON."""
    key = own_key(question, draw)
    return Entry(*key, topic, question, answer, "answer", at, seconds=0.0, tokens_in=0, tokens_out=0, money=0.0)


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


async def write_document(transcript: Transcript, document: Document, *, name: str, topic: str, clock: Clock) -> None:
    """Write the document to the transcript, once; `name` is the name of its kind, in its key."""
    question = canonical_json({name: document.digest})
    entry = own_entry(question, document.text, topic=topic, at=clock.stamp())
    if transcript.find_all([own_key(question)])[0] is None:
        await asyncio.to_thread(transcript.append, [entry])


def read_document(transcript: RecordReader, digest: str, parse: Callable[[str], D], *, name: str, missing: str, what: str) -> D:
    """The document with that digest.

    name: as for `write_document`. missing, what: for messages.

    Raises `NotOnRecord`, and `TranscriptDamaged` for an entry that holds another document.
    """
    record = transcript.find_all([own_key(canonical_json({name: digest}))])[0]
    if not isinstance(record, Record):
        raise NotOnRecord(missing)
    try:
        document: D | None = parse(record.answer)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, BadInput):
        document = None
    if document is None or document.digest != digest:
        raise TranscriptDamaged(f"{record} should hold the {what} {digest[:12]}, and does not")
    return document


@dataclass(frozen=True, slots=True)
class CommittedSecret:
    """A secret; the record holds its digest.

    >>> secret = CommittedSecret("places", bytes(32))
    >>> secret.digest[:16], secret.number(5, "block", 1) in range(5)
    ('66687aadf862bd77', True)
    """

    name: str
    secret: bytes = field(repr=False)

    @property
    def digest(self) -> str:
        """SHA-256 in hex, which the record holds."""
        return hashlib.sha256(self.secret).hexdigest()

    def number(self, below: int, *context: object) -> int:
        """One of 0, 1, ..., below - 1, uniform for anyone who does not know the secret.

        Equal contexts (JSON values) give equal numbers, and different contexts give independent ones. A digest has 256 bits, so
        the remainder favours no number by more than about 2^-240.
        """
        data = hmac.new(self.secret, canonical_json([self.name, *context]).encode(), hashlib.sha256).digest()
        return int.from_bytes(data) % below


def committed_secret(transcript: Transcript, name: str, *, clock: Clock = Clock()) -> CommittedSecret:  # noqa: B008 -- frozen
    """The secret of this record under this name; commits to it now if the record has no commitment.

    It may wait for a lock or a server: call it in a thread from an event loop. Raises `TranscriptError` if the key behind the
    commitment is missing or has changed.
    """
    record = _commitment(transcript, name)
    if record is None:
        key = transcript.secret_key(make=True)
        assert key is not None
        nonce = token_hex()
        answer = {"nonce": nonce, "sha256": CommittedSecret(name, _derived(key, name, nonce)).digest}
        at = clock.stamp()
        entry = own_entry(_question(name), canonical_json(answer), topic=f"{TOPIC}/{name}", at=at)
        (record,) = transcript.append([entry])
    return _opened(transcript, name, record)


def commitment_to(transcript: RecordReader, secret: CommittedSecret) -> Record | None:
    """The record that commits to exactly this secret under its name, or None. For a caller that knows the secret.

    Raises `TranscriptDamaged` if the record under that key is not a commitment.
    """
    record = _commitment(transcript, secret.name)
    return record if record is not None and _told(transcript, record)[1] == secret.digest else None


def _told(transcript: RecordReader, record: Record) -> tuple[str, str]:
    """The nonce of a commitment, and the digest of its secret."""
    try:
        answer = json.loads(record.answer)
        return str(answer["nonce"]), str(answer["sha256"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise TranscriptDamaged(f"{record} of transcript {transcript.name} should be a commitment, and is not") from None


def _opened(transcript: Transcript, name: str, record: Record) -> CommittedSecret:
    """The secret of a commitment, checked against its digest."""
    nonce, digest = _told(transcript, record)
    key = transcript.secret_key(make=False)
    if key is None:
        problem = f"{transcript.key_location} is gone"
    elif (secret := CommittedSecret(name, _derived(key, name, nonce))).digest != digest:
        problem = f"{transcript.key_location} holds another key"
    else:
        return secret
    raise TranscriptError(
        f"transcript {transcript.name} commits to a secret, but {problem}: without it this examination can't continue; put it "
        "back, or start again with a new transcript"
    )


def _commitment(transcript: RecordReader, name: str) -> Record | None:
    return transcript.find_all([own_key(_question(name))])[0]


def _question(name: str) -> str:
    return canonical_json(f"What is the SHA-256 of the secret '{name}'?")


def _derived(key: bytes, name: str, nonce: str) -> bytes:
    return hmac.new(key, canonical_json([name, nonce]).encode(), hashlib.sha256).digest()
