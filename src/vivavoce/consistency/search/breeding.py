"""New attempts: drawn at random, and bred from those before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np

from vivavoce.consistency.search.genome import Genome, Space

TRIES = 200
"""Draws of one attempt before it is given up: nothing new is left there."""
MOVED = 0.5
"""Chance of a mutant to have a case of its own."""
CHANGED = 0.5
"""Chance of each gene to be changed in a fresh attempt."""


class Breeder:
    """Makes attempts that were not made before, and do not contain a contradiction that is known already.

    Parameters
    ----------
    fresh: draws attempts at random; two breeders with equal ones draw the same as long as they know the same.
    rng: draws what is bred.
    """

    def __init__(self, space: Space, fresh: np.random.Generator, rng: np.random.Generator) -> None:
        self._space = space
        self._fresh = fresh
        self._rng = rng
        self._seen: set[Genome] = set()
        self._known: defaultdict[int, list[Genome]] = defaultdict(list)

    def knows(self, genome: Genome) -> None:
        """From now on nothing that contains this contradiction is made."""
        self._known[genome.case].append(genome)

    def fresh(self) -> Genome | None:
        """One at random: a case, then which genes are changed, then to what."""
        return self._new(self._drawn)

    def mutated(self, parent: Genome) -> Genome | None:
        """With one gene changed, changed back or otherwise; of the same case or of another one."""

        def mutant() -> Genome:
            place = int(self._rng.integers(len(parent.values)))
            value = int(self._rng.integers(len(self._space.genes[place].values) + 1))
            case = int(self._rng.integers(len(self._space.cases))) if self._rng.random() < MOVED else parent.case
            return replace(parent.with_value(place, value), case=case)

        return self._new(mutant)

    def crossed(self, one: Genome, other: Genome) -> Genome | None:
        """The case of one, and each gene from either."""

        def child() -> Genome:
            pairs = zip(one.values, other.values, strict=True)
            return Genome(one.case, tuple(pair[int(self._rng.integers(2))] for pair in pairs))

        return self._new(child)

    def otherwise(self, known: Sequence[tuple[int, ...]]) -> Genome | None:
        """One of these sets of changes with one of them otherwise, so that it is none of these, on any case."""

        def sibling() -> Genome:
            values = known[int(self._rng.integers(len(known)))]
            changed = [place for place, value in enumerate(values) if value] or range(len(values))
            place = changed[int(self._rng.integers(len(changed)))]
            value = int(self._rng.integers(len(self._space.genes[place].values))) + 1
            return Genome(int(self._rng.integers(len(self._space.cases))), values).with_value(place, value)

        return self._new(sibling, without=known)

    def moved(self, values: tuple[int, ...]) -> Iterator[Genome]:
        """The same changes to every other case, in random order."""
        for case in self._rng.permutation(len(self._space.cases)).tolist():
            genome = Genome(case, values)
            if self._enter(genome):
                yield genome

    def _drawn(self) -> Genome:
        rng = self._fresh
        case = int(rng.integers(len(self._space.cases)))
        changed = rng.random(len(self._space.genes)) < CHANGED
        values = [int(rng.integers(len(gene.values))) + 1 for gene in self._space.genes]
        return Genome(case, tuple(value if is_changed else 0 for value, is_changed in zip(values, changed, strict=True)))

    def _new(self, draw: Callable[[], Genome], without: Collection[tuple[int, ...]] = ()) -> Genome | None:
        drawn = (draw() for _ in range(TRIES))
        return next((one for one in drawn if one.values not in without and self._enter(one)), None)

    def _enter(self, genome: Genome) -> bool:
        """Whether it is wanted; it is not from now on."""
        if genome in self._seen or any(genome.contains(known) for known in self._known[genome.case]):
            return False
        self._seen.add(genome)
        return bool(self._space.pose(genome))
