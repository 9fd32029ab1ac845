"""How often each question was drawn, which numbers its draws."""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections import Counter
from typing import Final

_HEX_DIGITS: Final = 16
"""Of a digest, 64 bits: two of a million different questions begin alike with a probability of 3e-8. The later one then has a
higher draw number, in every run."""


class Occurrences:
    """Counts digests, in eight bytes for each that came once.

    >>> drawn = Occurrences()
    >>> [drawn.add(digest) for digest in ("ab" * 32, "cd" * 32, "ab" * 32)], drawn["ab" * 32]
    ([0, 0, 1], 2)
    """

    def __init__(self) -> None:
        self._once = array("Q")
        """Ascending; those that came again are counted besides."""
        self._repeated: Counter[int] = Counter()

    def __getitem__(self, digest: str) -> int:
        """How often a digest came."""
        start = int(digest[:_HEX_DIGITS], 16)
        place = bisect_left(self._once, start)
        return self._repeated[start] + (place < len(self._once) and self._once[place] == start)

    def add(self, digest: str) -> int:
        """Count a digest; how often it had come before."""
        before = self[digest]
        start = int(digest[:_HEX_DIGITS], 16)
        if before:
            self._repeated[start] += 1
        else:
            insort(self._once, start)
        return before
