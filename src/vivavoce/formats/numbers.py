"""Numbers that stand alone, as people write them: sign, currency, separators, decimals, fraction, exponent, percent."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from typing import Final

CURRENCY: Final = r"(?:[$€£¥₹₽₩₺]|Rs\.?|(?:USD|EUR|GBP|JPY|CNY|INR|CHF|CAD|AUD|SEK|NOK|DKK|PLN|BRL|MXN|KRW|TRY|ZAR|RUB)\b)"
_GROUPED = "|".join(rf"[1-9]\d{{0,2}}(?:{mark}\d{{3}}){{1,30}}" for mark in (",", " ", "'", "_"))
DIGITS: Final = (
    rf"(?:(?:{_GROUPED}|\d{{1,2}}(?:,\d{{2}}){{1,15}},\d{{3}})(?!\d)(?:\.\d{{1,100}})?"
    r"|\d{1,3}(?:\.\d{3}){2,30}(?!\d)|\d{1,100}(?:\.\d{1,100})?|\.\d{1,100})"
)
"""The digits of one number: 1234.5, 1,234.5, 1 234, 1'234, 1_234, 1,23,456, and 1.234.567, whose points part thousands."""
EXPONENT: Final = r"(?:[eE][-+]?\d{1,3})"
_WRITTEN = re.compile(
    rf"(?P<sign>[-+]?)\s?(?:{CURRENCY}\s?(?P<inner>[-+]?))?(?:(?:(?P<units>\d{{1,100}})["
    rf" ])?(?P<over>\d{{1,100}})/(?P<under>\d{{1,100}})"
    rf"|(?P<digits>{DIGITS})(?P<exponent>{EXPONENT}?))\s?(?:{CURRENCY}|%)?"
)
_DECIMAL = re.compile(r"[-+]?(?P<digits>\d{1,100}\.(?P<decimals>\d{1,100}))")
_DASHES: Final = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))
_MIXED_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_RAISED = re.compile("[⁰¹²³⁴-⁹₀-₉]")
"""Digits of powers and indices, which are not digits of the number."""
_POINT_OR_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}")


def as_number(text: str) -> Fraction | None:
    """The exact value of a number as people write it; None if it is something else. Of 50% it is 50.

    >>> as_number("-1,234.50") == -1234.5, as_number("–５"), as_number("$1,000"), as_number("a dozen")
    (True, Fraction(-5, 1), Fraction(1000, 1), None)
    >>> as_number("3/4"), as_number("1½"), as_number("50%")
    (Fraction(3, 4), Fraction(3, 2), Fraction(50, 1))
    """
    found = _WRITTEN.fullmatch(_in_ascii(text).strip())
    if found is None:
        return None
    if found["over"]:
        value = fraction(found["units"] or "0", found["over"], found["under"])
    else:
        value = Fraction(without_separators(found["digits"]) + found["exponent"])
    return -value if value is not None and "-" in (found["sign"], found["inner"]) else value


def same_number(said: str, accepted: str) -> bool:
    """Whether what was said can be the accepted number: 50% may be 50 or 0.5, and 12.345 may be 12345.

    >>> [same_number(said, accepted) for said, accepted in (("50%", "0.5"), ("50%", "50"), ("0.5", "50"), ("12.345", "12345"))]
    [True, True, False, True]
    """
    value, right = as_number(said), as_number(accepted)
    if value is None or right is None:
        return False
    values = {value, value * 1000} if _POINT_OR_THOUSANDS.fullmatch(said.strip()) else {value}
    if said.rstrip().endswith("%") != accepted.rstrip().endswith("%"):
        right_too = right / 100 if accepted.rstrip().endswith("%") else right * 100
        return not values.isdisjoint({right, right_too})
    return right in values


def is_rounded(text: str, other: str) -> bool:
    """Whether one of two numbers is the other one rounded to fewer decimals, of which at least two digits are left.

    >>> [is_rounded(text, other) for text, other in (("0.333", "1/3"), ("3.14159", "3.14"), ("3.15", "3.14159"), ("3", "3.2"))]
    [True, True, False, False]
    """
    return any(_rounds(short, long) for short, long in ((text, other), (other, text)))


def _rounds(short: str, long: str) -> bool:
    found = _DECIMAL.fullmatch(_in_ascii(short).strip())
    rounded, exact = as_number(short), as_number(long)
    if found is None or rounded is None or exact is None or len(found["digits"].replace(".", "").lstrip("0")) < 2:
        return False
    unit = Fraction(1, 10 ** len(found["decimals"]))
    return (exact / unit).denominator > 1 and abs(exact - rounded) <= unit / 2


def fraction(units: str, over: str, under: str) -> Fraction | None:
    """A fraction or a mixed number; None where it divides by zero, or the part behind whole units is no part.

    >>> fraction("1", "1", "2"), fraction("1", "3", "2")
    (Fraction(3, 2), None)
    """
    if not int(under) or (int(units) and int(over) >= int(under)):
        return None
    return int(units) + Fraction(int(over), int(under))


def without_separators(digits: str) -> str:
    """Digits as `DIGITS` finds them, with a decimal point at most.

    >>> without_separators("1,234.50"), without_separators("1.234.567"), without_separators("1 234")
    ('1234.50', '1234567', '1234')
    """
    digits = re.sub("[, '_]", "", digits)
    return digits.replace(".", "") if digits.count(".") > 1 else digits


def _in_ascii(text: str) -> str:
    """Digits, signs and fractions in ASCII, without characters that show nothing; other characters stay."""
    if text.isascii() or _RAISED.search(text):
        return text
    text = unicodedata.normalize("NFKC", _MIXED_FRACTION.sub(" ", text)).translate(_DASHES).replace("⁄", "/")
    return "".join(
        str(unicodedata.decimal(character)) if character.isdecimal() else character
        for character in text
        if unicodedata.category(character) != "Cf"
    )
