"""What to remember of a transcript after an examination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vivavoce.interview.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Kept:
    """A transcript's name, without a password, and its head as COUNT:DIGEST."""

    name: str
    head: str


def keepsake(transcript: Transcript, given: str | None) -> Kept | None:
    """What to remember of it; None for one in memory, for which no place was given."""
    return None if given is None else Kept(transcript.name, f"{transcript.head.count}:{transcript.head.digest}")
