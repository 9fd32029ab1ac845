"""Arithmetic, by default with whole numbers: ``arithmetic?digits=3&operations=+-*&laws=commute``.

Operands are whole numbers from 0 to 10^digits - 1, all equally likely, and so are the operations. Division is the inverse of
multiplication: the divisor (not 0) and the quotient are drawn, the dividend is their product, so the answer is whole.
"I don't know" scores 0: anyone who knows arithmetic can work out every question.

With `laws=commute` each sum is asked in both orders, a + b and b + a, as one cluster: the answers must be the same (for a
difference, opposite), else both are unacceptable.

With `decimals=D` operands have D decimals, and with `places=P` quotients need not be whole, but are rounded to P decimal places
(without `places`, to D). Operands are then drawn as whole numbers of hundredths (for two decimals), all equally likely, from 0
to just below 10^digits, and the right answer is computed in rational numbers. A sum, a difference and a product must be exact;
a quotient is right if it is no farther from the exact one than half a unit of the last place (`Question.tolerance`), which
every correct rounding keeps, of a tie either way, and so does an answer with more places.

A wrong number is unacceptable when its size alone shows that it cannot be right: it lies outside `plausible_range`.

Questions on events that take time: ``intervals?events=3``. Which of two began first, or ended first? Did they overlap?

The questions are those of Appendix C of `leytonbrown2024`. Each event has a beginning and a later end. Premises say which of
two such points came first, or that they coincide; they are taken from a concrete course of events, so they never contradict
each other. What follows from them is exact: points related by "before" and "at the same moment" alone are ordered by the
transitive closure of the premises, and two points that it leaves unordered can come in any order (Vilain and Kautz 1986).
"It cannot be known" is right for two questions in five, and differs from "I don't know", which scores 0.

An option is unacceptable if it names an event that the question does not ask about, or if one premise alone excludes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from math import ceil, floor
from string import ascii_uppercase
from typing import Final

import numpy as np

from vivavoce.errors import BadInput
from vivavoce.scopes.answer_laws import LAW_SCORING
from vivavoce.scopes.listed_and_endless import EndlessScope
from vivavoce.scopes.questions import Question

OPERATIONS = "+-*/"
MAX_DIGITS = 9
MOST_LISTED = 100_000
"""The most questions for running a program on the whole scope."""
MOST_DECIMALS: Final = 6
MOST_PLACES: Final = 12
FACTOR: Final = 100
"""A number that is wrong by more than this factor is unacceptable."""
Make = Callable[[int, str, int], Question]
"""A question for two operands, whole numbers of the last decimal, and the operation between them."""


def arithmetic(
    name: str,
    *,
    digits: str = "3",
    operations: str = "+-*",
    laws: str = "",
    decimals: str = "0",
    places: str = "",
    zero_is_unacceptable: bool = False,
) -> EndlessScope:
    """The scope of sums, differences, products and quotients of numbers with up to this many digits before the point.

    Raises `BadInput` for digits outside 1 to 9, operations other than `+-*/`, unknown laws, and too many decimals or places.
    """
    if digits.lstrip("0") not in {str(n) for n in range(1, MAX_DIGITS + 1)}:
        raise BadInput(f"digits={digits[:40]}: must be a whole number from 1 to {MAX_DIGITS}")
    if not operations or not set(operations) <= set(OPERATIONS) or len(set(operations)) < len(operations):
        raise BadInput(f"operations={operations[:40]}: must be some of {OPERATIONS}, each at most once")
    if laws not in ("", "commute"):
        raise BadInput(f"laws={laws[:40]}: the only law is 'commute'")
    if laws and "/" in operations:
        raise BadInput("laws=commute: division does not commute; leave '/' out of the operations")
    chosen = "".join(sorted(operations, key=OPERATIONS.index))
    make: Make
    if decimals == "0" and not places:
        limit, make = 10 ** int(digits), sum_question
        words = f"arithmetic 1 digits={int(digits)} operations={chosen}" + (f" laws={laws}, {LAW_SCORING}" if laws else "")
    else:
        _check_decimals(chosen, decimals, places, laws)
        shown, rounded = int(decimals), int(places or decimals)
        limit, make = 10 ** (int(digits) + shown), _of_decimals(shown, rounded)
        words = f"arithmetic with decimals 1 operations={chosen} digits={int(digits)} decimals={shown} places={rounded}"

    def generate(rng: np.random.Generator) -> Question:
        operation = chosen[int(rng.integers(len(chosen)))]
        return make(int(rng.integers(limit)), operation, int(rng.integers(1 if operation == "/" else 0, limit)))

    masses = dict.fromkeys(chosen, 1 / len(chosen))
    few = len(chosen) * limit**2 <= MOST_LISTED
    listing = partial(_all_questions, chosen, limit, make) if few else None
    return EndlessScope(
        name, words, generate, zero_is_unacceptable, masses, listing=listing, together=both_ways if laws else None
    )


def _check_decimals(chosen: str, decimals: str, places: str, laws: str) -> None:
    if decimals not in {str(n) for n in range(MOST_DECIMALS + 1)}:
        raise BadInput(f"decimals={decimals[:40]}: must be a whole number from 0 to {MOST_DECIMALS}")
    if places and places not in {str(n) for n in range(1, MOST_PLACES + 1)}:
        raise BadInput(f"places={places[:40]}: must be a whole number from 1 to {MOST_PLACES}")
    if places and "/" not in chosen:
        raise BadInput(f"places={places}: only quotients are rounded; add '/' to the operations")
    if laws:
        raise BadInput("laws=commute is for whole numbers: leave out decimals")


def _of_decimals(decimals: int, places: int) -> Make:
    unit = Fraction(1, 10**decimals)
    return lambda a, operation, b: decimal_question(a * unit, operation, b * unit, decimals=decimals, places=places)


def _all_questions(operations: str, limit: int, make: Make) -> Iterator[tuple[Question, float]]:
    """Each question with its weight: operations are equally likely, and so are the operands of each."""
    for operation in operations:
        seconds = range(1 if operation == "/" else 0, limit)
        for first, second in product(range(limit), seconds):
            yield make(first, operation, second), 1 / limit / len(seconds)


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
    """The numbers that are not unacceptable as an answer.

    For a right answer beyond ±100: the same sign, at most 100 times too large or too small. For a smaller one: at most 100
    times its size (or 100, if that is more) on either side of 0. Never below 0 if nothing negative can come from it.

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
    """The numbers that are not unacceptable as an answer, as `plausible_range` has them, to the next whole ones.

    >>> plausible_between(Fraction("250.5"), can_be_negative=False), plausible_between(Fraction("0.1"), can_be_negative=True)
    ((2, 25050), (-100, 100))
    """
    size = abs(right)
    largest = ceil(FACTOR * max(Fraction(1), size))
    if size <= FACTOR:
        return (-largest if can_be_negative else 0), largest
    smallest = floor(size / FACTOR)
    return (smallest, largest) if right > 0 else (-largest, -smallest)


EVENTS = (
    "the concert",
    "the storm",
    "the parade",
    "the strike",
    "the festival",
    "the siege",
    "the trial",
    "the harvest",
    "the regatta",
    "the drought",
    "the exhibition",
    "the heat wave",
    "the chess match",
    "the film shoot",
    "the power cut",
    "the election campaign",
)
MIN_EVENTS, MAX_EVENTS = 3, 5
UNKNOWN = "It cannot be known"
TOGETHER = "Both at the same moment"
UNKNOWN_SHARE = 0.4
"""Share of questions whose right answer is that it cannot be known."""

BEFORE, SAME = 2, 1
"""Strength of the known relation of two points: the first is before the second, or at the same moment."""

PREMISES: dict[str, tuple[tuple[str, int, str], ...]] = {
    "{x} happened during {y}": (("y begins", BEFORE, "x begins"), ("x ends", BEFORE, "y ends")),
    "{x} began before {y} did": (("x begins", BEFORE, "y begins"),),
    "{x} ended before {y} did": (("x ends", BEFORE, "y ends"),),
    "{x} was over before {y} began": (("x ends", BEFORE, "y begins"),),
    "{x} was already going on when {y} began": (("x begins", BEFORE, "y begins"), ("y begins", BEFORE, "x ends")),
    "{x} and {y} began at the same moment": (("x begins", SAME, "y begins"),),
    "{x} and {y} ended at the same moment": (("x ends", SAME, "y ends"),),
    "{x} ended at the very moment {y} began": (("x ends", SAME, "y begins"),),
}
"""The meaning of a premise about its two events, in words and in points."""

QUERIES = (
    "Which began first, {x} or {y}?",
    "Which ended first, {x} or {y}?",
    "Was there a stretch of time during which both {x} and {y} were going on?",
    "Was {x} over before {y} began?",
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A premise or a query about two events, given by their numbers."""

    words: str
    x: int
    y: int

    def point(self, name: str) -> int:
        """The number of a point: event i begins at point 2i and ends at point 2i + 1."""
        event, which = name.split()
        return 2 * (self.x if event == "x" else self.y) + (which == "ends")

    def say(self, names: tuple[str, ...]) -> str:
        """The statement in words."""
        sentence = self.words.format(x=names[self.x], y=names[self.y])
        return sentence[0].upper() + sentence[1:]


def intervals(name: str, *, events: str = "3", zero_is_unacceptable: bool = False) -> EndlessScope:
    """The scope of temporal relations between this many events (3 to 5); raises `BadInput` for other numbers."""
    if events not in {str(n) for n in range(MIN_EVENTS, MAX_EVENTS + 1)}:
        raise BadInput(f"events={events[:40]}: must be a whole number from {MIN_EVENTS} to {MAX_EVENTS}")
    count = int(events)
    return EndlessScope(name, f"intervals 1 events={count}", lambda rng: generate(rng, count), zero_is_unacceptable)


def generate(rng: np.random.Generator, events: int) -> Question:
    """A question about a random course of events; as many premises as events, each event in one of them at least."""
    names = tuple(EVENTS[i] for i in rng.permutation(len(EVENTS))[:events])
    unknown = rng.random() < UNKNOWN_SHARE
    while True:
        times = _course(rng, events)
        pairs = permutations(range(events), 2)
        true = [p for p in (Statement(w, *pair) for w, pair in product(PREMISES, pairs)) if _holds(p, times)]
        premises = tuple(true[i] for i in rng.permutation(len(true))[:events])
        if len({event for p in premises for event in (p.x, p.y)}) < events:
            continue
        x, y = (int(i) for i in rng.permutation(events)[:2])
        query = Statement(QUERIES[int(rng.integers(len(QUERIES)))], x, y)
        if (answer(premises, query, events) == UNKNOWN) == unknown:
            return interval_question(premises, query, names)


def interval_question(premises: tuple[Statement, ...], query: Statement, names: tuple[str, ...]) -> Question:
    """Premises and query put into words, with the right option and the unacceptable ones."""
    pair = (names[query.x], names[query.y])
    others = tuple(name for name in names if name not in pair)
    options = (*pair, *others, TOGETHER, UNKNOWN) if query.words in QUERIES[:2] else ("Yes", "No", UNKNOWN)
    meanings = {"x": pair[0], "y": pair[1]}
    right = answer(premises, query, len(names))
    single = {answer((premise,), query, len(names)) for premise in premises} - {UNKNOWN}
    known = {meanings.get(word, word) for word in single}
    unacceptable = [o for o in options if o in others or (known and o != UNKNOWN and o not in known)]
    letter = dict(zip(options, ascii_uppercase, strict=False))
    text = (
        f"Consider {len(names)} events, each of which took some time: {', '.join(names[:-1])} and {names[-1]}. "
        '("During" means that it began later and ended earlier; "before" means strictly earlier.) '
        f"{'. '.join(premise.say(names) for premise in premises)}. {query.say(names)}"
    )
    return Question(
        id=hashlib.sha256(text.encode()).hexdigest()[:16],
        text=text,
        options=options,
        accepted=(letter[meanings.get(right, right)],),
        category=query.words.format(x="X", y="Y"),
        unacceptable=tuple(letter[o] for o in unacceptable),
    )


def answer(premises: Iterable[Statement], query: Statement, events: int) -> str:
    """The exact answer that follows from the premises.

    `x`, `y`, `TOGETHER` or `UNKNOWN` for the first two queries; `Yes`, `No` or `UNKNOWN` for the others.

    >>> during = "{x} happened during {y}"
    >>> answer([Statement(during, 1, 0), Statement(during, 2, 1)], Statement(QUERIES[0], 0, 2), 3)
    'x'
    """
    known = closure(premises, events)

    def before(first: str, second: str) -> int:
        return known[query.point(first)][query.point(second)]

    if query.words in QUERIES[:2]:
        which = "begins" if query.words == QUERIES[0] else "ends"
        forth, back = before(f"x {which}", f"y {which}"), before(f"y {which}", f"x {which}")
        return "x" if forth == BEFORE else "y" if back == BEFORE else TOGETHER if forth == SAME else UNKNOWN
    if query.words == QUERIES[2]:
        yes = before("x begins", "y ends") == BEFORE and before("y begins", "x ends") == BEFORE
        no = before("y ends", "x begins") > 0 or before("x ends", "y begins") > 0
    else:
        yes = before("x ends", "y begins") == BEFORE
        no = before("y begins", "x ends") > 0
    return "Yes" if yes else "No" if no else UNKNOWN


def closure(premises: Iterable[Statement], events: int) -> list[list[int]]:
    """The order of points that follows: entry [p][q] is `BEFORE`, `SAME`, or 0 if p is not known to precede q."""
    n = 2 * events
    known = [[0] * n for _ in range(n)]
    for event in range(events):
        known[2 * event][2 * event + 1] = BEFORE
    for premise in premises:
        for first, relation, second in PREMISES[premise.words]:
            p, q = premise.point(first), premise.point(second)
            known[p][q] = max(known[p][q], relation)
            if relation == SAME:
                known[q][p] = SAME
    for via in range(n):
        for p in range(n):
            if first_leg := known[p][via]:
                for q in range(n):
                    if second_leg := known[via][q]:
                        known[p][q] = max(known[p][q], first_leg, second_leg)
    return known


def _course(rng: np.random.Generator, events: int) -> list[int]:
    """A time for each point, on a grid so coarse that some coincide; every event begins before it ends."""
    draws = [sorted(int(t) for t in rng.permutation(2 * events)[:2]) for _ in range(events)]
    return [time for pair in draws for time in pair]


def _holds(premise: Statement, times: list[int]) -> bool:
    """Whether a premise is true of a sequence of events."""
    for first, relation, second in PREMISES[premise.words]:
        earlier, later = times[premise.point(first)], times[premise.point(second)]
        if not (earlier < later if relation == BEFORE else earlier == later):
            return False
    return True
