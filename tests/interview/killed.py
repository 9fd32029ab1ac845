"""An interview to be killed: it runs in a process of its own."""

from __future__ import annotations

import asyncio
import os
import random
from dataclasses import dataclass
from pathlib import Path

from tests.interview.candidates import questions
from vivavoce.interview import Interview, Prompt, Reply, Transcript, Usage
from vivavoce.interview.candidate import RepeatReason

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
