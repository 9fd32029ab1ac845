"""What is put to an engine of chess or another board game, and what it says: positions, evaluations, games."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    """A chess position, by its full FEN: nothing of the game before it is told to an engine."""

    fen: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an engine thinks of a position, from the point of view of the side to move.

    >>> Evaluation(q=0.25, best_move="e2e4", nodes=10_000, wins=500, draws=250, losses=250).win_probability
    0.5
    """

    q: float
    """Expected outcome in [-1, 1]: (wins - losses) / 1000, or a logistic of the centipawns where the engine gives no WDL."""
    best_move: str
    """In UCI notation."""
    nodes: int
    """Searched, by the engine's own count."""
    wins: int | None = None
    """In a thousand games; None where the engine does not say."""
    draws: int | None = None
    losses: int | None = None
    centipawns: int | None = None
    mate: int | None = None
    """Moves to mate, negative if the side to move is mated; None where none is seen."""

    @property
    def win_probability(self) -> float | None:
        """p(win) = (q + 1 - d) / 2, equation (4) of `fluri2024`; None where draws are not told."""
        return None if self.draws is None else (self.q + 1 - self.draws / 1000) / 2


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
