"""What becomes of an attempt that contradicts: it is shrunk, and what is left must contradict on fresh answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeVar

from vivavoce.consistency.search.asker import Sides, Steps, Trial
from vivavoce.consistency.search.genome import Genome, Said, Space, smaller

T = TypeVar("T")
Status = Literal["confirmed", "not confirmed", "unsettled"]


@dataclass(frozen=True, slots=True)
class Settled:
    """An attempt that contradicted, and what became of it."""

    found: Genome
    shrunk: Genome
    """The same where nothing can go."""
    status: Status
    """Not confirmed: a fresh answer contradicts nothing, or cannot be read. Unsettled: calls ran out before that was known."""
    said: tuple[tuple[Said, ...], ...] = ()
    """For each question what its fresh answers say; of confirmed ones alone."""


def settle(space: Space, found: Genome, draws: int) -> Steps[Settled]:
    """Is it more than chance, which changes does it need, and does it hold on fresh answers?

    One fresh answer to each question comes first, so that chance costs little. Then changes are taken away greedily, one at a
    time, for as long as the rest contradicts on the answers of the search: what is left is smallest in that no single change
    can go (`zeller2002`). In the end each of its questions is asked anew `draws` times.
    """
    sides = yield Trial(found, 1)
    if sides is None:
        return Settled(found, found, "unsettled")
    if not contradicts(space, found, sides):
        return Settled(found, found, "not confirmed")
    shrunk = yield from _shrunk(space, found)
    if shrunk is None:
        return Settled(found, found, "unsettled")
    heard: list[tuple[Said, ...]] = []
    for draw in range(1, draws + 1):
        sides = yield Trial(shrunk, draw)
        if sides is None:
            return Settled(found, shrunk, "unsettled")
        known = tuple(said for said in sides if said is not None)
        if len(known) < len(sides) or not _all_contradict(space, shrunk, [*heard, known]):
            return Settled(found, shrunk, "not confirmed")
        heard.append(known)
    return Settled(found, shrunk, "confirmed", tuple(zip(*heard, strict=True)))


def counted(steps: Steps[T]) -> Steps[tuple[T, int]]:
    """The same work, with how many trials it took."""
    number = 0
    try:
        trial = next(steps)
        while True:
            number += 1
            trial = steps.send((yield trial))
    except StopIteration as ended:
        return ended.value, number


def contradicts(space: Space, genome: Genome, sides: Sides) -> bool:
    """Whether what was said contradicts itself; what cannot be read contradicts nothing."""
    known = [said for said in sides if said is not None]
    return len(known) == len(sides) and space.contradicts(genome, known)


def _shrunk(space: Space, genome: Genome) -> Steps[Genome | None]:
    """The genome without all that can go; None where calls ran out."""
    left = iter(smaller(space.genes, genome))
    while (candidate := next(left, None)) is not None:
        if not space.pose(candidate):
            continue
        sides = yield Trial(candidate, 0)
        if sides is None:
            return None
        if contradicts(space, candidate, sides):
            genome = candidate
            left = iter(smaller(space.genes, genome))
    return genome


def _all_contradict(space: Space, genome: Genome, heard: Sequence[tuple[Said, ...]]) -> bool:
    """Whether every combination of answers to the questions contradicts, those of different draws as well."""
    each = [tuple(dict.fromkeys(said)) for said in zip(*heard, strict=True)]
    return all(space.contradicts(genome, said) for said in product(*each))
