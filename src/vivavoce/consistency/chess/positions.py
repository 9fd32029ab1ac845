"""Chess positions that must have the same value (symmetries, and the checks that compare such positions), and their sources:
random boards, forced moves, and games that an engine plays against itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count, islice

import chess
import numpy as np

from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison, EvaluatedChessPosition
from vivavoce.errors import CandidateUnreachable
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


AFTER_MOVE = 15
LEAST_MEN = 10
MORE_PIECES_THAN = 5
MORE_PIECES_THAN_WITHOUT_QUEEN = 6
"""The limits of a middle game (appendix B.2 of `fluri2024`)."""


@dataclass(frozen=True, slots=True)
class GamePosition:
    """A position and its game; positions of one game are not independent."""

    fen: str
    game: str


class SkipCounts(Counter[str]):
    """The number of skipped games or positions of a source, by reason."""


def in_middle_game(board: chess.Board) -> bool:
    """Whether it is after move 15, with at least ten men, and more than five pieces with a queen or more than six.

    This is the rule of appendix B.2, which says "pieces" throughout. Pawns and kings are excluded only if it says so. Otherwise
    its second condition would make the others redundant.

    >>> in_middle_game(chess.Board("r2q1rk1/1b2bppp/8/8/8/8/1B2BPPP/R2Q1RK1 w - - 0 16"))
    True
    >>> in_middle_game(chess.Board("r2q1rk1/1b2bppp/8/8/8/8/1B2BPPP/R2Q1RK1 b - - 0 15"))
    False
    """
    pieces = (board.occupied & ~board.pawns & ~board.kings).bit_count()
    return (
        board.fullmove_number > AFTER_MOVE
        and board.occupied.bit_count() >= LEAST_MEN
        and pieces > MORE_PIECES_THAN
        and (bool(board.queens) or pieces > MORE_PIECES_THAN_WITHOUT_QUEEN)
    )


def sampled(fens: Sequence[str], per_game: int | None, rng: np.random.Generator) -> list[str]:
    """Draw this many positions of a game without replacement, in the order of the game; None: all.

    >>> sampled(["a", "b", "c"], 2, np.random.default_rng(0))
    ['b', 'c']
    """
    if per_game is None or per_game >= len(fens):
        return list(fens)
    return [fens[i] for i in sorted(rng.choice(len(fens), per_game, replace=False))]


PIECES = (chess.ROOK, chess.KNIGHT, chess.BISHOP, chess.QUEEN, chess.BISHOP, chess.KNIGHT, chess.ROOK)
"""The pieces that a side can have besides its king; both sides get the same three."""
PIECES_A_SIDE = 3
FULL_MOVES = (30, 70)
_BATCH = 256


def synthetic_boards(rng: np.random.Generator) -> Iterator[GamePosition]:
    """Generate random boards without pawns and castling, each as a game of its own (section 5.2 and appendix B.2 of
    `fluri2024`).

    The stream does not end. Each side has its king and the same three pieces, drawn without replacement from R N B Q B N R.
    White is to move. The full-move number is between 30 and 70, and the half-move clock between 0 and a third of it. Every
    board is legal, and the game is not over. The paper does not say whether boards with hanging men were rejected; here they
    are kept.

    >>> board = chess.Board(next(synthetic_boards(np.random.default_rng(0))).fen)
    >>> board.occupied.bit_count(), board.turn == chess.WHITE, board.is_valid()
    (8, True, True)
    """
    numbers = count(1)
    while True:
        for board in _drawn(rng):
            if board.is_valid() and ended(board) is None:
                yield GamePosition(board.fen(), f"synthetic board {next(numbers)}")


def forced_from(placed: GamePosition, rng: np.random.Generator) -> GamePosition | None:
    """The position after a legal check that leaves exactly one reply; None if no check does.

    Only one master position in 200 has a single legal move, so such positions are also constructed. If several checks qualify,
    one is drawn at random.

    >>> forced_from(GamePosition("6k1/5ppp/8/8/8/8/6PP/3RR1K1 w - - 0 30", "hand"), np.random.default_rng(0)) is None
    True
    >>> forced_from(GamePosition("6k1/4rppp/8/8/8/8/6PP/3R2K1 w - - 0 30", "hand"), np.random.default_rng(0))
    GamePosition(fen='3R2k1/4rppp/8/8/8/8/6PP/6K1 b - - 1 30', game='hand')
    """
    board = chess.Board(placed.fen)
    fens = []
    for move in [move for move in board.legal_moves if board.gives_check(move)]:
        board.push(move)
        if len(list(islice(board.generate_legal_moves(), 2))) == 1:
            fens.append(board.fen())
        board.pop()
    return GamePosition(fens[rng.integers(len(fens))], placed.game) if fens else None


def _drawn(rng: np.random.Generator) -> Iterator[chess.Board]:
    """A batch of random boards, some of them illegal."""
    men = 1 + PIECES_A_SIDE
    squares = rng.permuted(np.tile(np.arange(64), (_BATCH, 1)), axis=1)[:, : 2 * men]
    pieces = rng.permuted(np.tile(PIECES, (_BATCH, 1)), axis=1)[:, :PIECES_A_SIDE]
    full_moves = rng.integers(*FULL_MOVES, size=_BATCH, endpoint=True)
    clocks = rng.integers(0, full_moves // 3, endpoint=True)
    for where, what, full_move, clock in zip(
        squares.tolist(), pieces.tolist(), full_moves.tolist(), clocks.tolist(), strict=True
    ):
        board = chess.Board(None)
        for i, kind in enumerate([chess.KING, *what]):
            board.set_piece_at(where[i], chess.Piece(kind, chess.WHITE))
            board.set_piece_at(where[men + i], chess.Piece(kind, chess.BLACK))
        board.fullmove_number, board.halfmove_clock = full_move, clock
        yield board


RANDOM_PLIES = 8
"""Random half-moves at the start: enough to make games differ, few enough to leave sensible positions."""
MAX_PLIES = 200
_PATIENCE = 3

BestMoves = Callable[[Sequence[str]], Awaitable[Sequence[str | None]]]
"""Finds best moves in UCI notation for several positions (FEN) at once; None for a position without an answer."""


@dataclass(slots=True)
class _Game:
    number: int
    board: chess.Board
    rng: np.random.Generator
    fens: list[str] = field(default_factory=list)


async def self_play(
    best_moves: BestMoves,
    *,
    seed: int = 0,
    games_at_once: int = 64,
    random_plies: int = RANDOM_PLIES,
    per_game: int | None = None,
) -> AsyncGenerator[GamePosition, None]:
    """Generate middle-game positions (`in_middle_game`) of games that the engine plays on both sides; the stream does not end.

    Games are played in parallel, one move each per call of `best_moves`, which keeps a pool of engines busy. A game ends by the
    rules, at a threefold repetition, when it leaves the middle game, or after 200 half-moves. A game is dropped if the engine
    gives no legal move. Games are returned whole and in the order of their starts, so short games are not preferred.

    seed: seed of the openings and of the draw of positions; game n depends only on the seed and n.
    random_plies: number of random half-moves from the start position before the engine plays.
    per_game: the maximum number of positions of a game, drawn at random; None: all.

    Raises
    ------
    CandidateUnreachable: the engine repeatedly gives no legal move.
    """
    numbers = count(1)
    playing = [_opened(seed, next(numbers), random_plies) for _ in range(games_at_once)]
    finished: dict[int, _Game] = {}
    due, fruitless = 1, 0
    while True:
        moves = await best_moves([game.board.fen() for game in playing])
        played = [_play(game, move) for game, move in zip(playing, moves, strict=True)]
        fruitless = 0 if any(played) else fruitless + 1
        if fruitless == _PATIENCE:
            raise CandidateUnreachable(f"no legal move came for {_PATIENCE * len(playing)} positions")
        for i, game in enumerate(playing):
            if not played[i]:
                game.fens.clear()
            if not played[i] or _is_over(game.board):
                finished[game.number] = game
                playing[i] = _opened(seed, next(numbers), random_plies)
        while game_due := finished.pop(due, None):
            for fen in sampled(game_due.fens, per_game, game_due.rng):
                yield GamePosition(fen, f"self-play game {due}")
            due += 1


def _opened(seed: int, number: int, plies: int) -> _Game:
    """A game after its random opening; an opening that ends the game is replayed."""
    rng = np.random.default_rng([seed, number])
    while True:
        board = chess.Board()
        for _ in range(plies):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(moves[rng.integers(len(moves))])
        if ended(board) is None:
            return _Game(number, board, rng)


def _play(game: _Game, move: str | None) -> bool:
    """Play the move and record the new position; return False if the move is illegal."""
    try:
        played = game.board.push_uci(move or "")
    except ValueError:
        return False
    if played and ended(game.board) is None and in_middle_game(game.board):
        game.fens.append(game.board.fen())
    return bool(played)


def _is_over(board: chess.Board) -> bool:
    return (
        ended(board) is not None
        or board.is_repetition(3)
        or len(board.move_stack) >= MAX_PLIES
        or (board.fullmove_number > AFTER_MOVE and not in_middle_game(board))
    )
