"""Related inputs, and ready-made ways to make them from the rows of a table."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadInput
from vivavoce.studies.rules.rules import Rule

TRIES = 100
"""Random draws of another row's value; if all equal the present one, the value is drawn from those that differ."""

Row = Any
"""A mapping from names of features to values, or a list, tuple or one-dimensional array of values."""


@dataclass(frozen=True, slots=True)
class RelatedInputs:
    """Inputs for which the condition P holds."""

    inputs: tuple[Any, ...]
    base: tuple[str, ...] = ()
    """Names of what the inputs were made from; tuples that share one depend on each other. Empty: it shares nothing."""
    rule: Rule | None = None
    """What must hold of their outputs; None: the rule of the check."""
    change: str = ""
    """How the inputs differ, in words; empty: it is derived from them."""
    id: str = ""


def raised(rows: Iterable[Row], feature: Any, by: float) -> Iterator[RelatedInputs]:
    """Yield each row with a copy in which one feature is raised by this much (lowered, if `by` is negative).

    Parameters
    ----------
    rows: mappings, or sequences of values, such as a two-dimensional array.
    feature: a key of the mapping, or an index of the sequence.

    Raises `BadInput` for a row that lacks the feature, or has no number there.

    >>> [tuple(pair.inputs) for pair in raised([{"age": 30, "sex": "f"}], "age", by=5)]
    [({'age': 30, 'sex': 'f'}, {'age': 35, 'sex': 'f'})]
    """
    for number, row in enumerate(rows, start=1):
        value = _value(row, feature, number)
        try:
            more = value + by
        except TypeError:
            raise BadInput(f"row {number}: '{feature}' is {str(value)[:40]!r}, which cannot be raised by {by}") from None
        yield RelatedInputs((row, with_value(row, feature, more)), base=(f"row {number}",))


def replaced(rows: Sequence[Row] | NDArray[Any], feature: Any, *, rng: np.random.Generator) -> Iterator[RelatedInputs]:
    """Yield each row with a copy in which one feature has another row's value, drawn from those that differ.

    Raises `BadInput` for a row that lacks the feature, or if all rows have the same value there.

    >>> rows = [{"age": 30, "sex": "f"}, {"age": 50, "sex": "m"}]
    >>> [pair.inputs[1]["sex"] for pair in replaced(rows, "sex", rng=np.random.default_rng(0))]
    ['m', 'f']
    """
    values = [_value(row, feature, number) for number, row in enumerate(rows, start=1)]
    for number, row in enumerate(rows, start=1):
        own = values[number - 1]
        drawn = (values[int(rng.integers(len(values)))] for _ in range(TRIES))
        other = next((value for value in drawn if value != own), None)
        if other is None:
            others = [value for value in values if value != own]
            if not others:
                raise BadInput(f"'{feature}' is {str(own)[:40]!r} in every row: there is nothing to replace it by")
            other = others[int(rng.integers(len(others)))]
        yield RelatedInputs((row, with_value(row, feature, other)), base=(f"row {number}",))


def changed(rows: Iterable[Row], change: Callable[[Row], Row | None]) -> Iterator[RelatedInputs]:
    """Yield each row with what a function makes of it; rows for which it returns None are left out.

    The function gets a copy, so it may change the row and return it.

    >>> [pair.inputs for pair in changed(["It rains.", ""], lambda text: text.upper() or None)]
    [('It rains.', 'IT RAINS.')]
    """
    for number, row in enumerate(rows, start=1):
        other = change(copy.deepcopy(row))
        if other is not None:
            yield RelatedInputs((row, other), base=(f"row {number}",))


def with_value(row: Row, feature: Any, value: Any) -> Row:
    """A copy of the row with one feature set to another value."""
    if isinstance(row, Mapping):
        return {**row, feature: value}
    if isinstance(row, np.ndarray):
        other = row.astype(np.result_type(row, value))  # whole numbers may become fractions
        other[feature] = value
        return other
    values = [*islice(row, len(row))]
    values[feature] = value
    return tuple(values) if isinstance(row, tuple) else values


def _value(row: Row, feature: Any, number: int) -> Any:
    try:
        return row[feature]
    except (KeyError, IndexError, TypeError):
        raise BadInput(f"row {number} has no '{feature}': rows are mappings, or sequences of values") from None
