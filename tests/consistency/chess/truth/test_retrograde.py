"""The solved endings against what others have found: counts in the literature, python-chess' moves, and Stockfish's table.

Syzygy tables are read from files that `syzygy_files` writes.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from itertools import islice
from pathlib import Path

import chess
import numpy as np
import pytest

from tests.candidates.engines import needs_stockfish
from tests.consistency.chess.truth.syzygy_files import write_tables
from vivavoce.candidates.uci.process import GAMES
from vivavoce.consistency.chess.truth.endings import drawn, men
from vivavoce.consistency.chess.truth.oracle import Both, Solved, Syzygy, Truth
from vivavoce.consistency.chess.truth.retrograde import OPEN, SOLVED, solved
from vivavoce.errors import BadInput

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


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tables(tmp_path_factory.mktemp("tables"))


def by_the_moves(board: chess.Board, oracle: Solved) -> Truth:
    """Won in one more than the best reply, lost in one more than the longest: the definition itself, by other rules."""
    replies: list[Truth] = []
    for move in board.legal_moves:
        board.push(move)
        known = oracle.truth(board) if any(board.generate_legal_moves()) else Truth(-int(board.is_check()), 0)
        assert known is not None
        replies.append(known)
        board.pop()
    value = max(-reply.value for reply in replies)
    depths = [reply.plies for reply in replies if reply.plies is not None and reply.value == -value]
    return Truth(value, None if value == 0 else 1 + (min(depths) if value == 1 else max(depths)))


@pytest.mark.parametrize("ending", ["KQK", "KRK", "KPK"])
def test_each_depth_follows_from_the_moves_of_python_chess(ending: str) -> None:
    oracle = Solved()
    for board, truth in islice(drawn(ending, oracle, seed=3), 400):
        assert truth == by_the_moves(board, oracle), board.fen()


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("ending", ["KQK", "KRK", "KPK"])
def test_every_position_follows_from_the_moves_of_python_chess(ending: str) -> None:
    """A proof by induction over depths: a table that obeys the definition everywhere is the truth. Mirrored ones count once."""
    table, oracle, files = solved(SOLVED[ending]), Solved(), np.arange(64) % 8
    for turn, legal, depths in ((chess.WHITE, table.white_legal, table.won), (chess.BLACK, table.black_legal, table.lost)):
        assert (depths[~legal] == OPEN).all()
        assert (depths == depths.reshape([8] * 6)[:, ::-1, :, ::-1, :, ::-1].reshape(depths.shape)).all()
        kings, pieces, bare = np.nonzero(legal)
        half = files[kings] < 4
        for king, piece, other in zip(*(squares[half].tolist() for squares in (kings, pieces, bare)), strict=True):
            board = chess.Board(None)
            board.set_piece_map(
                {
                    king: chess.Piece(chess.KING, chess.WHITE),
                    piece: chess.Piece(SOLVED[ending], chess.WHITE),
                    other: chess.Piece(chess.KING, chess.BLACK),
                }
            )
            board.turn = turn
            if any(board.generate_legal_moves()):
                assert oracle.truth(board) == by_the_moves(board, oracle), board.fen()
            else:
                assert depths[king, piece, other] == (0 if board.is_checkmate() else OPEN)


@pytest.mark.engine
@needs_stockfish
def test_results_with_a_pawn_are_those_of_stockfish() -> None:
    """Its classical evaluation knows king and pawn against king by a table of its own, and says nothing of a king in check."""
    known = list(islice(drawn("KPK", Solved(), seed=4), 1500))
    asked = "".join(f"position fen {board.fen()}\neval\n" for board, _ in known)
    program = shutil.which("stockfish") or shutil.which("stockfish", path=GAMES)
    assert program is not None
    said = subprocess.run(
        [program], input=f"uci\nsetoption name Use NNUE value false\n{asked}quit\n", capture_output=True, text=True, check=True
    ).stdout
    found = re.findall(r"^Final evaluation[: ]+(none|[+-][0-9.]+)", said, flags=re.MULTILINE)
    told = [(board, truth.value, value) for (board, truth), value in zip(known, found, strict=True) if value != "none"]
    assert len(told) > 1400
    for board, value, pawns in told:
        of_white = value if board.turn == chess.WHITE else -value
        assert (float(pawns) > 10) - (float(pawns) < -10) == of_white, board.fen()


@pytest.mark.parametrize("ending", ["KQK", "KRK", "KPK"])
def test_syzygy_tables_are_read(tables: Path, ending: str) -> None:
    ours, theirs = Solved(), Syzygy(tables)
    try:
        for board, truth in islice(drawn(ending, ours, seed=4), 1500):
            assert theirs.truth(board) == Truth(truth.value, None), board.fen()
    finally:
        theirs.close()


def test_endings_of_more_men_are_known_by_syzygy_tables(tables: Path) -> None:
    """Two rooks always win: whoever takes one has the other against it."""
    theirs = Syzygy(tables)
    try:
        for board, truth in islice(drawn("KRRK", Both(theirs), seed=5), 200):
            assert truth == Truth(1 if bool(board.occupied_co[board.turn] & board.rooks) else -1, None)
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


def test_endings_by_name_and_what_is_none(tables: Path) -> None:
    assert men("KQK") == ([chess.QUEEN], [])
    assert men("KRPvKR") == ([chess.ROOK, chess.PAWN], [chess.ROOK])
    for rubbish in ("", "KK", "QK", "KXK", "KQRBNPPPPPK", "K\nQK", "kqk"):
        with pytest.raises(BadInput, match="is no ending"):
            men(rubbish)
    with pytest.raises(BadInput, match="truth about KRPKR is not known: give --syzygy"):
        next(drawn("KRPKR", Both(None), seed=0))
    syzygy = Syzygy(tables)
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
