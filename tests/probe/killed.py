"""A program that is killed in the middle of a probe: its arguments are the transcript, a log of calls, and the moment.

The moment counts steps of conversations that were still unfinished: replies are on record, and the next turn is not asked yet.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.probe.pupils import Pupil, gives_up_when_sure, sums
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.probe.config import ProbeConfig
from vivavoce.probe.conversations import ConversationHolder
from vivavoce.probe.probe import probe

CONFIG = ProbeConfig(calls=150, fresh=20)


class LoggedPupil(Pupil):
    """Writes each call into a file before it answers."""

    def __init__(self, log: Path) -> None:
        super().__init__(gives_up_when_sure)
        self._log = log

    async def answer(self, prompt: Prompt) -> str:
        with self._log.open("a", encoding="utf-8") as file:
            file.write(repr([text for role, text in prompt.conversation if role == "user"]) + "\n")
        return await super().answer(prompt)


async def run(transcript: Path, log: Path) -> dict[str, Any]:
    """The finding of a whole probe."""
    with Transcript.open(transcript) as record:
        interview = Interview(LoggedPupil(log).candidate(), answers=Reply, transcript=record, concurrency=4)
        return (await probe(interview, sums(), CONFIG)).as_json()


def kill_at(moment: int) -> None:
    """Kill this process once so many steps of unfinished conversations are over."""
    unfinished = 0

    def killing(step: Any) -> Any:
        async def ask(self: ConversationHolder, asked: Sequence[Any]) -> None:
            nonlocal unfinished
            await step(self, asked)
            unfinished += any(len(talk.turns) < len(talk.plan.turns) for talk, _ in asked)
            if unfinished == moment:
                os.kill(os.getpid(), signal.SIGKILL)

        return ask

    for name in ("_ask", "_ask_anew"):
        setattr(ConversationHolder, name, killing(getattr(ConversationHolder, name)))


if __name__ == "__main__":
    kill_at(int(sys.argv[3]))
    asyncio.run(run(Path(sys.argv[1]), Path(sys.argv[2])))
