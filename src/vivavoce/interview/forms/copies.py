"""Whether a reply repeats what it was shown: by the share of its runs of eight words that stand there, too.

Eight words in a row are rarely the same by chance, and never in a reply that is shorter: whether short replies are copies can
be told only from many of them (`patterns`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Final

from vivavoce.interview.forms.alphanumeric import alphanumeric

_Run = tuple[str, ...]
RUN: Final = 8
"""Words in a row that are compared."""
MOST: Final = 0.5
"""A larger share of common runs makes a reply a copy."""
FEWEST: Final = 4
"""Words from which on a text that stands in a task is a copy of it: "photosynthesis" may well be both."""
LONGEST: Final = 20_000
"""Characters of either that are looked at."""


def copied_share(reply: str, shown: Iterable[str]) -> float:
    """The share of a reply's runs of eight words that stand in what was shown; 0 for a reply of fewer words.

    Case, marks and white space do not matter.

    >>> copied_share("End your reply with a line that names one. Yes.", ["End your reply with a line that names one."])
    0.6666666666666666
    >>> copied_share("Answer: 12", ["Answer: 12"])
    0.0
    """
    own = list(_runs(reply))
    if not own:
        return 0.0
    known = frozenset[_Run]().union(*map(_known, shown))
    return sum(run in known for run in own) / len(own)


def is_copy(reply: str, shown: Iterable[str]) -> bool:
    """Whether more than half of a reply's runs of eight words stand in what was shown."""
    return copied_share(reply, shown) > MOST


def repeats(text: str, told: str) -> bool:
    """Whether a text of four words or more stands in what its writer was told to do, or more than half of it does.

    >>> repeats("Ask what shows thought.", "- Be kind.\\n- Ask what shows thought. Whatever can be looked up may be.")
    True
    """
    words = _words(text)
    inside = f" {' '.join(words)} " in f" {' '.join(_words(told))} "
    return (len(words) >= FEWEST and inside) or is_copy(text, [told])


def _words(text: str) -> list[str]:
    return [bare for word in text[:LONGEST].casefold().split() if (bare := alphanumeric(word))]


@lru_cache(maxsize=64)
def _known(text: str) -> frozenset[_Run]:
    """The runs of what was shown, which is mostly the same for many replies."""
    return frozenset(_runs(text))


def _runs(text: str) -> Iterator[_Run]:
    words = _words(text)
    return zip(*(islice(words, start, None) for start in range(RUN)), strict=False)
