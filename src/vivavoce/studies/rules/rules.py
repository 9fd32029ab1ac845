"""Rules: if P holds of some inputs, Q must hold of their outputs (equation 1 of `fluri2024`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from vivavoce.errors import BadInput

NOISE = 1e-9
"""Default tolerance of ready-made rules: the last digits depend on the order of summation."""
LARGEST = 1e150
"""Largest size of an output and of a tolerance; beyond it sums and squares overflow."""


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
    """What must hold, in a few words that can end a sentence: `the same output`."""
    gap: Callable[[Sequence[Any]], float]
    """Computes from the outputs, in the order of the inputs, how far they are from what must hold, in the unit of the output; 0
    or less if it holds.
    """
    applies: Callable[[Sequence[Any]], bool] | None = None
    """Tells from the inputs whether the rule applies to them. Other tuples are skipped. None: it applies to all."""
    tolerance: float = 0.0
    """A gap up to this is not a violation."""
    numbers: bool = True
    """Whether only finite numbers up to 1e150 in size are answers. False: all outputs are."""

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
        """Compute the gap and check that it is finite. Raises `BadInput` if the rule itself fails on the outputs."""
        try:
            gap = float(self.gap(outputs))
        except Exception as error:
            raise self._fault("cannot be applied to outputs", outputs, error) from error
        if not math.isfinite(gap):
            raise BadInput(f"the rule '{self.name}' gives {gap}, not a finite number, for the outputs {str(outputs)[:100]}")
        return gap

    def violation(self, outputs: Sequence[Any]) -> float:
        """The gap if it is above the tolerance, else 0 (Q)."""
        gap = self.distance(outputs)
        return gap if gap > self.tolerance else 0.0

    def _fault(self, what: str, values: Sequence[Any], error: Exception) -> BadInput:
        return BadInput(f"the rule '{self.name}' {what} ({type(error).__name__}: {error}): {str(values)[:100]}")


def invariant(tolerance: float = NOISE, *, name: str = "the same output") -> Rule:
    """All outputs must be the same number; the gap is the difference between the largest and the smallest.

    >>> invariant(0.1).violation([0.5, 0.55]), invariant().violation([1, 4, 2])
    (0.0, 3.0)
    """
    return Rule(name, gap=lambda outputs: max(outputs) - min(outputs), tolerance=tolerance)


def equal(*, name: str = "the same answer") -> Rule:
    """All outputs must be equal, whatever they are: labels, texts. The gap is 0 or 1.

    >>> equal().violation(["cat", "cat"]), equal().violation(["cat", "dog"])
    (0.0, 1.0)
    """
    return Rule(name, gap=lambda outputs: float(any(bool(a != b) for a, b in pairwise(outputs))), numbers=False)


def increasing(tolerance: float = NOISE, *, name: str = "no lower output from one input to the next") -> Rule:
    """No output may be below an earlier one; the gap is the largest fall.

    >>> increasing().violation([1, 3, 2, 1]), increasing().violation([1, 1, 2])
    (2.0, 0.0)
    """
    return Rule(name, gap=_largest_fall, tolerance=tolerance)


def decreasing(tolerance: float = NOISE, *, name: str = "no higher output from one input to the next") -> Rule:
    """No output may be above an earlier one; the gap is the largest rise.

    >>> decreasing().violation([3, 1, 2])
    1.0
    """
    return Rule(name, gap=lambda outputs: _largest_fall([-output for output in outputs]), tolerance=tolerance)


def at_least(tolerance: float = NOISE, *, name: str = "the first output at least as high as the others") -> Rule:
    """The first output must not be below any other, for inputs that are only partly ordered. The gap is how far it is below.

    >>> at_least().violation([2, 1, 5]), at_least().violation([2, 1, 0])
    (3.0, 0.0)
    """
    return Rule(name, gap=lambda outputs: max(outputs[1:], default=outputs[0]) - outputs[0], tolerance=tolerance)


def at_most(tolerance: float = NOISE, *, name: str = "the first output at most as high as the others") -> Rule:
    """The first output must not be above any other; the reverse of `at_least`.

    >>> at_most().violation([2, 1, 5])
    1.0
    """
    return Rule(name, gap=lambda outputs: outputs[0] - min(outputs[1:], default=outputs[0]), tolerance=tolerance)


def _largest_fall(outputs: Sequence[float]) -> float:
    """Largest fall from the highest output so far to a later one; negative if all rise."""
    highest = accumulate(outputs, max)
    return max((before - after for before, after in zip(highest, outputs[1:], strict=False)), default=0.0)
