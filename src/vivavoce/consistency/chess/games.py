"""Games in PGN, read one at a time: the positions of each, or what is wrong with it."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import chess
import chess.pgn

MAX_GAME_BYTES = 1 << 20
MAX_NAME = 40
MAX_FULL_MOVE = 9999
_HEADER = re.compile(rb'\[\w+\s+"')


@dataclass(frozen=True, slots=True)
class ReadGame:
    """One game of a file."""

    white: str
    black: str
    fens: tuple[str, ...]
    """The positions that were wanted, in the order of the game; none if there is a problem."""
    problem: str | None
    """Why the game cannot be used, in a few words."""


def read_games(lines: Iterable[bytes], *, wanted: Callable[[chess.Board], bool]) -> Iterator[ReadGame]:
    """The games of a PGN file, good and bad, in constant memory.

    A game is bad as a whole if it holds an illegal move, does not end with a result (so it was cut short), starts from no
    legal position of standard chess, or is longer than 1 MiB. Variations and comments are passed over. Text that is not
    UTF-8 is taken for Latin-1, the character set of the PGN standard.

    >>> [game] = read_games([b"1. e4 e5 2. Nf3 *"], wanted=lambda board: board.turn == chess.WHITE)
    >>> game.fens[1], game.problem
    ('rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2', None)
    """
    for text in _texts(lines):
        if len(text) > MAX_GAME_BYTES:
            yield ReadGame("", "", (), "game too long")
            continue
        stream = io.StringIO(_decoded(text))
        try:
            while game := chess.pgn.read_game(stream, Visitor=lambda: _Reader(wanted)):
                yield game
        except ValueError:
            yield ReadGame("", "", (), "unreadable")


def cleaned(name: str) -> str:
    """A name from a file as one short line of printable text.

    >>> cleaned("Carlsen,\\x1b[2J\\nM")
    'Carlsen, [2J M'
    """
    return " ".join("".join(c if c.isprintable() else " " for c in name[: 4 * MAX_NAME]).split())[:MAX_NAME]


def _texts(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Each game with its headers; what is over the limit is cut off one byte beyond it."""
    text, has_moves = bytearray(), False
    for line in lines:
        if _HEADER.match(line):
            if has_moves:
                yield bytes(text)
                text.clear()
            has_moves = False
        elif not line.isspace():
            has_moves = True
        text += line[: MAX_GAME_BYTES + 1 - len(text)]
    yield bytes(text)


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("latin-1")


class _Reader(chess.pgn.BaseVisitor[ReadGame]):
    """Notes the wanted positions of a game; after the first problem nothing more is parsed."""

    def __init__(self, wanted: Callable[[chess.Board], bool]) -> None:
        self._wanted = wanted
        self._names = {"White": "", "Black": ""}
        self._fens: list[str] = []
        self._problem: str | None = None
        self._started = self._moved = self._finished = False

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        if tagname in self._names:
            self._names[tagname] = cleaned(tagvalue)

    def begin_variation(self) -> chess.pgn.SkipType:
        return chess.pgn.SKIP

    def begin_parse_san(self, board: chess.Board, san: str) -> chess.pgn.SkipType | None:
        return chess.pgn.SKIP if self._problem else None

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        self._moved = True
        if not move:
            self._problem = "illegal move"

    def visit_board(self, board: chess.Board) -> None:
        if not self._started:
            self._started = True
            standard = type(board) is chess.Board and not board.chess960 and board.fullmove_number <= MAX_FULL_MOVE
            if not (standard and board.is_valid()):
                self._problem = "no standard start"
        if not self._problem and self._wanted(board):
            self._fens.append(board.fen())

    def visit_result(self, result: str) -> None:
        self._finished = True

    def handle_error(self, error: Exception) -> None:
        self._problem = self._problem or ("illegal move" if self._started else "no standard start")

    def result(self) -> ReadGame:
        problem = self._problem
        if problem is None and not self._finished:
            problem = "cut short" if self._moved else "no moves"
        return ReadGame(self._names["White"], self._names["Black"], () if problem else tuple(self._fens), problem)
