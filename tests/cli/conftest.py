"""The command as a user calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from vivavoce.cli import main
from vivavoce.errors import BadInput, TranscriptError
from vivavoce.interview.transcript import Transcript

VIVA = Path(sys.executable).with_name("viva")


@dataclass(frozen=True)
class CliResult:
    """What a call left: exit code, standard output, standard error."""

    code: int
    out: str
    err: str

    @property
    def values(self) -> dict[str, Any]:
        """What was printed as JSON."""
        values: dict[str, Any] = json.loads(self.out)
        return values

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What was printed as a list in JSON."""
        rows: list[dict[str, Any]] = json.loads(self.out)
        return rows


Viva = Callable[..., CliResult]
Refuses = Callable[..., str]
Start = Callable[..., subprocess.Popen[str]]


def in_full(words: tuple[str, ...]) -> tuple[str, ...]:
    """A command line that prints all that it found, not the sentence alone."""
    return tuple(word for word in words if word != "--quiet")


@pytest.fixture
def viva(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Viva:
    """Call `viva` within this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> CliResult:
        code = main(arguments)
        captured = capsys.readouterr()
        return CliResult(code, captured.out, captured.err)

    return call


@pytest.fixture
def refuses(viva: Viva, tmp_path: Path) -> Refuses:
    """See that a call ends with code 2 and one line that says why, prints nothing else, and leaves all files as they were.

    The call returns the line.
    """

    def call(*arguments: str, says: str) -> str:
        before = _files(tmp_path)
        ended = viva(*arguments)
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1), ended
        assert ended.err.startswith("viva: ")
        assert says in ended.err
        assert "\x1b" not in ended.err
        assert _files(tmp_path) == before
        return ended.err.strip()

    return call


def _files(folder: Path) -> dict[Path, bytes]:
    """What each file holds, but those that Python and SQLite make while they read."""
    passing = ("-shm", "-wal", ".pyc")
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file() and not file.name.endswith(passing)}


@pytest.fixture
def viva_process(tmp_path: Path) -> Start:
    """Start `viva` as a process of its own, in an empty folder: for how it begins, ends and serves."""
    return partial(_started, VIVA, tmp_path)


@pytest.fixture
def viva_copy(viva_begun: Path, tmp_path: Path) -> Start:
    """The same in a fork of a started process, to test what an interrupt or a kill leaves on record."""
    return partial(_started, viva_begun / "viva", tmp_path)


def _started(program: Path, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    return subprocess.Popen((program, *arguments), stdout=pipe, stderr=pipe, text=True, cwd=folder, env=environment)


@pytest.fixture
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between attempts of a command within this process."""
    for name in ("_back_off", "_jitter"):
        monkeypatch.setattr(f"vivavoce.interview.retries.{name}", lambda _: 0.001)


def wait_for_records(where: Path, number: int) -> None:
    """Until so many answers are on record there."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if where.exists():
            try:
                with Transcript.open(where, must_exist=True, verified=False) as transcript:
                    if transcript.head.count >= number:
                        return
            except (TranscriptError, BadInput):
                pass  # not yet begun
        time.sleep(0.02)
    raise AssertionError(f"no {number} records within 120 s")
