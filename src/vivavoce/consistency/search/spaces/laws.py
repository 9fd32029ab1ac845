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
from vivavoce.consistency.invariance.clusters import rng_of_text
from vivavoce.consistency.invariance.kinds import Variation
from vivavoce.consistency.invariance.wording import Wording
from vivavoce.consistency.search.genome import Gene, Genome, Posed, Said, names_of_active
from vivavoce.consistency.search.spaces.sources import Source
from vivavoce.laws import Law, law_named, violations
from vivavoce.laws.metrics import STRONG, is_strong

CORNERS: Final = (0.01, 0.99)
"""Forecasts among which a law that can be broken is broken."""


@dataclass(frozen=True)
class Tuples:
    """Questions that a law relates, two or more of each tuple, all of them put in the same way."""

    source: Source
    kinds: tuple[Variation, ...]
    """Variations of all questions of a tuple at once."""

    @property
    def title(self) -> str:
        """What is varied."""
        kinds = [f"{one.name} ({one.about})" for one in self.kinds]
        return "; ".join(filter(None, (self.source.about, "which statements of a tuple are asked", *kinds)))

    @property
    def law(self) -> str:
        """What must hold."""
        names = ", ".join(self.source.laws)
        return f"Forecasts must obey their law ({names}): they must not have to change by {STRONG:g} or more in all to do so."

    @property
    def settings(self) -> dict[str, object]:
        """For the signature."""
        return {"laws": list(self.source.laws), "vary": [one.name for one in self.kinds]}

    @property
    def caveats(self) -> tuple[str, ...]:
        """What a contradiction does not show."""
        return (
            "It does not say which of the forecasts is wrong, only that not all of them can be right.",
            "That questions stand in a law is a claim of whoever wrote them: read them before blaming anybody.",
        )

    @cached_property
    def genes(self) -> tuple[Gene, ...]:
        """Those of the source, one for each statement, whether it is asked, and one for each kind of variation."""
        asked = tuple(Gene(f"statement {place}", ("asked",)) for place in range(1, self.source.statements + 1))
        return (*self.source.genes, *asked, *(Gene(one.name, one.kind.numbered) for one in self.kinds))

    @property
    def cases(self) -> tuple[str, ...]:
        """What a tuple begins with."""
        return self.source.cases

    def pose(self, genome: Genome) -> tuple[Posed, ...]:
        """The questions that are asked; none where their answers cannot contradict each other."""
        one = self._tuple(genome)
        if one is None:
            return ()
        places = self._asked(genome)
        if len(places) < 2 or places[-1] >= len(one.questions) or not can_be_broken(_law(one, places)):
            return ()
        questions = list(one.questions.items())
        posed = []
        for key, question in (questions[place] for place in places):
            text = self._varied(question, genome)
            if text is None:
                return ()
            posed.append(Posed(key, forecast_prompt(text), float, text))
        return tuple(posed)

    def strength(self, genome: Genome, said: Sequence[Said]) -> float:
        """By how much the forecasts would have to change in all."""
        one = self._tuple(genome)
        assert one is not None
        return change(_law(one, self._asked(genome)), tuple(map(float, said)))

    def contradicts(self, genome: Genome, said: Sequence[Said]) -> bool:
        """Whether that is much."""
        return bool(is_strong(self.strength(genome, said), own=True))

    def features(self, genome: Genome) -> tuple[str, ...]:
        """The law, which statements are asked, which kinds are applied."""
        one = self._tuple(genome)
        assert one is not None
        return (one.law, *names_of_active(self.genes, genome))

    def _tuple(self, genome: Genome) -> QuestionTuple | None:
        return self.source.tuple_of(genome.case, genome.values[: len(self.source.genes)])

    def _asked(self, genome: Genome) -> tuple[int, ...]:
        """Places of the statements that are asked."""
        first = len(self.source.genes)
        return tuple(place - first for place in genome.active if first <= place < first + self.source.statements)

    def _varied(self, question: str, genome: Genome) -> str | None:
        wording = Wording(question)
        first = len(self.source.genes) + self.source.statements
        for variation, value in zip(self.kinds, genome.values[first:], strict=True):
            if value:
                assert variation.kind.by_number is not None
                # typing errors hang on their number and the question, so that one question has them in every tuple alike
                chance = rng_of_text(question, f"{variation.name}/{value}", 0)
                made = variation.kind.by_number(wording, value, chance)
                if made is None:
                    return None
                wording = made
        return wording.text


def _law(one: QuestionTuple, places: Sequence[int]) -> Law:
    keys = tuple(one.questions)
    return law_of(one.law, keys, tuple(keys[place] for place in places))


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
