"""A comparison in words: whose point of view, what lies between the two positions, what each is said to be worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vivavoce.consistency.chess.comparison import Check, Comparison, Judged
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import percent, percent_interval, signed

MOVES = (Check.FORCED, Check.RECOMMENDED)
"""Checks in which a move lies between the two positions, and so the other side is to move in the second."""
_KIND: Mapping[Check, str] = {Check.FORCED: "the only legal move", Check.RECOMMENDED: "its own best move"}


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two positions, as it is shown."""

    title: str
    fen: str
    best_move: str
    """What the engine would play there."""
    viewpoint: str
    """For whom the value is: White or Black."""
    value: float
    """Expected outcome for the viewpoint, between -1 and 1."""
    wins: float | None
    """The viewpoint's probability of winning, which is easier to interpret; None where the engine tells nothing of draws."""


def sides(comparison: Comparison) -> tuple[Side, Side]:
    """Both positions; where a move lies between them, both from the point of view of the side that makes it."""
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


def in_words(comparison: Comparison) -> str:
    """What the engine says about the two, in one sentence."""
    one, other = sides(comparison)
    gap = f"a difference of {comparison.difference:.2f}"
    if comparison.check in MOVES:
        kind = _KIND[comparison.check]
        return f"{signed(one.value)} for {one.viewpoint} before {kind} {comparison.label}, {signed(other.value)} after: {gap}."
    return (
        f"{one.title}: {signed(one.value)} for {one.viewpoint}; {other.title.lower()}: "
        f"{signed(other.value)} for {other.viewpoint}: {gap}."
    )


def share_in_words(share: Estimate) -> str:
    """A share with its interval, for a sentence.

    >>> from vivavoce.formats.interval import Interval
    >>> share_in_words(Estimate(0.25, Interval(0.1, 0.5), 12))
    '25% [10, 50]'
    """
    return f"{percent(share.value or 0.0)} {percent_interval(share.interval)}"


def to_move(fen: str) -> str:
    """The side to move in a position.

    >>> to_move("8/8/8/8/8/8/8/K1k5 b - - 0 1")
    'Black'
    """
    return "Black" if fen.split(" ")[1:2] == ["b"] else "White"


def _side(title: str, judged: Judged, viewpoint: str, value: float) -> Side:
    said = judged.evaluation
    wins = said.win_probability
    if wins is not None:  # of the other side (1 - q - d) / 2; rounding may take either below 0
        wins = max(0.0, wins if viewpoint == to_move(judged.fen) else wins - said.q)
    return Side(title, judged.fen, said.best_move, viewpoint, value, wins)
