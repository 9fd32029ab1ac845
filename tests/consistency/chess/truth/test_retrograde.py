"""The solved endings against what others have found: counts in the literature, python-chess' moves, and Syzygy tables.

The tables in `tables/` (8 kB) are three of Ronald de Man's, as python-chess carries them for its own tests.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import chess
import numpy as np
import pytest

from vivavoce.consistency.chess.truth.endings import drawn, men
from vivavoce.consistency.chess.truth.oracle import Both, Solved, Syzygy, Truth
from vivavoce.consistency.chess.truth.retrograde import OPEN, SOLVED, solved
from vivavoce.errors import BadInput

TABLES = Path(__file__).parent / "tables"
KRKOPT = (27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390)
"""King and rook against king, Black to move: positions up to symmetry that are lost in 0, 1, ..., 16 moves; 2,796 are drawn.

The data set "Chess (King-Rook vs. King)" of the UCI repository (Bain and Hoff, 1994), of 28,056 positions.
"""


@pytest.mark.parametrize(("ending", "moves"), [("KQK", 10), ("KRK", 16), ("KPK", 28)])
def test_the_longest_wins_are_those_of_the_literature(ending: str, moves: int) -> None:
    table = solved(SOLVED[ending])
    assert table.longest == moves
    assert int(table.lost.max()) == 2 * moves  # a move of Black's before the longest win


def test_every_depth_of_king_and_rook_has_its_known_count() -> None:
    table = solved(chess.ROOK)
    squares = np.arange(64)
    images = [turned ^ flip for turned in (squares, squares % 8 * 8 + squares // 8) for flip in (0, 7, 56, 63)]
    king, rook, bare = np.nonzero(table.black_legal)
    codes = np.unique(np.min([(image[king] * 64 + image[rook]) * 64 + image[bare] for image in images], axis=0))
    depths = Counter((table.lost.reshape(-1)[codes] // 2).tolist())
    assert codes.size == 28_056
    assert depths.pop(-1) == 2_796
    assert tuple(depths[moves] for moves in range(17)) == KRKOPT


def test_counts_of_whole_tables() -> None:
    # squares of three men, by hand: 3,612 ways to place two kings apart, and 62 squares for the third
    assert int(solved(chess.QUEEN).black_legal.sum()) == 3_612 * 62
    queen, rook, pawn = (solved(piece) for piece in (chess.QUEEN, chess.ROOK, chess.PAWN))
    assert int((queen.won == OPEN)[queen.white_legal].sum()) == 0  # with the move, queen and rook always win
    assert int((rook.won == OPEN)[rook.white_legal].sum()) == 0
    assert 0.7 < float((pawn.won != OPEN)[pawn.white_legal].mean()) < 0.8  # 124,960 of 163,328 are won


@pytest.mark.parametrize("ending", ["KQK", "KRK", "KPK"])
def test_each_depth_follows_from_the_moves_of_python_chess(ending: str) -> None:
    """Won in one more than the best reply, lost in one more than the longest: the definition itself, by other rules."""
    oracle = Solved()
    positions = drawn(ending, oracle, seed=3)
    for _ in range(400):
        board, truth = next(positions)
        replies: list[Truth] = []
        for move in board.legal_moves:
            board.push(move)
            over = not any(board.generate_legal_moves())
            if over:
                replies.append(Truth(-1, 0) if board.is_check() else Truth(0, None))
            else:
                known = oracle.truth(board)
                assert known is not None
                replies.append(known)
            board.pop()
        assert truth.value == max(-reply.value for reply in replies)
        depths = [reply.plies for reply in replies if reply.plies is not None and reply.value == -truth.value]
        if truth.value == 1:
            assert truth.plies == 1 + min(depths)
        elif truth.value == -1:
            assert truth.plies == 1 + max(depths)


@pytest.mark.parametrize("ending", ["KQK", "KRK", "KPK"])
def test_results_are_those_of_syzygy_tables(ending: str) -> None:
    ours, theirs = Solved(), Syzygy(TABLES)
    positions = drawn(ending, ours, seed=4)
    try:
        for _ in range(1500):
            board, truth = next(positions)
            known = theirs.truth(board)
            assert known is not None, board.fen()
            assert known.value == truth.value, board.fen()
    finally:
        theirs.close()


@pytest.mark.parametrize(
    ("fen", "truth"),
    [
        ("8/8/8/8/8/8/8/KBk5 w - - 0 1", Truth(0, None)),
        ("8/8/8/8/8/8/8/K1k5 w - - 0 1", Truth(0, None)),
        ("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", Truth(1, 1)),
        ("8/8/8/8/8/5kq1/8/7K b - - 0 1", Truth(1, 1)),  # the same, colours swapped
        ("8/8/8/8/k7/8/P7/K7 w - - 0 1", Truth(0, None)),
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", None),
    ],
)
def test_single_positions(fen: str, truth: Truth | None) -> None:
    found = Solved().truth(chess.Board(fen))
    if truth is None:
        assert found is not None
        assert found.value == 1
    else:
        assert found == truth
    assert Solved().truth(chess.Board()) is None


def test_endings_by_name_and_what_is_none() -> None:
    assert men("KQK") == ([chess.QUEEN], [])
    assert men("KRPvKR") == ([chess.ROOK, chess.PAWN], [chess.ROOK])
    for rubbish in ("", "KK", "QK", "KXK", "KQRBNPPPPPK", "K\nQK", "kqk"):
        with pytest.raises(BadInput, match="is no ending"):
            men(rubbish)
    with pytest.raises(BadInput, match="truth about KRPKR is not known: give --syzygy"):
        next(drawn("KRPKR", Both(None), seed=0))
    syzygy = Syzygy(TABLES)
    with pytest.raises(BadInput, match="truth about KRPKR is not known"):
        next(drawn("KRPKR", Both(syzygy), seed=0))
    syzygy.close()


def test_a_folder_without_tables_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no folder"):
        Syzygy(tmp_path / "nowhere")
    with pytest.raises(BadInput, match="no Syzygy table in"):
        Syzygy(tmp_path)


def test_a_damaged_table_is_told(tmp_path: Path) -> None:
    (tmp_path / "KQvK.rtbw").write_bytes(b"rubbish" * 40)
    syzygy = Syzygy(tmp_path)
    with pytest.raises(BadInput, match="table of 3 men cannot be read"):
        syzygy.truth(chess.Board("8/8/8/8/8/2k5/8/KQ6 w - - 0 60"))
    syzygy.close()


def test_positions_are_different_and_drawn_by_the_seed() -> None:
    def first(seed: int) -> list[str]:
        positions = drawn("KRK", Solved(), seed=seed)
        return [next(positions)[0].fen() for _ in range(300)]

    assert first(0) == first(0)
    assert first(0) != first(1)
    assert len(set(first(0))) == 300
    turns = Counter(fen.split()[1] for fen in first(0))
    assert 100 < turns["w"] < 200
    strong = Counter("R" in fen.split()[0] for fen in first(0))
    assert 100 < strong[True] < 200
