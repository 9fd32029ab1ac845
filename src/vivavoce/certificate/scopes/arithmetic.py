"""Arithmetic with whole numbers: ``arithmetic?digits=3&operations=+-*&laws=commute``.

Operands are whole numbers from 0 to 10^digits - 1, all equally likely, and so are the operations. Division is the inverse of
multiplication: the divisor (not 0) and the quotient are drawn, the dividend is their product, so the answer is whole.
"I don't know" scores 0: anyone who knows arithmetic can work out every question.

With `laws=commute` each sum is asked both ways round, a + b and b + a, as one cluster: the answers must be the same (for a
difference, opposite), else both are ridiculous.

A wrong number is ridiculous when its size alone shows that it cannot be right: it lies outside `plausible_range`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from vivavoce.certificate.answer_laws import LAW_SCORING
from vivavoce.certificate.questions import Question
from vivavoce.certificate.scopes.endless import EndlessScope
from vivavoce.errors import BadInput

if TYPE_CHECKING:
    import numpy as np

OPERATIONS = "+-*/"
MAX_DIGITS = 9
MOST_LISTED = 100_000
"""Questions, as many as a program is checked on at most: with more, a program is not run on all."""
FACTOR = 100
"""A number that is wrong by more than this factor is ridiculous."""


def arithmetic(
    name: str, *, digits: str = "3", operations: str = "+-*", laws: str = "", zero_is_ridiculous: bool = False
) -> EndlessScope:
    """The scope of sums, differences, products and quotients of whole numbers with up to this many digits.

    Raises `BadInput` for digits outside 1 to 9, other operations than `+-*/`, and laws that there are not.
    """
    if digits.lstrip("0") not in {str(n) for n in range(1, MAX_DIGITS + 1)}:
        raise BadInput(f"digits={digits[:40]}: must be a whole number from 1 to {MAX_DIGITS}")
    if not operations or not set(operations) <= set(OPERATIONS) or len(set(operations)) < len(operations):
        raise BadInput(f"operations={operations[:40]}: must be some of {OPERATIONS}, each at most once")
    if laws not in ("", "commute"):
        raise BadInput(f"laws={laws[:40]}: there is 'commute' alone")
    if laws and "/" in operations:
        raise BadInput("laws=commute: division does not commute; leave '/' out of the operations")
    limit, chosen = 10 ** int(digits), "".join(sorted(operations, key=OPERATIONS.index))

    def generate(rng: np.random.Generator) -> Question:
        operation = chosen[int(rng.integers(len(chosen)))]
        return sum_question(int(rng.integers(limit)), operation, int(rng.integers(1 if operation == "/" else 0, limit)))

    masses = dict.fromkeys(chosen, 1 / len(chosen))
    words = f"arithmetic 1 digits={int(digits)} operations={chosen}" + (f" laws={laws}, {LAW_SCORING}" if laws else "")
    few = len(chosen) * limit**2 <= MOST_LISTED
    listing = partial(_all_questions, chosen, limit) if few else None
    return EndlessScope(
        name, words, generate, zero_is_ridiculous, masses, listing=listing, together=both_ways if laws else None
    )


def _all_questions(operations: str, limit: int) -> Iterator[tuple[Question, float]]:
    """Each question with its weight: operations are equally likely, and so are the operands of each."""
    for operation in operations:
        seconds = range(1 if operation == "/" else 0, limit)
        for first, second in product(range(limit), seconds):
            yield sum_question(first, operation, second), 1 / limit / len(seconds)


def sum_question(a: int, operation: str, b: int) -> Question:
    """The question for one operation; for a division, `a` is the quotient and `b` the divisor.

    >>> sum_question(7, "/", 6).text
    'What is 42 / 6?'
    """
    right = {"+": a + b, "-": a - b, "*": a * b, "/": a}[operation]
    first = a * b if operation == "/" else a
    return Question(
        id=f"{first}{operation}{b}",
        text=f"What is {first} {operation} {b}?",
        accepted=(str(right),),
        category=operation,
        plausible=plausible_range(right, can_be_negative=operation == "-"),
    )


def both_ways(question: Question) -> tuple[Question, Question]:
    """A question for one operation, not a division, with the one that has its operands exchanged, and the law over both.

    >>> [(q.text, q.law) for q in both_ways(sum_question(14, "-", 3))]
    [('What is 14 - 3?', 'opposite'), ('What is 3 - 14?', 'opposite')]
    """
    first, operation, second = question.id.partition(question.category)
    law = "opposite" if operation == "-" else "same"
    other = sum_question(int(second), operation, int(first))
    return replace(question, cluster=question.id, law=law), replace(other, cluster=question.id, law=law)


def plausible_range(right: int, *, can_be_negative: bool) -> tuple[int, int]:
    """The numbers that are not ridiculous as an answer.

    For a right answer beyond ±100: the same sign, at most 100 times too large or too small. For a smaller one: at most 100
    times its size (or 100, if that is more) on either side of 0. Never below 0 where nothing negative can come from it.

    >>> plausible_range(5000, can_be_negative=True)
    (50, 500000)
    >>> plausible_range(-3, can_be_negative=True)
    (-300, 300)
    >>> plausible_range(0, can_be_negative=False)
    (0, 100)
    """
    size = abs(right)
    largest = FACTOR * max(1, size)
    if size <= FACTOR:
        return (-largest if can_be_negative else 0), largest
    smallest = -(-size // FACTOR)
    return (smallest, largest) if right > 0 else (-largest, -smallest)
