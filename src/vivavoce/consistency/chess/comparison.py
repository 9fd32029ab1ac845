"""A pair of chess positions with their evaluations, as sentences and as diagrams."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final
from urllib.parse import parse_qsl

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
