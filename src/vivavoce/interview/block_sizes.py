"""How many questions are drawn for a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from vivavoce.interview.candidate import NoAnswer

A = TypeVar("A")

BlockSize = Callable[[Sequence[A | NoAnswer | None]], int]
"""How many further questions are worth asking at once, given the answers beyond those handed out, in drawn order; None where
there is none yet."""
FIRST_BLOCK: Final = 50
"""Questions of the first block where nobody knows how many there will be."""
MOST_AT_ONCE: Final = 50_000
"""Questions of a block where all are needed."""


def all_at_once(known: Sequence[object]) -> int:
    """The size of a block where all that is left will be asked, whatever is answered."""
    return MOST_AT_ONCE
