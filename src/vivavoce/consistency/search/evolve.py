"""Two ways to go: at random, and by an archive of what was found.

The archive has a place for each kind of attempt, and keeps the strongest in it (MAP-Elites, `mouret2015`). pyribs, which the
search on boards uses, has its places on a grid of numbers; here they are sets of names. What a question comes from (chance, a
mutant, a crossing, the changes of a contradiction moved to another case, or with one of them otherwise) is drawn by Thompson's
rule (`thompson1933`): by how much that is new it led to, for each trial that it took. Where nothing is to be learnt, it thus
falls back to chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from vivavoce.consistency.search.breeding import Breeder
from vivavoce.consistency.search.course import BATCH, Assessed, Course
from vivavoce.consistency.search.genome import Genome, Space

Make = Callable[[], Genome | None]


@dataclass(slots=True, eq=False)
class Way:
    """A way to a new attempt, how much that is new it led to, and what that took."""

    make: Make
    tried: int = 0
    found: float = 0.0
    """The sum of the novelties."""
    trials: int = 0
    """Those that shrink and confirm are among them."""

    def drawn(self, rng: np.random.Generator) -> float:
        """How much that is new a trial may bring, by what was seen."""
        rate = float(rng.beta(1 + self.found, 1 + self.tried - self.found))
        return rate * (1 + self.tried) / (1 + self.trials)

    def learn(self, one: Assessed) -> None:
        """Count what it led to."""
        self.tried += 1
        self.found += one.novelty
        self.trials += one.trials


async def at_random(course: Course, breeder: Breeder) -> None:
    """Make attempts at random until calls run out, or nothing new is left."""
    while not course.exhausted:
        genomes = [genome for _ in range(BATCH) if (genome := breeder.fresh()) is not None]
        if not genomes:
            return
        await course.assess(genomes)


async def by_archive(course: Course, breeder: Breeder, space: Space, share: float, rng: np.random.Generator) -> None:
    """Make attempts from what was found, a share of them at random, until calls run out or nothing new is left."""
    archive = Archive(space, breeder, rng)
    fresh = Way(breeder.fresh)
    bred = [fresh, Way(archive.mutant), Way(archive.child), Way(archive.moved), Way(archive.sibling)]
    owed = 0.0
    while not course.exhausted:
        made: dict[Genome, Way] = {}
        for _ in range(BATCH):
            owed += share
            possible = bred if owed < 1 and archive.elites else [fresh]
            owed -= owed >= 1
            for way in sorted(possible, key=lambda way: way.drawn(rng), reverse=True):
                if (genome := way.make()) is not None:
                    made[genome] = way
                    break
        if not made:
            return
        for one in await course.assess(list(made)):
            made[one.genome].learn(one)
            archive.learn(one)


class Archive:
    """The strongest attempt of each kind, and every set of changes that was found to contradict."""

    def __init__(self, space: Space, breeder: Breeder, rng: np.random.Generator) -> None:
        self._space = space
        self._breeder = breeder
        self._rng = rng
        self.elites: dict[tuple[str, ...], tuple[float, Genome]] = {}
        self._moves: dict[tuple[int, ...], Way] = {}
        """For each set of changes that contradicts some case the same changes to other cases; exhausted ones are kept out."""
        self._known: dict[tuple[int, ...], None] = {}  # in the order of finding, so that a course can be had again

    def learn(self, one: Assessed) -> None:
        """Keep an attempt where it is at least as strong as what has its place.

        What contradicts enters as it was shrunk, and only where fresh answers confirmed it, so that chance breeds nothing.
        """
        if one.genome.values in self._moves:
            self._moves[one.genome.values].learn(one)
        if one.settled is None:
            self._enter(one.genome, one.strength)
        elif one.settled.status == "confirmed":
            self._enter(one.settled.shrunk, one.strength)
            values = one.settled.shrunk.values
            if values not in self._known:
                self._known[values] = None
                self._moves[values] = Way(_next_of(self._breeder.moved(values)))

    def mutant(self) -> Genome | None:
        """Of an elite drawn at random."""
        return self._breeder.mutated(self._elite())

    def child(self) -> Genome | None:
        """Of two elites drawn at random."""
        return self._breeder.crossed(self._elite(), self._elite())

    def moved(self) -> Genome | None:
        """A known set of changes on another case: of all sets one that was worth it, by Thompson's rule again."""
        while self._moves:
            values = max(self._moves, key=lambda values: self._moves[values].drawn(self._rng))
            genome = self._moves[values].make()
            if genome is not None:
                return genome
            del self._moves[values]  # it has been moved to every case
        return None

    def sibling(self) -> Genome | None:
        """A known set of changes with one of them otherwise, so that the set is new, on any case."""
        return self._breeder.otherwise(list(self._known)) if self._known else None

    def _enter(self, genome: Genome, strength: float) -> None:
        kind = self._space.features(genome)
        if strength > 0 and (kind not in self.elites or strength >= self.elites[kind][0]):
            self.elites[kind] = (strength, genome)

    def _elite(self) -> Genome:
        elites = list(self.elites.values())
        return elites[int(self._rng.integers(len(elites)))][1]


def _next_of(genomes: Iterator[Genome]) -> Make:
    return lambda: next(genomes, None)
