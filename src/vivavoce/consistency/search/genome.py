"""What is searched: a case to begin with, and which of its genes are changed to what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from vivavoce.interview.candidate import Prompt

Said = str | float
"""What an answer says, as a law takes it."""


@dataclass(frozen=True, slots=True)
class Gene:
    """Something that can be varied."""

    name: str
    values: tuple[str, ...]
    """What it can be changed to, in words."""
    ordered: bool = False
    """Whether an earlier value is a smaller change than a later one."""


@dataclass(frozen=True, slots=True)
class Genome:
    """One attempt at a contradiction.

    >>> Genome(3, (0, 2)).with_value(0, 1)
    Genome(case=3, values=(1, 2))
    """

    case: int
    """Number of the case that it begins with."""
    values: tuple[int, ...]
    """For each gene which of its values it has, from 1; 0: it is as in the case."""

    @property
    def active(self) -> tuple[int, ...]:
        """Places of the genes that are changed."""
        return tuple(place for place, value in enumerate(self.values) if value)

    def with_value(self, place: int, value: int) -> Genome:
        """The same with one gene at another value."""
        return replace(self, values=(*self.values[:place], value, *self.values[place + 1 :]))

    def contains(self, other: Genome) -> bool:
        """Whether it begins with the same case, and has all that the other one changes.

        >>> Genome(3, (1, 2)).contains(Genome(3, (0, 2))), Genome(3, (1, 2)).contains(Genome(3, (0, 1)))
        (True, False)
        """
        return self.case == other.case and all(self.values[place] == other.values[place] for place in other.active)


@dataclass(frozen=True, slots=True)
class Posed:
    """One question of a pair or tuple."""

    label: str
    """What it is among the others, such as "as it is"."""
    prompt: Prompt
    said: Callable[[Any], Said] = field(compare=False)
    """What a readable answer says."""
    shown: str
    """The question for readers of the finding."""


class Space(Protocol):
    """Where contradictions are searched. All genomes have the same genes, but not every gene applies to every case."""

    @property
    def title(self) -> str:
        """What is varied, in a clause that follows "Varied:"."""
        ...

    @property
    def law(self) -> str:
        """What counts as a contradiction, in a sentence."""
        ...

    @property
    def settings(self) -> Mapping[str, object]:
        """What else must be known to search here again, for a finding's signature."""
        ...

    @property
    def caveats(self) -> tuple[str, ...]:
        """What a contradiction here does not show."""
        ...

    @property
    def genes(self) -> tuple[Gene, ...]:
        """All genes, in the order of a genome's values."""
        ...

    @property
    def cases(self) -> tuple[str, ...]:
        """The names of the cases."""
        ...

    def pose(self, genome: Genome) -> tuple[Posed, ...]:
        """The questions whose answers must fit; none where the genome makes none, or a gene does not apply to its case."""
        ...

    def strength(self, genome: Genome, said: Sequence[Said]) -> float:
        """How far the answers are from fitting, from 0; guides the search."""
        ...

    def contradicts(self, genome: Genome, said: Sequence[Said]) -> bool:
        """Whether they contradict each other."""
        ...

    def features(self, genome: Genome) -> tuple[str, ...]:
        """What kind of attempt it is: the archive has a place for each."""
        ...


def names_of_active(genes: Sequence[Gene], genome: Genome) -> tuple[str, ...]:
    """The names of the genes that are changed: the usual features."""
    return tuple(genes[place].name for place in genome.active)


def changes_of(genes: Sequence[Gene], genome: Genome) -> tuple[tuple[str, str], ...]:
    """What is changed, in words: genes with their values."""
    return tuple((genes[place].name, genes[place].values[genome.values[place] - 1]) for place in genome.active)


def smaller(genes: Sequence[Gene], genome: Genome) -> Iterator[Genome]:
    """The next smaller genomes: without one of the changes, then with a smaller one where there is an order, least first.

    >>> genes = (Gene("sex", ("male",)), Gene("priors", ("1 more", "2 more", "3 more"), ordered=True))
    >>> [one.values for one in smaller(genes, Genome(0, (1, 3)))]
    [(0, 3), (1, 0), (1, 1), (1, 2)]
    """
    for place in genome.active:
        yield genome.with_value(place, 0)
    for place in genome.active:
        if genes[place].ordered:
            yield from (genome.with_value(place, value) for value in range(1, genome.values[place]))
