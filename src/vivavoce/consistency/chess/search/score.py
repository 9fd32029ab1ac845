"""Counting finds: raw, up to symmetry, and by family."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import chess

from vivavoce.consistency.chess.comparison import Comparison
from vivavoce.consistency.chess.config import THRESHOLDS
from vivavoce.consistency.chess.search.assessor import Assessed
from vivavoce.consistency.chess.search.distinct import Family, canonical, family
from vivavoce.consistency.chess.search.runs import Count, Point

EXAMPLES = 6
"""Boards that are shown: enough to see what kind they are."""


@dataclass(frozen=True, slots=True)
class Find:
    """A board above the least threshold."""

    evaluations: int
    """Spent by the search when it was found."""
    difference: float
    form: str
    """Equal for boards that are the same up to symmetry and the swap of colours."""
    family: Family


def exceeds(difference: float, threshold: float) -> bool:
    """Whether a difference of evaluations in thousandths is above a threshold.

    >>> 0.65 - 0.6 > 0.05, exceeds(0.65 - 0.6, 0.05)
    (True, False)
    """
    return round(difference - threshold, 9) > 0


def finds(assessed: Iterable[Assessed]) -> list[Find]:
    """All boards above the least of `THRESHOLDS`, in the order of asking."""
    found = []
    for step in assessed:
        if exceeds(step.comparison.difference, THRESHOLDS[0]):
            board = chess.Board(step.comparison.first.fen)
            found.append(Find(step.evaluations, step.comparison.difference, canonical(board), family(board)))
    return found


def counts(found: Sequence[Find]) -> tuple[Count, ...]:
    """The counts for each of `THRESHOLDS`."""
    return tuple(_count([find for find in found if exceeds(find.difference, threshold)]) for threshold in THRESHOLDS)


def _count(found: Sequence[Find]) -> Count:
    return Count(len(found), len({find.form for find in found}), len({find.family for find in found}))


def course(assessed: Sequence[Assessed], found: Sequence[Find], threshold: float, at: Sequence[int]) -> tuple[Point, ...]:
    """How far the search had come after this many evaluations, for each of `at`."""
    spent = [step.evaluations for step in assessed]
    largest = list(accumulate((step.comparison.difference for step in assessed), max, initial=0.0))
    firsts: dict[str, int] = {}
    for find in found:
        if exceeds(find.difference, threshold):
            firsts.setdefault(find.form, find.evaluations)
    new = list(firsts.values())
    return tuple(Point(e, largest[bisect_right(spent, e)], bisect_right(new, e)) for e in at)


def examples(found: Iterable[Comparison], threshold: float) -> tuple[Comparison, ...]:
    """The largest differences above the threshold, each of another family."""
    best: dict[object, Comparison] = {}
    for comparison in sorted(found, key=lambda comparison: (-comparison.difference, comparison.first.fen)):
        if not exceeds(comparison.difference, threshold) or len(best) == EXAMPLES:
            break
        best.setdefault(family(chess.Board(comparison.first.fen)), comparison)
    return tuple(best.values())
