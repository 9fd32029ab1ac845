"""Reading what candidates write: a number, a text, "I don't know", or nothing that can be read; letters are in `choice`.

The last explicit statement decides ("The answer is 42.", "Answer: 42", a boxed 42); where there is none, what stands alone
does: the last or the first line, or the only candidate. Two candidates without a decision and refusals are unreadable, and are
never guessed at. Only the last `READ` characters of a reply are looked at, by patterns whose repetitions are bounded, so
a hostile reply costs no more time than a long one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from vivavoce.interview.forms.form import Outcome

READ = 20_000
"""How many characters at the end of a reply are looked at."""
STATED = 2_000
"""How many characters of a statement are looked at."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply was taken to say."""

    outcome: Outcome
    value: str = ""
    """A letter, a number in plain digits, or a text; empty unless `outcome` is `ANSWER`."""


UNREADABLE = Reading(Outcome.UNREADABLE)
DONT_KNOW = Reading(Outcome.DONT_KNOW)

_LATEX_TEXT = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mathit|rm|bf)\s{0,2}\{([^{}]{0,300})\}")
_BOXED = re.compile(r"\\(?:boxed|fbox)\s{0,2}\{([^{}]{0,300})\}")
_NOISE = re.compile(r"\*\*|`|\$|\\[()\[\],!;]|^[ \t]{0,4}\"", re.MULTILINE)
_SPACED_THOUSANDS = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3})")
_BEST = r"(?:correct|right|best|final|chosen|my)\s{1,2}(?:option|choice|one|selection)"
_LINK = r"\b(?P<between>[^\n.:=?!\"]{0,60}?)(?::|=|\bis\b|\b(?:would|must|should|will|has to)\s{1,2}be\b)"
ANSWER_IS = re.compile(rf"(?<![\"\w])(?:answer|{_BEST}){_LINK}", re.IGNORECASE)
_NUMBER_IS = re.compile(
    rf"(?<![\"\w])(?:answer|result|solution|sum|total|difference|product|quotient|remainder|{_BEST}){_LINK}", re.IGNORECASE
)
NEGATION = re.compile(r"\b(?:not|never|neither|cannot|wrong|incorrect)\b|n't\b", re.IGNORECASE)
IGNORANCE = re.compile(
    r"(?:(?:sorry|honestly|unfortunately),? )?"
    r"(?:(?:i )?(?:do not|don't|dont) know|idk|(?:i have )?no idea|(?:i'm |i am )?(?:not sure|unsure)"
    r"|(?:i |it )?(?:cannot|can't|can not) (?:be )?determined?)\b(?!,? (?:but|though|however)\b)",
    re.IGNORECASE,
)
_ADMISSION = re.compile(rf"(?:^[ \t]{{0,4}}|[.!?][ \t]{{1,2}}){IGNORANCE.pattern}", re.IGNORECASE | re.MULTILINE)
_NUMBER = re.compile(
    r"(?<![\w.,)])(?:[-+]\s?)?(?:(?:\d{1,3}(?:,\d{3}){1,30}|\d{1,100})(?:\.\d{1,100})?|\.\d{1,100})(?:[eE][-+]?\d{1,3})?"
    r"(?!\w|[.,]\d)"
)
_END_OF_NUMBER = re.compile(r"[.;!?](?:\s|$)|,\s(?!\d)|\b(?:because|since)\b|\s\((?=[a-z])", re.IGNORECASE)
_AROUND = " \t\r\n.,:;!?*_`\"'"


def read_number(reply: str) -> Reading:
    """The number that a reply gives as its answer, in plain digits.

    >>> [read_number(r).value for r in ("The result is 1,234.", "x = 12 + 30 = 42", "-17", "12 or 13")]
    ['1234', '42', '-17', '']
    """
    text = plain(reply)
    if said := last_said(statements(text, _NUMBER_IS), _number_in):
        return said
    for line in lines(text)[:-2:-1] + lines(text)[:1]:
        if _NUMBER.fullmatch(line.strip(_AROUND)) or "=" in line:
            return _number_in(line) or UNREADABLE
    if admits_ignorance(text):
        return DONT_KNOW
    found = {as_number(m[0]): m[0] for m in _NUMBER.finditer(text)}
    return _number_in(found.popitem()[1]) or UNREADABLE if len(found) == 1 else UNREADABLE


def read_text(reply: str) -> Reading:
    """The text that a reply gives as its answer: what follows the last statement, or a reply of one line.

    >>> [read_text(r).value for r in ("**Answer: Marie Curie.**", "It was her. The answer is Marie Curie.", "one\\ntwo")]
    ['Marie Curie', 'Marie Curie', '']
    """
    text = plain(reply)
    if said := last_said(statements(text, ANSWER_IS), _text_in):
        return said
    found = lines(text)
    return _text_in(found[0]) or UNREADABLE if len(found) == 1 else UNREADABLE


def as_number(text: str) -> Decimal | None:
    """The exact value of a number as people write it (sign, thousands' commas, decimals, exponent); None if it is none.

    >>> as_number("-1,234.50") == Decimal("-1234.5"), as_number("a dozen")
    (True, None)
    """
    text = text.strip().replace("−", "-")
    return Decimal(re.sub(r"[,\s]", "", text)) if text.isascii() and _NUMBER.fullmatch(text) else None


def fold(text: str) -> str:
    """A text as it is compared: case, white space, marks around it and the shape of apostrophes do not matter.

    >>> fold(' **Marie  Curie.** ') == fold("marie curie")
    True
    """
    flat = " ".join(text.casefold().replace("’", "'").split())
    return flat.strip(_AROUND) or flat


def plain(reply: str) -> str:
    """The end of a reply without markdown and LaTeX; a boxed answer becomes a statement on a line of its own."""
    text = reply[-READ:].replace("’", "'").replace("：", ":").replace("−", "-").replace("{,}", ",")
    text = _BOXED.sub(r"\nAnswer: \1\n", _LATEX_TEXT.sub(r"\1", text))
    return _SPACED_THOUSANDS.sub(",", _NOISE.sub("", text))


def lines(text: str) -> list[str]:
    """The lines that are not empty, without white space and emphasis around them."""
    stripped = (line.strip().strip("*_").strip() for line in text.splitlines())
    return [line for line in stripped if line]


def statements(text: str, marker: re.Pattern[str]) -> list[str]:
    """What explicit statements say, in order: the rest of the line, or the next line where that is empty."""
    found = []
    for m in marker.finditer(text):
        if not NEGATION.search(m["between"]):
            rest = text[m.end() : m.end() + STATED].lstrip(" \t\r\n:*_")
            found.append(rest.split("\n", 1)[0].strip())
    return found


def last_said(said: list[str], read: Callable[[str], Reading | None]) -> Reading | None:
    """How the last statement that says anything is read; None if none does."""
    return next((reading for statement in reversed(said) if (reading := read(statement))), None)


def admits_ignorance(text: str) -> bool:
    """Whether a sentence begins with "I don't know" or its like, and does not go on with "but"."""
    return bool(_ADMISSION.search(text))


def _number_in(statement: str) -> Reading | None:
    """The only number up to the end of the clause, or after its last "="; unreadable if there are several."""
    if IGNORANCE.match(statement):
        return DONT_KNOW
    clause = _END_OF_NUMBER.split(statement.lstrip(" ("), maxsplit=1)[0].rpartition("=")[2]
    found = [m[0] for m in _NUMBER.finditer(clause)]
    if not found:
        return None
    # "- 17" may be a list item or minus seventeen.
    if len(found) > 1 or re.search(r"\s", found[0]):
        return UNREADABLE
    return Reading(Outcome.ANSWER, found[0].replace(",", "").removeprefix("+"))


def _text_in(statement: str) -> Reading | None:
    if IGNORANCE.match(statement):
        return DONT_KNOW
    text = statement.strip(_AROUND) or statement.strip()
    return Reading(Outcome.ANSWER, text) if text else None
