"""Reads the number that a clause states: digits, words, fractions, powers of ten, words such as "million", units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Final

from vivavoce.formats.numbers import CURRENCY, DIGITS, EXPONENT, as_number, fraction, without_separators
from vivavoce.interview.forms.number_context import PART, UNCLEAR, WRONG, problem_after, problem_before
from vivavoce.interview.forms.spelled_numbers import A_SIZE, SIGNED_WORDS, SIZE, SPELLED, UNCLEAR_SIZE, size_of, spelled_number
from vivavoce.interview.forms.statements import SEVERAL

_LONGEST_PLAIN: Final = 30
"""Digits before or after the point; a number with more is written with an exponent."""
_PRECISION: Final = 100
_MOST_NUMBERS: Final = 20
"""Most numbers in a clause that can state one number."""
_LARGEST_EXPONENT: Final = 999
_TIMES_POWER: Final = r"[ ]?(?:[×x*·]|times)[ ]?10[ ]?\^[ ]?[({]?(?P<power>[-+]?\d{1,3})[)}]?"
_FIGURE = re.compile(
    rf"(?<![\w)\]%./,^√-])(?<!\d:)(?P<sign>[-+]?)(?:{CURRENCY}\s?)?(?:"
    r"(?:(?P<units>\d{1,100})[ ])?(?P<over>\d{1,100})[ ]?/[ ]?(?P<under>\d{1,100})(?![\d/]|[.,]\d)"
    r"|10\^[({]?(?P<ten>[-+]?\d{1,3})[)}]?(?![\d.])"
    rf"|(?P<digits>{DIGITS})(?:{_TIMES_POWER}|(?P<exponent>[ ]E[-+]?\d{{1,3}}|{EXPONENT})(?!\w))?(?!\d|[.,:]\d))"
)
_ASIDE = re.compile(r"(?<=\s)(?:\([^()]{0,200}\)|\[[^\[\]]{0,200}\])")
_OPEN_ASIDE = re.compile(
    rf"(?:\b(?:or|maybe|perhaps|possibly|if|not (?:sure|certain)|wrong|incorrect|base[- ]?\d)"
    rf"|\({WRONG}|\((?:in )?(?:base|binary|octal|hex))\b|{A_SIZE.pattern}",
    re.IGNORECASE,
)
_JUST_ONE = re.compile(
    r"(?:^\W*|\b(?:is|exactly|only|just|=) )one(?: (?!of\b|who\b|that\b|which\b)[a-z]{1,20})?\W*$", re.IGNORECASE
)
"""In other contexts, "one" is a thing more often than a number."""
_PERCENT = re.compile(r"\s?(?:%|per ?cent\b|pct\b)", re.IGNORECASE)
_GLUED = re.compile(r"[A-Za-zµΩ°][\w°²³^/-]{0,20}")
_GLUED_UNIT = re.compile(
    r"°[A-Za-z]?|[gshlLWVJNm](?:[\^/²³]\S{0,12}|[23])|[gshlLWVJNΩ]|[A-Za-zµΩ]{2,20}(?:\^?-?\d|[/²³]\S{0,12})?", re.ASCII
)
_GLUED_OTHER = re.compile(r"(?:st|nd|rd|th|pi|am|pm|[xyzn][a-z]?)$", re.IGNORECASE)
_UNIT_WITH_DIGIT = re.compile(r"(?<![A-Za-z])[A-Za-zµ°Ω]{1,6}\^?[-+]?\d(?![\d.])")


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number with its place in a text."""

    start: int
    end: int
    value: str
    """In digits that `as_number` reads; empty if they don't give an amount."""


def number_in(clause: str) -> tuple[str, str]:
    """The number that a clause states, or why it states none; both are empty for a clause without numbers.

    >>> [number_in(text)[0] for text in ("3.5 million people", "7×10^3", "-$5", "88 (2 × 44)", "88km", "forty-two", "26 %")]
    ['3500000', '7000', '-5', '88', '88', '42', '26%']
    >>> [number_in(text)[1] for text in ("12 or 13", "COVID-19", "7 mil")]
    ['states several answers', 'the number is part of something else', 'leaves open how much the number is']
    """
    clause = without_asides(clause)
    numbers = list(written_numbers(clause))
    if not numbers:
        return "", PART if any(map(str.isdecimal, clause)) else ""
    if len(numbers) > _MOST_NUMBERS or differ(numbers):
        return "", SEVERAL
    for number in numbers:
        digits = clause[number.start : number.end]
        problem = problem_before(clause[: number.start], digits) or problem_after(clause[number.end :], digits)
        if problem:
            return "", problem
    if re.search(r"\band $", clause[: numbers[0].start]) and SPELLED.search(clause[: numbers[0].start]):
        return "", SEVERAL
    if not all(number.value for number in numbers):
        return "", UNCLEAR
    return ("", PART) if _digits_elsewhere(clause, numbers) else (numbers[0].value, "")


def written_numbers(text: str) -> Iterator[WrittenNumber]:
    """All numbers of a text, in order; those in words only if there is no digit.

    >>> [number.value for number in written_numbers("First 30, then -1 1/2, not COVID-19.")]
    ['30', '-3/2']
    """
    figures = False
    end = 0
    for match in _FIGURE.finditer(text):
        figures = True
        if match.start() >= end:
            number = _sized(text, match)
            end = number.end
            yield number
    if not figures and not any(map(str.isdecimal, text)):
        just_one = _JUST_ONE.search(text) is not None
        for match in SIGNED_WORDS.finditer(text):
            value = spelled_number(match["words"])
            if value == 1 and not just_one:
                continue
            percent = _PERCENT.match(text, match.end())
            digits = "" if value is None else f"{'-' if match['sign'] else ''}{value}{'%' if percent else ''}"
            yield WrittenNumber(match.start(), percent.end() if percent else match.end(), digits)


def differ(numbers: Sequence[WrittenNumber]) -> bool:
    """Whether some of these numbers differ, or may differ.

    >>> differ(list(written_numbers("5 or 5.0"))), differ(list(written_numbers("5 or 6")))
    (False, True)
    """
    return len({as_number(number.value) if number.value else number.start for number in numbers}) > 1


def without_asides(clause: str) -> str:
    """A clause without the brackets after a number, unless it has no other number or they leave it open.

    >>> without_asides("42 (checked)"), without_asides("42 (in millions)"), without_asides("forty (40)")
    ('42  ', '42 (in millions)', 'forty (40)')
    """
    bare = _ASIDE.sub(lambda aside: aside[0] if _OPEN_ASIDE.search(aside[0]) else " ", clause)
    return bare if any(map(str.isdecimal, bare)) else clause


def _sized(text: str, match: re.Match[str]) -> WrittenNumber:
    """A number with the word such as "million", the percent sign or the unit right after it."""
    value, end = _value(match), match.end()
    digits = f"{match['sign']}{without_separators(match['digits'])}".removeprefix("+") if match["digits"] else ""
    if match["exponent"]:
        digits += match["exponent"].strip()
    if match["over"]:
        digits = "" if value is None else str(value)
    sizes = 1
    while not (unclear := UNCLEAR_SIZE.match(text, end)) and (size := SIZE.match(text, end)):
        sizes, end = sizes * size_of(size["size"]), size.end()
    if unclear:
        return WrittenNumber(match.start(), end, "")
    if sizes > 1 or not (match["digits"] or match["over"]) or match["power"]:
        digits = _in_digits(value and value * sizes)
    if percent := _PERCENT.match(text, end):
        return WrittenNumber(match.start(), percent.end(), digits and f"{digits}%")
    if glued := _GLUED.match(text, end):
        unit = glued[0].rstrip("-/")
        if not _GLUED_UNIT.fullmatch(unit) or _GLUED_OTHER.match(unit) or (unit == "s" and text[end - 1] == "0"):
            return WrittenNumber(match.start(), glued.end(), "")
        end += len(unit)
    return WrittenNumber(match.start(), end, digits)


def _value(match: re.Match[str]) -> Fraction | None:
    """The exact value; None for an unfinished division, such as 42/6."""
    if match["over"]:
        value = fraction(match["units"] or "0", match["over"], match["under"])
        undone = value is not None and value.denominator == 1 and match["under"] != "1"
        value = None if undone else value
    elif match["ten"]:
        value = Fraction(10) ** int(match["ten"])
    else:
        exponent = match["exponent"].strip() if match["exponent"] else f"e{match['power'] or 0}"
        value = Fraction(without_separators(match["digits"]) + exponent)
    return -value if value is not None and match["sign"] == "-" else value


def _in_digits(value: Fraction | None) -> str:
    """A value in digits that `as_number` reads; empty without one, or for an unusual size.

    >>> _in_digits(Fraction(7, 2)), _in_digits(Fraction(-1, 3)), _in_digits(Fraction(10) ** 40)
    ('3.5', '-1/3', '1E+40')
    """
    if value is None:
        return ""
    with localcontext(prec=_PRECISION):
        decimal = (Decimal(value.numerator) / Decimal(value.denominator)).normalize()
    if Fraction(decimal) != value:
        return str(value) if max(abs(value.numerator), value.denominator) < 10**_PRECISION else ""
    size = abs(decimal.adjusted())
    return f"{decimal:f}" if size <= _LONGEST_PLAIN else str(decimal) if size <= _LARGEST_EXPONENT else ""


def _digits_elsewhere(clause: str, numbers: Sequence[WrittenNumber]) -> bool:
    """Whether there are digits outside the numbers that are not part of a unit after them, such as m^2."""
    rest = _UNIT_WITH_DIGIT.sub("", clause[numbers[-1].end :])
    between = (clause[number.end : other.start] for number, other in pairwise(numbers))
    return any(map(str.isdecimal, "".join((clause[: numbers[0].start], *between, rest))))
