"""Where tuples of questions under a law come from: they are given, or composed by template from base questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, Protocol

import numpy as np

from vivavoce.consistency.forecasts.making.questions import BaseQuestion
from vivavoce.consistency.forecasts.making.recipes import COMPOSED_LAWS, composed, composed_recipe
from vivavoce.consistency.forecasts.tuples import QuestionTuple
from vivavoce.consistency.search.genome import Gene
from vivavoce.errors import BadInput
from vivavoce.laws import QUANTITIES

MOST_STATEMENTS: Final = 4
"""Of a law; with more, combinations of fresh answers would be too many."""
OTHERS: Final = {"Q": "second question", "R": "third question"}
"""The genes of base questions besides the first."""
LAW: Final = "law"


class Source(Protocol):
    """Tuples by number, with genes of their own that come before all others."""

    @property
    def about(self) -> str:
        """What of them is varied, in a clause; empty for nothing."""
        ...

    @property
    def genes(self) -> tuple[Gene, ...]:
        """What of a tuple can be varied."""
        ...

    @property
    def cases(self) -> tuple[str, ...]:
        """Names of what a tuple begins with."""
        ...

    @property
    def laws(self) -> tuple[str, ...]:
        """All laws that occur."""
        ...

    @property
    def statements(self) -> int:
        """Of the longest tuple."""
        ...

    def tuple_of(self, case: int, values: Sequence[int]) -> QuestionTuple | None:
        """The tuple that these values of its genes make; None where they make none."""
        ...


@dataclass(frozen=True)
class Given:
    """Tuples as they are; they have no genes."""

    tuples: Sequence[QuestionTuple]
    about: str = ""
    genes: tuple[Gene, ...] = ()

    @cached_property
    def cases(self) -> tuple[str, ...]:
        """The tuples' ids."""
        return tuple(one.id for one in self.tuples)

    @cached_property
    def laws(self) -> tuple[str, ...]:
        """In the order in which they occur."""
        return tuple(dict.fromkeys(one.law for one in self.tuples))

    @cached_property
    def statements(self) -> int:
        """Of the longest tuple."""
        return max(len(one.questions) for one in self.tuples)

    def tuple_of(self, case: int, _: Sequence[int]) -> QuestionTuple:
        """The tuple of that number."""
        return self.tuples[case]


@dataclass(frozen=True)
class Composed:
    """Tuples that are composed by template; genes are the law, and which questions stand beside the first."""

    questions: Sequence[BaseQuestion]
    laws: tuple[str, ...]
    about: str = "the law; which questions it relates"

    @cached_property
    def cases(self) -> tuple[str, ...]:
        """The base questions' ids."""
        return tuple(question.id for question in self.questions)

    @cached_property
    def genes(self) -> tuple[Gene, ...]:
        """The law, and as many questions as any of the laws needs."""
        titles = tuple(question.title for question in self.questions)
        needed = {name for law in self.laws for name in composed_recipe(law).base}
        return (Gene(LAW, self.laws), *(Gene(name, titles) for key, name in OTHERS.items() if key in needed))

    @cached_property
    def statements(self) -> int:
        """Of the longest law."""
        return max(len(composed_recipe(law).keys) for law in self.laws)

    def tuple_of(self, case: int, values: Sequence[int]) -> QuestionTuple | None:
        """None without a law, with more or fewer questions than it needs, and where one stands twice.

        >>> rain, snow = BaseQuestion("1", "Will it rain?"), BaseQuestion("2", "Will it snow?")
        >>> source = Composed((rain, snow), ("neg", "and"))
        >>> source.tuple_of(0, (1, 0)).questions["not_P"], source.tuple_of(0, (1, 2)), source.tuple_of(0, (2, 1))
        ('Will the answer to this question be no: “Will it rain?”?', None, None)
        """
        law, *others = values
        if not law:
            return None
        recipe = composed_recipe(self.laws[law - 1])
        places = [case, *(value - 1 for value in others if value)]
        in_order = all(later == 0 for value, later in pairwise(others) if value == 0)
        if len(places) != len(recipe.base) or len(set(places)) < len(places) or not in_order:
            return None
        base = {key: self.questions[place].title for key, place in zip(recipe.base, places, strict=True)}
        statements = base | composed(recipe, base)
        return QuestionTuple(recipe.law, {key: statements[key] for key in recipe.keys}, id=self.cases[case])


def given(tuples: Sequence[QuestionTuple]) -> Given:
    """Those of these tuples that are about probabilities and have few enough statements. Raises `BadInput` where none is."""
    fit = [one for one in tuples if one.law not in QUANTITIES and len(one.questions) <= MOST_STATEMENTS]
    if not fit:
        raise BadInput(f"there are no tuples of probabilities with at most {MOST_STATEMENTS} statements")
    return Given(fit)


def composed_of(questions: Sequence[BaseQuestion], laws: Sequence[str], *, cases: int, seed: int) -> Composed:
    """Tuples of so many of the questions, drawn by the seed, under these laws; of all that need no third question if none is
    named. Raises `UnknownName`, and `BadInput` for a law that cannot be composed, or needs more questions than there are.
    """
    drawn = np.random.default_rng(seed).permutation(len(questions))[:cases]
    wanted = tuple(dict.fromkeys(laws)) or tuple(law for law in COMPOSED_LAWS if len(composed_recipe(law).base) <= 2)
    for law in wanted:
        if len(composed_recipe(law).base) > len(drawn):
            raise BadInput(f"'{law}' relates {len(composed_recipe(law).base)} questions, there are {len(drawn)}")
    return Composed([questions[place] for place in drawn.tolist()], wanted)
