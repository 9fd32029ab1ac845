"""Arithmetic, of whole numbers unless it is said otherwise: ``arithmetic?digits=3&operations=+-*&laws=commute``.

Operands are whole numbers from 0 to 10^digits - 1, all equally likely, and so are the operations. Division is the inverse of
multiplication: the divisor (not 0) and the quotient are drawn, the dividend is their product, so the answer is whole.
"I don't know" scores 0: anyone who knows arithmetic can work out every question.

With `laws=commute` each sum is asked both ways round, a + b and b + a, as one cluster: the answers must be the same (for a
difference, opposite), else both are ridiculous.

With `decimals=D` operands have D decimals, and with `places=P` quotients need not be whole, but are rounded to P decimal places
(without `places`, to D): see `decimals`.

A wrong number is ridiculous when its size alone shows that it cannot be right: it lies outside `plausible_range`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from vivavoce.certificate.answer_laws import LAW_SCORING
from vivavoce.certificate.questions import Question
from vivavoce.certificate.scopes.decimals import MOST_DECIMALS, MOST_PLACES, all_questions, drawn
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
    name: str,
    *,
    digits: str = "3",
    operations: str = "+-*",
    laws: str = "",
    decimals: str = "0",
    places: str = "",
    zero_is_ridiculous: bool = False,
) -> EndlessScope:
    """The scope of sums, differences, products and quotients of numbers with up to this many digits before the point.

    Raises `BadInput` for digits outside 1 to 9, other operations than `+-*/`, laws that there are not, and decimals or places
    that are too many.
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
    if decimals != "0" or places:
        return _with_decimals(name, int(digits), chosen, decimals, places, laws, zero_is_ridiculous)

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


def _with_decimals(
    name: str, digits: int, chosen: str, decimals: str, places: str, laws: str, zero_is_ridiculous: bool
) -> EndlessScope:
    if decimals not in {str(n) for n in range(MOST_DECIMALS + 1)}:
        raise BadInput(f"decimals={decimals[:40]}: must be a whole number from 0 to {MOST_DECIMALS}")
    if places and places not in {str(n) for n in range(1, MOST_PLACES + 1)}:
        raise BadInput(f"places={places[:40]}: must be a whole number from 1 to {MOST_PLACES}")
    if places and "/" not in chosen:
        raise BadInput(f"places={places}: quotients alone are rounded; add '/' to the operations")
    if laws:
        raise BadInput("laws=commute is for whole numbers: leave out decimals")
    given: dict[str, Any] = {"digits": digits, "decimals": int(decimals), "places": int(places or decimals)}
    few = len(chosen) * 10 ** (2 * (digits + int(decimals))) <= MOST_LISTED
    return EndlessScope(
        name,
        f"arithmetic with decimals 1 operations={chosen} {' '.join(f'{name}={value}' for name, value in given.items())}",
        partial(drawn, chosen=chosen, **given),
        zero_is_ridiculous,
        dict.fromkeys(chosen, 1 / len(chosen)),
        listing=partial(all_questions, chosen, **given) if few else None,
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
