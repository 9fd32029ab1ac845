"""Under which name a candidate is on record, where its code may change under its own name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from vivavoce.interview.candidate import Candidate
from vivavoce.interview.transcript import Transcript


@runtime_checkable
class OfSource(Protocol):
    """A candidate that is code on this machine: with another source it is another candidate of the same name."""

    @property
    def source_digest(self) -> str:
        """Hex digits that change with its source; empty where there is none that could be read."""
        ...


def name_on_record(name: str, source: str) -> str:
    """The name of a candidate whose source has this digest; its own where there is none.

    >>> name_on_record("function:m:double", "1a2b")
    'function:m:double@1a2b'
    """
    return f"{name}@{source}" if source else name


@dataclass(frozen=True, slots=True)
class Recorded:
    """How a candidate is named in a record."""

    name: str
    """`NAME@DIGEST` where it has a source, else its name."""
    source: str = ""
    """The digest, where answers are kept apart by it."""
    older: bool = False
    """Whether its answers are on record from before that, and are gone on with, whatever its source was then."""


def recorded(candidate: Candidate[Any, Any], transcript: Transcript) -> Recorded:
    """How this candidate is named in this record.

    >>> class Doubler:
    ...     name = "function:m:double"
    ...     source_digest = "1a2b"
    ...     async def answer(self, question: str, /) -> str:
    ...         return question * 2
    >>> recorded(Doubler(), Transcript.open(None)).name
    'function:m:double@1a2b'
    """
    name = candidate.name
    source = candidate.source_digest if isinstance(candidate, OfSource) else ""
    versioned = name_on_record(name, source)
    if source and transcript.knows(name) and not transcript.knows(versioned):
        return Recorded(name, older=True)
    return Recorded(versioned, source)
