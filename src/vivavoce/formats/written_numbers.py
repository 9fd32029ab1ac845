"""Cells of a table that are numbers to a reader, though they hold more or other characters than a plain number."""

from __future__ import annotations

import re
import struct
from math import frexp, isfinite
from typing import Final

from vivavoce.formats.numbers import as_number

EXCEL_ERRORS: Final = frozenset(
    {"#REF!", "#N/A", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "#FIELD!", "#BLOCKED!",
     "#UNKNOWN!", "#CONNECT!", "#BUSY!", "#GETTING_DATA"}
)  # fmt: skip
"""What a spreadsheet program shows where it could not work out a value."""
_NO_VALUE: Final = re.compile(
    r"#[A-Z][A-Z0-9/_]*[!?]|#N/A(?: N/A)?|Err:\d{3}|[-+]?1\.#(?:IND|INF|[QS]NAN)\d*|-?nan\((?:s?nan|ind)\)|#{7,}"
)
"""The same of any program, also of those in C, and of cells that are too narrow for their numbers."""
_UNSEEN: Final = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\xad"
_AROUND: Final = " \t\r\n\x0b\x0c\xa0\u2007\u2009\u202f\u3000" + _UNSEEN
_EXCEL_TEXT: Final = re.compile(r'="((?:[^"]|"")*)"')
_BRACED: Final = re.compile(r"\$?\s*\\(?:boxed|fbox|text|mathrm)\{(.*)\}\s*\$?")
_SAID: Final = re.compile(r"(?:(?:the\s+)?(?:final\s+|correct\s+)?answer\s*(?:is|[:=])|[A-Za-z]\s*=)\s*(.*)", re.IGNORECASE)
_FRACTION: Final = re.compile(r"\$?\s*(-?)\s*\\[dt]?frac\{\s*(\d+)\s*\}\{\s*(\d+)\s*\}\s*\$?")
_DECIMAL: Final = re.compile(r"-?\d+\.\d+")
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


def written_number(cell: str) -> str:
    r"""A cell that is a number to a reader, without a program's guard and binary noise; any other cell as it is.

    >>> written_number("=42"), written_number("'-5"), written_number("0.30000000000000004"), written_number("=6*7")
    ('42', '-5', '0.3', '=6*7')
    >>> written_number("Answer: 42"), written_number(r"$\boxed{\frac{3}{4}}$"), written_number("Answer: Rome")
    ('42', '3/4', 'Answer: Rome')
    """
    text = _undressed(cell).removeprefix("'").removeprefix("=").strip()
    if len(text) > _LONGEST or as_number(text) is None:
        return cell
    return short(float(text)) if _DECIMAL.fullmatch(text) and repr(float(text)) == text else text


def _undressed(cell: str) -> str:
    """A cell without "Answer:", the name of a variable or a box around a number; LaTeX's fractions as all write them."""
    text = cell
    if "\\" not in text and "=" not in text and ":" not in text and " " not in text:
        return text
    for pattern in (_SAID, _BRACED):
        if len(text) <= _LONGEST and (found := pattern.fullmatch(text)):
            text = found[1].strip()
    if len(text) <= _LONGEST and (found := _FRACTION.fullmatch(text)):
        text = f"{found[1]}{found[2]}/{found[3]}"
    return text


def is_no_value(cell: str) -> bool:
    """Whether a program wrote a cell where it could not work out or show a value.

    >>> is_no_value("#REF!"), is_no_value("Err:502"), is_no_value("-1.#IND"), is_no_value("#1")
    (True, True, True, False)
    """
    return cell in EXCEL_ERRORS or (
        ("#" in cell or cell[:3] == "Err" or "nan(" in cell) and _NO_VALUE.fullmatch(cell) is not None
    )
