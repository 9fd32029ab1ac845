"""A symmetry of a game, and a position to be drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A transformation after which a game is the same game; the value for the side to move stays."""

    label: str
    """What was done, to stand behind "once": "the colours were exchanged"."""
    position: Callable[[str], str]
    """Raises `BadInput` for what is no position."""
    move: Callable[[str], str]
    """A move in the engine's notation, as it is called afterwards."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """A position to be drawn."""

    rows: tuple[tuple[str, ...], ...]
    """From the top: pieces by their letters, upper case for the side that begins; empty texts where there is none."""
    pieces: Literal["discs", "wedges"]
    """Discs stand on the crossings of lines; wedges in squares, those of the other side upside down."""
    below: str = ""
    """What belongs to the position and stands beside the board."""
