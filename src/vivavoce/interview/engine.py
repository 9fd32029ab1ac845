"""What is put to a game engine, and what it says: positions and evaluations."""

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
