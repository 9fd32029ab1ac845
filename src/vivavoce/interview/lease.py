"""Who asks a candidate over a record: one run at a time.

What another run has in flight would else be taken for what a run left behind when it ended. The lease is a lock of the
operating system, or of the database's session: it ends with the program that holds it, however that ends. (A child process
that was forked from that program holds it as long as it lives.) Runs that ask different candidates do not meet.
"""

from __future__ import annotations

import os
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from vivavoce.errors import TranscriptError
from vivavoce.interview.record import digest_of

try:
    import fcntl
except ImportError:  # Windows
    LOCKS = False
else:
    LOCKS = True

ENDING: Final = ".lock"
_OFFSETS: Final = 2**62  # bytes of a file that can be locked, whether it has them or not
_TAKE: Final = text("select pg_try_advisory_lock(hashtextextended(current_schema() || ' ' || :candidate, 7226519))")
_GIVE_BACK: Final = text("select pg_advisory_unlock_all()")


class Lease(Protocol):
    """The leases that one run has on the candidates of a record."""

    def take(self, candidate: str) -> bool:
        """Whether this run has the lease now; False: another run has it. To be called once for each candidate."""
        ...

    def close(self) -> None:
        """Give them back."""
        ...


class Alone:
    """For a record that nobody else can reach."""

    def take(self, candidate: str) -> bool:
        """Always."""
        return True

    def close(self) -> None:
        """Nothing is to be given back."""


class BesideFile:
    """A byte for each candidate in a file next to that of the record: locked, never written. It stays there."""

    def __init__(self, record: Path) -> None:
        self._file = record.with_name(record.name + ENDING)
        self._open: int | None = None

    def take(self, candidate: str) -> bool:
        """Whether the byte could be locked. Raises `TranscriptError` where the file cannot be opened."""
        if not LOCKS:
            return True
        try:
            if self._open is None:
                self._open = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise TranscriptError(f"{self._file} cannot be opened: {error}") from None
        offset = int(digest_of(candidate)[:16], 16) % _OFFSETS
        try:
            _set(self._open, fcntl.F_WRLCK, offset, 1)
        except (BlockingIOError, PermissionError):
            return False
        except OSError as error:
            raise TranscriptError(f"{self._file} cannot be locked: {error}") from None
        return True

    def close(self) -> None:
        """Unlock the file, also for children that were forked meanwhile, and close it."""
        if self._open is not None:
            _set(self._open, fcntl.F_UNLCK, 0, 0)
            os.close(self._open)
            self._open = None


def _set(file: int, kind: int, start: int, length: int) -> None:
    """Lock this many bytes, or unlock them; 0: all that follow. On Linux of the open file, elsewhere of the process."""
    if sys.platform == "linux":
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", kind, os.SEEK_SET, start, length, 0))
    else:
        fcntl.lockf(file, fcntl.LOCK_UN if kind == fcntl.F_UNLCK else fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)


class InSession:
    """Advisory locks of a session of PostgreSQL that is kept open."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._session: Connection | None = None

    def take(self, candidate: str) -> bool:
        """Whether the lock was free."""
        if self._session is None:
            self._session = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        return bool(self._session.execute(_TAKE, {"candidate": candidate}).scalar_one())

    def close(self) -> None:
        """Unlock everything, so that the next run need not wait until the server has noticed the end, and end the session."""
        if self._session is not None:
            with suppress(SQLAlchemyError):
                self._session.execute(_GIVE_BACK)
            self._session.invalidate()
            self._session.close()
            self._session = None


def lease_for(where: str | Path | None, engine: Engine) -> Lease:
    """The leases on candidates of the record at `where`."""
    if where is None:
        return Alone()
    return InSession(engine) if engine.dialect.name == "postgresql" else BesideFile(Path(where))
