"""The examination: positions of solved endings are evaluated, and held against the truth."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import chess

from vivavoce.consistency.chess.config import TruthConfig
from vivavoce.consistency.chess.truth.checked import Checked, EndingRow, row_of
from vivavoce.consistency.chess.truth.endings import drawn
from vivavoce.consistency.chess.truth.finding import ChessTruth
from vivavoce.consistency.chess.truth.oracle import Both, Oracle, Syzygy, Truth
from vivavoce.errors import BadInput
from vivavoce.interview.batch import BatchInterview
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.engine import Evaluation, Position
from vivavoce.interview.finding import Signature
from vivavoce.version import __version__


async def check_truth(
    interview: BatchInterview[Position, Evaluation],
    config: TruthConfig = TruthConfig(),  # noqa: B008 -- frozen
) -> ChessTruth:
    """How often does an engine contradict what is known of a position?

    The consistency checks find that one of two evaluations is wrong; here it is known which, in endings that are solved.

    Raises `BadInput` for what is no ending, or whose truth is not known.
    """
    if not config.endings:
        raise BadInput("at least one ending is needed")
    syzygy = None if config.syzygy is None else Syzygy(Path(config.syzygy))
    oracle = Both(syzygy)
    try:
        drawn_positions = {
            ending: list(islice(drawn(ending, oracle, seed=config.seed), config.limit))
            for ending in dict.fromkeys(config.endings)
        }
        rows = [await _row(interview, ending, positions, oracle) for ending, positions in drawn_positions.items()]
    finally:
        if syzygy is not None:
            syzygy.close()
    name = interview.candidate.name
    settings = {"endings": list(config.endings), "limit": config.limit, "syzygy": config.syzygy is not None}
    source = f"endings {', '.join(drawn_positions)}, positions drawn at random"
    signature = Signature(__version__, "consistency/chess-truth", name, source, "", config.seed, settings)
    return ChessTruth(name, tuple(rows), signature)


async def _row(
    interview: BatchInterview[Position, Evaluation],
    ending: str,
    positions: Sequence[tuple[chess.Board, Truth]],
    oracle: Oracle,
) -> EndingRow:
    size = interview.candidate.size
    checked: list[Checked] = []
    no_answers = 0
    portion = size * interview.candidate.concurrency
    for start in range(0, len(positions), portion):
        part = positions[start : start + portion]
        answers = await interview.ask_together([Position(board.fen()) for board, _ in part], topic="chess/truth")
        for (board, truth), answer in zip(part, answers, strict=True):
            if isinstance(answer, NoAnswer):
                no_answers += 1
            else:
                checked.append(_checked(ending, board, truth, answer, oracle))
    return row_of(ending, checked, no_answers)


def _checked(ending: str, board: chess.Board, truth: Truth, evaluation: Evaluation, oracle: Oracle) -> Checked:
    after = {move.uci(): left_after(board, move, oracle) for move in board.legal_moves}
    can_err = any(value is not None and value < truth.value for value in after.values())
    return Checked(
        ending=ending, fen=board.fen(), value=truth.value, moves_to_mate=truth.moves, evaluation=evaluation,
        after=after.get(evaluation.best_move), can_err=can_err,
    )  # fmt: skip


def left_after(board: chess.Board, move: chess.Move, oracle: Oracle) -> int | None:
    """What a move leaves, for the side that makes it; None where that is not known."""
    board.push(move)
    try:
        if not any(board.generate_legal_moves()):
            return int(board.is_check())
        truth = oracle.truth(board)
        return None if truth is None else -truth.value
    finally:
        board.pop()
