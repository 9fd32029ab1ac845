"""Arithmetic with decimals, and division that does not come out even: `arithmetic?decimals=2&places=3`.

Operands are drawn as whole numbers of hundredths (for two decimals), all equally likely, from 0 to just below 10^digits. What
is right is worked out in rational numbers. A sum, a difference and a product have finitely many decimals and must be exact.
A quotient is asked for "rounded to 3 decimal places": an answer is right if it is no farther from the exact quotient than half
a unit of the last place (`Question.tolerance`), which every correct rounding keeps, of a tie either way, and so does an answer
with more places.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import TYPE_CHECKING, Final

from vivavoce.certificate.questions import Question

if TYPE_CHECKING:
    import numpy as np

MOST_DECIMALS: Final = 6
MOST_PLACES: Final = 12
FACTOR: Final = 100
"""A number that is wrong by more than this factor is ridiculous."""


def decimal_question(a: Fraction, operation: str, b: Fraction, *, decimals: int, places: int) -> Question:
    """The question for one operation on numbers with this many decimals; a quotient is rounded to so many places.

    >>> asked = decimal_question(Fraction("3.5"), "/", Fraction("1.5"), decimals=1, places=2)
    >>> asked.text, asked.accepted, asked.exact, asked.tolerance
    ('What is 3.5 / 1.5, rounded to 2 decimal places?', ('2.33',), '7/3', '1/200')
    >>> decimal_question(Fraction("0.1"), "+", Fraction("0.2"), decimals=1, places=2).accepted
    ('0.3',)
    """
    exact = {"+": a + b, "-": a - b, "*": a * b, "/": a / b if operation == "/" else a}[operation]
    first, second = written(a, decimals), written(b, decimals)
    rounded = operation == "/"
    asked = f"What is {first} {operation} {second}"
    return Question(
        id=f"{first}{operation}{second}",
        text=f"{asked}, rounded to {places} decimal place{'' if places == 1 else 's'}?" if rounded else f"{asked}?",
        accepted=(shortest(rounded_to(exact, places) if rounded else exact),),
        category=operation,
        plausible=plausible_between(exact, can_be_negative=operation == "-"),
        exact=str(exact) if rounded else "",
        tolerance=str(Fraction(1, 2 * 10**places)) if rounded else "",
    )


def drawn(rng: np.random.Generator, chosen: str, *, digits: int, decimals: int, places: int) -> Question:
    """One question, operations and operands equally likely; no divisor is 0."""
    operation = chosen[int(rng.integers(len(chosen)))]
    limit, unit = 10 ** (digits + decimals), Fraction(1, 10**decimals)
    a, b = int(rng.integers(limit)), int(rng.integers(1 if operation == "/" else 0, limit))
    return decimal_question(a * unit, operation, b * unit, decimals=decimals, places=places)


def all_questions(chosen: str, *, digits: int, decimals: int, places: int) -> Iterator[tuple[Question, float]]:
    """Each question with its weight."""
    limit, unit = 10 ** (digits + decimals), Fraction(1, 10**decimals)
    for operation in chosen:
        seconds = range(1 if operation == "/" else 0, limit)
        for a, b in product(range(limit), seconds):
            asked = decimal_question(a * unit, operation, b * unit, decimals=decimals, places=places)
            yield asked, 1 / limit / len(seconds)


def rounded_to(value: Fraction, places: int) -> Fraction:
    """To the nearest multiple of 10^-places, of a tie away from 0.

    >>> [str(rounded_to(Fraction(value), 1)) for value in ("0.25", "-0.25", "0.249")]
    ['3/10', '-3/10', '1/5']
    """
    scaled = abs(value) * 10**places
    whole = floor(scaled + Fraction(1, 2))
    return Fraction(whole if value >= 0 else -whole, 10**places)


def written(value: Fraction, decimals: int) -> str:
    """A number that has no more than this many decimals, with all of them.

    >>> written(Fraction("3.5"), 2), written(Fraction("-0.05"), 2), written(Fraction(7), 0)
    ('3.50', '-0.05', '7')
    """
    scaled = abs(value) * 10**decimals
    whole, rest = divmod(int(scaled), 10**decimals)
    sign = "-" if value < 0 else ""
    return f"{sign}{whole}.{rest:0{decimals}d}" if decimals else f"{sign}{whole}"


def shortest(value: Fraction) -> str:
    """A number with finitely many decimals, without zeros at its end.

    >>> shortest(Fraction("2.50")), shortest(Fraction(3)), shortest(Fraction(1, 8))
    ('2.5', '3', '0.125')
    """
    decimals = next(n for n in range(100) if value * 10**n == int(value * 10**n))
    return written(value, decimals)


def plausible_between(right: Fraction, *, can_be_negative: bool) -> tuple[int, int]:
    """The numbers that are not ridiculous as an answer, as `arithmetic.plausible_range` has them, to the next whole ones.

    >>> plausible_between(Fraction("250.5"), can_be_negative=False), plausible_between(Fraction("0.1"), can_be_negative=True)
    ((2, 25050), (-100, 100))
    """
    size = abs(right)
    largest = ceil(FACTOR * max(Fraction(1), size))
    if size <= FACTOR:
        return (-largest if can_be_negative else 0), largest
    smallest = floor(size / FACTOR)
    return (smallest, largest) if right > 0 else (-largest, -smallest)
