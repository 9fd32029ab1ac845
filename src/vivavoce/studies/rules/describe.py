"""Describe inputs and outputs in words: how the inputs differ, and what the outputs are."""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vivavoce.formats.wording import clipped, count

ARROW = " → "
SHOWN_VALUE = 80
FEW = 4
"""Most differing features that are listed one by one."""


def change_in_words(inputs: Sequence[Any]) -> str:
    """How the inputs differ: feature by feature if they have the same ones, else all inputs in full.

    >>> change_in_words([{"age": 30, "sex": "f", "city": "Rome"}, {"age": 35, "sex": "f", "city": "Rome"}])
    'age 30 → 35, the other 2 the same'
    >>> change_in_words([(1, 2.5), (1, 2.0)])
    '[1] 2.5 → 2, the other 1 the same'
    >>> change_in_words(["It rains.", "It pours."])
    'It rains. → It pours.'
    """
    tables = [_features(value) for value in inputs]
    first = tables[0] if tables else None
    if first is not None and all(table is not None and table.keys() == first.keys() for table in tables):
        known = [table for table in tables if table is not None]
        differ = [name for name in first if any(not _same(table[name], first[name]) for table in known)]
        if 0 < len(differ) <= FEW:
            text = ", ".join(f"{name} {ARROW.join(plain(table[name], SHOWN_VALUE) for table in known)}" for name in differ)
            rest = len(first) - len(differ)
            return clipped(text, 4 * SHOWN_VALUE) + (f", the other {rest} the same" if rest else "")
        if not differ:
            return "the same input again"
    words = [plain(value, 2 * SHOWN_VALUE) for value in inputs]
    return "the same input again" if len(words) > 1 and len(set(words)) == 1 else ARROW.join(words)


def plain(value: Any, limit: int = SHOWN_VALUE) -> str:
    """A value in words, cut to this many characters; numbers to four significant digits.

    >>> plain(21300).replace(chr(0x202f), " "), plain(0.123456), plain("a" * 9, 4)
    ('21 300', '0.1235', 'aaaa… (5 more characters)')
    """
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, numbers.Integral):
        return count(int(value)) if abs(int(value)) < 10**18 else f"{float(value):.4g}" if abs(int(value)) < 10**300 else "huge"
    if isinstance(value, numbers.Real):
        number = float(value)
        return count(round(number)) if number.is_integer() and 1000 <= abs(number) < 1e15 else f"{number:.4g}"
    if isinstance(value, str):
        return clipped(" ".join(value.split()), limit)
    return clipped(written(value), limit)


def rough(value: float, towards: int = 0) -> str:
    """A number to two significant digits, or whole above 100; rounded up if `towards` is 1, down if -1.

    >>> rough(0.006415), rough(0.005157, -1), rough(0.007613, 1), rough(123.4), rough(0.0), rough(2.0)
    ('0.0064', '0.0051', '0.0077', '123', '0', '2')
    """
    if abs(value) < 1e-300:
        return plain(value)
    unit = 10.0 ** min(0, math.floor(math.log10(abs(value))) - 1)
    steps = round(value / unit, 9)
    whole = round(steps) if towards == 0 else math.ceil(steps) if towards > 0 else math.floor(steps)
    return plain(float(f"{whole * unit:.12g}"))


def written(value: Any) -> str:
    """A text unchanged, anything else as JSON, or as Python prints it if JSON can't.

    >>> written("as it is"), written({"rooms": 3}), written({(1, 2): 3})
    ('as it is', '{"rooms": 3}', '{(1, 2): 3}')
    """
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value.tolist() if isinstance(value, np.ndarray) else value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return str(value)


def _features(value: Any) -> dict[str, Any] | None:
    """The features of a row by name; None for a value that is not a row."""
    if isinstance(value, Mapping):
        return {str(key): entry for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return {f"[{index}]": entry for index, entry in enumerate(value)}
    return None


def _same(entry: Any, other: Any) -> bool:
    entry, other = (value.tolist() if isinstance(value, np.ndarray) else value for value in (entry, other))
    return bool(entry == other) or repr(entry) == repr(other)  # NaN is not equal to itself
