"""Sizes of units and of words for large numbers: against SciPy's constants and a list by hand."""

from __future__ import annotations

from fractions import Fraction

from scipy import constants

from tests.each_case import each_case
from vivavoce.interview.forms.written_number import may_be_converted, units_named, written_numbers

LITRE, MILE, POUND = constants.liter, constants.mile, constants.pound
IN_SI = {
    "kg": {"mg": 1e-6, "g": 1e-3, "t": 1e3, "oz": constants.oz, "lb": POUND, "stone": constants.stone},
    "s": {
        "ms": 1e-3,
        "min": constants.minute,
        "h": constants.hour,
        "days": constants.day,
        "weeks": constants.week,
        "months": constants.Julian_year / 12,
        "years": constants.Julian_year,
        "decades": 10 * constants.Julian_year,
    },
    "m": {
        "mm": 1e-3,
        "cm": 1e-2,
        "km": 1e3,
        "inches": constants.inch,
        "feet": constants.foot,
        "yards": constants.yard,
        "miles": MILE,
    },
    "m³": {
        "ml": LITRE / 1e3,
        "cl": LITRE / 100,
        "l": LITRE,
        "hl": 100 * LITRE,
        "gallons": constants.gallon_US,
        "pints": constants.gallon_US / 8,
        "quarts": constants.gallon_US / 4,
        "fluid ounces": constants.fluid_ounce_US,
    },
    "m/s": {"km/h": constants.kmh, "km/s": 1e3, "mph": constants.mph, "knots": constants.knot, "miles per second": MILE},
    "m²": {"km²": 1e6, "hectares": constants.hectare, "acres": constants.acre, "square feet": constants.foot**2},
    "J": {"Wh": constants.hour, "kWh": 1e3 * constants.hour, "kJ": 1e3, "kcal": 1e3 * constants.calorie},
    "degrees": {"radians": 180 / constants.pi},
}


@each_case(("name", "unit", "size"), [(name, unit, size) for name, sizes in IN_SI.items() for unit, size in sizes.items()])
def test_units_are_converted_as_by_scipy(name: str, unit: str, size: float) -> None:
    units = units_named(unit), units_named(name)
    assert may_be_converted(Fraction(100), units[0], Fraction(100 * size), units[1])
    for another in (0.97, 1.03):
        assert not may_be_converted(Fraction(100), units[0], Fraction(100 * size * another), units[1])


@each_case(
    ("written", "zeros"),
    [
        *(("5 lakh", 5), ("5 crore", 7), ("5 लाख", 5), ("5 करोड़", 7), ("5万", 4), ("5億", 8), ("5 千", 3)),
        *(("5 tysięcy", 3), ("5 тысяч", 3), ("5 tausend", 3), ("5 triệu", 6), ("5 juta", 6), ("5 millones", 6)),
        *(("5 млн", 6), ("5 milyar", 9), ("5 Milliarden", 9), ("5 миллиардов", 9), ("5 tỷ", 9), ("5 billones", 12)),
        *(("5 hundert", 2), ("5 bn", 9), ("5 tn", 12)),
    ],
)
def test_words_for_large_numbers_in_other_languages(written: str, zeros: int) -> None:
    assert [number.value for number in written_numbers(written)] == [str(5 * 10**zeros)]
