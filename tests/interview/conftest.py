"""Transcripts in memory, in a file and on a private PostgreSQL server."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from vivavoce.interview import Entry, Transcript
from vivavoce.interview.record import digest_of

_numbers = count(1)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """A PostgreSQL cluster of its own, reached through a socket; its address."""
    initdb, pg_ctl = _program("initdb"), _program("pg_ctl")
    if not (initdb and pg_ctl):
        pytest.skip("PostgreSQL's programs initdb and pg_ctl are not installed")
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # not tmp_path: that lies too deep for a socket, and is closed to other users
    prefix: list[str] = []
    if os.geteuid() == 0:
        try:
            user = pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user 'postgres'")
        os.chown(folder, user.pw_uid, user.pw_gid)
        prefix = ["runuser", "-u", "postgres", "--"]

    def run(*command: str) -> None:
        done = subprocess.run([*prefix, *command], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    run(initdb, "-D", str(folder / "data"), "-U", "viva", "-A", "trust", "-E", "UTF8", "--no-sync")
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    run(pg_ctl, "-D", str(folder / "data"), "-l", str(folder / "log"), "-w", "-o", options, "start")
    try:
        yield f"postgresql://viva@/postgres?host={folder}"
    finally:
        run(pg_ctl, "-D", str(folder / "data"), "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder)


@pytest.fixture
def postgres_address(postgres_server: str) -> str:
    """The address of a fresh, empty schema."""
    return fresh_schema(postgres_server)


def fresh_schema(postgres_server: str) -> str:
    """The address of a new, empty schema on this server."""
    name = f"transcript{next(_numbers)}"
    engine = create_engine(postgres_server.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    engine.dispose()
    return f"{postgres_server}&options=-csearch_path%3D{name}"


@pytest.fixture(params=["memory", "file", pytest.param("postgres", marks=pytest.mark.postgres)])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path | None:
    """Where a transcript is kept, each of the three ways."""
    if request.param == "memory":
        return None
    if request.param == "file":
        return tmp_path / "transcript.sqlite"
    address: str = request.getfixturevalue("postgres_address")
    return address


@pytest.fixture
def transcript(where: str | Path | None) -> Iterator[Transcript]:
    """An empty transcript, each of the three ways."""
    with Transcript.open(where) as transcript:
        yield transcript


@dataclass(frozen=True)
class EntryMaker:
    """Makes entries that differ by a number."""

    def __call__(
        self, number: int, *, candidate: str = "bot:x", draw: int = 0, topic: str = "", answer: str = '"yes"'
    ) -> Entry:
        question = f'"question {number}"'
        return Entry(
            candidate=candidate,
            question_digest=digest_of(question),
            draw=draw,
            topic=topic,
            question=question,
            answer=answer,
            kind="answer",
            asked_at="2025-06-01T12:00:00+00:00",
            seconds=0.25,
            tokens_in=7,
            tokens_out=3,
            money=0.002,
        )


@pytest.fixture
def entry() -> Callable[..., Entry]:
    return EntryMaker()


def _program(name: str) -> str | None:
    """Where a program of PostgreSQL is; the newest version if it is not on the path."""
    if on_path := shutil.which(name):
        return on_path
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3].split(".")[0]))
    return str(versions[-1]) if versions else None
