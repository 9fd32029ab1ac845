"""Reads chess positions from files: games in PGN, positions in EPD or FEN, plain or compressed."""

from __future__ import annotations

import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO, cast

import chess
import chess.pgn
import numpy as np

from vivavoce.consistency.chess.positions import GamePosition, SkipCounts, in_middle_game, sampled
from vivavoce.errors import BadFile
from vivavoce.formats.lines import byte_lines, ending

KINDS = (".pgn", ".epd", ".fen")
MAX_BYTES = 1 << 36
"""Largest uncompressed size of a file; a database of ten million games takes a tenth of it."""
MAX_LINE_BYTES = 1 << 20


def kind_of(name: str | PurePath) -> str | None:
    """The file's type: .pgn, .epd or .fen, ignoring a final .gz; None for other types.

    >>> kind_of("games.PGN.gz"), kind_of("games.txt")
    ('.pgn', None)
    """
    kind = ending(PurePath(name))
    return kind if kind in KINDS else None


def unpacked(file: Path) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The files in a file, each as its base name and its lines: the file itself, or those in a .zip with a known type.

    A byte order mark is removed. Read the lines of one file before you take the next.

    Raises
    ------
    BadFile: the file is missing, damaged, protected by a password or of an unknown type, or it or a line is too long.
    """
    with _as_bad_file(file):
        if file.suffix.lower() == ".zip":
            yield from _zipped(file)
        elif kind_of(file) is None:
            raise BadFile(file, f"not a file of positions: its name must end in {', '.join(KINDS)}, or then .gz, or in .zip")
        else:
            packed = file.suffix.lower() == ".gz"
            with cast(IO[bytes], gzip.open(file)) if packed else file.open("rb") as stream:
                yield file.name, _lines(file, stream)


def _zipped(file: Path) -> Iterator[tuple[str, Iterator[bytes]]]:
    with zipfile.ZipFile(file) as archive:
        members = [member for member in archive.infolist() if kind_of(member.filename)]
        if not members:
            raise BadFile(file, f"no file in it ends in {', '.join(KINDS)}")
        for member in members:
            if member.flag_bits & 1:
                raise BadFile(file, f"'{member.filename[:80]}' in it is locked by a password: pack it without")
            with archive.open(member) as stream:
                yield PurePath(member.filename).name, _lines(file, stream)


def _lines(file: Path, stream: IO[bytes]) -> Iterator[bytes]:
    with _as_bad_file(file):
        yield from byte_lines(file, stream, max_bytes=MAX_BYTES, max_line_bytes=MAX_LINE_BYTES)


@contextmanager
def _as_bad_file(file: Path) -> Iterator[None]:
    try:
        yield
    except (gzip.BadGzipFile, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError, NotImplementedError) as error:
        raise BadFile(file, f"the packed data are damaged ({error}): pack it again") from error
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from error


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
    """The requested positions in the order of the game; empty if there is a problem."""
    problem: str | None
    """Why the game can't be used, in a few words."""


def read_games(lines: Iterable[bytes], *, wanted: Callable[[chess.Board], bool]) -> Iterator[ReadGame]:
    """Read the games of a PGN file, valid and invalid, in constant memory.

    A whole game is invalid if it contains an illegal move, does not end with a result (it was cut off), does not start from a
    legal position of standard chess, or is longer than 1 MiB. Variations and comments are skipped. Text that is not UTF-8 is
    read as Latin-1, the character set of the PGN standard.

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
            while game := chess.pgn.read_game(stream, Visitor=lambda: _PgnReader(wanted)):
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
    """The text of each game with its headers, cut off one byte beyond the limit."""
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


class _PgnReader(chess.pgn.BaseVisitor[ReadGame]):
    """Collects the requested positions of a game; after the first problem it parses nothing more."""

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


HALF_MOVE_CLOCK, FULL_MOVE = 0, 30
"""Default counters of a listed position without counters; move 30 represents a middle game."""
_COUNTERS = re.compile(r"\b(hmvc|fmvn)\s+(\d{1,4})\s*;")
_BOUNDED = re.compile(r"\d{1,4}")


def from_file(
    path: str | Path, *, per_game: int | None = None, seed: int = 0, skipped: SkipCounts | None = None
) -> Iterator[GamePosition]:
    """Read the positions of a file in constant memory: .pgn, .epd or .fen, plain or compressed as .gz or .zip.

    From games, only positions that `in_middle_game` accepts are used, game by game. From lists, all positions are used, since
    someone chose them. Unusable games and positions are counted and skipped.

    per_game: the maximum number of positions of a game, drawn at random; None: all. Positions of one game are alike, so one per
        game makes the best use of a limit.
    seed: seed of that draw.
    skipped: counts of skipped games and positions, by reason.

    An engine's expected outcome depends on the full-move number. A listed position without counters takes them from its
    operations `hmvc` and `fmvn`, or else gets half-move clock 0 and full move 30.

    Raises
    ------
    BadFile: the file can't be read, or contains no usable position.
    """
    skipped = SkipCounts() if skipped is None else skipped
    used = 0
    for name, lines in unpacked(Path(path)):
        is_games = kind_of(name) == ".pgn"
        placed = _of_games(name, lines, per_game, seed, skipped) if is_games else _listed(name, lines, skipped)
        for position in placed:
            used += 1
            yield position
    if not used:
        reasons = ", ".join(f"{count} x {reason}" for reason, count in skipped.most_common(5)) or "it is empty"
        raise BadFile(path, f"it has no usable positions ({reasons})")


def _of_games(
    name: str, lines: Iterable[bytes], per_game: int | None, seed: int, skipped: SkipCounts
) -> Iterator[GamePosition]:
    games = read_games(lines, wanted=in_middle_game)
    for number, game in enumerate(games, start=1):
        if not game.fens:
            skipped[game.problem or "no middle game"] += 1
            continue
        title = f"{cleaned(name)} #{number} ({game.white or '?'} - {game.black or '?'})"
        for fen in sampled(game.fens, per_game, np.random.default_rng([seed, number])):
            yield GamePosition(fen, title)


def _listed(name: str, lines: Iterable[bytes], skipped: SkipCounts) -> Iterator[GamePosition]:
    for number, line in enumerate(lines, start=1):
        text = line.decode("utf-8", errors="replace").strip()
        if not text or text.startswith("#"):
            continue
        try:
            board = chess.Board(_full_fen(text))
        except ValueError:
            skipped["not a position"] += 1
            continue
        if board.is_valid():
            yield GamePosition(board.fen(), f"{cleaned(name)} #{number}")
        else:
            skipped["illegal position"] += 1


def _full_fen(line: str) -> str:
    """Convert a line of FEN or EPD to a FEN with both counters."""
    fields = line.split(maxsplit=6)
    if len(fields) >= 6 and all(_BOUNDED.fullmatch(field) for field in fields[4:6]):
        return " ".join(fields[:6])
    given = {operation: int(value) for operation, value in _COUNTERS.findall(line)}
    counters = (given.get("hmvc", HALF_MOVE_CLOCK), given.get("fmvn", FULL_MOVE))
    return " ".join([*fields[:4], *map(str, counters)])
