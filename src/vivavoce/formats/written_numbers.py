"""Cells of a table that are numbers to a reader, though they hold more or other characters than a plain number."""

from __future__ import annotations

import re
import struct
import unicodedata
from fractions import Fraction
from math import frexp, isfinite
from typing import Final

from vivavoce.formats.numbers import as_number

EXCEL_ERRORS: Final = frozenset(
    {"#REF!", "#N/A", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "#FIELD!", "#BLOCKED!",
     "#UNKNOWN!", "#CONNECT!", "#BUSY!", "#GETTING_DATA"}
)  # fmt: skip
"""What a spreadsheet program shows where it could not work out a value."""
_UNSEEN: Final = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\xad"
_AROUND: Final = " \t\r\n\x0b\x0c\xa0\u2007\u2009\u202f\u3000" + _UNSEEN
_EXCEL_TEXT: Final = re.compile(r'="((?:[^"]|"")*)"')
_MINUS: Final = "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"
_SIGNS: Final = str.maketrans(
    dict.fromkeys(_MINUS, "-") | dict.fromkeys(_UNSEEN) | dict.fromkeys("\xa0\u2007\u2009\u202f\u3000", " ")
    | {"\uff0b": "+", "\uff0c": ",", "\uff0e": ".", "\uff05": "%", "\ufe6a": "%", "\u2044": "/", "\u2215": "/", "\uff0f": "/",
       "\u066b": ".", "\u066a": "%", "\uff04": "$", "\uffe5": "¥", "\uffe1": "£"}
)  # fmt: skip
_WORD: Final = re.compile(r"[^\W\d_]{3}")
_CURRENCY: Final = re.compile(r"([-+]?)\s?(?:(?:US|AU|CA|NZ)?[$€£¥₹₩₽₺₴₫฿]\s?([-+]?)(\d.*|\.\d.*)|(\d.*?)\s?[€£¥₹₩₽₺₴₫฿])")
_GROUPED: Final = re.compile(r"([-+]?\d{1,3}(?:([ '’])\d{3}(?:\2\d{3})*)|[-+]?\d{1,2}(?:,\d{2})+,\d{3})((?:\.\d+)?)")
_FRACTION: Final = re.compile(r"([-+]?)(?:(\d{1,9}) )?(\d{1,9}) ?/ ?(\d{1,9})")
_PERCENT: Final = re.compile(r"([-+]?[\d.,]+) ?%")
_LONGEST: Final = 200
_NOISY_SINGLE: Final = 10
_NOISY: Final = 15
"""Digits from which on a fraction of single, or of double precision may hold noise."""
_NOISY_BITS: Final = 14
"""Powers of 2 and the like have fewer, and are exact."""
_SHORT: Final = 14
"""Characters of what may have been written."""


def bare(cell: str) -> str:
    """A cell without blanks at its ends, the seen and the unseen ones, and without Excel's way to guard a text (`="42"`).

    >>> bare('="007"'), bare("\\u200b42 ")
    ('007', '42')
    """
    text = cell.strip()
    if not text.isascii():
        text = text.strip(_AROUND)
    if text.startswith('="') and (found := _EXCEL_TEXT.fullmatch(text)):
        return found[1].replace('""', '"').strip()
    return text


def short(value: float) -> str:
    """A number without the noise that binary fractions bring: as short as it can have been written.

    >>> short(0.1 + 0.2), short(0.10000000149011612), short(1 / 3), short(1e22)
    ('0.3', '0.1', '0.3333333333333333', '1e+22')
    """
    exact = repr(value)
    digits = sum(map(str.isdigit, exact.partition("e")[0]))
    if digits < _NOISY_SINGLE:
        return exact
    if _as_single(value) == value and _bits(value) >= _NOISY_BITS:
        places = (float(f"{value:.{kept}g}") for kept in range(6, 10))
        return repr(next((rounded for rounded in places if _as_single(rounded) == value), value))
    rounded = float(f"{value:.{_NOISY}g}")
    if digits >= _NOISY and isfinite(rounded) and len(repr(rounded)) <= _SHORT:
        return repr(rounded)
    return exact


def _bits(value: float) -> int:
    """How many binary digits a number has from its first to its last one that is not 0."""
    whole = int(abs(frexp(value)[0]) * 2**53)
    return whole.bit_length() - (whole & -whole).bit_length() + 1


def _as_single(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return value


def spellings(cell: str) -> tuple[str, ...]:
    """A cell as plain numbers, with its own spelling where others are as good: a fraction, and per cent.

    What is no number to every reader stays as it is.

    >>> spellings("$1,000"), spellings("–5"), spellings("４２"), spellings("1 000.50"), spellings("Rome")
    (('1,000',), ('-5',), ('42',), ('1000.50',), ('Rome',))
    >>> spellings("3/4"), spellings("1/3"), spellings("50%")
    (('3/4', '0.75'), ('1/3',), ('50%', '50', '0.5'))
    """
    if (cell.isascii() and cell.isdigit()) or len(cell) > _LONGEST or _WORD.search(cell) or not any(map(str.isnumeric, cell)):
        return (cell,)
    text = _plain_signs(cell)
    text = text.removeprefix("'").removeprefix("=").strip()  # signs by which programs keep a text a text, or a number a number
    if found := _CURRENCY.fullmatch(text):
        amount = spellings(f"{found[1] or found[2] or ''}{found[3] or found[4]}")
        return amount if len(amount) == 1 and amount[0][-1].isdecimal() else (cell,)
    if found := _GROUPED.fullmatch(text):
        return (re.sub(r"[ '’,]", "", found[1]) + found[3],)
    if found := _FRACTION.fullmatch(text):
        return (cell if cell.isascii() else found[0], *_decimal(found))
    if found := _PERCENT.fullmatch(text):
        number = as_number(found[1])
        return (found[1],) if number is None else (text, found[1], format((number / 100).normalize(), "f"))
    if as_number(text) is None:
        return (cell,)
    return (short(float(text)) if "." in text and repr(float(text.replace(",", ""))) == text else text,)


def _plain_signs(cell: str) -> str:
    if cell.isascii():
        return cell
    text = cell.translate(_SIGNS)
    digits = (str(unicodedata.decimal(sign, "")) or _vulgar(sign) for sign in text)
    return "".join(digits).strip()


def _vulgar(sign: str) -> str:
    """A sign such as ½ as a fraction, with a blank before it; any other as it is."""
    if "VULGAR FRACTION" not in unicodedata.name(sign, ""):
        return sign
    return " " + unicodedata.normalize("NFKC", sign).replace("\u2044", "/")


def _decimal(fraction: re.Match[str]) -> tuple[str, ...]:
    """The value of a fraction where it has few decimals."""
    below = int(fraction[4])
    if below == 0:
        return ()
    value = int(fraction[2] or 0) + Fraction(int(fraction[3]), below)
    for places in range(10):
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(scaled.numerator).rjust(places + 1, "0")
            text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
            return (f"{'-' if fraction[1] == '-' else ''}{text}",)
    return ()
