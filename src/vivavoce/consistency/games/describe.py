"""Names of checks, and a comparison in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vivavoce.consistency.games.comparison import Comparison
from vivavoce.consistency.games.config import CheckName
from vivavoce.formats.wording import signed

NAME: Final[Mapping[CheckName, str]] = {
    "recommended": "Recommended moves",
    "forced": "Forced moves",
    "mirror": "Mirroring",
    "colours": "Colours exchanged",
}
OCCASION: Final[Mapping[CheckName, str]] = {
    "recommended": "when it plays its own best move",
    "forced": "when the only legal move is played",
    "mirror": "when left and right are exchanged",
    "colours": "when the two sides are exchanged",
}
"""When the contradiction shows, to end a sentence with."""
LAWS: Final[Mapping[CheckName, str]] = {
    "recommended": "Recommended moves: the engine's own best move must not alter what the position is worth to it.",
    "forced": "Forced moves: before and after the only legal move, the game is the same game.",
    "mirror": "Mirroring: pieces move alike to the left and to the right, so the mirrored position is the same game.",
    "colours": "Colours exchanged: with the two sides exchanged, who is to move included, the other side has this side's game.",
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
