"""What each search has come to, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import fsum
from typing import Any, Literal

from vivavoce.consistency.chess.config import THRESHOLDS, Method

Counted = Literal["raw", "distinct", "families"]
"""What is counted of boards: the fields of `Count`."""


@dataclass(frozen=True, slots=True)
class Count:
    """Boards on which the engine contradicts itself by more than a threshold."""

    raw: int
    """As they were assessed; near-copies count each."""
    distinct: int
    """Up to the eight symmetries and the swap of colours, counters left aside."""
    families: int
    """By pieces and squares of the kings, likewise up to symmetry."""


@dataclass(frozen=True, slots=True)
class Point:
    """How far a search had come."""

    evaluations: int
    largest: float
    """Difference so far."""
    distinct: int
    """Violations so far, up to symmetry."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The same count over several seeds: a description, not an interval."""

    least: float
    mean: float
    most: float


def spread(values: Sequence[float]) -> Spread:
    """The spread of at least one value.

    >>> spread([3, 1, 5])
    Spread(least=1, mean=3.0, most=5)
    """
    return Spread(min(values), fsum(values) / len(values), max(values))


@dataclass(frozen=True, slots=True)
class Run:
    """One search by one method with one seed."""

    method: Method
    seed: int
    evaluations: int
    """That were spent, within the budget."""
    boards: int
    """That were compared with their images, those images not counted again."""
    no_answers: int
    """Boards left out because an evaluation is missing."""
    redrawn: int
    """Mutations and crossovers that gave no legal board and were drawn again."""
    given_up: int
    """Mutations and crossovers that failed every time; a fresh board, or the parents, took their place."""
    counts: tuple[Count, ...]
    """One for each of `THRESHOLDS`."""
    largest: float | None
    """Difference; None where no board could be compared."""
    course: tuple[Point, ...]
    """At the same numbers of evaluations in all runs."""

    def as_json(self) -> dict[str, Any]:
        """The run as JSON values."""
        values = asdict(self)
        counts = [{"threshold": threshold} | asdict(found) for threshold, found in zip(THRESHOLDS, self.counts, strict=True)]
        points = [[point.evaluations, point.largest, point.distinct] for point in self.course]
        return values | {"counts": counts, "course": points}


def methods_of(runs: Sequence[Run]) -> tuple[Method, ...]:
    """The methods, in the order in which they first occur."""
    return tuple(dict.fromkeys(run.method for run in runs))


def spread_of(runs: Sequence[Run], method: Method, what: Counted, threshold: float) -> Spread:
    """One count over the seeds of a method."""
    place = THRESHOLDS.index(threshold)
    return spread([getattr(run.counts[place], what) for run in runs if run.method == method])
