"""Which facts may be put in other words, and which of them is the most important to a judge."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import numpy as np

from vivavoce.consistency.legal.cases.config import Way
from vivavoce.consistency.legal.cases.judges import Judged
from vivavoce.errors import BadInput
from vivavoce.interview.classifier import Case, Judgement

ATTENTION: Final = "attention"
LEAVE_ONE_OUT: Final = "leave-one-out"

Ask = Callable[[Case], Awaitable[Judged]]


def eligible(facts: Sequence[str], *, shortest: int) -> list[int]:
    """The facts that may be paraphrased, by their numbers from 0.

    Short ones are hard to reword, and the first is much alike in all cases, so that another one would be out of the ordinary
    (appendix D of `fluri2024`, which says so of facts drawn at random; here the most important fact is chosen among the same
    facts, so that both boxes can be compared).

    >>> eligible(["In the beginning", "short", "long enough"], shortest=8)
    [2]
    """
    return [i for i, fact in enumerate(facts) if i and len(fact) >= shortest]


def drawn(numbers: Sequence[int], count: int, rng: np.random.Generator) -> list[int]:
    """Some of these facts, or all if there are not so many, in the order in which they were drawn."""
    order = rng.permutation(len(numbers))[:count]
    return [numbers[i] for i in order]


def most_important(importance: dict[int, float], rng: np.random.Generator) -> int:
    """The fact with the largest number; among equals one by lot, lest a judge that heeds no fact always be given the first.

    >>> most_important({3: 0.1, 7: 0.4}, np.random.default_rng(0))
    7
    """
    largest = max(importance.values())
    return drawn([number for number, value in importance.items() if value == largest], 1, rng)[0]


async def importance_of(
    case: Case, judgement: Judgement, numbers: Sequence[int], *, way: Way, ask: Ask
) -> tuple[dict[int, float], str]:
    """How important each of these facts is, and how that was told; facts of which nothing is known are left out.

    Leaving a fact out, its importance is the change of the probability, |p(all) - p(without it)|: one more judgement a fact.
    The only fact of a case cannot be left out, and is the most important one anyway.

    Raises `BadInput` where attention alone is wanted and the judge tells none.
    """
    told = judgement.importance
    if way != LEAVE_ONE_OUT and told is not None and len(told) == len(case.facts):
        return {number: told[number] for number in numbers}, ATTENTION
    if way == ATTENTION:
        raise BadInput("this classifier does not report the importance of facts: write --importance leave-one-out")
    if len(case.facts) == 1:
        return dict.fromkeys(numbers, 0.0), LEAVE_ONE_OUT
    without = await asyncio.gather(*(ask(case.without(number)) for number in numbers))
    return {
        number: abs(judgement.probability - judged.judgement.probability)
        for number, judged in zip(numbers, without, strict=True)
        if judged.judgement is not None
    }, LEAVE_ONE_OUT
