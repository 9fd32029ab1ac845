"""What forms of one forecast number share: where it is stated, how figures are written, and why there may be none."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from vivavoce.interview.forms import ending
from vivavoce.interview.forms.form import READ, Reading, answered, unreadable
from vivavoce.interview.forms.last_line import up_to_each_turn
from vivavoce.interview.forms.plain import before_tokens

NOT_STATED: Final = "no stated answer"
RANGE: Final = "a range"
SEVERAL: Final = "several numbers"
NO_NUMBER: Final = "no plain number"
OUT_OF_RANGE: Final = "not between 0 and 1"
UNCLEAR: Final = "unclear words after the number"
PROBLEMS: Final = (NOT_STATED, RANGE, SEVERAL, NO_NUMBER, OUT_OF_RANGE, UNCLEAR)
"""Why no number can be read, in the order in which they are told."""

LONGEST_STATEMENT: Final = 200
"""How long what is stated may be; a number with its unit is shorter."""
LONGEST_REASONING: Final = 2_000
"""Characters of the reasoning under a schema: a bound that cuts it costs the answer."""
SPACE: Final = "\u00a0\u2009\u202f"
_DIGITS = rf"(?:[0-9]{{1,3}}(?:,[0-9]{{3}}){{1,20}}|[0-9]{{1,3}}(?:[{SPACE}][0-9]{{3}}){{1,20}}|[0-9]{{1,100}})"
FIGURE: Final = rf"(?:{_DIGITS}(?:\.[0-9]{{0,100}})?|\.[0-9]{{1,100}})(?:[eE][-+]?[0-9]{{1,3}})?"
_PLAIN = re.compile(rf"-?{FIGURE}%?")
A_FIGURE: Final = re.compile(rf"(?<![0-9a-zA-Z,.:]){FIGURE}")
A_RANGE: Final = re.compile(
    rf"(?<![0-9.]){FIGURE}[ ]?%?[ ]?(?:[-–—~…]|\.\.|\b(?:to|and|or)\b)[ ]?[-+]?[.0-9]"
    rf"|[\[(]{FIGURE}[,;][ ]?{FIGURE}[\])]"
    r"|\b(?:between|(?:less|more|lower|higher|greater|fewer) than|at (?:least|most)|up to)\b|\+/-|±|^[<>≤≥]",
    re.IGNORECASE,
)
_MARKER = re.compile(
    r"\[(?:final[ ])?answer\][*_`]{0,4}[ \t]{0,4}:?"
    r"|\b(?:final[ ])?answer[*_`]{0,4}(?:[ \t]{0,4}[:=]|[ ]is\b[ \t]{0,4}:?)",
    re.IGNORECASE,
)
_LINE_END = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_NAMED = re.compile(
    r"\b(?:probability|likelihood|estimate|forecast|prediction|chances?|settle|conclude|say)\b[^.\n]{0,80}?"
    r"[ ](?:is|at|on|of|be|say|as)[ *_`:]{1,6}(?:(?:about|around|roughly|approximately)[ ])?(?=[0-9.~])"
    r"|\b(?:probability|likelihood|estimate|forecast|prediction)[*_`]{0,4}[ ]?[:=]",
    re.IGNORECASE,
)
"""How a last line may name its number without the word "answer"."""
_ABOUT = re.compile(r"^(?:about|around|roughly|approximately|approx\.|~|≈)[ ]?(?=[-+.0-9])", re.IGNORECASE)
_AROUND = "*_`\"'“” \t"


def read_stated(text: str, instructions: Sequence[str], read: Callable[[str], Reading[float]]) -> Reading[float]:
    """What a reply states before any turn that it invents, read by `read`, whatever it says back of the instructions."""
    text = before_tokens(text[-READ:]).rstrip()
    parts = up_to_each_turn(ending.own_words(text, *instructions))
    said = next((said for part in parts if (said := statement(part))), "")
    if not said:
        return unreadable(NOT_STATED)
    reading = read(said) if len(said) <= LONGEST_STATEMENT else unreadable(NO_NUMBER)
    if reading.value is None:
        return reading
    return answered(reading.value, strict=to_the_letter(text, said))


def statement(text: str) -> str:
    """What is stated as the answer, or nothing: behind the marker, or on a last line that holds or names one number alone.

    Of several markers the last one counts if it stands on the last line, as was asked for, or if all state the same.

    >>> statement("It is likely.\\nAnswer: 80%\\nI hope this helps."), statement("0.2 or 0.3?\\n**0.25**")
    ('80%', '0.25')
    """
    lines = [line for line in _LINE_END.split(text) if line.strip()]
    marked = _marked(lines)
    if marked:
        where, said = marked[-1]
        return said if where == len(lines) - 1 or len({other for _, other in marked}) == 1 else ""
    last = lines[-1] if lines else ""
    named = list(_NAMED.finditer(last))
    if not named:
        return bare(last) if len(last) <= LONGEST_STATEMENT and A_FIGURE.match(bare(last)) else ""
    return bare(last[named[-1].end() :]) if len(A_FIGURE.findall(last)) == 1 else ""


def bare(said: str) -> str:
    """A statement without emphasis around it, a full stop at its end, and a word that calls it rough.

    >>> bare(" **0.5**."), bare("about 30%")
    ('0.5', '30%')
    """
    said = said.strip(_AROUND).removeprefix(":").strip(_AROUND).removesuffix(".").strip(_AROUND).replace("−", "-")
    return _ABOUT.sub("", said)


def to_the_letter(text: str, said: str) -> bool:
    """Whether a reply ends with the line that is asked for, and with nothing but a figure on it.

    >>> to_the_letter("Likely.\\nAnswer: 0.80", "0.80"), to_the_letter("[Answer] 0.8", "0.8")
    (True, False)
    """
    return text.rsplit("\n", 1)[-1] == ending.written(said) and _PLAIN.fullmatch(said) is not None


def digits(said: str) -> float:
    """A figure as a number."""
    return float(plain_digits(said))


def plain_digits(said: str) -> str:
    """A figure without thousands separators."""
    return re.sub(f"[,{SPACE}]", "", said)


def _marked(lines: list[str]) -> list[tuple[int, str]]:
    """What stands behind each marker, with its line; where nothing does, the next line does."""
    found = []
    for place, line in enumerate(lines):
        markers = list(_MARKER.finditer(line))
        for number, marker in enumerate(markers):
            end = markers[number + 1].start() if number + 1 < len(markers) else len(line)
            said = bare(line[marker.end() : end])
            where = place
            if not said and marker is markers[-1] and place + 1 < len(lines):
                where, said = place + 1, bare(lines[place + 1])
            found.append((where, said))
    return found
