"""Writes numbers and untrusted text, on pages and in terminals alike."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Literal

from vivavoce.formats.interval import Interval

if TYPE_CHECKING:
    from pydantic import ValidationError

_MOST_DECIMALS: Final = 6
"""The most decimals of a bound that is close to a limit."""
_MOST_DIGITS: Final = 8
"""The most decimals of a number that is written with all its digits."""
Unit = Literal["%", ""]
"""In percent, or as a score from 0 to 1."""
_SCALES: Final[dict[Unit, tuple[int, int]]] = {"%": (100, 0), "": (1, 2)}
"""The value of 1 on this scale, and the least number of decimals."""
_OTHER_SIGN: Final = str.maketrans("+−", "−+")
_NOTHING = 1e-9
"""A lower end of an interval below it is written as 0, since readers do not count nine zeros."""
THIN = "\N{NARROW NO-BREAK SPACE}"
"""Separates thousands: as narrow as a thin space, and browsers do not break a number there."""
LONGEST_NAME: Final = 60
"""Longest name in a sentence, and longest display name."""
_WORDS: Final = (
    *("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_UNSHOWABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def count(number: int) -> str:
    """A whole number with separated thousands.

    >>> count(6282).replace(THIN, "_")
    '6_282'
    """
    return f"{number:,}".replace(",", THIN)


def in_words(number: int) -> str:
    """A whole number for a sentence: small ones in words.

    >>> in_words(5), in_words(20), in_words(5000)
    ('five', 'twenty', '5,000')
    """
    return _WORDS[number] if 0 <= number < len(_WORDS) else f"{number:,}"


def without_middle(text: str, longest: int) -> str:
    """The text, or only its two ends if it has more than this many characters.

    >>> without_middle("beginning and end", 6)
    'beg\\n[...]\\nend'
    """
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]}\n[...]\n{text[-half:]}"


def counted(number: int, noun: str) -> str:
    """A number of things, in words.

    >>> counted(1, "question"), counted(5, "question")
    ('one question', 'five questions')
    """
    return f"{in_words(number)} {noun}{'' if number == 1 else 's'}"


def numbered(number: int, noun: str) -> str:
    """So many of them, in figures; `noun` has a regular plural.

    >>> numbered(1, "right answer"), numbered(20, "question")
    ('1 right answer', '20 questions')
    """
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def capital(words: str) -> str:
    """Words as they begin a sentence.

    >>> capital("all 3 questions")
    'All 3 questions'
    """
    return f"{words[:1].upper()}{words[1:]}"


def share(value: float) -> str:
    """A rate to two significant digits: in percent, or per round number of cases if percents would need three decimals.

    >>> share(0.25), share(0.1), share(0.001), share(0.0), share(1.0)
    ('25%', '10%', '0.1%', '0%', '100%')
    >>> share(0.00052).replace(THIN, "_"), share(0.00005129).replace(THIN, "_")
    ('5.2 in 10_000', '5.1 in 100_000')
    """
    if value == 0 or value >= 0.001:
        return f"{_plain(value * 100, _decimals(value * 100))}%"
    cases = 10 ** math.ceil(-math.log10(value))
    return f"{_plain(value * cases, 1)} in {count(cases)}"


def share_interval(interval: Interval) -> str:
    """An interval of rates, each end rounded outwards so that it claims nothing that was not shown.

    >>> share_interval(Interval(0.0, 0.00099901)), share_interval(Interval(0.1234, 0.5))
    ('[0%, 0.1%]', '[12%, 50%]')
    """
    return f"[{share(_down(interval.lower))}, {share(_up(interval.upper))}]"


def percent(value: float) -> str:
    """A rate in percent to two significant digits, however small: for the columns of a table.

    >>> percent(0.25), percent(0.00052), percent(0.0), percent(1.0)
    ('25%', '0.052%', '0%', '100%')
    """
    return f"{_plain(value * 100, _decimals(value * 100))}%"


def percent_interval(interval: Interval) -> str:
    """An interval of rates in percent, each end rounded outwards; without the percent sign, which follows the rate before it.

    >>> percent_interval(Interval(1e-300, 0.00099901)), percent_interval(Interval(0.1234, 0.5))
    ('[0, 0.1]', '[12, 50]')
    """
    lower, upper = percent(_down(interval.lower)), percent(_up(interval.upper))
    return f"[{lower[:-1]}, {upper[:-1]}]"


def score(value: float) -> str:
    """A score in [0, 1].

    >>> score(0.9), score(0.9973), score(1.0), score(0.0004)
    ('0.90', '0.997', '1.00', '0.0004')
    """
    if value in (0.0, 1.0) or 0.01 <= value <= 0.99:
        return f"{value:.2f}"
    return _plain(value, 3) if value > 0.5 else _plain(value, _decimals(value))


def score_interval(interval: Interval) -> str:
    """An interval of scores, each end rounded outwards.

    >>> score_interval(Interval(0.816, 0.9612))
    '[0.81, 0.97]'
    """
    lower = math.floor(round(interval.lower * 100, 9)) / 100
    upper = math.ceil(round(interval.upper * 100, 9)) / 100
    return f"[{lower:.2f}, {upper:.2f}]"


def exactly(value: float, unit: Unit = "%") -> str:
    """A requirement with all its digits, in percent or as a score.

    >>> exactly(0.7), exactly(0.705), exactly(0.00052), exactly(0.7, "")
    ('70%', '70.5%', '0.052%', '0.70')
    """
    scale, least = _SCALES[unit]
    number = value * scale
    enough = (decimals for decimals in range(least, _MOST_DIGITS) if math.isclose(round(number, decimals), number))
    return _in_unit(value, next(enough, _MOST_DIGITS), unit)


def off_limit(value: float, limit: float, unit: Unit = "%") -> str:
    """A measured number with enough digits to keep it on its side of a limit; it is written as 0 or 1 only if it is exactly
    that.

    >>> off_limit(0.8, 0.7), off_limit(0.6996, 0.7), off_limit(0.9973, 0.7), off_limit(0.0104, 0.01), off_limit(0.6996, 0.7, "")
    ('80%', '69.96%', '99.7%', '1.04%', '0.6996')
    """

    def kept(rounded: float) -> bool:
        same_side = (rounded >= limit - _NOTHING) == (value >= limit - _NOTHING)
        over = value > limit + _NOTHING
        return same_side and (rounded > limit + _NOTHING) == over and (rounded in (0.0, 1.0)) == (value in (0.0, 1.0))

    for decimals in _digits(value, unit):
        rounded = _rounded(value, decimals, unit, round)
        if kept(rounded):
            return _in_unit(rounded, decimals, unit)
    return exactly(value, unit)


def at_least(bound: float, limit: float, unit: Unit = "%") -> str:
    """A lower bound, rounded down, with enough digits not to fall below a limit that it has reached.

    >>> at_least(0.8472, 0.7), at_least(0.7071, 0.705), at_least(0.7049, 0.7, "")
    ('84%', '70.7%', '0.70')
    """
    for decimals in _digits(bound, unit):
        rounded = _rounded(bound, decimals, unit, math.floor)
        if rounded >= limit - _NOTHING:
            return _in_unit(rounded, decimals, unit)
    return exactly(limit, unit)


def at_most(bound: float, limit: float, unit: Unit = "%") -> str:
    """An upper bound, rounded up.

    >>> at_most(0.01, 0.01), at_most(0.00071, 0.01), at_most(0.402, 0.7), at_most(0.7049, 0.705)
    ('1%', '0.071%', '41%', '70.5%')
    """
    for decimals in _digits(bound, unit):
        rounded = _rounded(bound, decimals, unit, math.ceil)
        if rounded <= limit + _NOTHING:
            return _in_unit(rounded, decimals, unit)
    return exactly(limit, unit)


def _digits(value: float, unit: Unit) -> range:
    """The numbers of decimals to try: at least two digits for values below 1%."""
    scale, least = _SCALES[unit]
    first = min(max(least, _decimals(value * scale)), _MOST_DIGITS) if value > _NOTHING else least
    return range(first, first + _MOST_DECIMALS)


def _rounded(value: float, decimals: int, unit: Unit, rounding: Callable[[float], int]) -> float:
    steps = _SCALES[unit][0] * 10.0**decimals
    return rounding(round(value * steps, 6)) / steps


def _in_unit(value: float, decimals: int, unit: Unit) -> str:
    scale, least = _SCALES[unit]
    whole, _, rest = f"{value * scale:.{decimals}f}".partition(".")
    rest = rest.rstrip("0").ljust(least, "0")
    return f"{whole}.{rest}{unit}" if rest else f"{whole}{unit}"


def signed(value: float) -> str:
    """A number with its sign, to two decimals.

    >>> signed(0.123), signed(-0.5), signed(-0.001)
    ('+0.12', '−0.50', '0.00')
    """
    text = f"{abs(value):.2f}"
    return text if text == "0.00" else f"{'+' if value > 0 else '−'}{text}"


def signed_exactly(value: float) -> str:
    """A number with its sign and all its decimals, at least two and at most six.

    >>> signed_exactly(-0.05), signed_exactly(0.0025), signed_exactly(0.0), signed_exactly(1 / 3)
    ('−0.05', '+0.0025', '0.00', '+0.333333')
    """
    decimals = next((d for d in range(2, _MOST_DECIMALS) if abs(round(value, d) - value) < _NOTHING), _MOST_DECIMALS)
    return _with_sign(value, decimals)


def signed_above(bound: float, limit: float) -> str:
    """A lower bound with its sign, rounded down, with enough decimals to stay above a limit that it has passed.

    >>> signed_above(0.0834, 0.0), signed_above(0.0034, 0.0), signed_above(-0.0187, -0.02), signed_above(-0.02, -0.02)
    ('+0.08', '+0.003', '−0.019', '−0.02')
    """
    for decimals in range(2, _MOST_DECIMALS + 1):
        rounded = math.floor(round(bound * 10**decimals, 6)) / 10**decimals
        if rounded > limit + _NOTHING:
            return _with_sign(rounded, decimals)
    return _with_sign(limit, 2) if round(limit, 2) == limit else _with_sign(limit, _MOST_DECIMALS)


def signed_below(bound: float, limit: float) -> str:
    """An upper bound with its sign, rounded up.

    >>> signed_below(-0.0034, 0.0), signed_below(0.0187, 0.02)
    ('−0.003', '+0.019')
    """
    return signed_above(-bound, -limit).translate(_OTHER_SIGN)


def _with_sign(value: float, decimals: int) -> str:
    text = f"{abs(value):.{decimals}f}"
    return text if not text.strip("0.") else f"{'+' if value > 0 else '−'}{text}"


def signed_within(value: float, ends: Interval) -> str:
    """A number with its sign, to two decimals, or to as many as keep it within these ends.

    >>> signed_within(-0.017, Interval(-0.0195, 1.0)), signed_within(-0.017, Interval(-0.1, 1.0))
    ('−0.017', '−0.02')
    """
    for decimals in range(2, _MOST_DECIMALS):
        if ends.lower <= round(value, decimals) <= ends.upper:
            return _with_sign(value, decimals)
    return _with_sign(value, _MOST_DECIMALS)


def signed_interval(interval: Interval) -> str:
    """An interval of numbers with their signs, each end rounded outwards.

    >>> signed_interval(Interval(-0.001, 0.123))
    '[−0.01, +0.13]'
    """
    lower, upper = math.floor(round(interval.lower * 100, 9)) / 100, math.ceil(round(interval.upper * 100, 9)) / 100
    return f"[{signed(lower)}, {signed(upper)}]"


def first_problem(error: ValidationError, *, whole: str = "the whole") -> str:
    """Pydantic's first error in one line: the place and the expected value; `whole` names the document.

    >>> from pydantic import TypeAdapter, ValidationError
    >>> try:
    ...     TypeAdapter(dict[str, float]).validate_python({"weight": "heavy"})
    ... except ValidationError as error:
    ...     first_problem(error)
    "'weight': input should be a valid number, unable to parse string as a number"
    """
    result = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(clipped(str(step), LONGEST_NAME) for step in result["loc"])
    text = result["msg"].removeprefix("Value error, ")
    path = f"'{where}'" if where else whole
    return f"{path}: {text[:1].lower()}{clipped(text[1:], 200)}"


def showable(text: str) -> str:
    """The text without characters that control a terminal or the direction of text; tabs and line feeds stay.

    >>> showable("a\\x1b[2J\\n")
    'a\N{REPLACEMENT CHARACTER}[2J\\n'
    """
    return _UNSHOWABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def clipped(text: str, limit: int) -> str:
    """Untrusted text, safe to show: cut to `limit` characters, without those that control a terminal or the direction of text.

    >>> clipped("a\\x1b[2Jb", 10)
    'a\N{REPLACEMENT CHARACTER}[2Jb'
    >>> clipped("abcdef", 4)
    'abcd… (2 more characters)'
    """
    shown = showable(text[:limit])
    rest = len(text) - limit
    return shown if rest <= 0 else f"{shown}… ({count(rest)} more character{'s' if rest > 1 else ''})"


QUOTED: Final = 200
"""Characters quoted of a reply or a reason."""


def quoted_line(text: str) -> str:
    """Other people's text on one line: short, and without characters that control a terminal.

    >>> quoted_line("No,\\n no.")
    'No, no.'
    """
    line = " ".join(text[: 10 * QUOTED].split())
    shown = clipped(line[:QUOTED], QUOTED)
    return f"{shown}…" if len(line) > QUOTED else shown


def marked_material(name: str, text: str) -> str:
    """Material of a prompt between marks; a closing mark inside it is changed.

    >>> print(marked_material("passage", "Rain."))
    <passage>
    Rain.
    </passage>
    """
    closing = f"</{name}"
    return f"<{name}>\n{text.replace(closing, f'< /{name}')}\n{closing}>"


def name_of(forecaster: str) -> str:
    """An untrusted name, safe to show; a long one keeps both ends, since versions are at the end.

    >>> name_of("model" + 90 * "-" + "2024-08-06")
    'model-----------------------------------…---------2024-08-06'
    """
    if len(forecaster) > LONGEST_NAME:
        forecaster = f"{forecaster[: LONGEST_NAME - 20]}…{forecaster[-19:]}"
    return clipped(forecaster, LONGEST_NAME)


def problem_with_name(name: str) -> str:
    """Why a display name is not allowed, with the remedy; empty if it is.

    >>> problem_with_name("Support bot"), problem_with_name("two\\nlines")
    ('', "'two\\\\nlines' is not one line of printable characters: give 1 to 60 such characters")
    """
    if name.strip() == name and 1 <= len(name) <= LONGEST_NAME and name.isprintable():
        return ""
    if len(name) > LONGEST_NAME:
        return f"{name[:40]!a}... has {len(name)} characters: give 1 to {LONGEST_NAME} of them"
    return f"{name!a} is not one line of printable characters: give 1 to {LONGEST_NAME} such characters"


def with_technical(shown: str, technical: str) -> str:
    """The display name, with the recorded name if they differ.

    >>> with_technical("Support bot", "bot:x"), with_technical("bot:x", "bot:x")
    ('Support bot (bot:x)', 'bot:x')
    """
    return shown if shown == technical else f"{shown} ({technical})"


def duration(seconds: float) -> str:
    """A remaining time, rounded as coarsely as it is known.

    >>> duration(8), duration(125), duration(7300)
    ('8 s', '2 min', '2 h 2 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _decimals(value: float) -> int:
    return 1 if value == 0 else max(0, 1 - math.floor(math.log10(abs(value))))


def _plain(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _unit(value: float) -> float:
    return 10.0 ** (math.floor(math.log10(value)) - 1)


def _down(value: float) -> float:
    return 0.0 if value < _NOTHING else math.floor(round(value / _unit(value), 9)) * _unit(value)


def _up(value: float) -> float:
    return 0.0 if value <= 0 else min(1.0, math.ceil(round(value / _unit(value), 9)) * _unit(value))
