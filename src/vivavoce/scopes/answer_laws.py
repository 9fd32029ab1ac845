"""Laws between the answers to the questions of one cluster, which hold unless the answers contradict each other.

A law is written as a name, or as a line of formulas for probabilities, with `within X` after it for a tolerance. The law's n-th
answer is the one to the n-th question of the cluster.

- of any answers: `same`, `different` (no two the same); numbers are compared as numbers, others as texts
- of numbers: `at most` (each at most the next), `at least`, `sum` (the last is the sum of the others), `opposite` (of two, one
  is the other with its sign turned)
- of probabilities: the names of `vivavoce.laws` (`neg`, `and`, `partition` ...), or formulas: `P, Q, P & Q`
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Final, Literal, NamedTuple

from vivavoce.errors import BadInput, UnknownName
from vivavoce.formats.numbers import as_number
from vivavoce.interview.forms.plain import fold
from vivavoce.laws.law import BUILT_IN, FAMILIES, Law, law_named, parse_law
from vivavoce.laws.violation import violations

LAW_SCORING = "laws 2"
"""Part of the digest of every scope with laws; it changes whenever laws are judged differently."""
LONGEST_LAW = 500
"""Characters."""
ROUNDED: Final = Fraction(1, 100)
"""The default tolerance of probabilities: rounding to whole per cent is not a contradiction."""
_NOISE = 1e-9
_WITHIN = re.compile(r"(.*\S)\s+within\s+(\S+)")
_ALIKE: Final = ("same", "different")

Numbers = Sequence[Fraction]
Asked = Literal["anything", "number", "probability"]


class _NumberLaw(NamedTuple):
    must: str
    gap: Callable[[Numbers], Fraction]
    """How far numbers are from keeping it; 0 or less if they keep it."""
    least: int
    most: int | None = None
    whole: bool = False
    """Whether it cannot be judged if one of the answers is missing."""


def _largest_fall(numbers: Numbers) -> Fraction:
    return max(before - after for before, after in zip(accumulate(numbers, max), numbers, strict=True))


_NUMBERS: Final = {
    "at most": _NumberLaw("no answer may be above the next", _largest_fall, 2),
    "at least": _NumberLaw("no answer may be below the next", lambda n: _largest_fall([-x for x in n]), 2),
    "sum": _NumberLaw("the last answer must be the sum of the others", lambda n: abs(sum(n[:-1]) - n[-1]), 3, whole=True),
    "opposite": _NumberLaw("one must be the other with its sign turned", lambda n: abs(n[0] + n[1]), 2, 2, whole=True),
}
NAMES: Final = (*_ALIKE, *_NUMBERS, *BUILT_IN, *FAMILIES)


@dataclass(frozen=True, slots=True)
class AnswerLaw:
    """A law between a given number of answers.

    >>> answer_law("same", 2).broken(["17", "16"])
    'the answers must be the same'
    >>> answer_law("at most within 0.5", 2).broken(["17.0", "16.5"]), answer_law("sum", 3).broken(["1", None, "3"])
    ('', None)
    """

    name: str
    tolerance: Fraction
    formulas: Law | None = None
    """Formulas of a law of probabilities."""

    def broken(self, answers: Sequence[str | None]) -> str | None:
        """The broken condition, in words; empty if the law holds, None with too few answers.

        Parameters
        ----------
        answers: each parsed answer, in the order of the questions; None if it is unparsed.
        """
        if self.formulas is not None:
            return self._incoherent(self.formulas, answers)
        given = [answer for answer in answers if answer is not None]
        if self.name in _ALIKE:
            return None if len(given) < 2 else self._unlike(given)
        law, numbers = _NUMBERS[self.name], [number for answer in given if (number := _number(answer)) is not None]
        if len(numbers) < (len(answers) if law.whole else 2):
            return None
        return self._words(law.must) if law.gap(numbers) > self.tolerance else ""

    def _unlike(self, answers: Sequence[str]) -> str:
        numbers = [_number(answer) for answer in answers]
        values = [fold(answer) if number is None else number for answer, number in zip(answers, numbers, strict=True)]
        if self.name == "different":
            return "no two answers may be the same" if len(set(values)) < len(values) else ""
        known = [number for number in numbers if number is not None]
        apart = max(known) - min(known) > self.tolerance if len(known) == len(values) else len(set(values)) > 1
        return self._words("the answers must be the same") if apart else ""

    def _incoherent(self, law: Law, answers: Sequence[str | None]) -> str | None:
        """Whether one of the probabilities is further than the tolerance from the nearest coherent ones."""
        fractions = [probability(answer) for answer in answers]
        known = [
            (statement, float(value)) for statement, value in zip(law.statements, fractions, strict=True) if value is not None
        ]
        if len(known) < min(2, len(answers)):
            return None
        rest = replace(law, statements=tuple(statement for statement, _ in known))
        repair = violations(rest, [[value for _, value in known]]).repair[0]
        off = max(abs(float(near) - value) for near, (_, value) in zip(repair, known, strict=True))
        if off <= self.tolerance + _NOISE:
            return ""
        texts = ", ".join(statement.text for statement in rest.statements) + (
            f" where {'; '.join(law.constraints)}" if law.constraints else ""
        )
        nearest = ", ".join(f"{near:.3g}" for near in repair)
        return self._words(f"as probabilities of {texts} they contradict each other, and the nearest that do not are {nearest}")

    def _words(self, must: str) -> str:
        usual = ROUNDED if self.formulas is not None else 0
        return must if self.tolerance == usual else f"{must}, within {float(self.tolerance):.3g}"


@lru_cache(maxsize=1024)
def asked_for(law: str) -> Asked:
    """The kind of answers that a law is about; without a law, any.

    >>> asked_for("at most within 2"), asked_for("P, ~P"), asked_for("")
    ('number', 'probability', 'anything')
    """
    name = _parted(law)[0]
    return "number" if name in _NUMBERS else "anything" if name in ("", *_ALIKE) else "probability"


def probability(answer: str | None) -> Fraction | None:
    """The number that an answer gives, if it is one from 0 to 1.

    >>> probability("0.25"), probability("25"), probability(None)
    (Fraction(1, 4), None, None)
    """
    number = None if answer is None else _number(answer)
    return number if number is not None and 0 <= number <= 1 else None


@lru_cache(maxsize=1024)
def answer_law(text: str, answers: int) -> AnswerLaw:
    """The law that a user wrote, for this many answers.

    Raises `UnknownName`, and `BadInput` for an invalid tolerance, invalid formulas, or another number of answers.

    >>> answer_law("neg within 0.1", 2).tolerance
    Fraction(1, 10)
    >>> answer_law("sum", 2)
    Traceback (most recent call last):
    vivavoce.errors.BadInput: the law 'sum' needs at least 3 answers, not 2
    """
    if len(text) > LONGEST_LAW:
        raise BadInput(f"the law '{text[:60]}...' is longer than {LONGEST_LAW} characters: split it")
    name, within = _parted(text)
    if name in _ALIKE or name in _NUMBERS:
        return _plain(name, within, answers)
    if not (name in BUILT_IN or name in FAMILIES or set(name) & set(",:")):
        raise UnknownName("law", name, NAMES)
    if name in FAMILIES:
        law = law_named(name, [str(number) for number in range(1, answers + 1)])
    else:
        law = BUILT_IN.get(name) or parse_law(name)
    if len(law.statements) != answers:
        raise BadInput(f"the law '{name[:80]}' needs {len(law.statements)} answers, not {answers}")
    return AnswerLaw(law.name, _tolerance(within, ROUNDED), law)


def _plain(name: str, within: str, answers: int) -> AnswerLaw:
    least, most = (_NUMBERS[name].least, _NUMBERS[name].most) if name in _NUMBERS else (2, None)
    if answers < least or (most is not None and answers > most):
        raise BadInput(f"the law '{name}' needs {'at least ' if most is None else ''}{least} answers, not {answers}")
    if within and name == "different":
        raise BadInput("the law 'different' has no tolerance: leave out 'within'")
    return AnswerLaw(name, _tolerance(within, Fraction(0)))


def _tolerance(within: str, usual: Fraction) -> Fraction:
    number = _number(within) if within else usual
    if number is None or number < 0:
        raise BadInput(f"'within {within[:40]}': give a number from 0 on")
    return number


def _parted(text: str) -> tuple[str, str]:
    """A law without its tolerance, and the tolerance, if there is one."""
    match = _WITHIN.fullmatch(text.strip())
    return (match[1], match[2]) if match else (text.strip(), "")


def _number(answer: str) -> Fraction | None:
    """Exact, unlike sums of floats; `as_number` bounds how long it is."""
    value = as_number(answer)
    return None if value is None else Fraction(value)
