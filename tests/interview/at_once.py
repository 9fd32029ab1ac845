"""What processes do to one transcript at the same time; they are copies of one that has begun."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from pathlib import Path

from vivavoce.interview import Entry, Transcript
from vivavoce.interview.commitment import committed_secret
from vivavoce.interview.record import digest_of

EACH = 150
"""Records that a process appends."""
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.interview.killed", "tests.interview.at_once"])


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
