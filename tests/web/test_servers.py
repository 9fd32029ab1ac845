"""A game whose two players are on different servers, on SQLite and on PostgreSQL."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.web.site import SECRET, Browser, play_out, running

VIVA = Path(sys.executable).with_name("viva")


@contextmanager
def server(address: str, folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A process of `viva luna serve` on this database: its address, and the process."""
    command = (VIVA, "luna", "serve", "--database", address, "--port", "0", "--house", "none")
    environment = {**os.environ, "VIVA_WEB_SECRET": SECRET, "VIVA_WEB_MAIL_HOW": "none"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder, env=environment) as process:
        assert process.stderr is not None
        match = re.search(r"http://\S+(?=,)", process.stderr.readline())
        assert match
        try:
            yield match[0], process
        finally:
            process.kill()


@pytest.mark.parametrize(
    "kind", [pytest.param("sqlite", marks=pytest.mark.slow), pytest.param("postgres", marks=pytest.mark.postgres)]
)
@pytest.mark.long
def test_two_players_on_two_processes(address: str, tmp_path: Path) -> None:
    """One server is a process that is killed, the other one is in this process."""
    with server(address, tmp_path) as (there, dying), running(tmp_path, database=address) as staying:
        here = staying.url
        ann, bob = Browser(here).join(), Browser(there).join()
        ann.start()
        game = bob.begin_game()
        assert game.startswith("/games/"), bob.words
        play_out(ann, bob, game, ("81", "91"))
        # A guest goes on elsewhere: sessions and games are in the database, not in a process.
        dying.send_signal(signal.SIGKILL)
        dying.wait(10)
        moved = Browser(here)
        for name, value in bob.client.cookies.items():
            moved.client.cookies.set(name, value, domain="127.0.0.1")
        moved.get(game)
        assert "They guessed 81" in moved.words
        ann.get(game)
        assert "They guessed 91" in ann.words
