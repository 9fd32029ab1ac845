"""One of lettered options.

What decides is the last explicit statement ("Answer: C", "the correct option is **C**", "(C) is correct"); where there is none,
a last line with a letter alone, then the only letter or option text that stands on a line of its own, then the only letter that
is named. "I" and "A" are also words, and count as letters only where no word follows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_uppercase
from typing import Any, Final

from vivavoce.interview.forms import ending
from vivavoce.interview.forms.form import Reading, Way, answered, unreadable
from vivavoce.interview.forms.last_line import read_last_line
from vivavoce.interview.forms.plain import fold, lines, plain
from vivavoce.interview.forms.statements import (
    DONT_KNOW,
    IGNORANCE,
    NEGATION,
    NOTHING_STATED,
    SEVERAL,
    STATED,
    admits_ignorance,
    last_said,
    statements,
)

NO_OPTION: Final = "names no option that there is"
_WHAT: Final = "the letter of one option"
_LETTER = re.compile(r"[(\[]?(?P<letter>[A-Za-z])(?P<close>[)\]]?)")
_CLOSING = '.,:;!?)]}"'
_REASON = re.compile(r"\s{0,3}(?:(?:because|since)\b|[-–—(])", re.IGNORECASE)
_AND = re.compile(r"\s{0,3}(?:,|/|&|\bor\b|\band\b){1,2}\s{0,3}(?:option\s)?", re.IGNORECASE)
_SEVERAL = re.compile(r"(?:either|both|neither)\b", re.IGNORECASE)
_LEAD_IN = re.compile(
    r"(?:[\s:=,*_–—-]"
    r"|(?:option|choice|letter|therefore|thus|clearly|simply|indeed|definitely|(?:most )?likely|probably)\b){0,12}",
    re.IGNORECASE,
)
_RIGHT = r"is\s{1,2}(?:the\s{1,2})?(?:most\s{1,2})?(?:correct|right|best|answer)\b"
_CALLED_RIGHT = re.compile(_RIGHT)
_IS_RIGHT = re.compile(rf"(?P<before>[^\n.]{{0,30}})(?<![\w'])(?P<said>\(?[A-Z]\)?)\s{{1,2}}{_RIGHT}")
_NAMED = re.compile(
    r"(?<!\w)\((?P<bracketed>[A-Z])\)|^[ \t]{0,4}(?P<listed>[A-Z])[.):]|"
    r"\b(?i:option|choice|choose|pick|select|think|say|guess|go with|it's|it is)\s{1,2}"
    r"(?i:it's\s|it is\s|option\s)?(?P<said>\(?[A-Z])",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class OneOption:
    """The capital letter of one of at most 26 options.

    >>> form = OneOption(("Lyon", "Paris", "Nice"))
    >>> [form.read(r).value for r in ("**(B)**", "The answer is Paris.", "Not A. Final answer: b", "A or B", "D")]
    ['B', 'B', 'B', None, None]
    """

    options: tuple[str, ...]
    dont_know: bool = False
    """Whether the instruction says that ignorance may be admitted; it is read in any case."""

    @property
    def way(self) -> Way:
        """One further turn."""
        return "turn"

    @property
    def instruction(self) -> str:
        """Asks for a last line."""
        return ending.ending(_WHAT, dont_know=self.dont_know)

    @property
    def further(self) -> str:
        """Asks for the letter alone."""
        return ending.further(_WHAT)

    @property
    def schema(self) -> Mapping[str, Any]:
        """One of the letters, or "I don't know"."""
        letters = ascii_uppercase[: len(self.options)]
        return ending.answer_schema({"type": "string", "enum": [*letters, ending.DONT_KNOW]})

    @property
    def schema_instruction(self) -> str:
        """Asks for one field."""
        return ending.schema_ending(_WHAT, dont_know=self.dont_know)

    def read(self, text: str, /) -> Reading[str]:
        """The letter of the option that is stated last, or stands alone."""
        return read_last_line(self, text, lambda own: _choice(own, self.options))

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[str]:
        """The letter in the field."""
        said = fields.get("answer")
        return self.read(said) if isinstance(said, str) else unreadable(NOTHING_STATED)

    def write(self, value: str, /) -> str:
        """The last line that is asked for."""
        return ending.written(value)


def _choice(text: str, options: Sequence[str]) -> Reading[str]:
    if _CALLED_RIGHT.search(text):  # few replies call anything right, and to find what they call so takes long
        text = _IS_RIGHT.sub(_as_statement, text)
    said = last_said(statements(text), lambda statement: _chosen(statement, options))
    return said or _standing_alone(text, options)


def _as_statement(match: re.Match[str]) -> str:
    """ "C is correct" turned into "answer: C", unless it is denied."""
    return match[0] if NEGATION.search(match["before"]) else f"{match['before']}\nAnswer: {match['said']}\n"


def _chosen(statement: str, options: Sequence[str]) -> Reading[str] | None:
    """What "the answer is ..." chooses; unreadable if several options or none of them, None if it says nothing."""
    said = _LEAD_IN.sub("", statement, count=1)
    if _SEVERAL.match(said):
        return unreadable(SEVERAL)
    if found := _letter(said):
        letter, rest = found
        another = (link := _AND.match(rest)) and _letter(rest[link.end() :])
        return unreadable(SEVERAL) if another and another[0] != letter else _reading(letter, options)
    if named := _option_named(said, options) or _option_named(statement, options):
        return _reading(named, options)
    return DONT_KNOW if IGNORANCE.match(said) and not _ignorance_is_an_option(options) else None


def _standing_alone(text: str, options: Sequence[str]) -> Reading[str]:
    """The choice of a reply without an explicit statement."""
    found = lines(text)
    if not found:
        return unreadable(NOTHING_STATED)
    if (last := _letter(found[-1])) and not last[1].strip(_CLOSING + " "):
        return _reading(last[0], options)
    ends = {_option_named(line[:STATED], options) for line in (found[0], found[-1])}
    alone = ({_letter_alone(line[:STATED], options) for line in found} | ends) - {""}
    if not alone and admits_ignorance(text):
        return unreadable(SEVERAL) if _ignorance_is_an_option(options) else DONT_KNOW
    candidates = alone or _letters_named(text)
    if len(candidates) > 1:
        return unreadable(SEVERAL)
    return _reading(candidates.pop(), options) if candidates else unreadable(NOTHING_STATED)


def _reading(letter: str, options: Sequence[str]) -> Reading[str]:
    return answered(letter) if letter in ascii_uppercase[: len(options)] else unreadable(NO_OPTION)


def _letter(text: str) -> tuple[str, str] | None:
    """The letter that a text begins with, and what follows it; None if it begins with a word."""
    if not (m := _LETTER.match(text)):
        return None
    letter, rest = m["letter"], text[m.end() :]
    if rest and not rest[0].isspace() and rest[0] not in _CLOSING + "/&":
        return None
    closed = m["close"] or not rest.strip() or rest[0] in _CLOSING or _REASON.match(rest) or _AND.match(rest)
    return (letter.upper(), rest) if closed or (letter.isupper() and letter not in "AI") else None


def _letter_alone(line: str, options: Sequence[str]) -> str:
    """The letter of a line that holds nothing else, but for its option's text or a reason; empty if there is none."""
    if not (found := _letter(line)):
        return ""
    letter, rest = found
    rest = rest.lstrip(_CLOSING + " -–—\t")
    own = dict(zip(ascii_uppercase, options, strict=False)).get(letter, "")
    return letter if not rest or _REASON.match(rest) or fold(rest) == _folded(own) else ""


def _option_named(text: str, options: Sequence[str]) -> str:
    """The letter of the option whose text a text consists of, or begins with before a stop; empty if there is none."""
    said, named = fold(text), [_folded(option) for option in options]
    fitting = [o for o in named if o and said.startswith(o) and _stops(said[len(o) :], o)]
    longest = max(fitting, key=len, default="")
    return ascii_uppercase[named.index(longest)] if longest and named.count(longest) == 1 else ""


@lru_cache(maxsize=256)
def _folded(option: str) -> str:
    """The text of an option, which many statements are held against."""
    return fold(plain(option))


def _stops(rest: str, option: str) -> bool:
    """Whether an option's text is at an end where `rest` follows; one of three words or more cannot be chance."""
    return not rest or rest[0] in _CLOSING or bool(_REASON.match(rest)) or (rest[0] == " " and option.count(" ") > 1)


def _letters_named(text: str) -> set[str]:
    found = set()
    for m in _NAMED.finditer(text):
        if m["said"] is None:
            found.add(m["bracketed"] or m["listed"])
        elif (named := _letter(text[m.start("said") : m.start("said") + STATED])) and not _denied(text, m.start()):
            found.add(named[0])
    return found


def _denied(text: str, start: int) -> bool:
    """Whether the word just before is a negation, as in "I don't think C"."""
    return bool(NEGATION.search(text[max(0, start - len("cannot ")) : start]))


def _ignorance_is_an_option(options: Sequence[str]) -> bool:
    """Whether an option reads like "I don't know", so that saying so may mean that option."""
    return any(IGNORANCE.search(fold(option)) for option in options)
