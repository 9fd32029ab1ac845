"""Two positions of another game with their values, in words and on boards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from vivavoce.consistency.chess.comparison import DIGITS
from vivavoce.consistency.config import GameCheckName
from vivavoce.consistency.games.boards import ChessLike, Diagram
from vivavoce.formats.wording import signed
from vivavoce.report.blocks import Figure
from vivavoce.report.figures import Board, Boards


@dataclass(frozen=True, slots=True)
class EvaluatedPosition:
    """A position with the value that the engine gives it."""

    position: str
    value: float
    """For `viewpoint`."""
    viewpoint: str
    """A side, by its name."""
    best_move: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """One check on one position."""

    check: GameCheckName
    game: str
    """Where the position comes from; positions of one game are not independent."""
    label: str
    """What lies between the two: a move, or what was done to the board."""
    first: EvaluatedPosition
    second: EvaluatedPosition
    plays_otherwise: bool | None = None
    """Whether its best move in the second is another one than the image of that in the first; None where that says nothing."""
    signed: float = field(init=False)
    """The first value less the second; after a move both are for the side that moved, so above 0 it likes to be to move."""
    difference: float = field(init=False)
    """The size of `signed`, between 0 and 2."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "signed", round(self.first.value - self.second.value, DIGITS))
        object.__setattr__(self, "difference", abs(self.signed))

    @property
    def positions(self) -> tuple[str, str]:
        """Both as texts."""
        return self.first.position, self.second.position

    @property
    def extreme(self) -> float:
        """The larger size of the two values."""
        return max(abs(self.first.value), abs(self.second.value))


NAME: Final[Mapping[str, str]] = {
    "recommended": "Recommended moves",
    "forced": "Forced moves",
    "mirror": "Mirroring",
    "colours": "Colours exchanged",
}
OCCASION: Final[Mapping[str, str]] = {
    "recommended": "when it plays its own best move",
    "forced": "when the only legal move is played",
    "mirror": "when left and right are exchanged",
    "colours": "when the two sides are exchanged",
}
"""When a contradiction shows, at the end of a sentence."""
LAWS: Final[Mapping[str, str]] = {
    "recommended": "Recommended moves: the engine's own best move must not change what the position is worth to it.",
    "forced": "Forced moves: before and after the only legal move, the game is the same game.",
    "mirror": "Mirroring: pieces move alike to the left and to the right, so the mirrored position is the same game.",
    "colours": "Colours exchanged: with both sides and the turn exchanged, the other side has this side's game.",
}


def in_words(comparison: Comparison) -> str:
    """What the engine says about the two positions, in one sentence."""
    first, second = comparison.first, comparison.second
    values = [signed(side.value) for side in (first, second)]
    gap = f"a difference of {comparison.difference:.2f}"
    match comparison.check:
        case "recommended" | "forced":
            kind = "its own best move" if comparison.check == "recommended" else "the only legal move"
            return f"{values[0]} for {first.viewpoint} before {kind} {comparison.label}, {values[1]} after: {gap}."
        case _:
            as_it_is = f"{values[0]} for {first.viewpoint} as it is"
            return f"{as_it_is}, {values[1]} for {second.viewpoint} once {comparison.label}: {gap}."


def titles(comparison: Comparison) -> tuple[str, str]:
    """What stands above each of the two positions."""
    match comparison.check:
        case "recommended" | "forced":
            return f"Before {comparison.label}", f"After {comparison.label}"
        case _:
            return "As it is", f"{comparison.label[:1].upper()}{comparison.label[1:]}"


def board_pair(comparison: Comparison, board: ChessLike) -> Figure:
    """Two positions with what the engine says about each, and both to be copied."""
    positions = (comparison.first.position, comparison.second.position)
    first, second = (
        _board(judged, title, board.diagram(judged.position), board.to_move(judged.position))
        for judged, title in zip((comparison.first, comparison.second), titles(comparison), strict=True)
    )
    return Figure(Boards((first, second), in_words(comparison)), codes=positions, source=comparison.game)


def _board(judged: EvaluatedPosition, title: str, diagram: Diagram, to_move: str) -> Board:
    more = filter(None, (f"{to_move} to move", diagram.below))
    return Board(title, diagram.rows, diagram.pieces, (f"{signed(judged.value)} for {judged.viewpoint}", *more))
