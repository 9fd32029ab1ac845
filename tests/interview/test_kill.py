"""Nothing is lost: killed at any moment and started again, only what was in flight is asked again."""

from __future__ import annotations

import random
import signal
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import NullPool, create_engine, text

from tests.interview import killed
from tests.interview.at_once import PROCESSES
from tests.interview.candidates import until
from vivavoce.interview import Transcript

KILLS = 20


def is_quiet(address: str) -> bool:
    """Whether the server does nothing any more for anybody: what was sent to it before the kill has been done."""
    others = "state <> 'idle' AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
    engine = create_engine(address.replace("postgresql:", "postgresql+psycopg:"), poolclass=NullPool)
    with engine.connect() as connection:
        return connection.execute(text(f"SELECT 1 FROM pg_stat_activity WHERE {others}")).first() is None


@pytest.mark.long
@pytest.mark.parametrize("kind", ["file", pytest.param("postgres", marks=pytest.mark.postgres)])
async def test_killed_at_twenty_moments(request: pytest.FixtureRequest, tmp_path: Path, kind: str) -> None:
    where = str(tmp_path / "t.sqlite") if kind == "file" else str(request.getfixturevalue("postgres_address"))
    log = tmp_path / "asked"
    log.touch()
    rng = random.Random(20)
    lost = 0
    for _ in range(KILLS):
        process = PROCESSES.Process(target=killed.run, args=(where, log))
        process.start()
        process.join(rng.random() * 0.12)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        if kind == "postgres":
            await until(partial(is_quiet, where))
        with Transcript.open(where) as transcript:
            now_lost = len(log.read_text().split()) - transcript.verify().count
        assert 0 <= now_lost - lost <= killed.AT_ONCE
        lost = now_lost
    before_last_run = len(log.read_text().split())
    answers, spending = await killed.interview(where, log)

    uninterrupted, cost = await killed.interview(str(tmp_path / "whole.sqlite"), tmp_path / "other log")
    assert (answers, spending) == (uninterrupted, cost)
    assert before_last_run < killed.QUESTIONS + lost  # it was killed while there was work left
    asked = Counter(log.read_text().split())
    assert sum(asked.values()) - killed.QUESTIONS == lost <= KILLS * killed.AT_ONCE
    assert len(asked) == killed.QUESTIONS
    with Transcript.open(where, must_exist=True) as transcript:
        assert transcript.verify().count == killed.QUESTIONS
