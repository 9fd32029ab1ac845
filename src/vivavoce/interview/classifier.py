"""What is put to a classifier of cases, and what it says: facts and judgements."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True, slots=True)
class Case:
    """A case as a list of facts in words; nothing else of it is told to a classifier.

    >>> case = Case(("The applicant is a teacher.", "She was held for three days."))
    >>> case.without(0).facts, case.with_fact(1, "She was detained for three days.").facts[1]
    (('She was held for three days.',), 'She was detained for three days.')
    """

    facts: tuple[str, ...]
    weigh: bool = False
    """Also say how important each fact is, where the classifier can; the probability is the same either way."""

    def without(self, number: int) -> Case:
        """The case without the fact of that number, counted from 0; not weighed."""
        return Case(self.facts[:number] + self.facts[number + 1 :])

    def with_fact(self, number: int, fact: str) -> Case:
        """The case with another fact in the place of that number, counted from 0; not weighed."""
        return replace(self, facts=(*self.facts[:number], fact, *self.facts[number + 1 :]), weigh=False)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a classifier says about a case."""

    probability: Annotated[float, Field(ge=0, le=1)]
    """Of what it decides on, such as that the case shows a violation."""
    importance: tuple[float, ...] | None = None
    """Of each fact, the larger the more important; None where it was not asked for, or the classifier cannot say."""
    unread: Annotated[int, Field(ge=0)] = 0
    """Facts, the last ones, that it did not read to the end, having no room for more."""
