"""A transcript that begins as a copy of another one, key included: each shard of an examination goes on from one beginning."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from vivavoce.errors import BadInput, TranscriptDamaged, TranscriptError
from vivavoce.interview.commitment import COMMITTER
from vivavoce.interview.record import Head
from vivavoce.interview.record_key import BesideFile
from vivavoce.interview.transcript import Transcript
from vivavoce.interview.write_ahead import open_to_read

PATIENCE: Final = 5.0
"""Seconds to wait for another program that holds the transcript locked."""
_BEGINNING: Final = "SELECT candidate, seq, digest FROM transcript_records ORDER BY seq"


def begin_as_copy(of: Path, at: Path) -> None:
    """Begin the transcript `at` as a copy of the one `of`, unless it is there: then it must begin with the same preparation.

    What is copied is only read, and may lie on a read-only disk, such as a mounted secret. The copy is there as a whole or not
    at all; its key, which its owner alone may read, is there before it.

    Raises `BadInput` where there is nothing to copy, and where `at` is there and does not begin so; `TranscriptDamaged`.
    """
    if not of.is_file():
        raise BadInput(f"no such transcript: {of}")
    if not at.absolute().parent.is_dir():
        raise BadInput(f"{at} cannot be a transcript: its folder does not exist")
    if not at.exists():
        with TemporaryDirectory(prefix=f".{at.name}.", dir=at.absolute().parent) as folder:
            draft = Path(folder) / at.name
            with _reading(of) as source, closing(sqlite3.connect(draft)) as copied:
                source.backup(copied)
            Transcript.open(draft, must_exist=True).close()
            copy_key(of, at)
            if put_in_place(draft, at):
                return
    try:
        Transcript.open(at, must_exist=True, expected=_preparation(of)).close()
    except TranscriptDamaged as error:
        raise BadInput(
            f"{at} is there, and does not begin like {of}: give another --transcript, or remove it ({error})"
        ) from None


def put_in_place(draft: Path, at: Path) -> bool:
    """Let a file that is whole appear at a place where there is none; whether it did, or another one was there first."""
    try:
        os.link(draft, at)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        if at.exists():
            return False
        draft.rename(at)
    return True


def key_file(of: Path) -> Path:
    """Where the key of the transcript in this file is, or would be."""
    return Path(BesideFile(of).name)


def copy_key(of: Path, at: Path) -> None:
    """Put the key of one transcript next to another one, which has none; nothing where there is none.

    Raises `BadInput` where another key is there already, and `TranscriptError`.
    """
    key, there = key_file(of), key_file(at)
    if not key.exists():
        return
    try:
        text = key.read_text(encoding="ascii")
        if there.exists():
            if there.read_text(encoding="ascii") != text:
                raise BadInput(f"{there} is the key of another transcript: give another place for the copy of {of}")
            return
        draft = there.with_name(f"{there.name}.{os.getpid()}")
        draft.unlink(missing_ok=True)
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(there)
    except (OSError, UnicodeDecodeError) as error:
        raise TranscriptError(f"the key {key} cannot be copied to {there}: {error}") from None


def _preparation(of: Path) -> Head:
    """Where the examiner's own records end with which a transcript begins, as they stand there."""
    with _reading(of) as source:
        own = list(takewhile(lambda row: row[0] == COMMITTER, source.execute(_BEGINNING)))
    return Head(own[-1][1], own[-1][2]) if own else Head()


@contextmanager
def _reading(of: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(open_to_read(of, seconds=PATIENCE)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise TranscriptDamaged(f"transcript {of} cannot be read: {error}") from None
