"""What the room must know of a game: its notation, its symmetries, and who is to move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from vivavoce.consistency.games.config import CheckName, GamesConfig


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A transformation after which a game is the same game; the value for the side to move stays."""

    label: str
    """What was done, to stand behind "after": "a quarter turn"."""
    position: Callable[[str], str]
    """Raises `BadInput` for what is no position."""
    move: Callable[[str], str]
    """A move in the engine's notation, as it is called afterwards."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """A position to be drawn."""

    rows: tuple[tuple[str, ...], ...]
    """From the top: pieces by their letters, upper case for the side that begins; empty texts where there is none."""
    pieces: Literal["discs", "stones", "wedges"]
    """Discs and stones stand on the crossings of lines, wedges in squares, those of the other side upside down."""
    below: str = ""
    """What belongs to the position and stands beside the board."""


class Board(Protocol):
    """An adapter of one game; positions are texts."""

    @property
    def title(self) -> str:
        """The game in a sentence."""
        ...

    @property
    def opening(self) -> str:
        """How games begin, to stand before "of 4 moves"."""
        ...

    @property
    def checks(self) -> tuple[CheckName, ...]:
        """The checks that the game has."""
        ...

    @property
    def symmetries(self) -> Mapping[CheckName, tuple[Symmetry, ...]]:
        """What is compared with a position in the checks that transform it."""
        ...

    def start(self, config: GamesConfig) -> str:
        """The position before the first move; empty where the engine knows it."""
        ...

    def to_move(self, position: str) -> str:
        """The side to move, by its name. Raises `BadInput` for what is no position."""
        ...

    def diagram(self, position: str) -> Diagram | None:
        """The position to be drawn; None in a game without a grid."""
        ...

    def in_letters(self, position: str) -> str:
        """The position as lines of text."""
        ...
