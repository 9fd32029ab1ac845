"""Where words of a page may be broken."""

from __future__ import annotations

import re
from typing import Final

from markupsafe import Markup

_HYPHEN: Final = "\N{SOFT HYPHEN}"
_LONG: Final = {
    "benchmark": f"bench{_HYPHEN}mark",
    "understand": f"under{_HYPHEN}stand",
    "Understand": f"Under{_HYPHEN}stand",
    "conclusion": f"conclu{_HYPHEN}sion",
    "Recommended": f"Recom{_HYPHEN}mended",
    "transformations": f"transfor{_HYPHEN}mations",
}


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
