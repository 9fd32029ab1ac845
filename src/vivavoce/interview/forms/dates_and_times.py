"""Times of day in a text, in the ways in which people write them: 18:30, 6:30 pm, 6.30 p.m., half past six, 18h30, 9 Uhr.

Dates in a text, in the ways in which people write them: 2026-03-03, 3 March 2026, March 3rd, 2026, 3.3.2026.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import islice, pairwise
from typing import Final, NamedTuple

_HOURS: Final = ("twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
_SPELLED: Final = "|".join(_HOURS)
_HALF: Final = r"[ap](?:m\b|\.\s?m\b(?:\.(?=\s(?-i:[a-z(])|[,;:)]))?)"
"""Before noon or after it, with a last full stop unless the sentence may end there."""
_TIME = re.compile(
    r"(?<![\w.,:/$€£])(?:"
    rf"(?P<hour>[01]?\d|2[0-4])(?:(?P<mark>[:.])|\s?h\s?)(?P<minute>[0-5]\d)(?!\d|[.,:]\d|\s?min)(?:\s?(?P<half>{_HALF})|\s?(?P<clock>uhr|h|hrs)\b)?"
    rf"|(?P<full>(?:[01]?\d|2[0-4])|{_SPELLED})\s?(?:(?P<full_half>{_HALF})|uhr\b|heures?\b|o'\s?clock\b)"
    rf"|(?:(?:a\s)?(?P<part>half|quarter))\s(?P<side>past|to)\s(?P<next>\d{{1,2}}|{_SPELLED})\b(?:\s?(?P<part_half>{_HALF}))?"
    r"|(?P<name>noon|midday|midnight)\b"
    r")(?:,?\s(?:in the (?P<day>morning|afternoon|evening)|at (?P<night>night))\b)?(?!\w)",
    re.IGNORECASE,
)
_BEFORE_POINT = re.compile(r"(?:^|\b(?:at|um|by)\s)$", re.IGNORECASE)
"""Words before "6.30" with which it is a time."""
_JOINS = re.compile(r"\s?(?:[-–—]|to|until|till|bis|à)\s?", re.IGNORECASE)
_LEADS = re.compile(r"\b(?:from|von|de)\s$", re.IGNORECASE)
_NAMED: Final = {"noon": 720, "midday": 720, "midnight": 0}
_HALF_DAY: Final = 720
_DAY: Final = 1440
_MOST: Final = 20
_TWELVE: Final = 12
_EVENING: Final = 6
"""The first hour that is in the evening if it is at night."""


class WrittenTime(NamedTuple):
    """A time of day and its place in a text."""

    start: int
    end: int
    minutes: int
    """Since midnight, before noon if this is unknown."""
    is_either: bool = False
    """Whether it may also be twelve hours later: 6:30, six o'clock."""
    is_certain: bool = True
    """Whether it is certainly in this half of the day: neither 6:30 nor 06:30 is."""
    in_24_hours: bool = False
    """Whether it is written with an hour after twelve: 18:30."""

    def agrees_with(self, other: WrittenTime) -> bool:
        """Whether another time is this one: 6:30 is 6:30 pm, but not the other way round, and not 18:30."""
        if self.minutes == other.minutes:
            return not self.is_either or not other.is_certain
        is_open = self.is_either or self.in_24_hours
        return (self.minutes - other.minutes) % _HALF_DAY == 0 and other.is_either and not is_open

    def differs_from(self, other: WrittenTime) -> bool:
        """Whether another time is certainly not this one."""
        apart = self.minutes - other.minutes
        return apart % _HALF_DAY != 0 or (apart != 0 and self.is_certain and other.is_certain)


def written_times(text: str) -> list[WrittenTime]:
    """The times in a text, in order; the time 9:00 is in the morning if another one is from 13:00 on.

    >>> [divmod(time.minutes, 60) for time in written_times("18:30, 6.30 p.m., half past six, noon, 9 Uhr, 12 am, 19h30")]
    [(18, 30), (18, 30), (6, 30), (12, 0), (9, 0), (0, 0), (19, 30)]
    >>> written_times("It takes 2 h 10 min and costs 6.30.")
    []
    """
    times = [time for match in islice(_TIME.finditer(text), _MOST) if (time := _time_of(match))]
    if any(time.minutes > _HALF_DAY + 59 and text[time.start : time.end][-1:].isdecimal() for time in times):
        times = [time._replace(is_either=False, is_certain=True) for time in times]
    return times


def with_times_as(text: str, spellings: Iterable[str]) -> str:
    """A text with each time, or each span of time, spelled as the only one in the first of these spellings that is the same.

    >>> with_times_as("At half past six in the evening, not at 6:30 am.", ["6:30 pm"])
    'At 6:30 pm, not at 6:30 am.'
    >>> with_times_as("From 9 am to 5 pm.", ["9:00-17:00"])
    '9:00-17:00.'
    """
    for spelling in spellings:
        own = written_times(spelling)
        if len(own) == 1:
            for time in reversed(written_times(text)):
                if own[0].agrees_with(time):
                    text = text[: time.start] + spelling[own[0].start : own[0].end] + text[time.end :]
        elif span := next(_spans(spelling, own), None):
            for start, end in reversed(list(_spans(text, written_times(text)))):
                if span[0].agrees_with(start) and span[1].agrees_with(end):
                    lead = _LEADS.search(text, 0, start.start)
                    before = lead.start() if lead else start.start
                    text = text[:before] + spelling[span[0].start : span[1].end] + text[end.end :]
    return text


def _spans(text: str, times: list[WrittenTime]) -> Iterator[tuple[WrittenTime, WrittenTime]]:
    return ((start, end) for start, end in pairwise(times) if _JOINS.fullmatch(text, start.end, end.start))


def _time_of(match: re.Match[str]) -> WrittenTime | None:
    """The time of a match; None if it is none, such as 13 pm or a price of 6.30."""
    if match["name"]:
        return WrittenTime(*match.span(), _NAMED[match["name"].lower()])
    half = match["half"] or match["full_half"] or match["part_half"] or ""
    if match["mark"] == "." and not (half or match["clock"] or _BEFORE_POINT.search(match.string, 0, match.start())):
        return None
    written = match["hour"] or match["full"] or match["next"]
    hour = _HOURS.index(written.lower()) or _TWELVE if written.lower() in _HOURS else int(written)
    minutes = 60 * hour + int(match["minute"] or 0)
    if match["part"]:
        minutes += {"half past": 30, "quarter past": 15, "quarter to": -15}.get(
            f"{match['part']} {match['side']}".lower(), _DAY
        )
    is_late = _is_late(hour, half, (match["day"] or match["night"] or "").lower())
    if minutes > _DAY or (is_late is not None and not 1 <= hour <= _TWELVE):
        return None
    if is_late is None:
        by_h = bool(match["hour"]) and not match["mark"]
        is_either = 1 <= hour < _TWELVE and not written.startswith("0") and not by_h
        is_late = hour > _TWELVE
        return WrittenTime(*match.span(), minutes % _DAY, is_either, is_certain=is_late or hour == 0, in_24_hours=is_late)
    return WrittenTime(*match.span(), minutes % _HALF_DAY + _HALF_DAY * is_late)


def _is_late(hour: int, half: str, day: str) -> bool | None:
    """Whether a time of the twelve-hour clock is after noon; None if nothing tells."""
    if half:
        return half.lower().startswith("p")
    if not day or hour > _TWELVE or (day == "night" and hour < _EVENING):
        return None
    return day != "morning"


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
_DAY_NUMBER: Final = r"\d{1,2}(?:st|nd|rd|th|\.|er)?"
_DATE = re.compile(
    r"(?<![\w.,/-])(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s)?(?:"
    r"(?P<iso>\d{4})-(?P<iso_month>\d{2})-(?P<iso_day>\d{2})"
    rf"|(?P<day>{_DAY_NUMBER})\s(?:of\s|de\s)?(?P<month>{_MONTH}),?\s(?:of\s|de\s)?(?P<year>\d{{4}})"
    rf"|(?P<us_month>{_MONTH})\s(?:the\s)?(?P<us_day>{_DAY_NUMBER}),?\s(?P<us_year>\d{{4}})"
    rf"|(?P<first_year>\d{{4}}),?\s(?P<next_month>{_MONTH})\s(?P<next_day>{_DAY_NUMBER})"
    r"|(?P<first>\d{1,2})(?P<mark>[./-])\s?(?P<second>\d{1,2})(?P=mark)\s?(?P<last>\d{4})"
    r")(?!\w|[/-]\d)",
    re.IGNORECASE,
)
_DAY_OF_YEAR = re.compile(
    rf"(?<![\w.,/-])(?:(?P<day>{_DAY_NUMBER})\s(?:of\s|de\s)?(?P<month>{_MONTH})|(?P<us_month>{_MONTH})\s(?:the\s)?(?P<us_day>{_DAY_NUMBER}))"
    r"(?!\w|,?\s(?:of\s|de\s)?\d{4}|[/-]\d)",
    re.IGNORECASE,
)
DATE_IN_DIGITS: Final = re.compile(r"(?<!\d)\d{1,4}(?P<mark>[./-])\s?\d{1,2}(?P=mark)(?:\s?\d{2,4})?(?!\d|(?P=mark)\d)")
"""A date whose numbers alone may not tell day and month."""
_MOST_DATES: Final = 20


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
    for match in islice(_DATE.finditer(text), _MOST_DATES):
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


_WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_POINT: Final = (
    rf"(?:(?:1[0-2]|0?\d|1\d|2[0-4])(?:[:.][0-5]\d)?(?:\s?[ap]\.?\s?m\b)?|noon|midnight|{_WEEKDAY}"
    rf"|{_MONTH}\s{_DAY_NUMBER}|{_DAY_NUMBER}\s{_MONTH})"
)
_TO: Final = r"\s?(?:\b(?:to|until|till|through)\b|[-–—])\s?"
_WHOLE_SPAN = re.compile(
    rf"\W{{0,3}}(?P<lead>[a-z', ]{{0,60}}?)(?:\b{_WEEKDAY}{_TO}{_WEEKDAY},?\s)?(?:\bfrom\s)?"
    rf"(?P<first>{_POINT}){_TO}(?P<last>{_POINT})(?:,?\s(?:daily|every day|each day|today))?\W{{0,3}}",
    re.IGNORECASE,
)
_SPAN_LEAD_WORDS: Final = """
we it they our your the is are be s re will run runs open opened opens hours times time opening business available daily every
each day from on here of and
"""
_SPAN_LEAD: Final = frozenset(_SPAN_LEAD_WORDS.split())
_ASKS_WHEN = re.compile(r"\b(?:when|what time|which (?:day|date)|what (?:day|date))\b", re.IGNORECASE)
_ASKS_END = re.compile(r"\b(?:close[sd]?|closing|ends?|stops?|finish(?:es)?|until|till|expires?)\b", re.IGNORECASE)
_ASKS_START = re.compile(r"\b(?:opens?|starts?|begins?)\b", re.IGNORECASE)


def bound_of_span(text: str, question: str) -> str:
    """A reply that is a span of time, as its first or last point where the question asks when something starts or ends.

    >>> hours = "We're open from 9 am to 6:30 pm."
    >>> [bound_of_span(hours, f"When does the shop {verb}?") for verb in ("open", "close", "deliver")]
    ['it is 9 am', 'it is 6:30 pm', "We're open from 9 am to 6:30 pm."]
    """
    ends, starts = _ASKS_END.search(question), _ASKS_START.search(question)
    if bool(ends) == bool(starts) or not _ASKS_WHEN.search(question) or (match := _WHOLE_SPAN.fullmatch(text)) is None:
        return text
    known = _SPAN_LEAD | set(re.findall(r"[a-z]+", question.lower()))
    if not known.issuperset(re.findall(r"[a-z]+", match["lead"].lower())):
        return text
    return f"it is {match['last' if ends else 'first']}"
