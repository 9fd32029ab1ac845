"""What a language model says about a pair, as a chance: from the alternatives of its first token, or from several replies."""

from __future__ import annotations

from math import exp

from vivavoce.generalization.predictors.base import EDGE
from vivavoce.generalization.predictors.few_shot_prompts import FORM
from vivavoce.interview.candidate import Reply


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
        digit = FORM.of_token(token)
        if digit is not None:
            mass[digit] += exp(logarithm)
    if not any(mass.values()):
        return None
    weights = [exp(logarithm) for _, logarithm in reply.first_token]
    unlisted = min(min(weights), max(0.0, 1 - sum(weights)))
    zero, one = (mass[digit] or unlisted for digit in "01")
    return min(max(one / (zero + one), EDGE), 1 - EDGE)


def smoothed(ones: int, read: int) -> float:
    """The chance after this many samples of 1 among those that could be read, by Laplace's rule: never 0 or 1.

    >>> smoothed(5, 5), smoothed(0, 0)
    (0.8571428571428571, 0.5)
    """
    return (ones + 1) / (read + 2)
