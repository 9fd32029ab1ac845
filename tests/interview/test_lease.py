"""One run at a time asks a candidate over a transcript, and a killed one loses only what was in flight."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import NullPool, create_engine, text

from tests.interview import processes
from tests.interview.candidates import questions, until
from vivavoce.errors import TranscriptBusy
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript

HOLDER = """
import sys, time
from vivavoce.interview.transcript import Transcript
transcript = Transcript.open(sys.argv[1])
transcript.claim("mine")
print("held", flush=True)
time.sleep(60)
"""


class GatedModel:
    """A candidate on this machine; it answers when it is let."""

    def __init__(self, name: str = "mine", *, free: bool = True) -> None:
        self.name = name
        self.asked: list[str] = []
        self.free = asyncio.Event()
        self.heard = asyncio.Event()
        if free:
            self.free.set()

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked.append(question.id)
        self.heard.set()
        await self.free.wait()
        return Reply(f"{self.name} {question.id}")


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.postgres)])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "t.sqlite") if request.param == "file" else str(request.getfixturevalue("postgres_address"))


async def answers(candidate: GatedModel, transcript: Transcript, number: int = 6) -> list[Reply | NoAnswer]:
    interview = Interview(candidate, answers=Reply, transcript=transcript, concurrency=2)
    return [answer async for _, answer in interview.ask_in_order(questions(number))]


async def test_a_second_run_of_a_candidate_that_is_being_asked_is_refused_before_it_asks(where: str) -> None:
    first, second = GatedModel(free=False), GatedModel()
    with Transcript.open(where) as transcript:
        running = asyncio.create_task(answers(first, transcript))
        await first.heard.wait()
        with Transcript.open(where) as other, pytest.raises(TranscriptBusy, match="another run asks mine with it"):
            await answers(second, other)
        first.free.set()
        assert len(await running) == 6
    assert second.asked == []
    with Transcript.open(where) as third:
        assert not third.orphans
        assert await answers(second, third, 8) == [Reply(f"mine {number}") for number in range(8)]
    assert sorted(second.asked) == ["6", "7"]


async def test_what_is_on_record_is_read_while_another_run_asks(where: str) -> None:
    with Transcript.open(where) as transcript:
        await answers(GatedModel(), transcript)
    slow, reader = GatedModel(free=False), GatedModel()
    with Transcript.open(where) as entry, Transcript.open(where) as other:
        running = asyncio.create_task(answers(slow, entry, 7))
        await slow.heard.wait()
        assert len(await answers(reader, other)) == 6
        assert reader.asked == []
        slow.free.set()
        await running


async def test_runs_that_ask_different_candidates_share_a_transcript(where: str) -> None:
    with Transcript.open(where) as entry, Transcript.open(where) as other:
        both = await asyncio.gather(answers(GatedModel("a"), entry), answers(GatedModel("b"), other))
    assert [len(replies) for replies in both] == [6, 6]
    with Transcript.open(where) as transcript:
        assert transcript.verify().count == 12
        assert not transcript.orphans


def test_candidates_that_are_claimed_at_the_same_moment_are_all_given_back(where: str) -> None:
    names = [f"candidate {number}" for number in range(8)]
    for _ in range(10):
        together = threading.Barrier(len(names))

        def claim(transcript: Transcript, name: str, together: threading.Barrier = together) -> None:
            together.wait()
            transcript.claim(name)

        with Transcript.open(where) as transcript, ThreadPoolExecutor(len(names)) as threads:
            list(threads.map(claim, [transcript] * len(names), names))
        with Transcript.open(where) as transcript:
            for name in names:
                transcript.claim(name)


async def test_what_was_in_flight_when_it_was_opened_and_answered_since_is_no_orphan(where: str) -> None:
    first, second = GatedModel(free=False), GatedModel()
    with Transcript.open(where) as transcript:
        running = asyncio.create_task(answers(first, transcript))
        await first.heard.wait()
        other = Transcript.open(where)
        assert other.orphans
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    with other:
        assert await answers(second, other) == [Reply(f"mine {number}") for number in range(6)]
        assert not other.orphans


def test_a_run_that_is_killed_gives_its_candidate_back(where: str) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, where], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with Transcript.open(where) as transcript:
        with pytest.raises(TranscriptBusy):
            transcript.claim("mine")
        transcript.claim("another")
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        holder.stdout.close()
        asyncio.run(_until_claimed(transcript))


def test_a_child_that_lives_on_does_not_keep_what_its_parent_gave_back(tmp_path: Path) -> None:
    where = tmp_path / "t.sqlite"
    with Transcript.open(where) as transcript:
        transcript.claim("mine")
        child = os.fork()
        if not child:
            time.sleep(60)
            os._exit(0)
    try:
        with Transcript.open(where) as transcript:
            transcript.claim("mine")
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


async def _until_claimed(transcript: Transcript) -> None:
    async with asyncio.timeout(20):  # a server notices the death of its client in a moment
        while True:
            try:
                return transcript.claim("mine")
            except TranscriptBusy:
                await asyncio.sleep(0.05)


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
        process = processes.PROCESSES.Process(target=processes.run, args=(where, log))
        process.start()
        process.join(rng.random() * 0.12)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        if kind == "postgres":
            await until(partial(is_quiet, where))
        with Transcript.open(where) as transcript:
            now_lost = len(log.read_text().split()) - transcript.verify().count
        assert 0 <= now_lost - lost <= processes.AT_ONCE
        lost = now_lost
    before_last_run = len(log.read_text().split())
    answers, spending = await processes.interview(where, log)

    uninterrupted, cost = await processes.interview(str(tmp_path / "whole.sqlite"), tmp_path / "other log")
    assert (answers, spending) == (uninterrupted, cost)
    assert before_last_run < processes.QUESTIONS + lost  # it was killed while there was work left
    asked = Counter(log.read_text().split())
    assert sum(asked.values()) - processes.QUESTIONS == lost <= KILLS * processes.AT_ONCE
    assert len(asked) == processes.QUESTIONS
    with Transcript.open(where, must_exist=True) as transcript:
        assert transcript.verify().count == processes.QUESTIONS
