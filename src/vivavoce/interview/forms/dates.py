"""Dates in a text, in the ways in which people write them: 2026-03-03, 3 March 2026, March 3rd, 2026, 3.3.2026."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import islice
from typing import Final, NamedTuple

_MONTHS: Final = (
    "january|jan|januar|janvier|enero|januari|gennaio|janeiro|stycznia",
    "february|feb|februar|février|febrero|februari|febbraio|fevereiro|lutego",
    "march|mar|märz|mars|marzo|maart|março|marca",
    "april|apr|avril|abril|aprile|kwietnia",
    "may|mai|mayo|mei|maggio|maio|maja",
    "june|jun|juni|juin|junio|giugno|junho|czerwca",
    "july|jul|juli|juillet|julio|luglio|julho|lipca",
    "august|aug|août|agosto|augustus|sierpnia",
    "september|sept|sep|septembre|septiembre|settembre|setembro|września",
    "october|oct|oktober|okt|octobre|octubre|ottobre|outubro|października",
    "november|nov|novembre|noviembre|novembro|listopada",
    "december|dec|dezember|dez|décembre|diciembre|dicembre|dezembro|grudnia",
)
_NUMBER_OF: Final = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split("|")}
_MONTH: Final = rf"(?:{'|'.join(sorted(_NUMBER_OF, key=len, reverse=True))})\b\.?"
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th|\.|er)?"
_DATE = re.compile(
    r"(?<![\w.,/-])(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s)?(?:"
    r"(?P<iso>\d{4})-(?P<iso_month>\d{2})-(?P<iso_day>\d{2})"
    rf"|(?P<day>{_DAY})\s(?:of\s|de\s)?(?P<month>{_MONTH}),?\s(?:of\s|de\s)?(?P<year>\d{{4}})"
    rf"|(?P<us_month>{_MONTH})\s(?:the\s)?(?P<us_day>{_DAY}),?\s(?P<us_year>\d{{4}})"
    rf"|(?P<first_year>\d{{4}}),?\s(?P<next_month>{_MONTH})\s(?P<next_day>{_DAY})"
    r"|(?P<first>\d{1,2})(?P<mark>[./-])\s?(?P<second>\d{1,2})(?P=mark)\s?(?P<last>\d{4})"
    r")(?!\w|[/-]\d)",
    re.IGNORECASE,
)
_DAY_OF_YEAR = re.compile(
    rf"(?<![\w.,/-])(?:(?P<day>{_DAY})\s(?:of\s|de\s)?(?P<month>{_MONTH})|(?P<us_month>{_MONTH})\s(?:the\s)?(?P<us_day>{_DAY}))"
    r"(?!\w|,?\s(?:of\s|de\s)?\d{4}|[/-]\d)",
    re.IGNORECASE,
)
DATE_IN_DIGITS: Final = re.compile(r"(?<!\d)\d{1,4}(?P<mark>[./-])\s?\d{1,2}(?P=mark)(?:\s?\d{2,4})?(?!\d|(?P=mark)\d)")
"""A date whose numbers alone may not tell day and month."""
_MOST: Final = 20


def is_month(word: str) -> bool:
    """Whether a word names a month.

    >>> is_month("März"), is_month("days")
    (True, False)
    """
    return word.lower().rstrip(".") in _NUMBER_OF


class WrittenDate(NamedTuple):
    """A date and its place in a text."""

    start: int
    end: int
    date: date


def written_dates(text: str) -> Iterator[WrittenDate]:
    """The dates in a text, in order; none of a day and a month that could be a month and a day.

    >>> [str(found.date) for found in written_dates("2026-03-03, March 4th, 2026, 5.3.2026, 14/3/2026 or 3/4/2026")]
    ['2026-03-03', '2026-03-04', '2026-03-05', '2026-03-14']
    """
    for match in islice(_DATE.finditer(text), _MOST):
        if day := _date_of(match):
            yield WrittenDate(match.start(), match.end(), day)


def with_dates_as(text: str, spellings: Iterable[str]) -> str:
    """A text with each date spelled as in the first of these spellings that is the same date.

    >>> with_dates_as("It ends on Tuesday, 2026-03-03, not on 4.3.2026.", ["3 March 2026"])
    'It ends on 3 March 2026, not on 4.3.2026.'
    >>> with_dates_as("by 15 April", ["April 15"]), with_dates_as("15 April 2026", ["April 15"])
    ('by April 15', '15 April 2026')
    """
    for spelling in spellings:
        if own := _DAY_OF_YEAR.fullmatch(spelling):
            for day in reversed(list(_DAY_OF_YEAR.finditer(text))):
                same = _day_and_month(day) == _day_and_month(own)
                text = f"{text[: day.start()]}{own[0] if same else day[0]}{text[day.end() :]}"
    known: dict[date, str] = {}
    for spelling in spellings:
        for written in written_dates(spelling):
            if (written.start, written.end) == (0, len(spelling)):
                known.setdefault(written.date, spelling)
    for written in reversed(list(written_dates(text)) if known else []):
        text = f"{text[: written.start]}{known.get(written.date, text[written.start : written.end])}{text[written.end :]}"
    return text


def _day_and_month(match: re.Match[str]) -> tuple[str, str]:
    return re.sub(r"\D", "", match["day"] or match["us_day"]), _number_of(match["month"] or match["us_month"])


def _date_of(match: re.Match[str]) -> date | None:
    """The date of a match; None if there is none, or two are possible."""
    if match["iso"]:
        return _date(match["iso"], match["iso_month"], match["iso_day"])
    if match["month"]:
        return _date(match["year"], _number_of(match["month"]), match["day"])
    if match["us_month"]:
        return _date(match["us_year"], _number_of(match["us_month"]), match["us_day"])
    if match["next_month"]:
        return _date(match["first_year"], _number_of(match["next_month"]), match["next_day"])
    first, second = match["first"], match["second"]
    by_day, by_month = _date(match["last"], second, first), _date(match["last"], first, second)
    if match["mark"] == ".":
        return by_day
    return by_day or by_month if by_day is None or by_month in (None, by_day) else None


def _number_of(month: str) -> str:
    return str(_NUMBER_OF[month.lower().rstrip(".")])


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(re.sub(r"\D", "", day)))
    except ValueError:
        return None
