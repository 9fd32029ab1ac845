"""Comparisons made by hand, for tests in which python-chess is missing too."""

from __future__ import annotations

from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison, EvaluatedChessPosition
from vivavoce.interview.candidate_kinds import Evaluation

AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def judged(fen: str, q: float, best_move: str = "e2e4") -> EvaluatedChessPosition:
    """An evaluation in thousandths, as an engine gives it."""
    wins = round(500 + 500 * q)
    return EvaluatedChessPosition(fen, Evaluation(q=q, best_move=best_move, nodes=1000, wins=wins, draws=0, losses=1000 - wins))


def mirror(number: int, q: float, other: float, *, game: str = "") -> ChessComparison:
    """Two positions that are told apart by their full-move number, both values for the side to move."""
    first, second = (judged(f"{fen[:-1]}{number + 1}", value) for fen, value in ((START, q), (AFTER_E4, other)))
    return ChessComparison(ChessCheck.MIRROR, game or f"game {number}", "mirror", first, second, signed=q - other)


def recommended(q: float, q_after: float, *, game: str = "game 1") -> ChessComparison:
    """1 e4, the second value for the side that is then to move."""
    first, second = judged(START, q, "e2e4"), judged(AFTER_E4, q_after, "e7e5")
    return ChessComparison(ChessCheck.RECOMMENDED, game, "e2e4", first, second, signed=q + q_after)
