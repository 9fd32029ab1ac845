"""Rules: if P holds of some inputs, Q must hold of their outputs (equation 1 of `fluri2024`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from vivavoce.errors import BadInput

NOISE = 1e-9
"""The tolerance that ready-made rules have of their own: the last digits depend on the order in which sums are made."""
LARGEST = 1e150
"""Of an output, in size, and of a tolerance: beyond it sums and squares overflow."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A metamorphic relation: inputs in one relation must have outputs in another.

    >>> older = Rule(
    ...     "the older, the more expensive",
    ...     gap=lambda prices: prices[0] - prices[1],
    ...     applies=lambda people: people[0]["age"] <= people[1]["age"],
    ... )
    >>> older.holds_of([{"age": 30}, {"age": 20}]), older.violation([310.0, 290.0]), older.violation([290.0, 310.0])
    (False, 20.0, 0.0)
    """

    name: str
    """What must hold, in a few words that end a sentence: `the same output`."""
    gap: Callable[[Sequence[Any]], float]
    """From the outputs, in the order of the inputs: how far they are from what must hold, in the unit of the output; 0 or less
    where it holds."""
    applies: Callable[[Sequence[Any]], bool] | None = None
    """From the inputs: whether the relation holds for them. Tuples of which it is false are skipped. None: all do."""
    tolerance: float = 0.0
    """A gap of no more is no violation."""
    numbers: bool = True
    """Outputs are finite numbers, at most 1e150 in size; anything else is no answer. False: whatever the function returns."""

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance < math.inf:
            raise BadInput(f"the tolerance of '{self.name}' is {self.tolerance}: give a number from 0 on")

    def holds_of(self, inputs: Sequence[Any]) -> bool:
        """Whether the relation holds for the inputs (P). Raises `BadInput` if the rule itself fails on them."""
        if self.applies is None:
            return True
        try:
            return bool(self.applies(inputs))
        except Exception as error:
            raise self._fault("cannot be applied to inputs", inputs, error) from error

    def distance(self, outputs: Sequence[Any]) -> float:
        """The gap, checked to be a finite number. Raises `BadInput` if the rule itself fails on the outputs."""
        try:
            gap = float(self.gap(outputs))
        except Exception as error:
            raise self._fault("cannot be applied to outputs", outputs, error) from error
        if not math.isfinite(gap):
            raise BadInput(f"the rule '{self.name}' gives {gap}, no finite number, for the outputs {str(outputs)[:100]}")
        return gap

    def violation(self, outputs: Sequence[Any]) -> float:
        """The gap where it is above the tolerance, else 0 (Q)."""
        gap = self.distance(outputs)
        return gap if gap > self.tolerance else 0.0

    def _fault(self, what: str, values: Sequence[Any], error: Exception) -> BadInput:
        return BadInput(f"the rule '{self.name}' {what} ({type(error).__name__}: {error}): {str(values)[:100]}")


def invariant(tolerance: float = NOISE, *, name: str = "the same output") -> Rule:
    """All outputs are the same number; the gap is that between the largest and the smallest.

    >>> invariant(0.1).violation([0.5, 0.55]), invariant().violation([1, 4, 2])
    (0.0, 3.0)
    """
    return Rule(name, gap=lambda outputs: max(outputs) - min(outputs), tolerance=tolerance)


def equal(*, name: str = "the same answer") -> Rule:
    """All outputs are equal, whatever they are: labels, texts. The gap is 0 or 1.

    >>> equal().violation(["cat", "cat"]), equal().violation(["cat", "dog"])
    (0.0, 1.0)
    """
    return Rule(name, gap=lambda outputs: float(any(bool(a != b) for a, b in pairwise(outputs))), numbers=False)


def increasing(tolerance: float = NOISE, *, name: str = "no lower output from one input to the next") -> Rule:
    """No output is below one that comes before it; the gap is the largest fall.

    >>> increasing().violation([1, 3, 2, 1]), increasing().violation([1, 1, 2])
    (2.0, 0.0)
    """
    return Rule(name, gap=_largest_fall, tolerance=tolerance)


def decreasing(tolerance: float = NOISE, *, name: str = "no higher output from one input to the next") -> Rule:
    """No output is above one that comes before it; the gap is the largest rise.

    >>> decreasing().violation([3, 1, 2])
    1.0
    """
    return Rule(name, gap=lambda outputs: _largest_fall([-output for output in outputs]), tolerance=tolerance)


def at_least(tolerance: float = NOISE, *, name: str = "the first output at least as high as the others") -> Rule:
    """The first output is not below any other: for inputs that are only partly ordered. The gap is how far it is below.

    >>> at_least().violation([2, 1, 5]), at_least().violation([2, 1, 0])
    (3.0, 0.0)
    """
    return Rule(name, gap=lambda outputs: max(outputs[1:], default=outputs[0]) - outputs[0], tolerance=tolerance)


def at_most(tolerance: float = NOISE, *, name: str = "the first output at most as high as the others") -> Rule:
    """The first output is not above any other; the mirror of `at_least`.

    >>> at_most().violation([2, 1, 5])
    1.0
    """
    return Rule(name, gap=lambda outputs: outputs[0] - min(outputs[1:], default=outputs[0]), tolerance=tolerance)


def _largest_fall(outputs: Sequence[float]) -> float:
    """From the highest output so far to a later one; below 0 where all rise."""
    highest = accumulate(outputs, max)
    return max((before - after for before, after in zip(highest, outputs[1:], strict=False)), default=0.0)
