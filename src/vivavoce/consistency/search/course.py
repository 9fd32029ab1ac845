"""The course of one method: what it asked, what it found, and after how many calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.consistency.search.asker import Asker, Trial
from vivavoce.consistency.search.breeding import Breeder
from vivavoce.consistency.search.genome import Genome, Space
from vivavoce.consistency.search.settle import Settled, contradicts, counted, settle

BATCH = 8
"""Attempts that are made together; fixed, so that how many questions are in flight has no influence on the course."""
SIDE_BY_SIDE = 4
"""Contradictions that are settled together: few, so that where calls run out some are confirmed, and not all half shrunk."""


@dataclass(frozen=True, slots=True)
class Assessed:
    """One attempt, and what became of it."""

    genome: Genome
    strength: float = 0.0
    """0 where it could not be read, or not paid."""
    settled: Settled | None = None
    """None where it does not contradict."""
    trials: int = 1
    """That it took, those included by which it was shrunk and confirmed."""
    novelty: float = 0.0
    """Of the contradiction that it led to: 1 for changes that contradict no other case, 1/(k + 1)³ where they do k others."""


class Course:
    """Makes attempts, settles those that contradict, and keeps count."""

    def __init__(self, space: Space, asker: Asker, breeder: Breeder, *, draws: int) -> None:
        self._space = space
        self._asker = asker
        self._breeder = breeder
        self._draws = draws
        self.confirmed: dict[Genome, Settled] = {}
        """Distinct ones, by the shrunk genome, in the order in which they were found."""
        self.refuted: dict[Genome, Settled] = {}
        """Those that contradicted, and then not on fresh answers."""
        self.unsettled = 0
        """Attempts that contradicted when calls ran out."""
        self.attempts = 0
        self.contradicting = 0
        """Attempts that contradicted at first."""
        self.unread = 0
        """Attempts with an answer that cannot be read."""
        self.points: list[tuple[int, int]] = [(0, 0)]
        """Calls so far, distinct confirmed contradictions so far."""

    @property
    def exhausted(self) -> bool:
        """Whether calls have run out."""
        return self._asker.exhausted

    async def assess(self, genomes: Sequence[Genome]) -> list[Assessed]:
        """Ask these, and settle those that contradict before any more are asked."""
        heard = await self._asker.hear([Trial(genome) for genome in genomes])
        asked = [(genome, sides) for genome, sides in zip(genomes, heard, strict=True) if sides is not None]
        self.attempts += len(asked)
        self.unread += sum(None in sides for _, sides in asked)
        finds = [genome for genome, sides in asked if contradicts(self._space, genome, sides)]
        self.contradicting += len(finds)
        of: dict[Genome, tuple[Settled, int, float]] = {}
        for start in range(0, len(finds), SIDE_BY_SIDE):
            some = finds[start : start + SIDE_BY_SIDE]
            settled = await self._asker.together([counted(settle(self._space, genome, self._draws)) for genome in some])
            of |= {one.found: (one, trials, self._count(one)) for one, trials in settled}
        self.points.append((self._asker.spent, len(self.confirmed)))
        assessed = []
        for genome, sides in asked:
            known = [said for said in sides if said is not None]
            strength = self._space.strength(genome, known) if len(known) == len(sides) else 0.0
            one, trials, novelty = of.get(genome, (None, 0, 0.0))
            assessed.append(Assessed(genome, strength, one, 1 + trials, novelty))
        return assessed

    def _count(self, settled: Settled) -> float:
        """Keep what was settled; how new it is."""
        if settled.status == "unsettled":
            self.unsettled += 1
        elif settled.status == "not confirmed":
            self.refuted.setdefault(settled.shrunk, settled)
        elif settled.shrunk not in self.confirmed:
            alike = sum(known.values == settled.shrunk.values for known in self.confirmed)
            self.confirmed[settled.shrunk] = settled
            self._breeder.knows(settled.shrunk)
            return 1 / (alike + 1) ** 3
        return 0.0
