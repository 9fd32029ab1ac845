"""What a search for contradictions has found, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from vivavoce.consistency.search.config import Method


@dataclass(frozen=True, slots=True)
class Side:
    """One question of a contradiction."""

    label: str
    """What it is among the others."""
    question: str
    answers: Mapping[str, int]
    """What the fresh answers say, and how many of them."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A confirmed one, shrunk until nothing can go."""

    case: str
    """What it begins with: the id of a question, a tuple or a defendant."""
    changes: tuple[tuple[str, str], ...]
    """All that is varied, in words: genes with their values."""
    found_with: tuple[tuple[str, str], ...]
    """What was varied in the attempt that it was shrunk from."""
    sides: tuple[Side, ...]
    strength: float
    """How far the answers are from fitting, at least, over all combinations of fresh answers."""
    by: tuple[Method, ...]
    """Who found it."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self) | {"changes": dict(self.changes), "found_with": dict(self.found_with)}


@dataclass(frozen=True, slots=True)
class Run:
    """One method with its budget of calls."""

    method: Method
    calls: int
    """That were spent, those that confirm and shrink included."""
    attempts: int
    """Pairs or tuples whose answers were looked at, those of shrinking and confirming left out."""
    contradicting: int
    """Attempts that contradicted at first."""
    distinct: int
    """Contradictions after shrinking, confirmed, each counted once."""
    patterns: int
    """Sets of changes among them, whatever the case."""
    refuted: int
    """Distinct ones that fresh answers did not confirm."""
    unsettled: int
    """Attempts that contradicted, and calls ran out before more was known."""
    unread: int
    """Attempts with an answer that cannot be read."""
    course: tuple[tuple[int, int], ...]
    """Calls so far, distinct contradictions so far."""
    exhausted: bool
    """Whether calls ran out; else nothing new was left to be tried."""
    replies: Mapping[str, int] = field(default_factory=dict)
    """What became of single replies: `read`, or why not -> how many."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)
