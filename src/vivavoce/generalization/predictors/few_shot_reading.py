"""What a language model says of a pair, as a chance: from the alternatives of its first token, or from its text."""

from __future__ import annotations

import re
from math import exp
from typing import Final

from vivavoce.generalization.predictors.base import EDGE
from vivavoce.interview.candidate import NoAnswer, Reply

_DIGIT: Final = re.compile(r"[\W_]*([01])[\W_]*")
_LONGEST: Final = 2_000
"""Characters of a reply that are looked at."""


def read_weights(reply: Reply) -> float | None:
    """The chance of a 1, exact up to what the server does not list; None where neither digit is listed.

    Tokens count as a digit with blanks and marks around it (` 1`, `1.`). Where one digit is listed alone, the other has at most
    the weight of the least likely alternative, and at most what is left; it is given the smaller of both.

    >>> from math import log
    >>> round(read_weights(Reply("1", first_token=(("1", log(0.5)), (" 1", log(0.1)), ("0", log(0.2)), ("No", log(0.1))))), 3)
    0.75
    >>> round(read_weights(Reply("1", first_token=(("1", log(0.9)), ("Yes", log(0.06))))), 3)  # 0.9 / (0.9 + 0.04)
    0.957
    """
    mass = {"0": 0.0, "1": 0.0}
    for token, logarithm in reply.first_token:
        digit = _DIGIT.fullmatch(token)
        if digit:
            mass[digit[1]] += exp(logarithm)
    if not any(mass.values()):
        return None
    weights = [exp(logarithm) for _, logarithm in reply.first_token]
    unlisted = min(min(weights), max(0.0, 1 - sum(weights)))
    zero, one = (mass[digit] or unlisted for digit in "01")
    return min(max(one / (zero + one), EDGE), 1 - EDGE)


def read_digit(answer: Reply | NoAnswer) -> bool | None:
    """What a sampled reply predicts: that the belief changes, that it does not, or nothing that can be read.

    A reply is read where it is one of the digits with marks around it, or where the only digits in it are that one.

    >>> [read_digit(Reply(text)) for text in ("1", " 0.", "Answer: 1", "10", "0 or 1", "no change")]
    [True, False, True, None, None, None]
    """
    if isinstance(answer, NoAnswer):
        return None
    numbers = set(re.findall(r"\d+", answer.text[:_LONGEST]))
    return numbers == {"1"} if numbers in ({"0"}, {"1"}) else None


def smoothed(ones: int, read: int) -> float:
    """The chance after so many samples of 1 among those that could be read, by Laplace's rule: never 0 or 1.

    >>> smoothed(5, 5), smoothed(0, 0)
    (0.8571428571428571, 0.5)
    """
    return (ones + 1) / (read + 2)
