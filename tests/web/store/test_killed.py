"""Killed at any moment: every step that was acknowledged is there, and no step is there by half."""

from __future__ import annotations

import multiprocessing
import random
import signal
import sqlite3
import time
from pathlib import Path

import pytest
from sqlalchemy import Engine, select

from tests.web.store import killed
from tests.web.store.whole import check_whole
from vivavoce.web.database import reading
from vivavoce.web.tables import SEATS

WRITERS = 2


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_what_was_acknowledged_is_there_and_nothing_by_half(engine: Engine, kept_at: str, tmp_path: Path, kills: int) -> None:
    log, rng = tmp_path / "said", random.Random(7)
    log.touch()
    people = killed.new_people(kept_at, 6)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.web.store.killed"])
    counts = [0]
    for kill in range(kills):
        running = [context.Process(target=killed.run, args=(kept_at, log, people, 100 * kill + n)) for n in range(WRITERS)]
        for process in running:
            process.start()
        before = len(log.read_bytes())
        while len(log.read_bytes()) == before and any(process.is_alive() for process in running):
            time.sleep(0.005)
        time.sleep(rng.random() * 0.25)
        for process in running:
            process.kill()
            process.join()
            assert process.exitcode == -signal.SIGKILL
        counts.append(check_whole(engine))
        texts = [line.split() for line in log.read_text().splitlines()]
        with reading(engine) as c:
            seats = {(row["game"], row["player"]): row for row in c.execute(select(SEATS)).mappings()}
        for game, player, phase in texts:
            assert seats[game, player][("asked", "answered", "guessed")[int(phase)]] is not None
        # each writer can have one move more than it could say
        assert len(texts) <= counts[-1] <= len(texts) + WRITERS * (kill + 1)
    assert counts == sorted(set(counts))  # each time there was something to interrupt
    if engine.dialect.name == "sqlite":
        with sqlite3.connect(kept_at) as file:
            assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        file.close()
