"""What is put to engines of board games besides chess, and what they say: positions, games that they play, and values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BoardPosition:
    """A position of a game, in the notation of its board; nothing of the game before it is told to an engine."""

    game: str
    """Such as `xiangqi`."""
    position: str


@dataclass(frozen=True, slots=True)
class Assessment:
    """What an engine thinks of a position, from the point of view of the side to move."""

    value: float
    best_move: str
    """In the engine's notation."""
    after: str
    """The position after the best move; empty where the game is over by it."""
    choices: int
    """Legal moves."""


@dataclass(frozen=True, slots=True)
class GameToPlay:
    """A game that an engine plays on both sides, after an opening at random."""

    game: str
    number: int
    seed: int
    """With `number` it gives the opening."""
    random_moves: int
    most_moves: int


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """The positions after the opening, one a move."""

    positions: tuple[str, ...]
    choices: tuple[int, ...]
    """Legal moves in each."""
