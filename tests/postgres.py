"""Private PostgreSQL clusters, reached through a socket, and fixtures of one that all tests share."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Cluster:
    """A PostgreSQL cluster that can be stopped and started."""

    folder: Path
    prefix: tuple[str, ...]
    """What has to come before its programs, so that they do not run as root."""

    @property
    def address(self) -> str:
        """How it is reached."""
        return f"postgresql://viva@/postgres?host={self.folder}"

    def make(self) -> None:
        """Make its files."""
        self._run("initdb", "-U", "viva", "-A", "trust", "-E", "UTF8", "--no-sync")

    def start(self) -> None:
        """Start it; it is there when this returns."""
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off"
        self._run("pg_ctl", "-l", str(self.folder / "log"), "-w", "-o", options, "start")

    def stop(self) -> None:
        """Stop it at once, as if the machine were switched off: all connections break."""
        self._run("pg_ctl", "-m", "immediate", "-w", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        command = (*self.prefix, str(_program(program)), "-D", str(self.folder / "data"), *arguments)
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """A new cluster that runs. Skips the test where PostgreSQL is not installed."""
    if not (_program("initdb") and _program("pg_ctl")):
        pytest.skip("PostgreSQL's programs initdb and pg_ctl are not installed")
    user = None
    if os.geteuid() == 0:
        try:
            user = pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user 'postgres'")
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # not tmp_path: that lies too deep for a socket, and is closed to other users
    prefix: tuple[str, ...] = ()
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
        prefix = ("runuser", "-u", "postgres", "--")
    cluster = Cluster(folder, prefix)
    cluster.make()
    cluster.start()
    try:
        yield cluster
    finally:
        with suppress(AssertionError):  # a test may have stopped it
            cluster.stop()
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a cluster that runs as long as the tests do."""
    with running_cluster() as cluster:
        yield cluster.address


@pytest.fixture
def postgres_address(postgres_server: str) -> str:
    """The address of a fresh, empty schema."""
    return fresh_schema(postgres_server)


def fresh_schema(postgres_server: str) -> str:
    """The address of a new, empty schema on this server."""
    name = f"schema{next(_numbers)}"
    engine = create_engine(postgres_server.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    engine.dispose()
    return f"{postgres_server}&options=-csearch_path%3D{name}"


def _program(name: str) -> str | None:
    """Where a program of PostgreSQL is; the newest version if it is not on the path."""
    if on_path := shutil.which(name):
        return on_path
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3].split(".")[0]))
    return str(versions[-1]) if versions else None
