"""Reads the number that a clause states: digits, words, fractions, powers of ten, words such as "million", units.

Units of measurement: their names and sizes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Final

from vivavoce.formats.numbers import CURRENCY, DIGITS, EXPONENT, as_number, fraction, without_separators
from vivavoce.interview.forms.form import SEVERAL
from vivavoce.interview.forms.number_context import PART, UNCLEAR, WRONG, problem_after, problem_before
from vivavoce.interview.forms.spelled_numbers import A_SIZE, SIGNED_WORDS, SIZE, SPELLED, UNCLEAR_SIZE, size_of, spelled_number

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


Units = frozenset[tuple[str, str]]
"""Units that a word can mean, each as its dimension and the pattern of its names."""
PERCENT: Final = ("share", "%|per ?cent|pct")
_SIZES: Final[Mapping[str, Mapping[str, float]]] = {
    "temperature": {"c|celsius|centigrade": 1, "f|fahrenheit": 1, "k|kelvin|kelvins": 1},
    "mass": {
        "µg|μg|mcg|micrograms?": 1e-6,
        "mg|milligrams?": 0.001,
        "g|grams?|grammes?": 1,
        "kg|kgs|kilos?|kilograms?|kilogrammes?": 1000,
        "t|tons?|tonnes?": 1e6,
        "oz|ounces?": 28.35,
        "lbs?|pounds?": 453.6,
        "stones?": 6350,
    },
    "time": {
        "ms|milliseconds?": 0.001,
        "s|secs?|seconds?": 1,
        "mins?|minutes?": 60,
        "h|hrs?|hours?": 3600,
        "days?": 86_400,
        "weeks?": 604_800,
        "months?": 2_629_800,
        "yrs?|years?": 31_557_600,
        "decades?": 315_576_000,
        "century|centuries": 3_155_760_000,
    },
    "length": {
        "mm|millimet[er]{2}s?": 0.001,
        "cm|centimet[er]{2}s?": 0.01,
        "m|met[er]{2}s?": 1,
        "km|kilomet[er]{2}s?": 1000,
        "inch|inches": 0.0254,
        "ft|foot|feet": 0.3048,
        "yd|yards?": 0.9144,
        "miles?": 1609,
    },
    "volume": {
        "ml|millilit[er]{2}s?": 0.001,
        "cl|centilit[er]{2}s?": 0.01,
        "l|lit[er]{2}s?": 1,
        "hl|hectolit[er]{2}s?": 100,
        r"m\^?[3³]|cubic met[er]{2}s?": 1000,
        "gal|gallons?": 3.785,
        "pints?": 0.473,
        "quarts?": 0.946,
        "fl oz|fluid ounces?": 0.0296,
    },
    "speed": {
        "m/s|met[er]{2}s per second": 1,
        "km/h|kmh|kph|kilomet[er]{2}s per hour": 0.2778,
        "km/s|kilomet[er]{2}s per second": 1000,
        "mph|miles per hour": 0.447,
        "kn|knots?": 0.5144,
        "miles per second": 1609,
    },
    "area": {
        r"m\^?[2²]|square met[er]{2}s?": 1,
        r"km\^?[2²]|square kilomet[er]{2}s?": 1e6,
        "ha|hectares?": 1e4,
        "acres?": 4047,
        "square feet|sq ft": 0.0929,
    },
    "voltage": {"mv|millivolts?": 0.001, "v|volts?": 1, "kv|kilovolts?": 1000},
    "power": {"w|watts?": 1, "kw|kilowatts?": 1000, "megawatts?": 1e6},
    "energy": {
        "wh|watt[- ]hours?": 3600,
        "kwh|kilowatt[- ]hours?": 3.6e6,
        "kj|kilojoules?": 1000,
        "j|joules?": 1,
        "kcal|kilocalories": 4184,
    },
    "storage": {"kb|kilobytes?": 1e3, "mb|megabytes?": 1e6, "gb|gigabytes?": 1e9, "tb|terabytes?": 1e12},
    "angle": {"radians?": 57.3, "degrees?": 1},
    "count": {"pairs?": 2},
    "share": {"per ?mille|‰": 0.001, "basis points?|bps?": 0.0001, "ppm|parts per million": 1e-6},
    "money": {
        "cents?|ct|cts|¢|pence|penny|pennies|centimes?|c[ée]ntimos?|centavos?": 0.01,
        **dict.fromkeys(
            (
                *("dollars?|usd|[$]", "euros?|eur|€", "pounds?|gbp|£", "yen|jpy|¥"),
                *("canadian dollars?|cad", "australian dollars?|aud", "new zealand dollars?|nzd"),
                *("hong kong dollars?|hkd", "singapore dollars?|sgd", "swiss francs?|chf|francs?", "rupees?|inr|rs|₹"),
                *("pesos?|mxn", "yuan|renminbi|rmb|cny", "zloty|pln", "sek|kr|kronor|krona"),
                *("nok|kr|kroner|krone", "dkk|kr|kroner|krone"),
            ),
            1.0,
        ),
    },
}
"""For each dimension its units, and how many of a common one each is; all currencies count alike."""
_NAMES: Final = [name for units in _SIZES.values() for unit in units for name in unit.split("|")]
UNIT: Final = rf"(?:{'|'.join(sorted(_NAMES, key=len, reverse=True))})(?![\w/])"
"""The name of a unit."""
_TOLERANCE: Final = Fraction(1, 50)
"""Relative error of a conversion that is rounded."""
_ONE_DEGREE: Final = 1


@lru_cache(maxsize=256)
def units_named(name: str) -> Units:
    """The units that a word or a symbol can mean.

    >>> sorted(dimension for dimension, _ in units_named("pounds")), units_named("apples")
    (['mass', 'money'], frozenset())
    """
    return frozenset(
        (dimension, unit)
        for dimension, units in _SIZES.items()
        for unit in units
        if re.fullmatch(unit, name.strip("° "), re.IGNORECASE)
    )


def may_be_converted(number: Fraction, units: Units, other: Fraction, other_units: Units) -> bool:
    """Whether two numbers may be one amount in different units; a number without a unit may have any of the other's dimension.

    >>> kilometres, metres = units_named("km"), units_named("m")
    >>> [may_be_converted(Fraction(number, 2), kilometres, Fraction(1500), metres) for number in (3, 4)]
    [True, False]
    >>> may_be_converted(Fraction(3, 2), kilometres, Fraction(1500), frozenset())
    True
    """
    if units & other_units:
        return False
    dimensions = {dimension for dimension, _ in units or other_units}
    if "temperature" in dimensions and _are_one_temperature(number, other):
        return True
    return any(
        abs(number * size - other * other_size) <= _TOLERANCE * abs(other * other_size)
        for dimension in dimensions
        for size in _sizes(units, dimension)
        for other_size in _sizes(other_units, dimension)
    )


def _sizes(units: Units, dimension: str) -> Iterator[Fraction]:
    """The sizes of the units of a dimension; of all of them if none is given."""
    if (dimension, PERCENT[1]) in units:
        yield Fraction(1, 100)
    elif units:
        yield from (Fraction(_SIZES[kind][unit]) for kind, unit in units if kind == dimension and unit in _SIZES[kind])
    else:
        yield from map(Fraction, _SIZES[dimension].values())
        yield from (Fraction(1), Fraction(1, 100)) if dimension in ("share", "count") else ()


def _are_one_temperature(number: Fraction, other: Fraction) -> bool:
    """Whether one number is the other in degrees Fahrenheit or in kelvins, rounded."""
    return any(
        abs(there - converted) <= _ONE_DEGREE
        for here, there in ((number, other), (other, number))
        for converted in (here * 9 / 5 + 32, here + Fraction("273.15"), (here - 32) * 5 / 9 + Fraction("273.15"))
    )
