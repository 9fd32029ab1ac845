"""What the first token of a reply might have been, as a server tells it: bounded, and none of its shape taken for granted."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from math import isfinite
from typing import Any

from vivavoce.candidates.text import as_unicode, without_key

MOST = 100
"""Alternatives that are read; servers tell 20 at most."""
_LONGEST = 200
"""Characters; what is longer is no token."""
_ROUNDING = 1e-3
"""By so much may a log-probability lie above 0."""


def alternatives(told: Iterable[tuple[Any, Any]], *keys: str) -> tuple[tuple[str, float], ...]:
    """Tokens with their natural log-probabilities, as far as they make sense; of a token that is told twice, the first.

    Parameters
    ----------
    told: token and log-probability, the most likely first.
    keys: are cut out of tokens.

    >>> alternatives([("1", -0.1), (" 0", -2.5), ("x", float("nan")), (7, -1.0), ("1", -9.0)])
    (('1', -0.1), (' 0', -2.5))
    """
    found: dict[str, float] = {}
    for token, logarithm in islice(told, MOST):
        if isinstance(token, str) and len(token) <= _LONGEST and _is_logarithm(logarithm):
            found.setdefault(as_unicode(without_key(token, *keys)), min(0.0, float(logarithm)))
    return tuple(found.items())


def _is_logarithm(value: Any) -> bool:
    """Whether it can be the logarithm of a probability: a finite number (no truth value) not above 0, but for rounding."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return isfinite(float(value)) and float(value) <= _ROUNDING
    except OverflowError:
        return False
