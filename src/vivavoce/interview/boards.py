"""What is put to engines of board games besides chess, and what they say: positions, games that they play, and values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Measure = Literal["outcome", "points", "equity"]
"""What an engine's values are: the expected outcome from -1 (lost) to 1 (won); points on the board, as in Go; or what a game is
worth on average where a win may count two- or threefold, as in backgammon."""


@dataclass(frozen=True, slots=True)
class BoardPosition:
    """A position of a game, in the notation of its board; nothing of the game before it is told to an engine."""

    game: str
    """Such as `xiangqi`."""
    position: str
    over_dice: bool = False
    """Not the engine's own value, but the mean of its values after its best move for every roll of the dice."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """What an engine thinks of a position, from the point of view of the side to move."""

    value: float
    best_move: str = ""
    """In the engine's notation; empty where it is not asked for one."""
    after: str = ""
    """The position after the best move; empty where the game is over by it, or where the check is not made in this game."""
    choices: int | None = None
    """Legal moves; None where the engine does not tell."""


@dataclass(frozen=True, slots=True)
class GameToPlay:
    """A game that an engine plays on both sides, after an opening at random."""

    game: str
    number: int
    seed: int
    """With `number` it gives the opening (and the dice)."""
    random_moves: int
    most_moves: int
    start: str = ""
    """The position before the first move; empty: the usual."""


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """The positions after the opening, one a move."""

    positions: tuple[str, ...]
    choices: tuple[int, ...] = ()
    """Legal moves in each; empty where the engine does not tell."""
