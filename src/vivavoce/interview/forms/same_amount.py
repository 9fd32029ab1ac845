"""Whether a reply may give the amount of an answer in another unit or notation, which no rule here converts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from vivavoce.formats.numbers import as_number, is_rounded, same_number
from vivavoce.interview.forms.asked_unit import asked_units, asks_for_percent, units_of
from vivavoce.interview.forms.dates_and_times import written_times
from vivavoce.interview.forms.number_context import has_direction, is_approximate
from vivavoce.interview.forms.spelled_numbers import UNCLEAR_SIZE, rewritten, spelled_out
from vivavoce.interview.forms.written_number import PERCENT, Units, may_be_converted, written_numbers

_MOST_NUMBERS: Final = 12
_LONGEST: Final = 2000
_EXPRESSION = re.compile(
    r"√|\\sqrt|\b(?:sqrt|square root|log|ln|sin|cos|tan|pi)\b|π|\^|\*\*|\d!|[⁰¹²³⁴-⁹]|\d\s?[*·]\s?\d", re.IGNORECASE
)
_UNCLEAR = re.compile(rf"\d(?:{UNCLEAR_SIZE.pattern})")
_SHARE = re.compile(
    r"\b(?:shares?|rates?|ratio|percent(?:age)?|proportion|fraction|probabilit\w+|chances?|likel\w+|odds|margin|yield|interest)\b",
    re.IGNORECASE,
)
_TIME = re.compile(r"\b(?:when|what time|which time|which hour)\b", re.IGNORECASE)
_CLOCK = re.compile(r"\d{1,2}[.:h]?\d{2}")
_YEAR = re.compile(r"\byear\b", re.IGNORECASE)
_ODD_SIGN = re.compile(r"(?:\bis|[=:])\s[-–—−]\s\d|^\W*(?:[-–—−]\s\d|[–—]\d|\([$€£]?[-–−]?\d[\d.,]*\s?%?\))", re.MULTILINE)
OF_TWO: Final = re.compile(r"\d\D{0,5}(?:x|×|\bby\b)\s?\d", re.IGNORECASE)
"""Two sides, in either order."""
_RATIO = re.compile(r"(?<![\d.,:])(\d{1,9}(?:\.\d{1,9})?)\s?(?::|/|to|in|out of|per)\s?([1-9]\d{0,8}(?:\.\d{1,9})?)(?![\d.,:])")
_ABOUT = re.compile(
    r"\W*(?:about|around|approx(?:\.|imately)?|circa|ca\.|roughly|nearly|almost|etwa|rund|environ)\s|\s*[~≈]", re.IGNORECASE
)
"""Begins an answer that is only roughly known: a tenth more or less may be right."""
_HUNDRED: Final = 100
_HUGE: Final = 10**15


class _Amount(NamedTuple):
    """A number in a text, with its unit."""

    digits: str
    number: Fraction
    units: Units
    written: str = ""
    """As the text has it."""


def may_be_same_amount(reply: str, answer: str, question: str, *, value: str = "") -> bool:
    """Whether a number of a reply may be an answer in another unit or notation.

    Parameters
    ----------
    value: the number that the reply states, if it is known; else all of its numbers are compared.

    >>> [may_be_same_amount(reply, "4.5%", "") for reply in ("450 basis points", "0.045", "5.4%")]
    [True, True, False]
    >>> [may_be_same_amount(reply, "1500", "How far is it?") for reply in ("1.5 km", "16 km", "1600")]
    [True, False, False]
    >>> may_be_same_amount("4:6", "2:3", ""), may_be_same_amount("$0.45", "45 cents", "")
    (True, True)
    """
    reply, answer = _spelled_out(reply[-_LONGEST:]), _spelled_out(answer)
    given, right = _amounts(reply, question), _amounts(answer, question)
    if (number := as_number(answer)) is not None and [amount.number for amount in right] != [number]:  # such as 4½
        right = [_Amount(str(number), number, frozenset({PERCENT}) if answer.endswith("%") else _asked(question), answer)]
    if value:
        stated = as_number(value)
        same = [amount for amount in given if amount.number == stated]
        given = same or ([] if stated is None else [_Amount(value, stated, _asked(question))])
    elif _EXPRESSION.search(answer) or _UNCLEAR.search(answer) or _is_one_ratio(reply, answer, given, right):
        return True
    elif not (_is_alone(given, reply) and _is_alone(right, answer)):
        return False
    return any(_may_be_same(amount, other, (reply, answer), question) for amount in given for other in right)


def _is_alone(amounts: Sequence[_Amount], text: str) -> bool:
    """Whether a text has one number, and no other digits."""
    return len(amounts) == 1 and len(re.findall(r"\d+", text)) == len(re.findall(r"\d+", amounts[0].written))


def _asked(question: str) -> Units:
    return frozenset({PERCENT}) if asks_for_percent(question) else asked_units(question)


@lru_cache(maxsize=4096)
def _spelled_out(text: str) -> str:
    return rewritten(spelled_out(text))


@lru_cache(maxsize=4096)
def _amounts(text: str, question: str) -> Sequence[_Amount]:
    asked, result = _asked(question), []
    for written in islice(written_numbers(text), _MOST_NUMBERS):
        number = as_number(written.value) if written.value else None
        if number is not None:
            units = frozenset({PERCENT}) if written.value.endswith("%") else units_of(text, written)
            result.append(_Amount(written.value, number, units or asked, text[written.start : written.end]))
    return result


def _may_be_same(given: _Amount, right: _Amount, texts: tuple[str, str], question: str) -> bool:
    if may_be_converted(given.number, given.units, right.number, right.units):
        return True
    if _ABOUT.match(texts[1]) and abs(given.number - right.number) * 10 <= abs(right.number):
        return True
    number, other = given.number, right.number
    if same_number(given.digits, right.digits) or same_number(right.digits, given.digits):
        return True
    if number * other < 0:
        words = "\n".join(texts)
        if not (has_direction(words, question) or _ODD_SIGN.search(words)):
            return False
        number, other = abs(number), abs(other)
    if _YEAR.search(question) and min(number, other) < _HUNDRED and (number - other) % _HUNDRED == 0:
        return True
    if _TIME.search(question) and all(_CLOCK.fullmatch(digits) for digits in (given.digits, right.digits)):
        return re.sub(r"\D", "", given.digits) == re.sub(r"\D", "", right.digits)
    if PERCENT in given.units & right.units:
        pairs = [(number / 100, other / 100)]
    elif PERCENT in given.units | right.units or (_SHARE.search(question) and min(abs(number), abs(other)) <= 1):
        pairs = [(number * 100, other), (number / 100, other)]
    else:
        pairs = [(number, other)]
    roughly = is_approximate(texts[0])
    return any(a == b or is_rounded(_digits(a), _digits(b), roughly=roughly) for a, b in pairs)


def _digits(number: Fraction) -> str:
    """A number in digits, if it has few decimals, else as a fraction."""
    if number.denominator == 1 or abs(number) >= _HUGE:
        return str(number)
    digits = f"{float(number):.12f}".rstrip("0")
    return digits if Fraction(digits) == number else str(number)


def _is_one_ratio(reply: str, answer: str, given: Sequence[_Amount], right: Sequence[_Amount]) -> bool:
    """Whether two texts give one ratio in different numbers, or one of them a product and the other its two factors."""
    ratios = [Fraction(match[1]) / Fraction(match[2]) for text in (reply, answer) if (match := _RATIO.search(text))]
    if len(ratios) > 1 and not (written_times(reply) or written_times(answer)):
        return ratios[0] == ratios[1]
    sides, product = (right, given) if OF_TWO.search(answer) else (given, right) if OF_TWO.search(reply) else ([], [])
    return bool(len(sides) > 1 and len(product) == 1 and sides[0].number * sides[1].number == product[0].number)
