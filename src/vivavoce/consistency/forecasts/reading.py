"""What a forecaster's reply says: the number behind `[Answer]` on its last line, or by which name it cannot be read.

Strict on purpose: a reply that leaves open what its number is, is no forecast. Nothing is guessed, moved into range or asked
for again. Only the last `READ` characters are looked at, by patterns whose repetitions are bounded, so that a hostile reply
costs no more time than a long one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from vivavoce.consistency.forecasts.prompts import MARKER, Kind
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.replies import CUT_OFF, EMPTY, FILTERED, NO_ANSWER, TIME_OUT, absent, broken_off
from vivavoce.laws.monotone import LARGEST

READ: Final = 20_000
"""How many characters at the end of a reply are looked at."""
STATED: Final = 200
"""How long what follows the marker may be; a number with its unit is shorter."""

WAS_READ: Final = "read"
NO_MARKER: Final = "no [Answer]"
NOT_LAST: Final = "[Answer] not on the last line"
RANGE: Final = "a range"
SEVERAL: Final = "several numbers"
NO_NUMBER: Final = "no plain number"
OUT_OF_RANGE: Final = "not between 0 and 1"
UNCLEAR: Final = "unclear words after the number"
OUTCOMES: Final = (
    WAS_READ,
    EMPTY,
    CUT_OFF,
    FILTERED,
    NO_MARKER,
    NOT_LAST,
    RANGE,
    SEVERAL,
    NO_NUMBER,
    OUT_OF_RANGE,
    UNCLEAR,
    TIME_OUT,
    NO_ANSWER,
)
"""Every way in which asking once can end, in the order in which they are told: read, the unreadable, and no reply at all."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reply was taken to say."""

    outcome: str
    """One of `OUTCOMES`."""
    value: float | None = None
    """The forecast; None unless the outcome is `read`."""


_MARKER = re.compile(re.escape(MARKER), re.IGNORECASE)
_LINE_END = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_AROUND = "*_` \t"
_SPACE = "\u00a0\u2009\u202f"
_DIGITS = rf"(?:[0-9]{{1,3}}(?:,[0-9]{{3}}){{1,20}}|[0-9]{{1,3}}(?:[{_SPACE}][0-9]{{3}}){{1,20}}|[0-9]{{1,100}})"
_NUMBER = rf"(?:{_DIGITS}(?:\.[0-9]{{0,100}})?|\.[0-9]{{1,100}})(?:[eE][-+]?[0-9]{{1,3}})?"
_PROBABILITY = re.compile(rf"(?P<number>[-+]?{_NUMBER})[ ]?(?P<percent>%?)")
_QUANTITY = re.compile(rf"(?P<number>[-+]?{_NUMBER})(?P<unit>(?![0-9,.:]).*)", re.DOTALL)
_A_NUMBER = re.compile(rf"(?<![0-9a-zA-Z,.:]){_NUMBER}")
_A_RANGE = re.compile(
    rf"(?<![0-9.]){_NUMBER}[ ]?%?[ ]?(?:[-–—~…]|\.\.|\b(?:to|and|or)\b)[ ]?[-+]?[.0-9]"
    rf"|[\[(]{_NUMBER}[,;][ ]?{_NUMBER}[\])]|\bbetween\b|\+/-|±|^[<>≤≥]",
    re.IGNORECASE,
)
_UNIT = re.compile(rf"[{_SPACE} ]?[^\W\d_%°](?:[^\W\d_]|[ {_SPACE}/.'’%°²³-]){{0,60}}|[ ]?[%°][^\W\d_]?")
_SCALES: Final = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_ABBREVIATED: Final = frozenset(("k", "m", "mm", "mn", "mln", "mio", "b", "bn", "bln", "t", "tn", "trn"))
"""Thousand, million, billion, trillion, or kelvin, metre, byte, tonne: only whoever wrote it knows."""
_LEAVES_OPEN = re.compile(
    r"\b(?:or|to|and|plus|minus|more|fewer|less|maybe|perhaps|not|dozen|lakh|crore|score)\b|hundred|thousand|(?:m|b|tr)illion"
)


def read_forecast(answer: Reply | NoAnswer, kind: Kind = Kind.PROBABILITY) -> Reading:
    """The forecast in one reply.

    The last line that is not blank must hold the marker once, in any case of letters, and after it a number and nothing else;
    emphasis around it, a colon after the marker and a full stop at the end are no obstacle.

    Probabilities: `0.5`, `.5`, `50%`, from 0 to 1 both included. Quantities: digits with or without thousands separators (a
    comma, or a no-break or thin space, before groups of three), a decimal point, a sign, a power of ten as in `1.2e9`, then
    perhaps one of the words hundred to trillion, by which it is multiplied, and a unit in words, which is not looked at: `9.58
    seconds`, `1,200 people`, `45%` as 45. A decimal comma is not read, nor are clock times, currency signs, abbreviations
    that may be a unit or a multiple (`8 m`, `3 bn`), and numbers beyond 1e150.

    >>> read_forecast(Reply("It is likely.\\n[Answer] 80%"))
    Reading(outcome='read', value=0.8)
    >>> read_forecast(Reply("[Answer] 0.3-0.5")).outcome, read_forecast(Reply("[Answer] 9.58 seconds"), Kind.QUANTITY).value
    ('a range', 9.58)
    """
    if isinstance(answer, NoAnswer):
        return Reading(absent(answer))
    if broken_off(answer):
        return Reading(broken_off(answer))
    text = answer.text[-READ:].rstrip()
    if not text.strip():
        return Reading(EMPTY)
    line = _LINE_END.split(text)[-1]
    parts = _MARKER.split(line)
    if len(parts) == 1:
        return Reading(NOT_LAST if _MARKER.search(text) else NO_MARKER)
    if len(parts) > 2:
        return Reading(SEVERAL)
    stated = parts[1].strip(_AROUND).removeprefix(":").removesuffix(".").strip(_AROUND).replace("−", "-")
    return _read_number(stated, kind) if len(stated) <= STATED else Reading(NO_NUMBER)


def _read_number(stated: str, kind: Kind) -> Reading:
    found = (_PROBABILITY if kind is Kind.PROBABILITY else _QUANTITY).fullmatch(stated)
    if _A_RANGE.search(stated):
        return Reading(RANGE)
    if found is None or (kind is Kind.QUANTITY and _A_NUMBER.search(found["unit"])):
        return Reading(SEVERAL if len(_A_NUMBER.findall(stated)) > 1 else NO_NUMBER)
    value = float(re.sub(f"[,{_SPACE}]", "", found["number"]))
    if kind is Kind.PROBABILITY:
        value = value / 100 if found["percent"] else value
        return Reading(WAS_READ, value) if 0 <= value <= 1 else Reading(OUT_OF_RANGE)
    scale = _scale(found["unit"])
    if scale is None:
        return Reading(UNCLEAR)
    return Reading(WAS_READ, value * scale) if abs(value * scale) <= LARGEST else Reading(NO_NUMBER)


def _scale(unit: str) -> float | None:
    """By what a quantity is multiplied; None where the words after it leave that open."""
    if not unit:
        return 1.0
    first, *others = unit.lower().split()
    further = " ".join(others if first in _SCALES else [first, *others])
    if not _UNIT.fullmatch(unit) or first in _ABBREVIATED or _LEAVES_OPEN.search(further):
        return None
    return _SCALES.get(first, 1.0)
