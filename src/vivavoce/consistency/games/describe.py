"""Names of checks, and a comparison in words and on boards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vivavoce.consistency.games.board import Diagram
from vivavoce.consistency.games.chesslike import ChessLike
from vivavoce.consistency.games.comparison import Comparison, Judged
from vivavoce.formats.wording import signed
from vivavoce.report.blocks import Figure
from vivavoce.report.figures import Board, Boards

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
    one, other = comparison.first, comparison.second
    values = [signed(side.value) for side in (one, other)]
    gap = f"a difference of {comparison.difference:.2f}"
    match comparison.check:
        case "recommended" | "forced":
            kind = "its own best move" if comparison.check == "recommended" else "the only legal move"
            return f"{values[0]} for {one.viewpoint} before {kind} {comparison.label}, {values[1]} after: {gap}."
        case _:
            return (
                f"{values[0]} for {one.viewpoint} as it is, {values[1]} for {other.viewpoint} once {comparison.label}: {gap}."
            )


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
    one, other = (
        _board(judged, title, board.diagram(judged.position), board.to_move(judged.position))
        for judged, title in zip((comparison.first, comparison.second), titles(comparison), strict=True)
    )
    return Figure(Boards((one, other), in_words(comparison)), codes=positions, source=comparison.game)


def _board(judged: Judged, title: str, diagram: Diagram, to_move: str) -> Board:
    more = filter(None, (f"{to_move} to move", diagram.below))
    return Board(title, diagram.rows, diagram.pieces, (f"{signed(judged.value)} for {judged.viewpoint}", *more))
