"""Under which name a candidate is on record, where its code may change under its own name."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from vivavoce.interview.candidate import Candidate


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


def source_of(candidate: Candidate[Any, Any]) -> str:
    """The digest of a candidate's source, by which its answers are kept apart; empty where it has none."""
    return candidate.source_digest if isinstance(candidate, OfSource) else ""


def recorded_name(candidate: Candidate[Any, Any]) -> str:
    """The name under which this candidate's answers are on record.

    >>> class Doubler:
    ...     name = "function:m:double"
    ...     source_digest = "1a2b"
    ...     async def answer(self, question: str, /) -> str:
    ...         return question * 2
    >>> recorded_name(Doubler())
    'function:m:double@1a2b'
    """
    return name_on_record(candidate.name, source_of(candidate))
