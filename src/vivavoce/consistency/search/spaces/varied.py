"""Questions under several variations at once, none of which may change the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from vivavoce.consistency.invariance.clusters import Subject, rng_of
from vivavoce.consistency.invariance.finding import CLAIM, FREE, NOT_TRUTH
from vivavoce.consistency.invariance.kinds import KINDS, Variation, variation
from vivavoce.consistency.invariance.score import in_words
from vivavoce.consistency.invariance.wording import Wording
from vivavoce.consistency.search.genome import Gene, Genome, Posed, Said, names_of_active
from vivavoce.errors import BadInput

AS_IT_IS: Final = "as it is"
VARIED: Final = "varied"


@dataclass(frozen=True, slots=True)
class VariedQuestions:
    """Each question of a scope beside itself under one or more variations; a gene for each kind of variation."""

    subjects: Sequence[Subject]
    kinds: tuple[Variation, ...]
    """In the order in which they are applied."""
    seed: int

    @property
    def title(self) -> str:
        """The kinds."""
        return "; ".join(f"{one.name} ({one.about})" for one in self.kinds)

    @property
    def law(self) -> str:
        """What must hold."""
        return "The answer must stay the same under every variation, and under all of them together."

    @property
    def settings(self) -> dict[str, object]:
        """For the signature."""
        return {"vary": [one.name for one in self.kinds]}

    @property
    def caveats(self) -> tuple[str, ...]:
        """What a flip does not show."""
        return (NOT_TRUTH, CLAIM, *((FREE,) if any(subject.free_text for subject in self.subjects) else ()))

    @property
    def genes(self) -> tuple[Gene, ...]:
        """A gene for each kind."""
        return tuple(Gene(one.name, one.kind.numbered) for one in self.kinds)

    @property
    def cases(self) -> tuple[str, ...]:
        """The questions' ids."""
        return tuple(subject.id for subject in self.subjects)

    def pose(self, genome: Genome) -> tuple[Posed, ...]:
        """The question as it is and varied; none where nothing is varied, or a kind does not apply."""
        subject = self.subjects[genome.case]
        wording = _varied(subject, subject.wording, self.kinds, genome.values, self.seed)
        if wording is None or not genome.active:
            return ()
        changed = ", ".join(f"{self.kinds[place].name} {genome.values[place]}" for place in genome.active)
        return (_posed(subject, AS_IT_IS, subject.wording, ""), _posed(subject, VARIED, wording, f"/{changed}"))

    def strength(self, genome: Genome, said: Sequence[Said]) -> float:
        """1 where the answer flips."""
        return float(self.contradicts(genome, said))

    def contradicts(self, genome: Genome, said: Sequence[Said]) -> bool:
        """Whether the answer flips."""
        return self.subjects[genome.case].differ([str(one) for one in said]) is True

    def features(self, genome: Genome) -> tuple[str, ...]:
        """Which kinds are applied."""
        return names_of_active(self.genes, genome)


def kinds_of(names: Sequence[str]) -> tuple[Variation, ...]:
    """The variations of these names in the order in which they are applied, so that typing errors are in the question alone.

    Raises `UnknownName`, and `BadInput` for one that has no variants by number.
    """
    found = tuple(sorted((variation(name) for name in dict.fromkeys(names)), key=lambda one: KINDS.index(one.kind)))
    other = next((one.name for one in found if one.kind.by_number is None), None)
    if other is not None:
        raise BadInput(f"'{other}' cannot be combined in a search: it takes order, typos, context, persona")
    if not found:
        raise BadInput("no kind of variation: give one, such as order")
    return found


def _varied(subject: Subject, wording: Wording, kinds: Sequence[Variation], values: Sequence[int], seed: int) -> Wording | None:
    """The wording with all variations applied; None where one of them does not apply."""
    for one, value in zip(kinds, values, strict=True):
        if value:
            assert one.kind.by_number is not None
            made = one.kind.by_number(wording, value, rng_of(subject, f"{one.name}/{value}", seed))
            if made is None:
                return None
            wording = made
    return wording


def _posed(subject: Subject, label: str, wording: Wording, name: str) -> Posed:
    return Posed(label, subject.prompt(wording, f"{subject.id}{name}"), partial(subject.said, wording), in_words(wording))
