"""Candidates that count and wait, and real clients of the protocol in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from vivavoce.candidates import open_candidate
from vivavoce.interview.candidate import Candidate, Prompt, Reply
from vivavoce.interview.transcript import Transcript
from vivavoce.plugins.mcp_server.examiner import Examiner, InterviewConduct
from vivavoce.plugins.mcp_server.limits import Allowance, AllowanceConfig
from vivavoce.plugins.mcp_server.messages import OfferedChoices

if TYPE_CHECKING:
    from mcp import Client


class CallCounter:
    """Answers as another one does, counts how often it is asked, and waits where it is told to.

    held_from: the number of the question from which on it answers nothing until `go`.
    """

    asked_again = "elsewhere"

    def __init__(self, of: str = "bot:calculator?wrong=0.6", name: str = "", *, held_from: int | None = None) -> None:
        self.name = name or f"counted {of}"
        self.asked = self.at_once = self.most_at_once = 0
        self.go = asyncio.Event()
        self.is_held = asyncio.Event()
        self._held_from = held_from
        self._of: Candidate[Prompt, Reply] = open_candidate(of)

    async def answer(self, question: Prompt, /) -> Reply:
        """Its answer."""
        self.asked += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if self._held_from is not None and self.asked >= self._held_from:
                self.is_held.set()
                await self.go.wait()
            await asyncio.sleep(0)
            return await self._of.answer(question)
        finally:
            self.at_once -= 1


class FixedReply:
    """Says the same whatever it is asked."""

    def __init__(self, text: str, name: str = "bot:saying") -> None:
        self.name = name
        self._text = text

    async def answer(self, question: Prompt, /) -> Reply:
        """It."""
        return Reply(self._text)


def examiner(
    candidates: dict[str, Any] | Sequence[str] = (),
    scopes: Sequence[str] = ("sums=arithmetic",),
    *,
    transcript: Transcript | None = None,
    concurrency: int | None = 4,
    **allowed: Any,
) -> Examiner:
    """One that offers these."""
    offered = OfferedChoices.opened([] if isinstance(candidates, dict) else candidates, scopes)
    if isinstance(candidates, dict):
        offered = OfferedChoices(candidates, offered.scopes)
    record = Transcript.open(None) if transcript is None else transcript
    return Examiner(offered, Allowance(AllowanceConfig(**allowed)), record, InterviewConduct(concurrency))


@asynccontextmanager
async def client_of(examiner: Examiner) -> AsyncIterator[Client]:
    """A client of the SDK, over streams in memory: every message goes through JSON-RPC."""
    from mcp import Client

    from vivavoce.plugins.mcp_server.server import McpServer

    async with Client(McpServer(examiner).server(), mode="legacy") as client:
        yield client


def text_of(result: Any) -> str:
    """What a model reads of it."""
    (block,) = result.content
    assert block.type == "text"
    text: str = block.text
    return text


def values_of(result: Any) -> dict[str, Any]:
    """What a program reads of a call that succeeded."""
    assert not result.is_error, text_of(result)
    values: dict[str, Any] = result.structured_content
    return values


def error_of(result: Any) -> str:
    """The error of a call that failed."""
    assert result.is_error, result
    return text_of(result)
