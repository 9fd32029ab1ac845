"""An examination to be killed: it runs in a process of its own."""

from __future__ import annotations

import asyncio
from pathlib import Path

from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.eqt.examine import explain_query_test
from vivavoce.eqt.record import ROLES, Concept, EqtConfig, EqtRecord
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript

CONCEPTS = [Concept(f"Concept {number}", "math") for number in range(6)]
SET_UP = EqtConfig(questions=4, paraphrases=2)
AT_ONCE = 8


async def examined(address: str, where: Path) -> EqtRecord:
    """The whole examination, its transcript in a file."""
    candidate = open_candidate(address)
    try:
        with Transcript.open(where) as transcript:
            interview = Interview(candidate, answers=Reply, transcript=transcript, concurrency=AT_ONCE)
            return await explain_query_test(dict.fromkeys(ROLES, interview), CONCEPTS, SET_UP, concurrency=AT_ONCE)
    finally:
        await close_candidate(candidate)


def run(address: str, where: Path) -> None:
    asyncio.run(examined(address, where))
