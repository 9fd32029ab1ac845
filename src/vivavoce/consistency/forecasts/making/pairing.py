"""Which base questions come together in a tuple."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import Literal

import numpy as np

from vivavoce.consistency.forecasts.making.questions import BaseQuestion
from vivavoce.errors import BadInput

MOST_TUPLES = 100_000
"""Groups that are made at one time at most; what is asked of a writer is paid for."""

Pairs = int | Literal["all"] | None
"""How many groups: this many, every one, or None: each question once in each place."""


def groups(
    questions: Sequence[BaseQuestion], size: int, *, pairs: Pairs, rng: np.random.Generator, symmetric: bool = False
) -> list[tuple[BaseQuestion, ...]]:
    """Groups of different base questions, in drawn order.

    By default questions are laid in a circle at random and each is taken with those that follow it: each stands once in each
    place, and no two fixed ones belong together. A number draws this many of all groups, none twice; `all` takes every one.
    `symmetric` groups that differ in order alone count as one. Groups of one are the questions as they are.

    >>> rain, snow, hail = (BaseQuestion(name, f"Will there be {name}?") for name in ("rain", "snow", "hail"))
    >>> [[q.id for q in group] for group in groups([rain, snow, hail], 2, pairs="all", rng=None, symmetric=True)]
    [['rain', 'snow'], ['rain', 'hail'], ['snow', 'hail']]

    Raises `BadInput` if there are too few questions, or too many groups.
    """
    if len(questions) < size:
        raise BadInput(f"the law needs {size} base questions in each tuple, the file has {len(questions)}: add some")
    if size == 1:
        return [(question,) for question in questions]
    if pairs is None:
        order = [questions[i] for i in rng.permutation(len(questions))]
        return [tuple(order[(i + k) % len(order)] for k in range(size)) for i in range(len(order))]
    number = math.comb(len(questions), size) if symmetric else math.perm(len(questions), size)
    wanted = number if pairs == "all" else pairs
    if wanted > number:
        raise BadInput(f"--pairs {pairs}: {len(questions)} questions make {number} groups of {size}; give --pairs all")
    if wanted > MOST_TUPLES:
        raise BadInput(f"{wanted} groups are more than {MOST_TUPLES}: give a smaller --pairs N")
    if pairs == "all":
        every = combinations(questions, size) if symmetric else permutations(questions, size)
        return list(every)
    return list(_drawn(questions, size, wanted, rng, symmetric=symmetric))


def _drawn(
    questions: Sequence[BaseQuestion], size: int, wanted: int, rng: np.random.Generator, *, symmetric: bool
) -> Iterator[tuple[BaseQuestion, ...]]:
    """Different groups at random: drawn again where one comes twice, or taken from a shuffled list where most are wanted."""
    number = math.comb(len(questions), size) if symmetric else math.perm(len(questions), size)
    if 2 * wanted > number:
        every = list(combinations(questions, size) if symmetric else permutations(questions, size))
        yield from (every[i] for i in rng.permutation(number)[:wanted])
        return
    seen: set[tuple[int, ...]] = set()
    while len(seen) < wanted:
        drawn = tuple(int(i) for i in rng.choice(len(questions), size, replace=False))
        known = tuple(sorted(drawn)) if symmetric else drawn
        if known not in seen:
            seen.add(known)
            yield tuple(questions[i] for i in drawn)
