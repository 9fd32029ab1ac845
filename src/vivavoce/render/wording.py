"""Words and numbers as pages and tables of several rooms have them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

NBSP: Final = "\N{NO-BREAK SPACE}"
_HYPHEN: Final = "\N{SOFT HYPHEN}"
_LONG: Final = {
    "benchmark": f"bench{_HYPHEN}mark",
    "understand": f"under{_HYPHEN}stand",
    "Recommended": f"Recom{_HYPHEN}mended",
    "transformations": f"transfor{_HYPHEN}mations",
}


def p_value(p: float | None) -> str:
    """A p-value as a table has it, to two significant digits.

    >>> p_value(0.00002), p_value(0.00123), p_value(0.0123), p_value(0.5), p_value(None)
    ('<\xa00.001', '0.0012', '0.012', '0.50', 'too few')
    """
    if p is None:
        return "too few"
    return f"<{NBSP}0.001" if p < 0.001 else f"{p:.{4 if p < 0.01 else 3 if p < 0.1 else 2}f}"


def p_in_words(p: float) -> str:
    """A p-value with its name.

    >>> p_in_words(0.00002), p_in_words(0.0123)
    ('p\xa0<\xa00.001', 'p\xa0=\xa00.012')
    """
    return f"p{NBSP}{p_value(p)}" if p < 0.001 else f"p{NBSP}={NBSP}{p_value(p)}"


def breakable(name: str) -> Markup:
    """A name that may be broken where its parts meet.

    >>> breakable("<b>_x")
    Markup('&lt;b&gt;_<wbr>x')
    """
    return Markup("<wbr>").join(part for part in re.split(r"(?<=[_/:])(?=\S)", name) if part)


def hyphenated(words: str) -> str:
    """Long words with soft hyphens, for the narrow columns of a telephone; few browsers know where to break English words.

    >>> hyphenated("does not understand") == "does not under\xadstand"
    True
    """
    for word, parts in _LONG.items():
        words = words.replace(word, parts)
    return words


def listed(names: Sequence[str]) -> str:
    """Names in a sentence; at least one.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
