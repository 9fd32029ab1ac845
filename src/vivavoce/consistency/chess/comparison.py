"""Pairs of chess positions that must have the same value: symmetries and checks, sentences and diagrams."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import Final
from urllib.parse import parse_qsl

import chess

from vivavoce.formats.wording import clipped, count, signed
from vivavoce.interview.candidate_kinds import Evaluation
from vivavoce.report.blocks import ReportFigure
from vivavoce.report.figures import Board, Boards

DIGITS: Final = 9
"""Differences are rounded to this many decimals, so that .65 - .6 does not exceed .05."""


class ChessCheck(StrEnum):
    """The consistency rule by which two positions are compared."""

    FORCED = "forced"
    """Compares the positions before and after the only legal move."""
    RECOMMENDED = "recommended"
    """Compares the positions before and after the engine's best move."""
    MIRROR = "mirror"
    """Swaps the colours, flips the board, and gives the move to the other side."""
    BOARDS = "boards"
    """Compares the eight orientations of a board without pawns and castling rights, and takes the two that differ most."""


@dataclass(frozen=True, slots=True)
class EvaluatedChessPosition:
    """A position and its evaluation."""

    fen: str
    evaluation: Evaluation


@dataclass(frozen=True, slots=True)
class ChessComparison:
    """The result of one check on one position.

    `signed` is q(first) - q(second). If the other side is to move in the second position (forced and recommended moves), its q
    is negated first. `signed` is then the side-to-move bias: positive if the engine favours the side to move.
    """

    check: ChessCheck
    game: str
    """The game of the position; positions of one game are not independent."""
    label: str
    """The step from the first position to the second: a move in UCI notation, or the name of a transformation."""
    first: EvaluatedChessPosition
    second: EvaluatedChessPosition
    signed: float
    difference: float = field(init=False)
    """The absolute value of `signed`, between 0 and 2."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "signed", round(self.signed, DIGITS))
        object.__setattr__(self, "difference", abs(self.signed))

    @property
    def positions(self) -> tuple[str, str]:
        """Both FENs."""
        return self.first.fen, self.second.fen

    @property
    def extreme(self) -> float:
        """The larger absolute value of the two evaluations."""
        return max(abs(self.first.evaluation.q), abs(self.second.evaluation.q))


NAME: Final[Mapping[str, str]] = {
    ChessCheck.FORCED: "Forced moves",
    ChessCheck.RECOMMENDED: "Recommended moves",
    ChessCheck.MIRROR: "Position mirroring",
    ChessCheck.BOARDS: "Board transformations",
}
"""The names of the checks in `fluri2024`."""
OCCASION: Final[Mapping[str, str]] = {
    ChessCheck.FORCED: "when the only legal move is played",
    ChessCheck.RECOMMENDED: "when it plays the move that it recommends",
    ChessCheck.MIRROR: "when the colours are swapped and the board is turned over",
    ChessCheck.BOARDS: "when a board without pawns is turned or flipped",
}
"""The end of a sentence that says when a contradiction shows."""
LAWS: Final[Mapping[str, str]] = {
    ChessCheck.FORCED: "Forced moves: before and after the only legal move, the game is the same game.",
    ChessCheck.RECOMMENDED: "Recommended moves: the engine's own best move must not change what the position is worth to it.",
    ChessCheck.MIRROR: "Position mirroring: with colours swapped and the board turned over, White has Black's game.",
    ChessCheck.BOARDS: "Board transformations: without pawns and castling, a board may be turned and flipped. "
    "The difference is between its highest and its lowest value.",
}
MOVES: Final = (ChessCheck.FORCED, ChessCheck.RECOMMENDED)
"""Checks with a move between the two positions, so that the other side is to move in the second."""
_MOVE: Final = re.compile("[a-h][1-8][a-h][1-8][qrbn]?")
_KIND: Mapping[ChessCheck, str] = {ChessCheck.FORCED: "the only legal move", ChessCheck.RECOMMENDED: "its own best move"}


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two positions, ready for display."""

    title: str
    fen: str
    best_move: str
    viewpoint: str
    """The side whose value is shown: White or Black."""
    value: float
    """Expected outcome for `viewpoint`, between -1 and 1."""
    wins: float | None
    """Winning probability of `viewpoint`, which is easier to interpret; None if the engine reports no draw probability."""


def sides(comparison: ChessComparison) -> tuple[Side, Side]:
    """Both positions; if a move lies between them, both are seen from the side that makes it."""
    first, second, label = comparison.first, comparison.second, comparison.label
    if comparison.check in MOVES:
        mover = to_move(first.fen)
        return (
            _side(f"Before {label}", first, mover, first.evaluation.q),
            _side(f"After {label}", second, mover, -second.evaluation.q),
        )
    before, against, after = label.rpartition(" against ")
    titles = (f"After {before}" if against else "As it is", "Mirrored" if after == "mirror" else f"After {after}")
    return (
        _side(titles[0], first, to_move(first.fen), first.evaluation.q),
        _side(titles[1], second, to_move(second.fen), second.evaluation.q),
    )


def in_words(comparison: ChessComparison) -> str:
    """The engine's two evaluations in one sentence."""
    first, second = sides(comparison)
    gap = f"a difference of {comparison.difference:.2f}"
    if comparison.check in MOVES:
        kind = _KIND[comparison.check]
        before = f"{signed(first.value)} for {first.viewpoint} before {kind} {comparison.label}"
        return f"{before}, {signed(second.value)} after: {gap}."
    return (
        f"{first.title}: {signed(first.value)} for {first.viewpoint}; {second.title.lower()}: "
        f"{signed(second.value)} for {second.viewpoint}: {gap}."
    )


def to_move(fen: str) -> str:
    """The side to move in a position.

    >>> to_move("8/8/8/8/8/8/8/K1k5 b - - 0 1")
    'Black'
    """
    return "Black" if fen.split(" ")[1:2] == ["b"] else "White"


def _side(title: str, judged: EvaluatedChessPosition, viewpoint: str, value: float) -> Side:
    evaluation = judged.evaluation
    wins = evaluation.win_probability
    if wins is not None:  # the other side's probability is (1 - q - d) / 2; rounding may make either negative
        wins = max(0.0, wins if viewpoint == to_move(judged.fen) else wins - evaluation.q)
    return Side(title, judged.fen, evaluation.best_move, viewpoint, value, wins)


def engine(candidate: str) -> str:
    """The engine's description for readers: its reported name, its limits, and its other options in brackets.

    The hash is omitted.

    >>> engine("uci:stockfish?nodes=1000&hash=16&Use NNUE=false&engine=Stockfish 15.1")
    'Stockfish 15.1 at 1\u202f000 nodes (Use NNUE=false)'
    >>> engine("uci:gnuchess --uci?depth=4&engine=GNU Chess 6.2.7")
    'GNU Chess 6.2.7 at depth 4'
    """
    if not candidate.startswith("uci:"):
        return candidate  # a display name
    program_file, _, query = candidate.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    nodes = options.pop("nodes", "")
    depth = options.pop("depth", "")
    searched = f"{count(int(nodes))} node{'' if nodes == '1' else 's'}" if nodes.isdecimal() else ""
    limits = (f"depth {depth}" if depth else "", f"at most {searched}" if depth and searched else searched)
    at = f" at {', '.join(filter(None, limits))}" if any(limits) else ""
    program = options.pop("engine", "") or program_file.removeprefix("uci:").rpartition("/")[2]
    rest = ", ".join(f"{name}={value}" for name, value in options.items() if name.lower() != "hash")
    return f"{program}{at}" + (f" ({rest})" if rest else "")


def board_pair(comparison: ChessComparison) -> ReportFigure:
    """Two positions as diagrams, with the engine's evaluations; the reader can copy both."""
    codes = (comparison.first.fen, comparison.second.fen)
    first, second = map(_board, sides(comparison))
    return ReportFigure(Boards((first, second), in_words(comparison)), codes=codes, source=clipped(comparison.game, 120))


def _board(side: Side) -> Board:
    """Draw a position with the engine's best move as an arrow; a move that can't be parsed is not drawn."""
    placed = re.sub("[1-8]", lambda match: " " * int(match[0]), side.fen.split(" ")[0])
    pieces = tuple(tuple(sign.strip() for sign in row) for row in placed.split("/"))
    wins = () if side.wins is None else (f"{side.viewpoint} wins {100 * side.wins:.0f}%",)
    words = (f"{signed(side.value)} for {side.viewpoint}", *wins)
    return Board(side.title, pieces, words, side.value, arrow_of(side.best_move))


def arrow_of(move: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The two squares of a move, by column and row from the top left; None if the text is not a move.

    >>> arrow_of("e2e4"), arrow_of("0000")
    (((4, 6), (4, 4)), None)
    """
    if not _MOVE.fullmatch(move) or move[:2] == move[2:4]:
        return None
    begin, end = (("abcdefgh".index(move[at]), 8 - int(move[at + 1])) for at in (0, 2))
    return begin, end


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
