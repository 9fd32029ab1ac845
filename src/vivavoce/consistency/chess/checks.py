"""Chess positions that must have the same value: symmetries of the board, and the checks that compare such positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

import chess

from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison, EvaluatedChessPosition
from vivavoce.interview.candidate_kinds import Evaluation

_Turn = Callable[[int], int]


def mirrored(board: chess.Board) -> chess.Board:
    """Swap White and Black: exchange the colours, flip the board vertically, and give the move to the other side.

    Castling rights and the en passant square are mirrored too. Both counters stay, because an engine's expected outcome depends
    on them. The game's history is dropped. Every position can be mirrored ("position mirroring" in section 5.1 of `fluri2024`).

    >>> mirrored(chess.Board("r3k3/8/8/8/4P3/8/8/4K2R b Kq - 3 40")).fen()
    '4k2r/8/8/4p3/8/8/8/R3K3 w Qk - 3 40'
    """
    image = board.copy(stack=False)
    image.apply_mirror()
    return image


def mirrored_fen(fen: str) -> str:
    """Mirror a FEN as text, in python-chess's notation; this is ten times as fast as `mirrored`, which sets up a board.

    >>> mirrored_fen("r3k3/8/8/8/4P3/8/8/4K2R b Kq - 3 40")
    '4k2r/8/8/4p3/8/8/8/R3K3 w Qk - 3 40'
    """
    men, turn, castling, en_passant, *counters = fen.split(" ")
    image = "/".join(reversed(men.split("/"))).swapcase()
    rights = "".join(sorted(castling.swapcase(), key="KQkq-".index))
    passed = en_passant if en_passant == "-" else en_passant[0] + str(9 - int(en_passant[1]))
    return " ".join([image, "b" if turn == "w" else "w", rights, passed, *counters])


def without_castling(board: chess.Board) -> chess.Board:
    """The position without castling rights, en passant square and history, so that the board can be rotated and flipped.

    >>> without_castling(chess.Board("r3k3/8/8/8/8/8/8/4K2R b Kq - 3 40")).fen()
    'r3k3/8/8/8/8/8/8/4K2R b - - 3 40'
    """
    image = board.copy(stack=False)
    image.castling_rights = chess.BB_EMPTY
    image.ep_square = None
    return image


def _turned(turn: _Turn, board: chess.Board) -> chess.Board:
    image = without_castling(board)
    image.apply_transform(turn)
    return image


TURNS: Mapping[str, _Turn] = {
    "identity": lambda squares: squares,
    "rotate 90": lambda squares: chess.flip_vertical(chess.flip_diagonal(squares)),
    "rotate 180": lambda squares: chess.flip_vertical(chess.flip_horizontal(squares)),
    "rotate 270": lambda squares: chess.flip_diagonal(chess.flip_vertical(squares)),
    "flip vertical": chess.flip_vertical,
    "flip horizontal": chess.flip_horizontal,
    "flip diagonal": chess.flip_diagonal,
    "flip anti-diagonal": chess.flip_anti_diagonal,
}
"""The effect of each symmetry of the square on a set of squares."""

SYMMETRIES: Mapping[str, Callable[[chess.Board], chess.Board]] = {name: partial(_turned, turn) for name, turn in TURNS.items()}
"""The symmetries of the square. A position without pawns and castling rights has the same value under each of them.

Rotations are clockwise, as White sees the board; "flip vertical" swaps ranks 1 and 8, "flip horizontal" files a and h,
"flip diagonal" a8 and h1, "flip anti-diagonal" a1 and h8. The side to move and the counters stay. Castling rights and the en
passant square are cleared first.

>>> SYMMETRIES["rotate 90"](chess.Board("8/8/8/3k4/8/8/1Q6/K7 w - - 5 60")).fen()
'K7/1Q6/8/8/4k3/8/8/8 w - - 5 60'
"""


FIFTY_MOVES = 100
"""Half-moves without a capture or pawn move after which either side can claim a draw (FIDE Laws of Chess, 9.3)."""


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A position that must have the same value as the base position."""

    fen: str
    label: str
    """How it is reached from the base position: a move in UCI notation, or the name of a transformation."""
    opposite: bool
    """Whether the other side is to move; if so, q is compared with -q."""


def unfit(check: ChessCheck, board: chess.Board) -> str | None:
    """Why the check does not apply to the position, in two or three words; None if it does apply.

    No check applies if the position is illegal, the game is over, or a draw can be claimed by the fifty-move rule. Forced moves
    need exactly one legal move. Board transformations need a position without pawns.

    >>> unfit(ChessCheck.BOARDS, chess.Board())
    'has pawns'
    >>> unfit(ChessCheck.MIRROR, chess.Board()) is None
    True
    """
    if not board.is_valid():
        return "illegal position"
    if check is ChessCheck.BOARDS:
        if board.pawns:
            return "has pawns"
        board = without_castling(board)
    if reason := ended(board):
        return reason
    if check is ChessCheck.FORCED and len(list(islice(board.generate_legal_moves(), 2))) > 1:
        return "more than one legal move"
    return None


def base(check: ChessCheck, board: chess.Board) -> str:
    """The FEN of the base position; for board transformations it has no castling rights and no en passant square.

    >>> base(ChessCheck.BOARDS, chess.Board("4k3/8/8/8/8/8/8/R3K3 w Q - 0 40"))
    '4k3/8/8/8/8/8/8/R3K3 w - - 0 40'
    """
    return (without_castling(board) if check is ChessCheck.BOARDS else board).fen()


def counterparts(
    check: ChessCheck, board: chess.Board, evaluation: Evaluation | None, *, only_rotate_180: bool = False, fen: str = ""
) -> list[Counterpart] | str:
    """The positions that must have the same value as this one, or the reason why there are none.

    Forced and recommended moves are played by the rules. The counters advance, so the full-move number of the pair differs by
    one if Black moves. Mirrored and transformed boards keep the counters of the base position.

    Recommended moves need the evaluation of the base position. The position is skipped if the best move is illegal, or mates:
    nothing can be evaluated afterwards. With `only_rotate_180` a board is compared only with its rotation by 180 degrees, as in
    the paper's adversarial search. Pass `fen`, the board's FEN, if you have it: computing it takes as long as everything else.

    >>> counterparts(ChessCheck.FORCED, chess.Board("7k/8/6K1/8/8/8/8/R7 b - - 0 60"), None)
    [Counterpart(fen='6k1/8/6K1/8/8/8/8/R7 w - - 1 61', label='h8g8', opposite=True)]
    """
    match check:
        case ChessCheck.MIRROR:
            return [Counterpart(mirrored_fen(fen or board.fen()), "mirror", opposite=False)]
        case ChessCheck.BOARDS:
            return _orientations(board, ["rotate 180"] if only_rotate_180 else list(SYMMETRIES)[1:])
        case ChessCheck.FORCED:
            return _after(board, next(board.generate_legal_moves())) or "reply ends the game"
        case ChessCheck.RECOMMENDED:
            return _recommended(board, evaluation)


def compare(
    check: ChessCheck, game: str, base: EvaluatedChessPosition, others: Sequence[tuple[Counterpart, Evaluation]]
) -> ChessComparison:
    """Compare the evaluations of a base position and of its counterparts (at least one).

    With several counterparts (board transformations), the two positions that differ most are compared; the base may be one of
    them. The first is the one that comes earlier in `SYMMETRIES`, so the sign does not depend on the values. `label` names the
    transformation from the first to the second.
    """
    judged = [(base, "", base.evaluation.q)]
    for other, evaluation in others:
        q = -evaluation.q if other.opposite else evaluation.q
        judged.append((EvaluatedChessPosition(other.fen, evaluation), other.label, q))
    values = [q for _, _, q in judged]
    i, j = sorted((values.index(max(values)), values.index(min(values))))
    first, before, q_first = judged[i]
    second, after, q_second = judged[max(j, i + 1)]
    label = f"{before} against {after}" if before else after
    return ChessComparison(check, game, label, first, second, signed=q_first - q_second)


def ended(board: chess.Board) -> str | None:
    """Why nothing is left to evaluate: no legal move, insufficient material, or a draw that can be claimed."""
    if board.is_insufficient_material():
        return "insufficient material"
    if not any(board.generate_legal_moves()):
        return "game over"
    return "fifty-move rule" if board.halfmove_clock >= FIFTY_MOVES else None


def _orientations(board: chess.Board, names: Sequence[str]) -> list[Counterpart] | str:
    images = [(SYMMETRIES[name](board), name) for name in names]
    if not all(image.is_valid() for image, _ in images):
        return "illegal after a turn"
    return [Counterpart(image.fen(), name, opposite=False) for image, name in images]


def _recommended(board: chess.Board, evaluation: Evaluation | None) -> list[Counterpart] | str:
    if evaluation is None:
        raise ValueError("recommended moves need the base position's evaluation")
    if evaluation.mate == 1:
        return "mate in one"
    try:
        move = board.parse_uci(evaluation.best_move)
    except ValueError:
        move = chess.Move.null()
    if not move:
        return "illegal best move"
    return _after(board, move) or "move ends the game"


def _after(board: chess.Board, move: chess.Move) -> list[Counterpart]:
    child = board.copy(stack=False)
    child.push(move)
    return [] if ended(child) else [Counterpart(child.fen(), move.uci(), opposite=True)]
