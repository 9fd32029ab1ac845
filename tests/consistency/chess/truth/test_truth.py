"""Engines with known faults against the truth: every share is the one that was built in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import chess
import pytest

from tests.consistency.chess.tablebase import perfect
from vivavoce.consistency.chess.config import TruthConfig
from vivavoce.consistency.chess.truth.examine import check_truth
from vivavoce.consistency.chess.truth.finding import ChessTruth
from vivavoce.consistency.chess.truth.oracle import Solved
from vivavoce.errors import BadInput
from vivavoce.interview.batch import BatchInterview
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.engine import Evaluation, Position

CONFIG = TruthConfig(("KQK", "KRK"), limit=60)


@dataclass
class Says:
    """Says of a position what a function does."""

    function: Callable[[str], Evaluation | NoAnswer]
    name: str = "uci:says"
    size: int = 7
    concurrency: int = 2

    async def answer_all(self, positions: Sequence[Position], /) -> list[Evaluation | NoAnswer]:
        return [self.function(position.fen) for position in positions]


def found(function: Callable[[str], Evaluation | NoAnswer], config: TruthConfig = CONFIG) -> ChessTruth:
    return asyncio.run(check_truth(BatchInterview(Says(function), answers=Evaluation), config))


def with_mate(fen: str) -> Evaluation:
    """Without fault, by another program's tables (`tablebase`), with the distance that is known here."""
    truth = Solved().truth(chess.Board(fen))
    assert truth is not None
    mate = None if truth.plies is None else truth.value * ((truth.plies + 1) // 2)
    return replace(perfect(fen), mate=mate)


def test_an_engine_without_fault_has_none() -> None:
    for row in found(with_mate).endings:
        assert (row.n, row.no_answers, row.won + row.drawn + row.lost) == (60, 0, 60)
        assert [share.value for share in row.over] == [0.0] * 6
        assert (row.wrong.value, row.thrown.value, row.impossible.value) == (0.0, 0.0, 0.0)
        assert (row.announced.value, row.shortest.value) == (1.0, 1.0)
        assert row.wrong.interval.upper == pytest.approx(1 - 0.025 ** (1 / 60))  # Clopper and Pearson for 0 of 60
        assert row.worst == ()


def test_an_engine_that_calls_all_drawn_is_wrong_on_what_is_decided() -> None:
    for row in found(lambda fen: replace(perfect(fen), q=0.0)).endings:
        assert row.wrong.value == pytest.approx((row.won + row.lost) / 60)
        assert row.over[5].value == 0.0  # above 1: nobody is called lost who has won
        assert row.announced.value == 0.0
        assert row.shortest.value is None
        assert len(row.worst) == 6


def test_mates_that_cannot_be_are_counted() -> None:
    # a mate in one for whoever is to move: right where it is won in one, else too soon, or for the wrong side
    finding = found(lambda fen: replace(perfect(fen), mate=1))
    oracle = Solved()
    for row in finding.endings:
        assert row.impossible.value is not None
        assert row.announced.value == pytest.approx(row.won / (row.won + row.lost))
    late = found(lambda fen: replace(with_mate(fen), mate=(with_mate(fen).mate or 0) + 5 if perfect(fen).q > 0 else None))
    for row in late.endings:
        assert (row.impossible.value, row.shortest.value) == (0.0, 0.0)
    assert oracle.truth(chess.Board("7k/8/5KQ1/8/8/8/8/8 w - - 0 1")) is not None


def test_moves_that_throw_a_win_away_are_found() -> None:
    def careless(fen: str) -> Evaluation:
        """Plays what leaves less than there was, where it can."""
        board, told = chess.Board(fen), perfect(fen)
        for move in board.legal_moves:
            board.push(move)
            spoilt = -perfect_or_over(board) < told.q
            board.pop()
            if spoilt:
                return replace(told, best_move=move.uci())
        return told

    for row in found(careless).endings:
        assert row.thrown.n > 0
        assert row.thrown.value == 1.0
        assert row.wrong.value == 0.0
        assert all(checked.thrown for checked in row.worst)


def perfect_or_over(board: chess.Board) -> float:
    if not any(board.generate_legal_moves()):
        return -1.0 if board.is_check() else 0.0
    return perfect(board.fen()).q


def test_what_has_no_answer_is_counted_apart_and_an_illegal_move_is_no_throw() -> None:
    answers = iter([NoAnswer("died")] * 10)
    finding = found(lambda fen: next(answers, replace(perfect(fen), best_move="a1a1")))
    assert [(row.n, row.no_answers) for row in finding.endings] == [(50, 10), (60, 0)]
    assert all(row.thrown.n == 0 and row.thrown.value is None for row in finding.endings)
    assert any("no evaluation: 10" in caveat for caveat in finding.caveats)
    nothing = found(lambda fen: NoAnswer("died"))
    assert nothing.statement.startswith("Nothing was checked")


def test_the_sentence_names_the_worst_ending() -> None:
    finding = found(lambda fen: perfect(fen) if "q" in fen.split()[0].lower() else replace(perfect(fen), q=-0.2))
    assert "positions of KRK, where the right one is known" in finding.headline
    assert finding.as_json()["rows"][0]["wrong"]["value"] == 0.0
    with pytest.raises(BadInput, match="at least one ending"):
        found(perfect, TruthConfig((), limit=5))
