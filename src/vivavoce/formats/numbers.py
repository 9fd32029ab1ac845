"""Numbers as people write them: alone in an answer, or in a cell of a table."""

from __future__ import annotations

import re
import struct
import unicodedata
from fractions import Fraction
from functools import lru_cache
from math import frexp, isfinite
from typing import Final

_CODES: Final = "USD|EUR|GBP|JPY|CNY|INR|CHF|CAD|AUD|SEK|NOK|DKK|PLN|BRL|MXN|KRW|TRY|ZAR|RUB"
CURRENCY: Final = rf"(?:(?:US|HK|NZ|CA|AU|SG|[CAS])?\$|[€£¥₹₽₩₺]|Rs\.?|(?:{_CODES})\b)"
_GROUPED = "|".join(rf"[1-9]\d{{0,2}}(?:{mark}\d{{3}}){{1,30}}" for mark in (",", " ", "'", "_"))
DIGITS: Final = (
    rf"(?:(?:{_GROUPED}|\d{{1,2}}(?:,\d{{2}}){{1,15}},\d{{3}})(?!\d)(?:\.\d{{1,100}})?"
    r"|\d{1,3}(?:\.\d{3}){2,30}(?!\d)|\d{1,100}(?:\.\d{1,100})?|\.\d{1,100})"
)
"""The digits of one number: 1234.5, 1,234.5, 1 234, 1'234, 1_234, 1,23,456, and 1.234.567, whose points part thousands."""
EXPONENT: Final = r"(?:[eE][-+]?\d{1,3})"
SIZES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
"""What a word after a number multiplies it by."""
_WRITTEN = re.compile(
    rf"(?P<sign>[-+]?)\s?(?:{CURRENCY}\s?(?P<inner>[-+]?))?(?:(?:(?P<units>\d{{1,100}})["
    rf" ])?(?P<over>\d{{1,100}})/(?P<under>\d{{1,100}})"
    rf"|(?P<digits>{DIGITS})(?:(?P<exponent>{EXPONENT})|\s?(?P<size>(?i:{'|'.join(SIZES)}))s?\b)?)"
    rf"\s?(?:{CURRENCY}|%)?"
)
_DECIMAL = re.compile(r"[-+]?(?P<digits>\d{1,100}(?:\.(?P<decimals>\d{1,100}))?)(?:[eE](?P<exponent>[-+]?\d{1,3}))?")
_MOST_DIGITS: Final = 100
_DASHES: Final = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))
_MIXED_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_RAISED = re.compile("[⁰¹²³⁴-⁹₀-₉]")
"""Superscript and subscript digits, which do not belong to the number."""
_POINT_OR_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}")


@lru_cache(maxsize=256)  # the form and the rule that scores read the same numbers
def as_number(text: str) -> Fraction | None:
    """The exact value of a number as people write it, 50 for 50%; None if it is something else.

    >>> as_number("-1,234.50") == -1234.5, as_number("–５"), as_number("$1,000"), as_number("a dozen")
    (True, Fraction(-5, 1), Fraction(1000, 1), None)
    >>> as_number("3/4"), as_number("1½"), as_number("50%"), as_number("1.2 million")
    (Fraction(3, 4), Fraction(3, 2), Fraction(50, 1), Fraction(1200000, 1))
    """
    plain = _in_ascii(text).strip()
    if plain.isdecimal() and len(plain) <= _MOST_DIGITS:
        return Fraction(int(plain))
    match = _WRITTEN.fullmatch(plain)
    if match is None:
        return None
    if match["over"]:
        value = fraction(match["units"] or "0", match["over"], match["under"])
    else:
        value = Fraction(without_separators(match["digits"]) + (match["exponent"] or "")) * SIZES.get(
            (match["size"] or "").lower(), 1
        )
    return -value if value is not None and "-" in (match["sign"], match["inner"]) else value


def same_number(answer: str, accepted: str) -> bool:
    """Whether a number in an answer can be the accepted one: 50% may be 50 or 0.5, and 12.345 may be 12345.

    >>> [same_number(said, accepted) for said, accepted in (("50%", "0.5"), ("50%", "50"), ("0.5", "50"), ("12.345", "12345"))]
    [True, True, False, True]
    """
    value, right = as_number(answer), as_number(accepted)
    if value is None or right is None:
        return False
    values = {value, value * 1000} if _POINT_OR_THOUSANDS.fullmatch(answer.strip()) else {value}
    if answer.rstrip().endswith("%") != accepted.rstrip().endswith("%"):
        right_too = right / 100 if accepted.rstrip().endswith("%") else right * 100
        return not values.isdisjoint({right, right_too})
    return right in values


def is_rounded(text: str, other: str, *, roughly: bool = False) -> bool:
    """Whether one of two numbers is the other one with fewer digits: at least two, or three without decimals.

    Parameters
    ----------
    roughly: whether `text` is said to be approximate, so that one digit is enough.

    >>> [is_rounded(text, other) for text, other in (("0.333", "1/3"), ("3.14159", "3.14"), ("3.15", "3.14159"), ("3", "3.2"))]
    [True, True, False, False]
    >>> is_rounded("68000000", "67750000"), is_rounded("68000000", "67750000", roughly=True)
    (False, True)
    """
    return _rounds(text, other, roughly=roughly) or _rounds(other, text, roughly="e" in other.lower())


def _rounds(short: str, long: str, *, roughly: bool) -> bool:
    rounded, exact = as_number(short), as_number(long)
    match = _DECIMAL.fullmatch(without_separators(_in_ascii(short).strip(" %")))
    if rounded is None or exact is None or match is None:
        return False
    decimals = len(match["decimals"] or "")
    unit = Fraction(10) ** (int(match["exponent"] or 0) - decimals)
    if roughly and rounded and unit == 1:
        unit *= 10 ** (len(str(rounded)) - len(str(rounded).rstrip("0")))
    least = 1 if roughly else 2 if decimals else 3
    is_short = len(match["digits"].replace(".", "").lstrip("0")) >= least
    slack = unit if roughly and unit < 1 and abs(rounded) < abs(exact) else unit / 2
    return is_short and (exact / unit).denominator > 1 and abs(exact - rounded) <= slack


def fraction(units: str, over: str, under: str) -> Fraction | None:
    """A fraction or a mixed number; None for a zero denominator, or if the fractional part is not below 1.

    >>> fraction("1", "1", "2"), fraction("1", "3", "2")
    (Fraction(3, 2), None)
    """
    if not int(under) or (int(units) and int(over) >= int(under)):
        return None
    return int(units) + Fraction(int(over), int(under))


def without_separators(digits: str) -> str:
    """Digits as `DIGITS` finds them, with at most a decimal point.

    >>> without_separators("1,234.50"), without_separators("1.234.567"), without_separators("1 234")
    ('1234.50', '1234567', '1234')
    """
    digits = re.sub("[, '_]", "", digits)
    return digits.replace(".", "") if digits.count(".") > 1 else digits


def _in_ascii(text: str) -> str:
    """The text with digits, signs and fractions in ASCII and without invisible characters; other characters stay."""
    if text.isascii() or _RAISED.search(text):
        return text
    text = unicodedata.normalize("NFKC", _MIXED_FRACTION.sub(" ", text)).translate(_DASHES).replace("⁄", "/")
    return "".join(
        str(unicodedata.decimal(character)) if character.isdecimal() else character
        for character in text
        if unicodedata.category(character) != "Cf"
    )


EXCEL_ERRORS: Final = frozenset(
    {"#REF!", "#N/A", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "#FIELD!", "#BLOCKED!",
     "#UNKNOWN!", "#CONNECT!", "#BUSY!", "#GETTING_DATA"}
)  # fmt: skip
"""Errors in cells of Excel."""
_NO_VALUE: Final = re.compile(
    r"#[A-Z][A-Z0-9/_]*[!?]|#N/A(?: N/A)?|Err:\d{3}|[-+]?1\.#(?:IND|INF|[QS]NAN)\d*|-?nan\((?:s?nan|ind)\)|#{7,}"
)
"""Errors in cells of any program, also of C programs, and cells too narrow for their numbers."""
_UNSEEN: Final = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\xad"
_AROUND: Final = " \t\r\n\x0b\x0c\xa0\u2007\u2009\u202f\u3000" + _UNSEEN
_EXCEL_TEXT: Final = re.compile(r'="((?:[^"]|"")*)"')
_BRACED: Final = re.compile(r"\$?\s*\\(?:boxed|fbox|text|mathrm)\{(.*)\}\s*\$?")
_SAID: Final = re.compile(r"(?:(?:the\s+)?(?:final\s+|correct\s+)?answer\s*(?:is|[:=])|[A-Za-z]\s*=)\s*(.*)", re.IGNORECASE)
_FRACTION: Final = re.compile(r"\$?\s*(-?)\s*\\[dt]?frac\{\s*(\d+)\s*\}\{\s*(\d+)\s*\}\s*\$?")
_DIGIT: Final = re.compile(r"\d")
_PLAIN_DECIMAL: Final = re.compile(r"-?\d+\.\d+")
_LONGEST: Final = 200
_NOISY_SINGLE: Final = 10
_NOISY: Final = 15
"""Number of digits beyond which single or double precision may be noise."""
_NOISY_BITS: Final = 14
"""Exact fractions, such as powers of 2, have fewer bits."""
_SHORT: Final = 14
"""Longest number that a person may have written."""


def bare(cell: str) -> str:
    """A cell without visible and invisible blanks at its ends, and without Excel's quotes around a text (`="42"`).

    >>> bare('="007"'), bare("\\u200b42 ")
    ('007', '42')
    """
    text = cell.strip()
    if not text.isascii():
        text = text.strip(_AROUND)
    if text.startswith('="') and (match := _EXCEL_TEXT.fullmatch(text)):
        return match[1].replace('""', '"').strip()
    return text


def short(value: float) -> str:
    """The shortest number that can have become this value, without noise of binary fractions.

    >>> short(0.1 + 0.2), short(0.10000000149011612), short(1 / 3), short(1e22)
    ('0.3', '0.1', '0.3333333333333333', '1e+22')
    """
    exact = repr(value)
    digits = sum(map(str.isdigit, exact.partition("e")[0]))
    if digits < _NOISY_SINGLE:
        return exact
    if _as_single(value) == value and _bits(value) >= _NOISY_BITS:
        places = (float(f"{value:.{precision}g}") for precision in range(6, 10))
        return repr(next((rounded for rounded in places if _as_single(rounded) == value), value))
    rounded = float(f"{value:.{_NOISY}g}")
    if digits >= _NOISY and isfinite(rounded) and len(repr(rounded)) <= _SHORT:
        return repr(rounded)
    return exact


def _bits(value: float) -> int:
    """The number of binary digits from the first 1 to the last."""
    whole = int(abs(frexp(value)[0]) * 2**53)
    return whole.bit_length() - (whole & -whole).bit_length() + 1


def _as_single(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return value


def written_number(cell: str) -> str:
    r"""A cell with a number, without a program's guard and binary noise; any other cell unchanged.

    >>> written_number("=42"), written_number("'-5"), written_number("0.30000000000000004"), written_number("=6*7")
    ('42', '-5', '0.3', '=6*7')
    >>> written_number("Answer: 42"), written_number(r"$\boxed{\frac{3}{4}}$"), written_number("Answer: Rome")
    ('42', '3/4', 'Answer: Rome')
    """
    if cell.isascii() and (cell.isdigit() or not _DIGIT.search(cell)):
        return cell
    text = _undressed(cell).removeprefix("'").removeprefix("=").strip()
    if len(text) > _LONGEST or as_number(text) is None:
        return cell
    return short(float(text)) if _PLAIN_DECIMAL.fullmatch(text) and repr(float(text)) == text else text


def _undressed(cell: str) -> str:
    """A cell without "Answer:", the name of a variable or a box around a number, and with LaTeX's fractions in plain form."""
    text = cell
    if "\\" not in text and "=" not in text and ":" not in text and " " not in text:
        return text
    for pattern in (_SAID, _BRACED):
        if len(text) <= _LONGEST and (match := pattern.fullmatch(text)):
            text = match[1].strip()
    if len(text) <= _LONGEST and (match := _FRACTION.fullmatch(text)):
        text = f"{match[1]}{match[2]}/{match[3]}"
    return text


def is_no_value(cell: str) -> bool:
    """Whether a cell says that a program could not compute or show its value.

    >>> is_no_value("#REF!"), is_no_value("Err:502"), is_no_value("-1.#IND"), is_no_value("#1")
    (True, True, True, False)
    """
    return cell in EXCEL_ERRORS or (
        ("#" in cell or cell[:3] == "Err" or "nan(" in cell) and _NO_VALUE.fullmatch(cell) is not None
    )
