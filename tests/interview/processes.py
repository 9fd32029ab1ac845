"""Processes that ask on one transcript: they are killed, or do the same thing at the same time."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.interview.candidates import questions
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply, Usage
from vivavoce.interview.commitment import committed_secret
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import Entry, digest_of
from vivavoce.interview.transcript import Transcript

QUESTIONS, AT_ONCE = 800, 8


@dataclass
class SlowWriter:
    """Slow; writes down each question that it is asked before it answers."""

    log: Path
    name: str = "bot:counting"
    asked_again: RepeatReason = "same"

    async def answer(self, question: Prompt, /) -> Reply:
        descriptor = os.open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, f"{question.id}\n".encode())
        os.close(descriptor)
        await asyncio.sleep(random.Random(question.id).random() * 0.01)
        return Reply(f"answer {question.id}", Usage(int(question.id), 1, 0.5))


async def interview(where: str, log: Path) -> tuple[list[str], Usage]:
    """All answers in order, and what they cost."""
    with Transcript.open(where) as transcript:
        asked = Interview(SlowWriter(log), answers=Reply, transcript=transcript, concurrency=AT_ONCE)
        answers = [str(answer) async for _, answer in asked.ask_in_order(questions(QUESTIONS))]
        return answers, asked.spending


def run(where: str, log: Path) -> None:
    asyncio.run(interview(where, log))


EACH = 150
"""Records that a process appends."""
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.interview.processes"])


def tell_secret(where: str, file: Path) -> None:
    """Write down the secret that the transcript holds, which may have to be drawn first."""
    with Transcript.open(where) as transcript:
        file.write_text(committed_secret(transcript, "places").secret.hex())


def append(where: str, name: str, start: int) -> None:
    """Answer questions from a number on, one by one."""
    with Transcript.open(where, patience=30) as transcript:
        for number in range(start, start + EACH):
            entry = Entry("bot:x", digest_of(str(number)), 0, name, str(number), '"a"', "answer", "2025", 0.1, 1, 1, 0.0)
            (record,) = transcript.append([entry])
            assert record.question_digest == entry.question_digest


def ended(does: Callable[..., None], *calls: tuple[object, ...]) -> list[int | None]:
    """The exit codes of processes that call this at once, each with its own arguments."""
    processes = [PROCESSES.Process(target=does, args=call) for call in calls]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    return [process.exitcode for process in processes]
