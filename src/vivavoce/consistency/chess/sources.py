"""Positions from files: of games (PGN), and of positions (EPD, FEN)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import chess
import numpy as np

from vivavoce.consistency.chess.games import cleaned, read_games
from vivavoce.consistency.chess.packed import kind_of, unpacked
from vivavoce.consistency.chess.placed import Placed, Skipped, in_middle_game, sampled
from vivavoce.errors import BadFile

HALF_MOVE_CLOCK, FULL_MOVE = 0, 30
"""Counters of a position that is listed without them; move 30 stands for a middle game."""
_COUNTERS = re.compile(r"\b(hmvc|fmvn)\s+(\d{1,4})\s*;")
_BOUNDED = re.compile(r"\d{1,4}")


def from_file(
    path: str | Path,
    *,
    per_game: int | None = None,
    seed: int = 0,
    skipped: Skipped | None = None,
) -> Iterator[Placed]:
    """The positions in a file, in constant memory: .pgn, .epd or .fen, plain or packed as .gz or .zip.

    Games give only the positions that `in_middle_game` accepts, one game after the other; lists give all of theirs, since
    somebody chose them. Games and positions that cannot be used are counted, and passed over.

    Parameters
    ----------
    per_game: this many positions of a game at most, drawn at random; None: all. One of each game makes the most of a limit,
        because positions of one game are alike.
    seed: of that draw.
    skipped: where what was left out is counted, by reason.

    An engine's expected outcome depends on the full-move number, so a listed position without counters is given some: those of
    its operations `hmvc` and `fmvn`, else half-move clock 0 and full move 30.

    Raises
    ------
    BadFile: it cannot be read, or no position is found in it.
    """
    skipped = Skipped() if skipped is None else skipped
    found = 0
    for name, lines in unpacked(Path(path)):
        is_games = kind_of(name) == ".pgn"
        placed = _of_games(name, lines, per_game, seed, skipped) if is_games else _listed(name, lines, skipped)
        for position in placed:
            found += 1
            yield position
    if not found:
        reasons = ", ".join(f"{count} x {reason}" for reason, count in skipped.most_common(5)) or "it is empty"
        raise BadFile(path, f"no position that can be used is in it ({reasons})")


def _of_games(name: str, lines: Iterable[bytes], per_game: int | None, seed: int, skipped: Skipped) -> Iterator[Placed]:
    games = read_games(lines, wanted=in_middle_game)
    for number, game in enumerate(games, start=1):
        if not game.fens:
            skipped[game.problem or "no middle game"] += 1
            continue
        title = f"{cleaned(name)} #{number} ({game.white or '?'} - {game.black or '?'})"
        for fen in sampled(game.fens, per_game, np.random.default_rng([seed, number])):
            yield Placed(fen, title)


def _listed(name: str, lines: Iterable[bytes], skipped: Skipped) -> Iterator[Placed]:
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
            yield Placed(board.fen(), f"{cleaned(name)} #{number}")
        else:
            skipped["illegal position"] += 1


def _full_fen(line: str) -> str:
    """A line of FEN or EPD as a FEN with both counters."""
    fields = line.split(maxsplit=6)
    if len(fields) >= 6 and all(_BOUNDED.fullmatch(field) for field in fields[4:6]):
        return " ".join(fields[:6])
    given = {operation: int(value) for operation, value in _COUNTERS.findall(line)}
    counters = (given.get("hmvc", HALF_MOVE_CLOCK), given.get("fmvn", FULL_MOVE))
    return " ".join([*fields[:4], *map(str, counters)])
