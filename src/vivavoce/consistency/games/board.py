"""What the room must know of a game: its notation, its symmetries, and who is to move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

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

    def drawn(self, position: str) -> str:
        """The position as a diagram in letters."""
        ...
