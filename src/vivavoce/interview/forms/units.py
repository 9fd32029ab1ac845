"""Units of measurement: their names and sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Final

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
        "years?": 31_557_600,
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
