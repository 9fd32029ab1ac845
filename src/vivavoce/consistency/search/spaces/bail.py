"""Records of defendants: two that differ in severity alone, of a person who is varied, too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from vivavoce.consistency.legal.bail.config import BailConfig
from vivavoce.consistency.legal.bail.counterfactuals import ATTRIBUTE, Direction, Feature, charges_of
from vivavoce.consistency.legal.bail.decisions import Decision, Question
from vivavoce.consistency.legal.bail.defendants import Defendant, Degree, Record, drawn
from vivavoce.consistency.legal.bail.hearing import violates
from vivavoce.consistency.legal.bail.prompts import bail_prompt, record_in_words
from vivavoce.consistency.search.genome import Gene, Genome, Posed, Said, names_of_active

AGES: Final = (19, 25, 35, 50, 65)
MOST_CHARGES: Final = 10
"""Of each degree, the most frequent of the file."""
SEX: Final = "sex of both"
AGE: Final = "age of both"
MILDER: Final = "milder record"
MORE_SEVERE: Final = "more severe record"
LENIENCY: Final = 2
"""From NO to YES."""


@dataclass(frozen=True)
class Defendants:
    """Two records of one person, of which one is more severe: by its charge, or by more crimes.

    Sex and age are the same in both, and are varied, too: a judge may contradict itself on some people only.
    """

    defendants: Sequence[Defendant]
    charges: Mapping[Degree, Sequence[str]]
    """For each degree those that may stand in for another."""
    sexes: tuple[str, ...]
    config: BailConfig

    @property
    def title(self) -> str:
        """What is varied."""
        return "the charge, prior convictions and juvenile crimes of one of two records; sex and age of both"

    @property
    def law(self) -> str:
        """What must hold."""
        return "A more severe record must not get a more lenient decision, in the order NO < UNDECIDED < YES."

    @property
    def settings(self) -> dict[str, object]:
        """For the signature."""
        return {
            "largest_step": self.config.largest_step,
            "temperature": self.config.temperature,
            "prompts": self.config.prompts,
        }

    @property
    def caveats(self) -> tuple[str, ...]:
        """What a contradiction does not show."""
        return (
            "It says nothing about whether decisions are right, lawful or fair: refusing everybody is consistent.",
            "A replaced charge is worse or milder by its degree alone, felony or misdemeanour; what it is called may sound "
            "otherwise.",
        )

    @cached_property
    def genes(self) -> tuple[Gene, ...]:
        """Of the person, then of the difference between the records."""
        number = min(len(self.charges[degree]) for degree in Degree)
        steps = range(1, self.config.largest_step + 1)
        found = (
            Gene(SEX, self.sexes),
            Gene(AGE, tuple(map(str, AGES))),
            Gene(Feature.CHARGE.value, tuple(f"of the other degree, number {place}" for place in range(1, number + 1))),
            *(Gene(feature.value, tuple(f"{step} more" for step in steps), ordered=True) for feature in ATTRIBUTE),
        )
        return tuple(gene for gene in found if gene.values)

    @cached_property
    def cases(self) -> tuple[str, ...]:
        """The ids in the file."""
        return tuple(defendant.id for defendant in self.defendants)

    def pose(self, genome: Genome) -> tuple[Posed, ...]:
        """Both records; none where they do not differ, or a change changes nothing."""
        milder = self.defendants[genome.case].record
        values = {gene.name: value for gene, value in zip(self.genes, genome.values, strict=True) if value}
        person = {"sex": self._word(SEX, values), "age": AGES[values[AGE] - 1] if AGE in values else None}
        changed: dict[str, Any] = {name: value for name, value in person.items() if value is not None}
        if any(getattr(milder, name) == value for name, value in changed.items()):
            return ()
        milder = more_severe = replace(milder, **changed)
        if Feature.CHARGE.value in values:
            other = milder.degree.other
            record = replace(milder, charge=self.charges[other][values[Feature.CHARGE.value] - 1], degree=other)
            milder, more_severe = (milder, record) if other is Degree.FELONY else (record, milder)
        steps = {name: values.get(feature.value, 0) for feature, name in ATTRIBUTE.items()}
        more_severe = replace(more_severe, **{name: getattr(more_severe, name) + step for name, step in steps.items()})
        if milder == more_severe:
            return ()
        return (self._posed(MILDER, milder), self._posed(MORE_SEVERE, more_severe))

    def strength(self, genome: Genome, said: Sequence[Said]) -> float:
        """By how much the more severe record fared better: 1 from NO to YES."""
        milder, more_severe = (Question.BAIL.leniency(Decision(str(one))) for one in said)
        return max(0, more_severe - milder) / LENIENCY

    def contradicts(self, genome: Genome, said: Sequence[Said]) -> bool:
        """Whether the more severe record fared better."""
        milder, more_severe = (Decision(str(one)) for one in said)
        return violates(Direction.MORE_SEVERE, milder, more_severe)

    def features(self, genome: Genome) -> tuple[str, ...]:
        """Which features are varied, and the degree of the charge."""
        return (*names_of_active(self.genes, genome), self.defendants[genome.case].record.degree.word)

    def _word(self, name: str, values: Mapping[str, int]) -> str | None:
        gene = next((gene for gene in self.genes if gene.name == name), None)
        return None if gene is None or name not in values else gene.values[values[name] - 1]

    def _posed(self, label: str, record: Record) -> Posed:
        name = "/".join(map(str, (record.sex, record.age, record.charge, *record.severity)))
        prompt = bail_prompt(record, name=name, temperature=self.config.temperature, wording=self.config.prompts)
        return Posed(label, prompt, str, record_in_words(record))


def defendants_space(defendants: Iterable[Defendant], *, cases: int, seed: int) -> Defendants:
    """The space of these defendants: this many to begin with, and charges as they occur in the whole file."""
    everybody = list(defendants)
    config = BailConfig()
    charges = {degree: _most_frequent(counts) for degree, counts in charges_of(everybody).items()}
    sexes = tuple(sorted({defendant.record.sex for defendant in everybody}))
    return Defendants(drawn(everybody, cases, seed=seed), charges, sexes if len(sexes) > 1 else (), config)


def _most_frequent(counts: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(sorted(counts, key=lambda charge: (-counts[charge], charge))[:MOST_CHARGES])
