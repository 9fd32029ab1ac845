"""Tuples of questions under a law: which of them are asked, and how all of them are put."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import product
from typing import Final

import numpy as np

from vivavoce.consistency.forecasts.prompts import forecast_prompt
from vivavoce.consistency.forecasts.tuples import QuestionTuple
from vivavoce.consistency.invariance.kinds import Variation
from vivavoce.consistency.invariance.wording import Wording
from vivavoce.consistency.search.genome import Gene, Genome, Posed, Said, names_of_active
from vivavoce.laws import QUANTITIES, Law, law_named, violations
from vivavoce.laws.metrics import STRONG, is_strong

MOST_STATEMENTS: Final = 4
"""Of a law; with more, combinations of fresh answers would be too many."""
CORNERS: Final = (0.01, 0.99)
"""Forecasts among which a law that can be broken is broken."""


@dataclass(frozen=True)
class Tuples:
    """Questions that a law relates, two or more of each tuple, all of them put in the same way."""

    tuples: Sequence[QuestionTuple]
    kinds: tuple[Variation, ...]
    """Variations of all questions of a tuple at once."""

    @property
    def title(self) -> str:
        """What is varied."""
        kinds = "".join(f"; {one.name} ({one.about})" for one in self.kinds)
        return f"which statements of a tuple are asked{kinds}"

    @property
    def law(self) -> str:
        """What must hold."""
        names = ", ".join(dict.fromkeys(one.law for one in self.tuples))
        return f"Forecasts must obey their law ({names}): they must not have to change by {STRONG:g} or more in all to do so."

    @property
    def caveats(self) -> tuple[str, ...]:
        """What a contradiction does not show."""
        return (
            "It does not say which of the forecasts is wrong, only that not all of them can be right.",
            "That questions stand in a law is a claim of whoever wrote them: read them before blaming anybody.",
        )

    @cached_property
    def genes(self) -> tuple[Gene, ...]:
        """A gene for each statement, whether it is asked, and one for each kind of variation."""
        asked = tuple(Gene(f"statement {place}", ("asked",)) for place in range(1, self._statements + 1))
        return (*asked, *(Gene(one.name, one.kind.numbered) for one in self.kinds))

    @cached_property
    def cases(self) -> tuple[str, ...]:
        """The tuples' ids."""
        return tuple(one.id for one in self.tuples)

    @cached_property
    def _statements(self) -> int:
        return max(len(one.questions) for one in self.tuples)

    def pose(self, genome: Genome) -> tuple[Posed, ...]:
        """The questions that are asked; none where their answers cannot contradict each other."""
        one, keys = self.tuples[genome.case], self._keys(genome)
        places = genome.active
        if any(place >= len(one.questions) for place in places if place < self._statements):
            return ()
        if len(keys) < 2 or not can_be_broken(law_of(one.law, tuple(one.questions), keys)):
            return ()
        wordings = [self._varied(one.questions[key], genome) for key in keys]
        if any(wording is None for wording in wordings):
            return ()
        return tuple(
            Posed(key, forecast_prompt(wording.text), float, wording.text)
            for key, wording in zip(keys, wordings, strict=True)
            if wording is not None
        )

    def strength(self, genome: Genome, said: Sequence[Said]) -> float:
        """By how much the forecasts would have to change in all."""
        one = self.tuples[genome.case]
        return change(law_of(one.law, tuple(one.questions), self._keys(genome)), tuple(map(float, said)))

    def contradicts(self, genome: Genome, said: Sequence[Said]) -> bool:
        """Whether that is much."""
        return bool(is_strong(self.strength(genome, said), own=True))

    def features(self, genome: Genome) -> tuple[str, ...]:
        """The law, which statements are asked, which kinds are applied."""
        return (self.tuples[genome.case].law, *names_of_active(self.genes, genome))

    def _keys(self, genome: Genome) -> tuple[str, ...]:
        keys = list(self.tuples[genome.case].questions)
        return tuple(keys[place] for place in genome.active if place < len(keys) and place < self._statements)

    def _varied(self, question: str, genome: Genome) -> Wording | None:
        wording = Wording(question)
        for variation, value in zip(self.kinds, genome.values[self._statements :], strict=True):
            if value:
                assert variation.kind.by_number is not None
                # typing errors depend on their number alone, so that one question has them in every tuple alike
                made = variation.kind.by_number(wording, value, np.random.default_rng([value, len(question)]))
                if made is None:
                    return None
                wording = made
        return wording


def fit_for_search(tuples: Sequence[QuestionTuple]) -> list[QuestionTuple]:
    """Those that are about probabilities and have few enough statements."""
    return [one for one in tuples if one.law not in QUANTITIES and len(one.questions) <= MOST_STATEMENTS]


@cache
def law_of(name: str, keys: tuple[str, ...], asked: tuple[str, ...]) -> Law:
    """What the law of that name says about some of its statements.

    >>> law_of("and", ("P", "Q", "P_and_Q"), ("P", "P_and_Q")).line
    'and: P, P_and_Q = P & Q'
    """
    whole = law_named(name, keys)
    return replace(whole, statements=tuple(statement for statement in whole.statements if statement.key in asked))


@cache
def can_be_broken(law: Law) -> bool:
    """Whether any forecasts contradict it.

    >>> law = law_named("and", ("P", "Q", "P_and_Q"))
    >>> can_be_broken(law), can_be_broken(replace(law, statements=law.statements[:2]))
    (True, False)
    """
    return any(change(law, corner) >= STRONG for corner in product(CORNERS, repeat=len(law.statements)))


@lru_cache(maxsize=1 << 16)
def change(law: Law, forecasts: tuple[float, ...]) -> float:
    """The sum of all changes by which the nearest coherent forecasts differ.

    >>> round(change(law_named("neg", ("P", "not_P")), (0.5, 0.7)), 3)
    0.2
    """
    repair = violations(law, [forecasts]).repair[0]
    return round(float(np.abs(np.asarray(forecasts) - repair).sum()), 9)
