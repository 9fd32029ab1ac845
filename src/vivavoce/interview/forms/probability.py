"""Forms for probabilities and quantities, and the figures that a reply states for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from vivavoce.formats.numbers import as_number
from vivavoce.interview.forms import ending, number_context
from vivavoce.interview.forms.ending import up_to_each_turn
from vivavoce.interview.forms.form import (
    DONT_KNOW,
    IGNORANCE,
    READ,
    ParsedReply,
    ReplyFormat,
    admits_ignorance,
    answered,
    closed,
    last_said,
    statements,
    unreadable,
)
from vivavoce.interview.forms.form import SEVERAL as SEVERAL_STATED
from vivavoce.interview.forms.plain import before_tokens, normalized, plain
from vivavoce.interview.forms.spelled_numbers import rewritten
from vivavoce.interview.forms.written_number import number_in

NOT_STATED: Final = "no stated answer"
RANGE: Final = "a range"
SEVERAL: Final = "several numbers"
NO_NUMBER: Final = "no plain number"
OUT_OF_RANGE: Final = "not between 0 and 1"
UNCLEAR: Final = "unclear words after the number"
PROBLEMS: Final = (NOT_STATED, RANGE, SEVERAL, NO_NUMBER, OUT_OF_RANGE, UNCLEAR)
"""Reasons why no number can be read, in their order of report."""

LONGEST_STATEMENT: Final = 200
"""Most characters of a statement; a number with its unit is shorter."""
LONGEST_REASONING: Final = 2_000
"""Most characters of the reasoning under a schema; cutting it would cost the answer."""
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
_DENIES = re.compile(r"\b(?:not|no|never|against|false|fails?|\w+n't)\b", re.IGNORECASE)
"""A number with such a word may be the probability of the opposite."""
_ABOUT = re.compile(r"^(?:about|around|roughly|approximately|approx\.|~|≈)[ ]?(?=[-+.0-9])", re.IGNORECASE)
_AROUND = "*_`\"'“” \t"


def read_stated(text: str, instructions: Sequence[str], read: Callable[[str], ParsedReply[float]]) -> ParsedReply[float]:
    """The statement of a reply before any turn that it invents, read by `read`, without repeated instructions."""
    text = before_tokens(text[-READ:]).rstrip()
    parts = up_to_each_turn(ending.own_words(text, *instructions))
    words = next((words for part in parts if (words := statement(part))), "")
    if not words:
        return unreadable(NOT_STATED)
    reading = read(words) if len(words) <= LONGEST_STATEMENT else unreadable(NO_NUMBER)
    if reading.value is None:
        return reading
    return answered(reading.value, strict=to_the_letter(text, words))


def statement(text: str) -> str:
    """The stated answer, or empty: after the marker, or on a last line that has or names one number alone.

    The last of several markers counts if it is on the requested last line, or if all state the same.

    >>> statement("It is likely.\\nAnswer: 80%\\nI hope this helps."), statement("0.2 or 0.3?\\n**0.25**")
    ('80%', '0.25')
    >>> statement("The probability is 30%"), statement("The probability that it does not happen is 70%")
    ('30%', '')
    """
    lines = [line for line in _LINE_END.split(text) if line.strip()]
    marked = _marked(lines)
    if marked:
        where, words = marked[-1]
        return words if where == len(lines) - 1 or len({other for _, other in marked}) == 1 else ""
    last = lines[-1] if lines else ""
    named = list(_NAMED.finditer(last))
    if named and _DENIES.search(named[-1][0]):
        return ""
    if not named:
        return bare(last) if len(last) <= LONGEST_STATEMENT and A_FIGURE.match(bare(last)) else ""
    return bare(last[named[-1].end() :]) if len(A_FIGURE.findall(last)) == 1 else ""


def bare(statement: str) -> str:
    """A statement without emphasis around it, a full stop at its end, and a word that calls it rough.

    >>> bare(" **0.5**."), bare("about 30%")
    ('0.5', '30%')
    """
    statement = statement.strip(_AROUND).removeprefix(":").strip(_AROUND).removesuffix(".").strip(_AROUND).replace("−", "-")
    return _ABOUT.sub("", statement)


def to_the_letter(text: str, statement: str) -> bool:
    """Whether a reply ends with the requested line, which has only a figure.

    >>> to_the_letter("Likely.\\nAnswer: 0.80", "0.80"), to_the_letter("[Answer] 0.8", "0.8")
    (True, False)
    """
    return text.rsplit("\n", 1)[-1] == ending.written(statement) and _PLAIN.fullmatch(statement) is not None


def digits(figure: str) -> float:
    """A figure as a number."""
    return float(plain_digits(figure))


def plain_digits(figure: str) -> str:
    """A figure without thousands separators."""
    return re.sub(f"[,{SPACE}]", "", figure)


def _marked(lines: list[str]) -> list[tuple[int, str]]:
    """The text after each marker, with its line; the next line if there is none."""
    result = []
    for index, line in enumerate(lines):
        markers = list(_MARKER.finditer(line))
        for number, marker in enumerate(markers):
            end = markers[number + 1].start() if number + 1 < len(markers) else len(line)
            text = bare(line[marker.end() : end])
            where = index
            if not text and marker is markers[-1] and index + 1 < len(lines):
                where, text = index + 1, bare(lines[index + 1])
            result.append((where, text))
    return result


_WHAT: Final = "the probability in per cent"
_ONE: Final = "1 without a sign: certain, or one per cent"
SMALL: Final = 1e-9
"""Smaller probabilities are written with a power of ten."""
_SAID = re.compile(
    rf"(?P<number>[-+]?{FIGURE})(?P<percent>[ ]?(?:%|percent\b|per cent\b))?[*_`]{{0,4}}"
    r"(?:[.,;:!]?(?:\s|$)(?![0-9]).{0,200})?",
    re.IGNORECASE | re.DOTALL,
)
"""A number, and perhaps words after it."""
_SAME_AGAIN = re.compile(rf"(?P<number>{FIGURE})\s?\(?(?:or|=|i\.e\.,?)?\s?\(?(?P<percent>{FIGURE})[ ]?%\)?", re.IGNORECASE)
_MORE = re.compile(r"\b(?:or|to|plus|minus|out of|in|times|hundred|thousand|(?:m|b|tr)illion)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Probability:
    """A probability, never a range.

    A number without a sign is a probability below 1, and per cent where it is a whole number above 1; `1` may be either.

    >>> form = Probability()
    >>> [form.read(reply).value for reply in ("Likely.\\nAnswer: 80%", "[Answer] 0.3", "Answer: 45", "Answer: 1", "30-50%")]
    [0.8, 0.3, 0.45, None, None]
    """

    way: ReplyFormat = "turn"

    @property
    def instruction(self) -> str:
        return ending.ending(_WHAT, dont_know=False)

    @property
    def further(self) -> str:
        return ending.further(_WHAT)

    @property
    def schema(self) -> Mapping[str, Any]:
        """The reasoning first, so that the number can rest on it."""
        return reasoned("per_cent", {"type": "number", "minimum": 0, "maximum": 100})

    @property
    def schema_instruction(self) -> str:
        """The last paragraph of the prompt if the server enforces the schema."""
        return f'Reply in JSON: your "reasoning" first, then as "per_cent" {_WHAT}.'

    def write(self, value: float, /) -> str:
        per_cent = Decimal(repr(float(value))).scaleb(2)
        return ending.written(f"{per_cent:f}%" if value > SMALL or not value else f"{per_cent}%")

    def read(self, text: str, /) -> ParsedReply[float]:
        return read_stated(text, (self.instruction, self.further, self.schema_instruction), _read_statement)

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[float]:
        """The number under the schema, which may be written as a string."""
        text = fields.get("per_cent")
        if isinstance(text, str):
            return _read_statement(bare(text[:LONGEST_STATEMENT]))
        per_cent = ending.digits(text)
        if not per_cent:
            return unreadable(NO_NUMBER)
        return _between(Decimal(per_cent) / 100, strict=True)


def reasoned(name: str, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """JSON Schema of an answer after its reasoning."""
    return closed({"reasoning": {"type": "string", "maxLength": LONGEST_REASONING}, name: answer})


def _read_statement(text: str) -> ParsedReply[float]:
    if (twice := _SAME_AGAIN.fullmatch(text)) and abs(digits(twice["number"]) - digits(twice["percent"]) / 100) < 1e-9:
        text = twice["number"]
    if A_RANGE.search(text):
        return unreadable(RANGE)
    match = _SAID.fullmatch(text)
    numbers = A_FIGURE.findall(text)
    if match is None or len(numbers) > 1 or _MORE.search(text):
        return unreadable(SEVERAL if len(numbers) > 1 else NO_NUMBER)
    if _DENIES.search(re.split(r"[.,;:\n]", text[match.end("percent") if match["percent"] else match.end("number") :])[0]):
        return unreadable(UNCLEAR)
    value = Decimal(plain_digits(match["number"]))
    if match["percent"] or (value > 1 and value == value.to_integral_value()):
        return _between(value / 100)
    return unreadable(_ONE) if match["number"] == "1" else _between(value)


def _between(value: Decimal, *, strict: bool = False) -> ParsedReply[float]:
    return answered(float(value), strict=strict) if 0 <= value <= 1 else unreadable(OUT_OF_RANGE)


_ASKED: Final = Probability()
_FIELD: Final = "per_cent"


@dataclass(frozen=True, slots=True)
class ProbabilityIfKnown:
    """A probability like `Probability`, in digits from 0 to 1, with "I don't know" as another outcome.

    >>> form = ProbabilityIfKnown()
    >>> [form.read(reply).value for reply in ("Answer: 70%", "Answer: 0.25", "Answer: 20% or 30%")]
    ['0.7', '0.25', None]
    >>> form.read("Answer: I don't know").outcome
    <Outcome.DONT_KNOW: "I don't know">
    """

    dont_know: bool = False
    """Whether the instruction allows an admission of ignorance; it is read in any case."""

    @property
    def way(self) -> ReplyFormat:
        return _ASKED.way

    @property
    def instruction(self) -> str:
        return self._admitting(_ASKED.instruction)

    @property
    def further(self) -> str:
        return _ASKED.further

    @property
    def schema(self) -> Mapping[str, Any]:
        """The same, or "I don't know" instead of the number."""
        properties = _ASKED.schema["properties"]
        unknown = {"type": "string", "enum": [ending.DONT_KNOW]}
        return {**_ASKED.schema, "properties": {**properties, _FIELD: {"anyOf": [properties[_FIELD], unknown]}}}

    @property
    def schema_instruction(self) -> str:
        return self._admitting(_ASKED.schema_instruction)

    def read(self, text: str, /) -> ParsedReply[str]:
        reading = _ASKED.read(text)
        if reading.value is not None or reading.problem not in (NOT_STATED, NO_NUMBER):
            return _in_digits(reading)
        own = ending.own_words(plain(text[-READ:]), self.instruction, self.further, self.schema_instruction)
        stated = last_said(statements(own), lambda statement: DONT_KNOW if IGNORANCE.match(statement) else None)
        return DONT_KNOW if stated or admits_ignorance(own) else _in_digits(reading)

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[str]:
        """The number in the field, which may be written as a string."""
        text = fields.get(_FIELD)
        return DONT_KNOW if isinstance(text, str) and IGNORANCE.match(text) else _in_digits(_ASKED.read_fields(fields))

    def write(self, value: str, /) -> str:
        return _ASKED.write(float(value))

    def _admitting(self, asked: str) -> str:
        return f"{asked}\n{ending.ADMIT}" if self.dont_know else asked


def _in_digits(reading: ParsedReply[float]) -> ParsedReply[str]:
    if reading.value is None:
        return ParsedReply(reading.outcome, problem=reading.problem)
    return answered(repr(reading.value), strict=reading.strict)


LARGEST: Final = 1e150
"""Squares of larger numbers overflow."""
_QUANTITY: Final = "one number in plain digits"
_PROBLEMS: Final = {number_context.UNCLEAR: UNCLEAR, number_context.BOUND: RANGE, SEVERAL_STATED: SEVERAL}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with or without thousands separators, a sign, a power of ten, a word of size, a currency, and a unit.

    The unit is not looked at: `9.58 seconds`, `1,200 people`, `45%` as 45. Decimal commas, clock times, abbreviations that may
    be a unit or a size (`8M`), and numbers beyond 1e150 are not read.

    >>> [Quantity().read(f"Answer: {amount}").value for amount in ("9.58 seconds", "3 million", "3M", "5 to 10")]
    [9.58, 3000000.0, None, None]
    """

    way: ReplyFormat = "turn"

    @property
    def instruction(self) -> str:
        return ending.ending(_QUANTITY, dont_know=False)

    @property
    def further(self) -> str:
        return ending.further(_QUANTITY)

    @property
    def schema(self) -> Mapping[str, Any]:
        """The reasoning first, so that the number can rest on it."""
        return reasoned("answer", {"type": "number"})

    @property
    def schema_instruction(self) -> str:
        """The last paragraph of the prompt if the server enforces the schema."""
        return f'Reply in JSON: your "reasoning" first, then as "answer" {_QUANTITY}.'

    def write(self, value: float, /) -> str:
        return ending.written(repr(float(value)))

    def read(self, text: str, /) -> ParsedReply[float]:
        return read_stated(text, (self.instruction, self.further, self.schema_instruction), _read_quantity)

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[float]:
        """The number under the schema, which may be written as a string."""
        text = fields.get("answer")
        if isinstance(text, bool) or not isinstance(text, int | float | str):
            return unreadable(NO_NUMBER)
        if isinstance(text, str):
            return _read_quantity(bare(text[:LONGEST_STATEMENT]))
        return answered(float(text), strict=True) if abs(text) <= LARGEST else unreadable(NO_NUMBER)


def _read_quantity(text: str) -> ParsedReply[float]:
    if A_RANGE.search(text):
        return unreadable(RANGE)
    number, problem = number_in(rewritten(normalized(text)))
    if problem:
        return unreadable(_PROBLEMS.get(problem, NO_NUMBER))
    value = as_number(number)
    return answered(float(value)) if value is not None and abs(value) <= LARGEST else unreadable(NO_NUMBER)
