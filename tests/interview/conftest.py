"""Transcripts in memory, in a file and on a private PostgreSQL server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from vivavoce.interview.record import Entry, digest_of
from vivavoce.interview.transcript import Transcript


@pytest.fixture(params=["memory", "file", pytest.param("postgres", marks=pytest.mark.postgres)])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path | None:
    """Where a transcript is kept, each of the three ways."""
    if request.param == "memory":
        return None
    if request.param == "file":
        return tmp_path / "transcript.sqlite"
    address: str = request.getfixturevalue("postgres_address")
    return address


@pytest.fixture
def transcript(where: str | Path | None) -> Iterator[Transcript]:
    """An empty transcript, each of the three ways."""
    with Transcript.open(where) as transcript:
        yield transcript


@dataclass(frozen=True)
class EntryMaker:
    """Makes entries that differ by a number."""

    def __call__(
        self, number: int, *, candidate: str = "bot:x", draw: int = 0, topic: str = "", answer: str = '"yes"'
    ) -> Entry:
        question = f'"question {number}"'
        return Entry(
            candidate=candidate,
            question_digest=digest_of(question),
            draw=draw,
            topic=topic,
            question=question,
            answer=answer,
            kind="answer",
            asked_at="2025-06-01T12:00:00+00:00",
            seconds=0.25,
            tokens_in=7,
            tokens_out=3,
            money=0.002,
        )


@pytest.fixture
def entry() -> Callable[..., Entry]:
    return EntryMaker()
