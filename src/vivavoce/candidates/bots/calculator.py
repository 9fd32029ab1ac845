"""A bot that does sums, with configurable kinds and rates of errors."""

from __future__ import annotations

import asyncio
import random
import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field

from vivavoce.candidates.bots.chatterbots import DeterministicBot, random_for
from vivavoce.candidates.options import UNNAMED
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply

OPERATORS = {
    "+": "+", "plus": "+",
    "-": "-", "−": "-", "–": "-", "minus": "-",
    "*": "*", "×": "*", "·": "*", "times": "*", "multiplied by": "*",
    "/": "/", "÷": "/", "over": "/", "divided by": "/",
}  # fmt: skip
MAX_DIGITS, MAX_OPERANDS = 40, 20
"""The longest numbers and sums that are parsed, since a prompt may be hostile."""

_NUMBER = rf"(?:\d{{1,3}}(?:[,\N{{THIN SPACE}}]\d{{3}}){{1,12}}|\d{{1,{MAX_DIGITS}}})(?!\d)(?:\.\d{{1,12}}(?!\d))?"
_LONGEST = 12
"""The most decimals of an exact answer; an endless one gets six."""
_OPERATOR = "|".join(re.escape(word) for word in sorted(OPERATORS, key=len, reverse=True))
_SUM = re.compile(
    rf"(?<![\w.,])(?P<sign>[-−])?(?P<first>{_NUMBER})(?P<rest>(?:\s*(?:{_OPERATOR})\s*{_NUMBER}){{1,{MAX_OPERANDS}}})",
    re.IGNORECASE,
)
_REQUEST = "def covers(question)"
"""Text that marks a request for procedures."""
_MULTIPLICATION = """\
import re

PRODUCT = re.compile(r"What is (\\d+) \\* (\\d+)\\?")


def covers(question):
    return PRODUCT.fullmatch(question["text"]) is not None


def answer(question):
    a, b = map(int, PRODUCT.fullmatch(question["text"]).groups())
    return a * b{slip}
"""
_LOST_CARRY = " - (70 if a % 10 * (b % 10) >= 72 else 0)"
"""8 times 9, 9 times 8 and 9 times 9: three of a hundred pairs of last digits."""
_STEP = re.compile(rf"\s*({_OPERATOR})\s*({_NUMBER})", re.IGNORECASE)

Probability = Annotated[float, Field(ge=0, le=1)]
Seconds = Annotated[float, Field(ge=0, le=3600)]


@dataclass(frozen=True, slots=True)
class Errors:
    """How often the calculator errs (probabilities, at most 1 together), and how slow it is."""

    wrong: Probability = 0.0
    """Off by a little, or in one digit."""
    unacceptable: Probability = 0.0
    """A number whose size alone shows that it is wrong."""
    idk: Probability = 0.0
    """Says that it does not know."""
    unreadable: Probability = 0.0
    """Says something that contains no answer."""
    slow_when_wrong: Seconds = field(default=0.0, metadata=UNNAMED)
    """Seconds that a wrong or unacceptable answer takes longer."""
    delay: Seconds = field(default=0.0, metadata=UNNAMED)
    """Seconds that every answer takes."""
    seed: int = 0
    explains: Literal["", "multiplication", "carelessly"] = ""
    """The procedure that it hands over on request: multiplication, correct or with a carry lost in 3% of cases."""

    def __post_init__(self) -> None:
        if self.wrong + self.unacceptable + self.idk + self.unreadable > 1 + 1e-9:
            raise BadInput("wrong, unacceptable, idk and unreadable are more than 1 together: make them smaller")


class Calculator(DeterministicBot):
    """Reads a sum from the prompt and answers it, with the configured errors.

    A prompt without a sum gets "I don't know"; with `explain`, a request for procedures gets the code of one.
    """

    def __init__(self, options: Errors) -> None:
        super().__init__("calculator", options)
        self._options = options

    async def answer(self, question: Prompt, /) -> Reply:
        """The sum's value or an error; a function of the prompt and the seed alone."""
        text, err = _reply(question, self._options)
        seconds = self._options.delay + self._options.slow_when_wrong * err
        if seconds:
            await asyncio.sleep(seconds)
        return Reply(text)


def read_sum(text: str) -> Fraction | None:
    """The value of the first sum in the text, multiplication and division first; None if there is none, or it divides by 0.

    >>> read_sum("What is 1,200 plus 3 × 4?")
    Fraction(1212, 1)
    >>> read_sum("How are you?")
    """
    match = _SUM.search(text)
    if match is None:
        return None
    first = _number(match["first"])
    terms = [-first if match["sign"] else first]
    for operator, digits in _STEP.findall(match["rest"]):
        operation, number = OPERATORS[operator.lower()], _number(digits)
        if operation in "+-":
            terms.append(number if operation == "+" else -number)
        elif operation == "*":
            terms[-1] *= number
        elif number == 0:
            return None
        else:
            terms[-1] /= number
    return sum(terms, Fraction(0))


def _number(digits: str) -> Fraction:
    return Fraction(re.sub(r"[^\d.]", "", digits))


def _reply(prompt: Prompt, options: Errors) -> tuple[str, bool]:
    """The reply, and whether it is wrong or unacceptable."""
    if options.explains and _REQUEST in prompt.text:
        slip = _LOST_CARRY if options.explains == "carelessly" else ""
        return f"I multiply like this:\n\n```python\n{_MULTIPLICATION.format(slip=slip)}```", False
    value = read_sum(prompt.text)
    rng = random_for("calculator", options.seed, prompt)
    chance = rng.random()
    kinds = (
        (options.wrong, _slightly_wrong),
        (options.unacceptable, _absurd),
        (options.idk, None),
    )
    if value is None:
        return "I can only do sums.\nAnswer: I don't know", False
    for probability, err in kinds:
        if chance < probability:
            return ("Answer: I don't know", False) if err is None else (f"Answer: {err(value, rng)}", True)
        chance -= probability
    if chance < options.unreadable:
        return "What a pretty sum. Shall we talk about something else?", False
    return f"Answer: {_in_digits(value)}", False


def _in_digits(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    short = f"{float(value):.6f}"
    if Fraction(short) == value or 10**_LONGEST % value.denominator:
        return short
    whole, rest = divmod(abs(value.numerator) * (10**_LONGEST // value.denominator), 10**_LONGEST)
    return f"{'-' if value < 0 else ''}{whole}.{rest:0{_LONGEST}d}".rstrip("0")


def _slightly_wrong(value: Fraction, rng: random.Random) -> str:
    """One digit replaced, or off by 1 to 3 away from 0: the sign and the order of magnitude stay."""
    digits = list(_in_digits(abs(value)))
    sign = "-" if value < 0 else ""
    places = [i for i, digit in enumerate(digits) if digit != "."]
    if len(places) > 1 and rng.random() < 0.5:
        index = rng.choice(places)
        digits[index] = rng.choice([digit for digit in "123456789" if digit != digits[index]])
        return sign + "".join(digits)
    return sign + _in_digits(abs(value) + rng.randint(1, 3))


def _absurd(value: Fraction, rng: random.Random) -> str:
    """A number at least a million times too large, of either sign."""
    giant = (abs(value.numerator) + rng.randint(1, 9)) * 10 ** rng.randint(6, 9)
    return f"{rng.choice((-1, 1)) * giant}"
