"""The secret key of a record: kept next to it, never in it.

From it comes whatever is drawn in private and committed to in the record (`commitment`). For a file it stands in a second file
with the ending `.key`, which its owner alone may read; for PostgreSQL in a table of its own; for a record in memory it is in
memory, too. An export of the record does not hold it.
"""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_bytes
from typing import Final, Protocol

from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, insert, inspect, select

from vivavoce.errors import TranscriptError

BYTES: Final = 32
ENDING: Final = ".key"
_OWN: Final = 0o600
KEYS: Final = MetaData()
"""Apart from the tables of the record: a transcript has a key only once something is drawn in private."""
KEY: Final = Table(
    "transcript_key",
    KEYS,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("key", Text, nullable=False),
)


class KeyPlace(Protocol):
    """Where the key of one record is. Both are called with the record locked, so that of several processes one makes it."""

    @property
    def name(self) -> str:
        """How it is called in a message."""
        ...

    def read(self, connection: Connection) -> bytes | None:
        """The key, or None where there is none."""
        ...

    def make(self, connection: Connection) -> bytes:
        """A new key, kept from now on."""
        ...


class InMemory:
    """Gone with the record."""

    name = "in memory"

    def __init__(self) -> None:
        self._key: bytes | None = None

    def read(self, _: Connection) -> bytes | None:
        """The key, or None."""
        return self._key

    def make(self, _: Connection) -> bytes:
        """A new key."""
        self._key = token_bytes(BYTES)
        return self._key


class BesideFile:
    """A file next to that of the record, of mode 0600."""

    def __init__(self, record: Path) -> None:
        self._file = record.with_name(record.name + ENDING)

    @property
    def name(self) -> str:
        """The file's."""
        return str(self._file)

    def read(self, _: Connection) -> bytes | None:
        """The key; raises `TranscriptError` for a file that others may read, or that holds none."""
        try:
            if os.name == "posix" and self._file.stat().st_mode & 0o077:
                raise TranscriptError(f"{self._file} may be read by others than its owner: chmod 600 it, if nobody has")
            return _from_hex(self._file.read_text(encoding="ascii"), self.name)
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise TranscriptError(f"{self._file} cannot be read: {error}") from None

    def make(self, _: Connection) -> bytes:
        """A new key, which is in the file as a whole or not at all."""
        key, draft = token_bytes(BYTES), self._file.with_name(f"{self._file.name}.{os.getpid()}")
        try:
            draft.unlink(missing_ok=True)
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWN), "w", encoding="ascii") as stream:
                stream.write(key.hex() + "\n")
                stream.flush()
                os.fsync(stream.fileno())
            draft.replace(self._file)
        except OSError as error:
            raise TranscriptError(f"{self._file} cannot be written: {error}") from None
        return key


class InTable:
    """A table of the record's database."""

    name = f"the table '{KEY.name}'"

    def read(self, connection: Connection) -> bytes | None:
        """The key, or None."""
        if not inspect(connection).has_table(KEY.name):
            return None
        found = connection.execute(select(KEY.c.key)).scalar()
        return None if found is None else _from_hex(found, self.name)

    def make(self, connection: Connection) -> bytes:
        """A new key."""
        KEYS.create_all(connection)
        key = token_bytes(BYTES)
        connection.execute(insert(KEY).values(number=1, key=key.hex()))
        return key


def key_place(where: str | Path | None) -> KeyPlace:
    """Where the key of the record at `where` is."""
    if where is None:
        return InMemory()
    return InTable() if isinstance(where, str) and "://" in where else BesideFile(Path(where))


def _from_hex(text: str, name: str) -> bytes:
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if len(key) != BYTES:
        raise TranscriptError(f"{name} holds no key of a transcript: put back the one that was there")
    return key
