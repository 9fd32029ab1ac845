"""Names of checks, and a comparison in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vivavoce.consistency.games.comparison import Comparison
from vivavoce.consistency.games.config import SCALES, CheckName
from vivavoce.formats.wording import signed
from vivavoce.interview.boards import Measure

NAME: Final[Mapping[CheckName, str]] = {
    "recommended": "Recommended moves",
    "forced": "Forced moves",
    "mirror": "Mirroring",
    "colours": "Colours exchanged",
    "orientations": "Orientations",
    "rolls": "Over the dice",
}
OCCASION: Final[Mapping[CheckName, str]] = {
    "recommended": "when it plays its own best move",
    "forced": "when the only legal move is played",
    "mirror": "when left and right are exchanged",
    "colours": "when the two sides are exchanged",
    "orientations": "when the board is turned or flipped",
    "rolls": "when the dice are averaged over",
}
"""When the contradiction shows, to end a sentence with."""
LAWS: Final[Mapping[CheckName, str]] = {
    "recommended": "Recommended moves: the engine's own best move must not alter what the position is worth to it.",
    "forced": "Forced moves: before and after the only legal move, the game is the same game.",
    "mirror": "Mirroring: pieces move alike to the left and to the right, so the mirrored position is the same game.",
    "colours": "Colours exchanged: with the two sides exchanged, who is to move included (and in Go who is given the komi), "
    "the other side has this side's game.",
    "orientations": "Orientations: a Go board may be turned and flipped at will. All eight orientations are evaluated; the "
    "difference is that between the highest and the lowest.",
    "rolls": "Over the dice: before a roll, a position is worth the mean over all 21 rolls, by how likely each is, of what the "
    "engine's best move for it leads to, as the engine values that.",
}


def number(value: float, measure: Measure) -> str:
    """A difference with its unit.

    >>> number(0.253, "outcome"), number(7.5, "points"), number(0.0312, "equity")
    ('0.25', '7.5 points', '0.031 points a game')
    """
    unit = SCALES[measure].unit
    digits = {"outcome": 2, "points": 1, "equity": 3}[measure]
    return f"{value:.{digits}f}{f' {unit}' if unit else ''}"


def in_words(comparison: Comparison, measure: Measure) -> str:
    """What the engine says about the two positions, in one sentence."""
    one, other = comparison.first, comparison.second
    values = [value_in_words(side.value, measure) for side in (one, other)]
    gap = f"a difference of {number(comparison.difference, measure)}"
    match comparison.check:
        case "recommended" | "forced":
            kind = "its own best move" if comparison.check == "recommended" else "the only legal move"
            return f"{values[0]} for {one.viewpoint} before {kind} {comparison.label}, {values[1]} after: {gap}."
        case "rolls":
            return f"{values[0]} for {one.viewpoint} before the dice, {values[1]} as the mean over all rolls: {gap}."
        case "orientations":
            before, against, after = comparison.label.rpartition(" against ")
            first = f"after {before}" if against else "as it is"
            return f"{values[0]} for {one.viewpoint} {first}, {values[1]} after {after}: {gap}."
        case _:
            return (
                f"{values[0]} for {one.viewpoint} as it is, {values[1]} for {other.viewpoint} once {comparison.label}: {gap}."
            )


def titles(comparison: Comparison) -> tuple[str, str]:
    """What stands above each of the two positions."""
    match comparison.check:
        case "recommended" | "forced":
            return f"Before {comparison.label}", f"After {comparison.label}"
        case "orientations":
            before, against, after = comparison.label.rpartition(" against ")
            return (f"After {before}" if against else "As it is"), f"After {after}"
        case _:
            return "As it is", f"{comparison.label[:1].upper()}{comparison.label[1:]}"


def value_in_words(value: float, measure: Measure) -> str:
    if measure == "outcome":
        return signed(value)
    return f"{'−' if value < 0 else '+'}{number(abs(value), measure)}"
