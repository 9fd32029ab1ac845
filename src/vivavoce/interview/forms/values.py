"""Values of certain kinds that a text states: times, dates, quantities, ordinal numbers, long codes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from vivavoce.formats.numbers import as_number, is_rounded
from vivavoce.interview.forms.asked_unit import quantities, with_quantities_as
from vivavoce.interview.forms.assertion import SpellingMatch, find
from vivavoce.interview.forms.dates import with_dates_as, written_dates
from vivavoce.interview.forms.number_rewriting import rewritten, spelled_out
from vivavoce.interview.forms.opposites import says_opposite
from vivavoce.interview.forms.spelled_numbers import in_digits, ranks, with_numbers_in_words, with_ranks_as
from vivavoce.interview.forms.spellings import alphanumeric, codes, with_codes_as, with_spacing_as
from vivavoce.interview.forms.times import with_times_as, written_times

_LONGEST: Final = 200
"""Most characters of a reply that may state another value."""
_NOUN = re.compile(r"\s(\w+)")
_ROUGHLY = re.compile(r"\b(?:about|around|approximately|roughly|approx\.?|circa|ca\.)\s(?=\d)|[~≈]\s?(?=\d)", re.IGNORECASE)
"""Words of an approximate number: a reply that rounds an accepted value to itself gives it."""


class Value(NamedTuple):
    """A value with its place in a text."""

    start: int
    end: int
    value: Any


class ValueKind(NamedTuple):
    """A kind of value that people write in different ways."""

    name: str
    values: Callable[[str], list[Value]]
    differ: Callable[[Any, Any], bool]
    """Whether the value of an answer and the value of a reply are certainly not the same."""


def with_values_as(text: str, spellings: Sequence[str]) -> str:
    """A text with its values spelled as in the first of these answers that gives the same.

    >>> with_values_as("On the third floor, from half past six in the evening.", ["3rd floor", "6:30 pm"])
    'On the 3rd floor, from 6:30 pm.'
    """
    text = with_ranks_as(with_times_as(text, spellings), spellings)
    if not any(map(str.isdigit, "".join(spellings))):
        return with_numbers_in_words(text, spellings)
    text = _ROUGHLY.sub("", in_digits(with_codes_as(with_dates_as(text, spellings), spellings)))
    return with_quantities_as(with_spacing_as(text, spellings), spellings)


def stated_otherwise(text: str, accepted: Sequence[str], question: str) -> str:
    """The kind of value of which a text plainly states another one than all accepted answers are, and no other; else empty.

    >>> replies = ("It closes at 8 pm.", "At 6:30.", "Not at 8 pm")
    >>> [stated_otherwise(reply, ["6:30 pm"], "When does it close?") for reply in replies]
    ['time', '', '']
    >>> stated_otherwise("It weighs 10 kg.", ["8 kg"], "How heavy is it?"), stated_otherwise("It weighs 8 lb.", ["8 kg"], "")
    ('quantity', '')
    """
    text = rewritten(spelled_out(text))
    if len(text) > _LONGEST:
        return ""
    for kind in _KINDS:
        own = [value for answer in accepted if (value := _whole(rewritten(spelled_out(answer)), kind))]
        if not own or len(own) < len(accepted):
            continue
        stated = kind.values(text)
        if len(stated) != 1 or not all(kind.differ(value.value, stated[0].value) for value in own):
            return ""
        words = [text[stated[0].start : stated[0].end]]
        rest = text[: stated[0].start] + text[stated[0].end :]
        if any(map(str.isdigit, rest)) or says_opposite(text, words, question):
            return ""
        return kind.name if find(text, words, question=question) is SpellingMatch.ASSERTED else ""
    return ""


def other_values(text: str, accepted: Sequence[str], question: str) -> bool:
    """Whether a text has another value of the kind that all accepted answers are, which it does not deny.

    >>> [other_values(text, ["4 years"], "") for text in ("2 years (oral: 4 years)", "4 years, not 2 years")]
    [True, False]
    >>> other_values("For a soft yolk 10 minutes, for a hard yolk 14.", ["10 minutes"], "")
    True
    """
    for kind in (*_KINDS, _VERSION):
        own = [value for answer in accepted if (value := _whole(rewritten(spelled_out(answer)), kind))]
        if not own or len(own) < len(accepted):
            continue
        others = [
            value
            for value in kind.values(text)
            if all(kind.differ(right.value, value.value) for right in own)
            and text[value.start : value.end].lower() not in question.lower()
        ]
        if any(not _DENIED_BEFORE.search(text[: value.start]) for value in others):
            return True
        return bool(_BARE_RIVAL.search(text)) and kind.name in ("quantity", "time")
    return False


def _whole(answer: str, kind: ValueKind) -> Value | None:
    """The value that a whole answer is."""
    values = kind.values(answer.strip())
    return values[0] if len(values) == 1 and (values[0].start, values[0].end) == (0, len(answer.strip())) else None


def _ranks_with_nouns(text: str) -> list[Value]:
    """The ordinal numbers of a text, each with the noun behind it."""
    ordinals = ((rank, start, _NOUN.match(text, end)) for rank, start, end in ranks(text))
    return [Value(start, noun.end(), (noun[1].lower(), rank)) for rank, start, noun in ordinals if noun]


_DENIED_BEFORE = re.compile(
    r"(?:\bnot|n't|\bno longer|instead of|rather than"
    r"|\b(?:than|unlike|nor|nicht|statt|pas|non?|formerly|previously|until|before|from|was))\b"
    r"\W{0,3}(?:(?:in|at|on|by|for|the|an?|to|um|version)\s){0,2}\W{0,3}$",
    re.IGNORECASE,
)
_BARE_RIVAL = re.compile(
    r"[,;(]\s?(?:and |but )?(?:for|on|in|during|after|bei|für|pour|para)\s[^,.;:\d]{2,40}?\s"
    r"(?:\d{1,3}(?:\.\d+)?|none|nothing|at (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve))"
    r"(?=[.,;!)]?(?:\s|$))",
    re.IGNORECASE,
)
"""A further clause with a number of its own, as in "for a soft yolk 10 minutes, for a hard yolk 14"."""
_A_VERSION = re.compile(r"(?<![\w.])v?(\d{1,6}(?:\.\d{1,6}){2,4})(?![\w]|\.\d)")
_VERSION: Final = ValueKind(
    "version",
    lambda text: [Value(*match.span(), match[1]) for match in _A_VERSION.finditer(text)],
    lambda own, other: own != other,
)
_KINDS: Final = (
    ValueKind(
        "time",
        lambda text: [Value(time.start, time.end, time) for time in written_times(text)],
        lambda own, other: own.differs_from(other),
    ),
    ValueKind(
        "date",
        lambda text: [Value(day.start, day.end, day.date) for day in written_dates(text)],
        lambda own, other: own != other,
    ),
    ValueKind(
        "quantity",
        lambda text: [Value(quantity.start, quantity.end, quantity) for quantity in quantities(text)],
        lambda own, other: (
            bool(own.units & other.units)
            and as_number(own.digits) != as_number(other.digits)
            and not is_rounded(own.digits, other.digits)
        ),
    ),
    ValueKind(
        "place in order",
        _ranks_with_nouns,
        lambda own, other: own[0] == other[0] and own[1] != other[1],
    ),
    ValueKind(
        "code",
        lambda text: [Value(start, end, alphanumeric(text[start:end])) for start, end in codes(text)],
        lambda own, other: len(own) == len(other) and own != other,
    ),
)
