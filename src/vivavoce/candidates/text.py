"""Cleans text from outside before it is kept: valid Unicode, without keys, bounded; also steps and first tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from math import isfinite
from typing import Any

from vivavoce.interview.candidate import Step, kept_steps

SHORTEST_SECRET = 8
"""Keys below this length are place-holders (`EMPTY`, `none`), not secrets; cutting them out would mutilate answers."""


def as_unicode(text: str) -> str:
    r"""The text with each unpaired surrogate replaced by U+FFFD.

    JSON can carry unpaired surrogates (`"\ud83d"`); UTF-8 and databases cannot.

    >>> as_unicode("cut emoji: \ud83d")
    'cut emoji: \ufffd'
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def shortened(text: str, limit: int = 200) -> str:
    r"""The text on one line, without control characters, of at most `limit` characters.

    >>> shortened("a\n\n  b\x1b[31m", 40)
    'a b[31m'
    """
    line = " ".join("".join(c for c in as_unicode(text[: 10 * limit]) if c.isprintable() or c.isspace()).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def without_key(text: str, *keys: str) -> str:
    """The text without the keys. The longest key goes first, because one key can contain another.

    >>> without_key("wrong key: sk-0123456789", "sk-0123456789")
    'wrong key: [key]'
    """
    for key in sorted(keys, key=len, reverse=True):
        if len(key) >= SHORTEST_SECRET:
            text = text.replace(key, "[key]")
    return text


def quoted(text: str, *keys: str) -> str:
    """Text from the other side for a message: short and without keys.

    Keys are removed twice: before shortening could split one, and again after control characters inside one are gone.
    """
    return without_key(shortened(without_key(text, *keys)), *keys)


def clean_steps(steps: Sequence[Step], *keys: str) -> tuple[Step, ...]:
    """The steps, limited in number and length to what a record keeps.

    keys: removed before anything is shortened, so that no part of a key is left.

    >>> [step.result for step in clean_steps([Step(tool="env", result="KEY=sk-0123456789")], "sk-0123456789")]
    ['KEY=[key]']
    """
    return kept_steps([_clean(step, keys) for step in steps])


def _clean(step: Step, keys: tuple[str, ...]) -> Step:
    def clean(text: str) -> str:
        return as_unicode(without_key(text, *keys))

    return replace(
        step,
        said=clean(step.said),
        tool=clean(step.tool),
        arguments=clean(step.arguments),
        result=clean(step.result),
        error=clean(step.error),
        seconds=step.seconds if isfinite(step.seconds) and step.seconds > 0 else 0.0,
    )


MOST = 100
"""Alternatives that are read; servers send 20 at most."""
_LONGEST = 200
"""Characters; anything longer is not a token."""
_ROUNDING = 1e-3
"""Tolerance for log-probabilities above 0."""


def alternatives(tokens: Iterable[tuple[Any, Any]], *keys: str) -> tuple[tuple[str, float], ...]:
    """The valid tokens with their natural log-probabilities. If a token appears twice, the first counts.

    Parameters
    ----------
    tokens: token and log-probability, the most likely first.
    keys: are cut out of tokens.

    >>> alternatives([("1", -0.1), (" 0", -2.5), ("x", float("nan")), (7, -1.0), ("1", -9.0)])
    (('1', -0.1), (' 0', -2.5))
    """
    values: dict[str, float] = {}
    for token, logarithm in islice(tokens, MOST):
        if isinstance(token, str) and len(token) <= _LONGEST and _is_logarithm(logarithm):
            values.setdefault(as_unicode(without_key(token, *keys)), min(0.0, float(logarithm)))
    return tuple(values.items())


def _is_logarithm(value: Any) -> bool:
    """Whether it can be the logarithm of a probability: a finite number (no truth value) not above 0, but for rounding."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return isfinite(float(value)) and float(value) <= _ROUNDING
    except OverflowError:
        return False
