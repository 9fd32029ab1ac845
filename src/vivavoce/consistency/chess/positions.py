"""Generates chess positions: random boards, forced moves, and games that an engine plays against itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice

import chess
import numpy as np

from vivavoce.consistency.chess.comparison import ended
from vivavoce.errors import CandidateUnreachable

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
