"""Values that equal only themselves, as keys of caches."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Identity(Generic[T]):
    """A value that equals only itself: equal ones may differ, as 0 and 0.0 do, or be slow to compare.

    >>> zero = 0.0
    >>> Identity(zero) == Identity(zero), Identity(zero) == Identity(0)
    (True, False)
    """

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)
