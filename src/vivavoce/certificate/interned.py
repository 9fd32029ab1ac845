"""Long lists of few different values: grades, unit means, categories."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterator
from typing import Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=Hashable)
_MOST_IN_A_BYTE: Final = 256


class InternedList(Generic[T]):
    """A list that keeps equal values once, and a byte for each place (four where more than 256 values differ).

    >>> grades = InternedList[float]()
    >>> for grade in (1.0, 0.0, 1.0):
    ...     grades.append(grade)
    >>> list(grades), grades.distinct, len(grades)
    ([1.0, 0.0, 1.0], [1.0, 0.0], 3)
    """

    def __init__(self) -> None:
        self._numbers: dict[T, int] = {}
        self._places = array("B")
        self.distinct: list[T] = []
        """The different values, in the order in which they came."""

    def append(self, value: T) -> None:
        """Add a value at the end."""
        number = self._numbers.setdefault(value, len(self.distinct))
        if number == len(self.distinct):
            self.distinct.append(value)
            if number == _MOST_IN_A_BYTE:
                self._places = array("I", self._places)
        self._places.append(number)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[T]:
        return map(self.distinct.__getitem__, self._places)

    def last(self) -> T:
        """The value at the end, which there must be."""
        return self.distinct[self._places[-1]]

    def column(self, number_of: Callable[[T], float]) -> NDArray[np.float64]:
        """A number for each place, by its value."""
        table = np.array([number_of(value) for value in self.distinct], dtype=np.float64)
        found: NDArray[np.float64] = table[np.array(self._places)]
        return found
